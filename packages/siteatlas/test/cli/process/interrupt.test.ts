/** Signals, closed pipes and long lists of hosts. */

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  openSite,
  pageUrls,
  robotsTxt,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../../support/test-site.ts";
import { buildCli, type CliResult, emptyFolder, endOf, runCli, runShell, startCli } from "../support/cli.ts";

buildCli();

/** One sitemap responds at once, the next never. */
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

/** Waits for the text, or for the end of the process. */
async function unlessEnded(event: Promise<unknown>, ended: Promise<CliResult>): Promise<void> {
  const early = ended.then((result) => {
    throw new Error(`It ended before: ${JSON.stringify(result).slice(0, 1000)}`);
  });
  await Promise.race([event, early]);
}

it.each([
  ["stats", /^127\.0\.0\.1:\d+ {2}.* · incomplete \(interrupted\)\n/],
  ["tree", /^127\.0\.0\.1:\d+ {2}incomplete \(interrupted\)\n/],
])(
  "an interrupted %s says in its picture that the numbers are incomplete",
  async (command, expectedStart) => {
    const { site, hangs } = await openHangingSite();
    const child = startCli([command, site.url, "--concurrency", "1"]);
    const ended = endOf(child);
    await unlessEnded(hangs, ended);
    child.kill("SIGINT");
    expect((await ended).stdout).toMatch(expectedStart);
  },
);

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s", (signal, expected) => {
  it("stops requests, writes complete records, and reports what is missing", async () => {
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
    expect(stderr).toMatch(/Interrupted: [\d,]+ pages? in 2 sitemaps so far\. 2 sitemaps not read\.\n$/);
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
    const { code, stderr } = await ended;
    expect(code).toBe(expected);
    expect(stderr).toContain("pages.json was not written; the incomplete result is in pages.partial.json\n");
    expect(JSON.parse(readFileSync(join(cwd, "pages.partial.json"), "utf8"))).not.toHaveLength(0);
    expect(readdirSync(cwd)).toEqual(["pages.partial.json"]);
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
  ])(
    "keeps the earlier file and writes a partial one beside it: %s -o %s",
    async (command, file, partial) => {
      const cwd = emptyFolder();
      writeFileSync(join(cwd, file), "whole");
      const { code, stderr } = await interrupted([command, "-o", file, "-q"], cwd);
      expect(code).toBe(130);
      expect(readFileSync(join(cwd, file), "utf8")).toBe("whole");
      expect(stderr).toContain(`warning: ${file} was not changed; the incomplete result is in ${partial}\n`);
      expect(readFileSync(join(cwd, partial)).length).toBeGreaterThan(50);
      expect(readdirSync(cwd).sort()).toEqual([file, partial].sort());
    },
  );

  it("does not overwrite a partial file of an earlier run", async () => {
    const cwd = emptyFolder();
    for (const name of ["pages.txt", "pages.partial.txt"]) writeFileSync(join(cwd, name), name);
    const { stderr } = await interrupted(["ls", "-o", "pages.txt"], cwd);
    expect(stderr).toContain("the incomplete result is in pages.partial-2.txt\n");
    expect(readFileSync(join(cwd, "pages.partial.txt"), "utf8")).toBe("pages.partial.txt");
  });

  it("does not write to the given name, though there is no earlier file", async () => {
    const cwd = emptyFolder();
    const { stderr } = await interrupted(["ls", "-o", "pages.txt"], cwd);
    expect(stderr).toContain(
      "warning: pages.txt was not written; the incomplete result is in pages.partial.txt\n",
    );
    expect(readdirSync(cwd)).toEqual(["pages.partial.txt"]);
  });
});

describe("a second Ctrl-C", () => {
  it("ends at once, even if the first one cannot", async () => {
    const { site } = await openHangingSite(50_000);
    const child = startCli(["ls", site.url, "-f", "ndjson"]);
    const closed = once(child, "exit");
    const messages = once(child.stderr, "data");
    // A pipe without a reader.
    await once(child.stdout, "readable");
    child.kill("SIGINT");
    expect(String((await messages)[0])).toBe("Stopping. Press Ctrl-C again to quit immediately.\n");
    child.kill("SIGINT");
    expect(await closed).toEqual([130, null]);
  });
});

