/** What a run loads: heavy packages only where the command needs them, so that the others start at once. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { urlset } from "../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "./support/cli.ts";
import { openSmallSite } from "./support/small-site.ts";

buildCli();

/** The packages that a run loads: V8's report on coverage names every script. */
async function packagesOf(args: readonly string[], input = ""): Promise<string[]> {
  const folder = emptyFolder();
  expect((await runCli(args, { env: { NODE_V8_COVERAGE: folder }, input })).code).toBe(0);
  const reports = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const names = reports.join("").matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g);
  expect(reports.join("")).toContain("/dist/cli/main.js");
  return [...new Set(Array.from(names, ([, name = ""]) => name))].sort();
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

it("parse loads nothing of the network", async () => {
  const packages = await packagesOf(["parse", "-"], urlset(["https://example.com/a"]));
  expect(packages.filter((name) => name !== "commander")).toEqual([]);
});

it("ls loads what writes Parquet when that is written, and live lines on a terminal only", async () => {
  const site = await openSmallSite();
  const plain = await packagesOf(["ls", site.url]);
  expect(plain).toContain("undici");
  expect(plain).not.toContain("hyparquet-writer");
  expect(plain).not.toContain("log-update");
  const parquet = await packagesOf(["ls", site.url, "-o", "a.parquet"]);
  expect(parquet).toContain("hyparquet-writer");
});
