/**
 * Every fixture on the browser build, minified and without shortcuts, in Node: the same as `npm run
 * test:browser` in Chromium, but in every test run. Compression is tested there and in test/decode, because
 * the DecompressionStream of Node differs from that of browsers.
 */
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EXCUSED } from "../browser/excused.ts";
import { loadFixtures } from "../support/fixtures.ts";
import { bundleChecks } from "./bundle-checks.ts";

const FEW_SPLITS = fileURLToPath(new URL("../browser/few-splits.ts", import.meta.url));

const { api, checkCase } = await bundleChecks("web", {
  minify: true,
  plugins: [
    {
      name: "few-splits",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/support\/splits\.ts$/ }, ({ importer }) =>
          importer.endsWith("few-splits.ts") ? undefined : { path: FEW_SPLITS },
        ),
    },
  ],
});

for (const fixture of loadFixtures()) {
  const { id, title } = fixture.expected;
  if (fixture.group === "compression" || fixture.group === "size" || EXCUSED.has(id)) continue;
  test(`${id} ${title}`, async () => {
    const problems = await checkCase(fixture, api);
    expect(problems, problems.join("\n")).toEqual([]);
  });
}
