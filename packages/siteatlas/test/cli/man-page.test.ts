/** The manual page has everything that the help texts have. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { commands } from "../../src/cli/config/command-table.ts";
import { flagName, SETTING_NAMES } from "../../src/cli/config/flags.ts";
import { manPage } from "../../src/cli/man-page.ts";
import { EXIT_TEXTS } from "../../src/cli/process/exit-codes.ts";

const page = manPage("1.2.3");
/** As a reader sees it. */
const shown = page
  .replaceAll("\\-", "-")
  .replace(/\\f[BR]/g, "")
  .replaceAll("\\&", "");

it("names the program, its version, and every command, flag and exit code", () => {
  expect(page).toMatch(/^\.TH SITEATLAS 1 "" "siteatlas 1\.2\.3"\n\.SH NAME\nsiteatlas \\- finds /);
  for (const { name } of commands) expect(shown).toContain(`.SS "siteatlas ${name}"`);
  for (const name of SETTING_NAMES) expect(shown).toMatch(new RegExp(`--(?:no-)?${flagName(name)}\\b`));
  for (const text of Object.values(EXIT_TEXTS)) expect(shown).toContain(text);
});

it("has no line that roff would take for an unknown request, and no plain dash", () => {
  for (const line of page.split("\n")) {
    if (line.startsWith(".")) expect(line).toMatch(/^\.(?:TH|SH|SS|TP|PP|nf|fi)\b/);
    expect(line.replaceAll("\\-", "")).not.toContain("-");
    expect(line).not.toMatch(/^'/);
  }
});

it("is in the package, where npm installs it", () => {
  const { man, files } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    man: string;
    files: string[];
  };
  expect(man).toBe("./dist/siteatlas.1");
  expect(files).toContain("dist");
});
