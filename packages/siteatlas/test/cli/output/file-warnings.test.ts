/** Warnings about a file that `-o` names: a limit cut its content, or its extension belongs to another format. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSite, pageUrls, robotsTxt, type TestSite, urlset } from "../../support/test-site.ts";
import { buildCli, type CliResult, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

function openTwoSitemaps(): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(pageUrls(base, 20)),
    "/b.xml": urlset([`${base}/b`]),
  }));
}

async function run(command: string, ...flags: string[]): Promise<CliResult & { readonly cwd: string }> {
  const site = await openTwoSitemaps();
  const cwd = emptyFolder();
  const args = [command, site.url, "--no-known", "--concurrency", "1", ...flags];
  return { cwd, ...(await runCli(args, { cwd })) };
}

describe("a file that a limit cut", () => {
  it.each([
    ["ls", "pages.csv"],
    ["ls", "pages.tree"],
    ["stats", "site.json"],
    ["tree", "site.txt"],
  ])("is said to be incomplete: %s -o %s", async (command, file) => {
    const { code, stderr } = await run(command, "--max-pages", "10", "-o", file, "-q");
    expect(code).toBe(7);
    expect(stderr).toContain(`warning: ${file} is incomplete: stopped at --max-pages 10\n`);
  });

  it("is said to be incomplete if one sitemap was cut", async () => {
    const { code, stderr } = await run("ls", "--max-pages-per-sitemap", "10", "-o", "pages.csv");
    expect(code).toBe(0);
    expect(stderr).toContain("warning: pages.csv is incomplete: a limit cut 1 sitemap\n");
  });

  it("is not mentioned if it is complete, if --limit asked for a part, or on stdout", async () => {
    const complete = await run("ls", "-o", "pages.csv");
    const limited = await run("ls", "-o", "pages.csv", "--limit", "3");
    const piped = await run("ls", "--max-pages", "10");
    for (const { stderr } of [complete, limited, piped]) expect(stderr).not.toContain("incomplete");
  });
});

describe("a file whose extension belongs to another format", () => {
  it.each([
    ["pages.csv", ["--json"], "ndjson", ".ndjson"],
    ["pages.json", ["-f", "csv"], "csv", ".csv"],
    ["pages.csv.gz", ["-f", "tsv"], "tsv", ".tsv"],
  ])("is written with a warning: -o %s %s", async (file, flags, format, extension) => {
    const { code, stderr } = await run("ls", "-o", file, ...flags);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `warning: ${file} will contain ${format}, although its name says otherwise\n  Name it *${extension}, or leave out ${flags[0] === "--json" ? "--json" : "-f"}.\n`,
    );
  });

  it("has no warning if the name fits, or says nothing", async () => {
    const fitting = [
      ["-o", "a.json", "--json"],
      ["-o", "a.txt", "-f", "csv"],
      ["-o", "a.data", "-f", "csv"],
      ["-o", "a.csv"],
    ];
    for (const flags of fitting) {
      const { stderr, cwd } = await run("ls", ...flags);
      expect(stderr).not.toContain("warning");
      expect(readFileSync(join(cwd, flags[1]!), "utf8")).not.toBe("");
    }
  });
});