describe("a pipe that closes", () => {
  it("ends silently with success", async () => {
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
  it("is read to its end: 1,000 hosts, several at once", async () => {
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
    const { code, stdout, stderr } = await runCli(
      ["ls", "-", "--no-known", "--progress", "none", "--allow", "127.0.0.0/8"],
      { input },
    );
    expect(code).toBe(0);
    const pages = stdout.trimEnd().split("\n");
    expect(new Set(pages)).toEqual(new Set(hosts.map((host) => `${host}/page`)));
    expect(pages).toHaveLength(1000);
    expect(stderr).toBe(
      'warning: stdin, line 1003: "not a host" is not a URL\n1,000 pages in 1,000 sitemaps of 1,000 sites. 1 line on stdin is not a URL.\n',
    );
  });

  it("continues after sites without sitemaps, and counts them", async () => {
    const site = await openSite({ "/sitemap.xml": "<urlset><url><loc>/page</loc></url></urlset>" });
    const empty = await openSite({});
    const input = `${site.url}\n${empty.url}\nhttp://nosuch.invalid/\n`;
    const { code, stdout, stderr } = await runCli(["ls", "-", "--allow-private"], { input });
    expect([code, stdout]).toEqual([0, `${site.url}/page\n`]);
    expect(stderr).toBe(
      `1 page in 1 sitemap of 3 sites. 1 site without sitemaps (${new URL(empty.url).host}), 1 site not reached (nosuch.invalid: unknown host).\n`,
    );
    expect((await runCli(["find", "-", "--fail-on-partial", "--allow-private"], { input })).code).toBe(4);
  });

  it("names sites that refuse, given sitemaps that failed, and at most five of a kind", async () => {
    const site = await openSite((base) => ({ "/a.xml": urlset([`${base}/a`]) }), { everyAddress: true });
    const closed = await openSite({}, { fallback: { status: 401 } });
    const [first, second] = [`${site.url}/a.xml`, `${site.url}/b.xml`];
    const { stderr } = await runCli(["ls", first, second, closed.url]);
    expect(stderr).toBe(
      `1 page in 1 sitemap. 1 sitemap failed (404). 1 site without sitemaps (${new URL(closed.url).host}: 401), ` +
        `1 given sitemap not read (${second}: 404). Details: -v\n`,
    );
    const hosts = Array.from({ length: 7 }, (_, i) => site.at(`127.0.0.${2 + i}`));
    const many = await runCli(["ls", ...hosts, "--allow-private"]);
    expect(many.stderr).toMatch(/ 7 sites without sitemaps \((?:127\S+, ){4}127\S+ and 2 more\)\.\n$/);
  });
});

describe("a signal", () => {
  /** Options of Node that execute this code before the command line is loaded. */
  const preload = (code: string): string => `--import=data:text/javascript,${encodeURIComponent(code)}`;

  it.each(["SIGTERM", "SIGINT"] as const)("%s does not wait for a DNS lookup", async (signal) => {
    const folder = emptyFolder();
    const pipe = join(folder, "pipe");
    await runShell(`mkfifo ${pipe}`);
    // Opening a pipe without a writer occupies the only thread for lookups, so the lookup never ends.
    const slowLookups = preload(`
      import dns from "node:dns"; import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module";
      const { lookup } = dns;
      dns.lookup = (...given) => { fs.open(${JSON.stringify(pipe)}, "r", () => {}); console.error("lookup"); return lookup(...given); };
      syncBuiltinESMExports();`);
    const child = startCli(["ls", "slow.test"], {
      env: { NODE_OPTIONS: slowLookups, UV_THREADPOOL_SIZE: "1" },
    });
    const ended = endOf(child);
    await unlessEnded(once(child.stderr, "data"), ended);
    child.kill(signal);
    expect(await ended).toMatchObject({ code: null, stderr: expect.stringContaining("Interrupted") });
    expect(child.signalCode).toBe(signal);
  });

  it("ends watch - while stdin is open, also if it comes before stdin is read", async () => {
    const early = preload(`
      const { on } = process;
      process.on = function (name, listener) {
        if (name === "SIGTERM") setImmediate(() => process.kill(process.pid, name));
        return on.call(this, name, listener);
      };`);
    const child = startCli(["watch", "-"], { env: { NODE_OPTIONS: early } });
    const { code, stderr } = await endOf(child);
    expect(stderr).not.toContain("stdin is empty");
    expect(code).toBe(143);
  });
});
