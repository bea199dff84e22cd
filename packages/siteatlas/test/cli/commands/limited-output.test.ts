/** `--limit` ends a run in the middle of a sitemap: what was read until then is counted, drawn and written. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openSite, pageUrls, robotsTxt, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

let site: TestSite;
beforeEach(async () => {
  site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset(pageUrls(base, 50)),
  }));
});

/** The last line of `--progress json`. */
function summary(stderr: string): Record<string, unknown> {
  return JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
}

describe("stats --limit", () => {
  it.each(["", "/a.xml"])("draws the overview of the pages it read: %s", async (path) => {
    const { code, stdout, stderr } = await runCli(["stats", `${site.url}${path}`, "--limit", "10"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^127\.0\.0\.1:\d+ {2}1 sitemap · first 10 pages · /);
    expect(stderr).toBe("10 pages. Stopped at --limit 10.\n");
  });

  it.each(["", "/a.xml"])("counts what it read: %s", async (path) => {
    const { stdout } = await runCli(["stats", `${site.url}${path}`, "--limit", "10", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ pages: 10, selected: 10, sitemaps: 1, kinds: { page: 10 } });
  });

  it("reads files", async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "a.xml"), urlset(pageUrls("https://example.com", 50)));
    const { stdout } = await runCli(["stats", "a.xml", "--limit", "10"], { cwd });
    expect(stdout).toMatch(/^a\.xml {2}1 sitemap · first 10 pages · /);
  });
});

it.each([
  { flags: [], sitemaps: 1 },
  // All sitemaps are read before the first page is printed.
  { flags: ["--ordered"], sitemaps: 1 },
])("ls --limit counts what it read: $flags", async ({ flags, sitemaps }) => {
  const args = ["ls", `${site.url}/a.xml`, "--limit", "2", "--progress", "json", ...flags];
  const { stderr } = await runCli(args);
  expect(summary(stderr)).toMatchObject({ pages: 2, selected: 2, sitemaps, sites: 1 });
});

it("ls --limit writes the file", async () => {
  const cwd = emptyFolder();
  const { code } = await runCli(["ls", `${site.url}/a.xml`, "--limit", "2", "-o", "out.txt"], { cwd });
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "out.txt"), "utf8").trim().split("\n")).toHaveLength(2);
});

it("parse --limit writes the file, and counts what it read", async () => {
  const cwd = emptyFolder();
  for (const name of ["a.xml", "b.xml"])
    writeFileSync(join(cwd, name), urlset(pageUrls("https://example.com", 4)));
  const args = ["parse", "a.xml", "b.xml", "--limit", "6", "-o", "out.txt", "--progress", "json"];
  const { code, stderr } = await runCli(args, { cwd });
  expect(code).toBe(0);
  expect(readFileSync(join(cwd, "out.txt"), "utf8").trim().split("\n")).toHaveLength(6);
  expect(summary(stderr)).toMatchObject({ pages: 6, selected: 6, documents: 2 });
});
