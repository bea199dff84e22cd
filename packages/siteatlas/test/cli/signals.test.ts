/** Signals, pipes that close, many sites: the ways in which a run of the command line ends early or takes long. */

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSite, pageUrls, robotsTxt, sitemapIndex, type TestSite, urlset } from "../support/test-site.ts";
import { buildCli, type CliResult, emptyFolder, endOf, runCli, runShell, startCli } from "./support/cli.ts";

buildCli();

/** One sitemap comes at once, the next never. */
async function openHangingSite(pages = 1000): Promise<{ site: TestSite; hangs: Promise<unknown> }> {
  let reached: (value?: unknown) => void;
  const hangs = new Promise((resolve) => {
    reached = resolve;
  });
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/index.xml`]),
    "/index.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`, `${base}/c.xml`]),
    "/a.xml": urlset(pageUrls(base, pages)),
    "/b.xml": async (_, response) => {
      response.write(urlset([`${base}/b1`, `${base}/b2`]).replace("</urlset>", "<url><loc>"));
      reached();
      await once(response, "close");
      return undefined;
    },
    "/c.xml": urlset([`${base}/c`]),
  }));
  return { site, hangs };
}

/** Waits for it, but not for a process that is gone. */
async function unlessEnded(event: Promise<unknown>, ended: Promise<CliResult>): Promise<void> {
  const early = ended.then((result) => {
    throw new Error(`It ended before: ${JSON.stringify(result).slice(0, 1000)}`);
  });
  await Promise.race([event, early]);
}

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s", (signal, expected) => {
  it("stops requests, writes whole records, and says what is not known", async () => {
    const { site, hangs } = await openHangingSite();
    const child = startCli(["ls", site.url, "-f", "ndjson", "--concurrency", "1"]);
    const written = once(child.stdout, "data");
    const ended = endOf(child);
    await unlessEnded(Promise.all([hangs, written]), ended);
    child.kill(signal);
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(expected);
    const records = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(records.length).toBeGreaterThanOrEqual(1);
    expect(stderr).toMatch(/Interrupted: [\d,]+ pages? in 2 sitemaps so far; 2 sitemaps not read\n$/);
    expect(site.sockets.size).toBe(0);
    expect(site.count("/c.xml")).toBe(0);
  });

  it("closes a file properly", async () => {
    const { site, hangs } = await openHangingSite();
    const cwd = emptyFolder();
    const child = startCli(["ls", site.url, "-o", "pages.json", "--concurrency", "1"], { cwd });
    const ended = endOf(child);
    await unlessEnded(hangs, ended);
    child.kill(signal);
    expect((await ended).code).toBe(expected);
    expect(JSON.parse(readFileSync(join(cwd, "pages.json"), "utf8"))).not.toHaveLength(0);
  });
});

describe("Ctrl-C with --force", () => {
  async function interrupted(args: readonly string[], cwd: string): Promise<CliResult> {
    const { site, hangs } = await openHangingSite();
    const [command = "", ...flags] = args;
    const child = startCli([command, site.url, ...flags, "--force", "--concurrency", "1"], { cwd });
    const ended = endOf(child);
    await unlessEnded(hangs, ended);
    child.kill("SIGINT");
    return ended;
  }

  it.each([
    ["ls", "pages.csv", "pages.partial.csv"],
    ["ls", "pages.ndjson.gz", "pages.partial.ndjson.gz"],
    ["ls", "pages.parquet", "pages.partial.parquet"],
    ["tree", "site", "site.partial"],
    ["stats", "my.site.json", "my.site.partial.json"],
  ])("keeps the earlier file, and puts what there is beside it: %s -o %s", async (command, file, partial) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, file), "whole");
    const { code, stderr } = await interrupted([command, "-o", file, "-q"], cwd);
    expect(code).toBe(130);
    expect(readFileSync(join(cwd, file), "utf8")).toBe("whole");
    expect(stderr).toContain(
      `warning: ${file} is still the earlier one; what was read so far is in ${partial}\n`,
    );
    expect(readFileSync(join(cwd, partial)).length).toBeGreaterThan(50);
    expect(readdirSync(cwd).sort()).toEqual([file, partial].sort());
  });

  it("overwrites none that an earlier run left", async () => {
    const cwd = emptyFolder();
    for (const name of ["pages.txt", "pages.partial.txt"]) writeFileSync(join(cwd, name), name);
    const { stderr } = await interrupted(["ls", "-o", "pages.txt"], cwd);
    expect(stderr).toContain("is in pages.partial-2.txt\n");
    expect(readFileSync(join(cwd, "pages.partial.txt"), "utf8")).toBe("pages.partial.txt");
  });

  it("puts it in its place where there is no earlier file", async () => {
    const cwd = emptyFolder();
    const { stderr } = await interrupted(["ls", "-o", "pages.txt"], cwd);
    expect(stderr).not.toContain("partial");
    expect(readdirSync(cwd)).toEqual(["pages.txt"]);
  });
});

