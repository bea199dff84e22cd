/** Messages name the flags of limits, not the options of the library. */
import { describe, expect, it } from "vitest";
import { withLimitFlags } from "../../../src/cli/messages/limit-names.ts";
import { breachText, LIMIT_NAMES } from "../../../src/model/limits.ts";
import { openSite } from "../../support/test-site.ts";
import { buildCli, runCli } from "../support/cli.ts";

buildCli();

describe("withLimitFlags", () => {
  it.each([
    ["101; limits.urls allows 100", "--max-pages 100"],
    ["2000 ms; limits.timeMs allows 1500", "--deadline 1500ms"],
    ["2097153 bytes; limits.wireBytes allows 2097152", "--max-bytes 2MiB"],
    ["1; limits.compressionRatio allows 0.5", "--max-compression-ratio 0.5"],
    ["too large (20 bytes; limits.wireBytes allows 10)", "too large (--max-bytes 10)"],
    ["20; limits.speed allows 10", "20; limits.speed allows 10"],
  ])("%s is %s", (text, shown) => {
    expect(withLimitFlags(text)).toBe(shown);
  });

  it("knows every limit", () => {
    for (const name of LIMIT_NAMES) {
      expect(withLimitFlags(breachText(name, 2, 1))).toMatch(/^--[a-z-]+ 1[a-z]*$/i);
    }
  });
});

it("no command shows the name of an option", async () => {
  const body = `User-agent: *\nDisallow: /${"a".repeat(300)}\n`;
  const site = await openSite(() => ({ "/robots.txt": { body } }));
  const { code, stderr } = await runCli(["robots", site.url, "--max-bytes", "100"]);
  expect(stderr).toContain("--max-bytes 100");
  expect(stderr).not.toContain("wireBytes");
  expect(code).not.toBe(0);
});
