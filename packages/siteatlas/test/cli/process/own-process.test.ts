/**
 * Each command in a process of its own, and in a process that ran commands before (support/cli-host.mjs): the same
 * output and the same exit code. Most tests of commands share processes.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { commands } from "../../../src/cli/config/command-table.ts";
import { buildCli, emptyFolder, runCli, steady } from "../support/cli.ts";
import { openSmallSite } from "../support/small-site.ts";

buildCli();

/** Arguments for each command, and the exit code. */
const RUNS: Readonly<Record<string, readonly [args: readonly string[], code: number]>> = {
  ls: [["SITE"], 0],
  tree: [["SITE"], 0],
  find: [["SITE"], 0],
  // Of a file: for a site it sorts the sitemaps by time.
  stats: [["sitemap.xml"], 0],
  lint: [["sitemap.xml"], 5],
  check: [["SITE", "--concurrency", "1"], 5],
  // Into a file: it contains the time.
  report: [["sitemap.xml", "-o", "report.html"], 0],
  robots: [["SITE"], 0],
  compare: [["sitemap.xml", "old.gz"], 0],
  sync: [["SITE", "--snapshot", "new.gz", "-f", "urls"], 0],
  watch: [["SITE", "--interval", "nonsense"], 2],
  diff: [["old.gz", "old.gz", "-f", "urls"], 0],
  snapshot: [["show", "old.gz"], 0],
  parse: [["sitemap.xml"], 0],
  completion: [["bash"], 0],
};

it.each(commands.map(({ name }) => name))("%s", async (name) => {
  const [given, code] = RUNS[name]!;
  const site = await openSmallSite();
  const args = [name, ...given.map((arg) => (arg === "SITE" ? site.url : arg))];
  const run = async (own: boolean) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "sitemap.xml"), "<urlset><url><loc>http://a.test/1</loc></url></urlset>");
    // The first run in the shared process.
    const sync = ["sync", site.url, "--snapshot", "old.gz", "-q"];
    expect(await runCli(sync, { cwd })).toMatchObject({ code: 0 });
    const { stdout, stderr, ...rest } = await runCli(args, { cwd, own });
    return { ...rest, stdout: steady(stdout, site.url), stderr: steady(stderr, site.url) };
  };
  const own = await run(true);
  expect(own.code).toBe(code);
  expect(own.stdout + own.stderr).not.toBe("");
  expect(await run(false)).toEqual(own);
});

it.each([
  ["a value that is wrong", ["ls", "x.test", "--kind", ","]],
  ["an unknown flag", ["ls", "--nosuch"]],
  ["a run without arguments", []],
])("%s", async (_, args) => {
  const own = await runCli(args, { own: true });
  expect(own.code).toBe(2);
  expect(await runCli(args)).toEqual(own);
});
