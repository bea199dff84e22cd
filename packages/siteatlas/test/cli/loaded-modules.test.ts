/** Heavy packages are loaded only by commands that need them, so that the others start fast. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { urlset } from "../support/test-site.ts";
import { buildCli, emptyFolder, runCli, sourcesOf } from "./support/cli.ts";
import { openSmallSite } from "./support/small-site.ts";

buildCli();

/** The files that a run loads, from V8's coverage report. */
async function filesOf(args: readonly string[], input = ""): Promise<string[]> {
  const folder = emptyFolder();
  expect((await runCli(args, { env: { NODE_V8_COVERAGE: folder }, input })).code).toBe(0);
  const scripts = readdirSync(folder).flatMap(
    (name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as { result: { url: string }[] }).result,
  );
  const files = new Set(scripts.map(({ url }) => url).filter((url) => url.startsWith("file:")));
  expect([...files].some((url) => url.endsWith("/dist/cli/main.js"))).toBe(true);
  return [...files];
}

/** The packages in these files. */
async function packagesOf(args: readonly string[], input?: string): Promise<string[]> {
  const paths = (await filesOf(args, input)).flatMap((url) => sourcesOf(basename(url)) ?? url);
  const names = paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}

it("--version loads no package at all", async () => {
  expect(await packagesOf(["--version"])).toEqual([]);
});

it.each([["--help"], ["ls", "--help"], ["completion", "bash"]])(
  "%s %s loads nothing heavy",
  async (...args) => {
    const packages = await packagesOf(args);
    expect(packages.filter((name) => name !== "commander")).toEqual([]);
  },
);

it("parse does not load the network code", async () => {
  const packages = await packagesOf(["parse", "-"], urlset(["https://example.com/a"]));
  expect(packages.filter((name) => name !== "commander")).toEqual([]);
});

it("ls loads the Parquet writer and live lines only on demand", async () => {
  const site = await openSmallSite();
  const plain = await packagesOf(["ls", site.url]);
  expect(plain).toContain("undici");
  expect(plain).not.toContain("hyparquet-writer");
  expect(plain).not.toContain("log-update");
  const parquet = await packagesOf(["ls", site.url, "-o", "a.parquet"]);
  expect(parquet).toContain("hyparquet-writer");
});

// Each file takes about a millisecond to load.
it("loads few files", async () => {
  const site = await openSmallSite();
  expect((await filesOf(["--version"])).length).toBeLessThanOrEqual(3);
  expect((await filesOf(["ls", site.url])).length).toBeLessThanOrEqual(12);
});
