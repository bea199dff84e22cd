/**
 * Every fixture on the browser build, minified and without shortcuts, in Node: the same as `npm run
 * test:browser` in Chromium, but in every test run. Compression is tested there and in test/decode, because
 * the DecompressionStream of Node differs from that of browsers.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { EXCUSED } from "../browser/excused.ts";
import { loadFixtures } from "../support/fixtures.ts";
import type * as checks from "./check-case.ts";

const path = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "siteatlas-web-build-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const outfile = join(folder, "web.mjs");
await build({
  stdin: {
    contents: `
      export * as api from "./src/parse/index.ts";
      export { checkCase } from "./test/conformance/check-case.ts";`,
    resolveDir: path("."),
  },
  outfile,
  bundle: true,
  platform: "browser",
  format: "esm",
  minify: true,
  logLevel: "error",
  alias: {
    "#platform": path("src/decode/platform-web.ts"),
    "#shortcuts": path("src/parse/fast/shortcuts-web.ts"),
  },
  plugins: [
    {
      name: "few-splits",
      setup: ({ onResolve }) =>
        onResolve({ filter: /\/support\/splits\.ts$/ }, ({ importer }) =>
          importer.endsWith("few-splits.ts") ? undefined : { path: path("test/browser/few-splits.ts") },
        ),
    },
  ],
});

const { api, checkCase }: { api: checks.ParseApi; checkCase: typeof checks.checkCase } = await import(
  pathToFileURL(outfile).href
);

for (const fixture of loadFixtures()) {
  const { id, title } = fixture.expected;
  if (fixture.group === "compression" || fixture.group === "size" || EXCUSED.has(id)) continue;
  test(`${id} ${title}`, async () => {
    const problems = await checkCase(fixture, api);
    expect(problems, problems.join("\n")).toEqual([]);
  });
}
