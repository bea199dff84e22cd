import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { userAgentOf } from "../../src/model/visit-settings.ts";
import { VERSION } from "../../src/version.ts";

it("the User-Agent has the version of package.json", () => {
  const manifest = new URL("../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  expect(userAgentOf("https://example.com/bot", VERSION)).toBe(
    `siteatlas-fleet/${version} (+https://example.com/bot)`,
  );
});