describe("a second Ctrl-C", () => {
  it("ends at once, though the first cannot come to an end", async () => {
    const { site } = await openHangingSite(50_000);
    const child = startCli(["ls", site.url, "-f", "ndjson"]);
    const closed = once(child, "exit");
    const messages = once(child.stderr, "data");
    // A pipe that nobody reads from.
    await once(child.stdout, "readable");
    child.kill("SIGINT");
    expect(String((await messages)[0])).toBe("Stopping; Ctrl-C again ends at once\n");
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
  });
});

describe("a pipe that closes", () => {
  it("is a quiet success", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset(pageUrls(base, 50_000)),
    }));
    const { stdout, stderr } = await runShell(
      `$SITEATLAS ls ${site.url} | head -1; echo "\${PIPESTATUS[0]}"`,
    );
    expect(stdout).toBe(`${site.url}/1\n0\n`);
    expect(stderr).toBe("");
  });
});

describe("a list of hosts on stdin", () => {
  it("is read to its end, 1,000 of them, several at once", async () => {
    const site = await openSite(
      (base) => ({
        "/robots.txt": robotsTxt(["/sitemap.xml"]),
        "/sitemap.xml": "<urlset><url><loc>/page</loc></url></urlset>",
        [`${base}/`]: "",
      }),
      { everyAddress: true },
    );
    const hosts = Array.from({ length: 1000 }, (_, i) =>
      site.at(`127.1.${Math.floor(i / 250)}.${1 + (i % 250)}`),
    );
    const input = `# hosts\n\n${hosts.join("\r\n")}\nnot a host\n`;
    const { code, stdout, stderr } = await runCli(["ls", "-", "--no-known", "--progress", "none"], { input });
    expect(code).toBe(0);
    const pages = stdout.trimEnd().split("\n");
    expect(new Set(pages)).toEqual(new Set(hosts.map((host) => `${host}/page`)));
    expect(pages).toHaveLength(1000);
    expect(stderr).toBe(
      'warning: stdin, line 1003: "not a host" is not a URL\n1,000 pages in 1,000 sitemaps of 1,000 sites; 1 line of stdin is no URL\n',
    );
  }, 60_000);

  it("counts the sites that give nothing, and goes on", async () => {
    const site = await openSite({ "/sitemap.xml": "<urlset><url><loc>/page</loc></url></urlset>" });
    const empty = await openSite({});
    const input = `${site.url}\n${empty.url}\nhttp://nosuch.invalid/\n`;
    const { code, stdout, stderr } = await runCli(["ls", "-"], { input });
    expect([code, stdout]).toEqual([0, `${site.url}/page\n`]);
    expect(stderr).toBe("1 page in 1 sitemap of 3 sites; 1 site without sitemaps, 1 site not reached\n");
    expect((await runCli(["find", "-", "--fail-on-partial"], { input })).code).toBe(4);
  });
});
