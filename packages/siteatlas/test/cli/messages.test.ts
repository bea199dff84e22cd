/** What people are told when something is wrong: each message says what to do about it. Exit codes with it. */

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { noAnswer, partialHint } from "../../src/cli/talk/hints.ts";
import { Tally } from "../../src/cli/talk/tally.ts";
import { readTarget } from "../../src/cli/target.ts";
import { HTML_PAGE, openSite, pageUrls, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "./support/cli.ts";
import { walked } from "./support/example-site.ts";
import { openSmallSite } from "./support/small-site.ts";

buildCli();

/** A port of this machine that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("a host that cannot be reached", () => {
  it("is named, with what may be the matter (exit 3)", async () => {
    const port = await freePort();
    const { code, stdout, stderr } = await runCli(["ls", `http://127.0.0.1:${port}`, "--retries", "0"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `error: Cannot reach 127.0.0.1:${port}: no connection to the host\n  Is it running, and does a firewall or a proxy stand between? --proxy URL goes through one\n`,
    );
  });

  it("may speak plain http where the scheme was ours", async () => {
    const port = await freePort();
    const { code, stderr } = await runCli(["ls", `127.0.0.1:${port}`, "--retries", "0"]);
    expect(code).toBe(3);
    expect(stderr).toContain(`If it speaks plain http: http://127.0.0.1:${port}/`);
  });

  it("may be misspelt", async () => {
    const { code, stderr } = await runCli(["ls", "nosuch.invalid"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^error: Cannot reach nosuch\.invalid: the host name does not resolve\n {2}Is the name spelled right/,
    );
  });
});

describe("an address that is not public", () => {
  it("is not connected to when a site names it, and the flag that does it is named", async () => {
    const site = await openSite(
      (base, self) => ({
        "/robots.txt": robotsTxt([`${base}/sitemap.xml`, `${self.at("127.0.0.2")}/private.xml`]),
        "/sitemap.xml": urlset([`${base}/a`]),
        "/private.xml": urlset([`${base}/b`]),
      }),
      { everyAddress: true },
    );
    const { code, stdout, stderr } = await runCli(["ls", site.url]);
    expect([code, stdout]).toEqual([0, `${site.url}/a\n`]);
    expect(stderr).toBe(
      "1 sitemap is on an address that is not public; --allow-private reads it, --allow HOST those of one host\n" +
        "1 page in 1 sitemap; 1 failed (private address); run with -v to see it\n",
    );
    for (const args of [
      ["ls", site.url, "-v"],
      ["tree", site.url, "--json"],
    ]) {
      const told = await runCli(args);
      expect(told.stderr + told.stdout).toContain("its address is not public");
      expect(told.stderr + told.stdout).not.toContain("allowPrivateNetworks");
    }
    const allowed = await runCli(["ls", site.url, "--allow-private"]);
    expect(allowed.stderr).toBe("2 pages in 2 sitemaps\n");
    const named = await runCli(["ls", site.url, "--allow", "127.0.0.0/30"]);
    expect(named.stderr).toBe("2 pages in 2 sitemaps\n");
  });
});

describe("an address of a cloud's metadata service", () => {
  it.each([
    ["ls", "Cannot reach 169.254.169.254"],
    ["robots", "Cannot read http://169.254.169.254/robots.txt"],
  ])("is never requested, and no flag is named: %s", async (command, what) => {
    // Whatever the guard lets through would end here.
    const proxy = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    let connections = 0;
    proxy.on("connection", () => connections++);
    onTestFinished(() => void proxy.close());
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    const args = [command, "http://169.254.169.254/", "--proxy", `http://127.0.0.1:${port}`];
    const { code, stderr } = await runCli(args);
    expect([code, connections]).toEqual([3, 0]);
    expect(stderr).toBe(
      `error: ${what}: cloud metadata addresses are never requested\n` +
        "  No flag opens them: what is there gives this machine's credentials to whoever asks\n",
    );
  });

  const failure = { code: "http.blocked-address", reason: "allowPrivateNetworks" } as const;

  it("that a name leads to is not opened by --allow-private either", () => {
    const target = readTarget("intranet.example.com");
    const blocked = { ...failure, url: `${target.url}robots.txt` };
    expect(noAnswer(target, blocked, {})).toEqual({
      text: "its address is not public",
      hint: "--allow intranet.example.com connects to this host, --allow-private to all that are not public",
    });
    const { text, hint } = noAnswer(target, blocked, { allowPrivate: true });
    expect(text).toBe("cloud metadata addresses are never requested");
    expect(hint).not.toContain("--allow");
  });

  it("that a site lists is told apart from a private one, which a flag would open", () => {
    const tally = new Tally();
    const list = (url: string): void =>
      tally.addSitemap(walked(url, { ...failure, outcome: "failed", kind: "invalid" }));
    list("http://169.254.169.254/latest/meta-data/");
    expect(partialHint(tally)).toBeUndefined();
    list("http://[fd00:ec2::254]/sitemap.xml");
    list("http://10.1.2.3/sitemap.xml");
    expect([...tally.failed]).toEqual([
      ["metadata address", 2],
      ["private address", 1],
    ]);
    expect(partialHint(tally)).toMatch(/^1 sitemap is on an address that is not public; --allow-private /);
  });
});

describe("a site without sitemaps", () => {
  it("is told with what was tried (exit 3)", async () => {
    const site = await openSite({ "/": HTML_PAGE });
    const { code, stdout, stderr } = await runCli(["ls", site.url]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `error: No sitemap found on ${new URL(site.url).host}: tried robots.txt (404), 16 known locations (404) and the links of the homepage\n` +
        "  --known thorough tries more locations; --known-path PATH tries one that you know of\n",
    );
  });

  it("that names some which are gone", async () => {
    const site = await openSite((base) => ({ "/robots.txt": robotsTxt([`${base}/gone.xml`]) }));
    const { code, stderr } = await runCli([site.url, "--no-known"]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      "tried robots.txt (names 1 sitemap), 1 sitemap that it names (404) and the links of the homepage",
    );
  });

  it("at the URL of one", async () => {
    const site = await openSite({});
    const { code, stderr } = await runCli(["ls", `${site.url}/my.xml`]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `error: No sitemap at ${site.url}/my.xml (404)\n  siteatlas find ${site.url} looks for others\n`,
    );
  });
});

describe("usage (exit 2)", () => {
  it.each([
    [["lss", "example.com"], 'There is no command "lss"\n  Did you mean siteatlas ls?'],
    [["ls", "--fomat", "csv", "x.test"], "unknown option '--fomat'\n  Did you mean --format?"],
    [["tree", "x.test", "--xyzzy"], "unknown option '--xyzzy'\n  siteatlas tree --help shows what there is"],
    [["x.test", "--xyzzy"], "unknown option '--xyzzy'\n  siteatlas stats --help shows what there is"],
    [["ls"], "siteatlas ls needs a site, such as example.com\n  siteatlas ls -h shows examples"],
    [
      ["tree", "a.test", "b.test"],
      'siteatlas tree takes one argument: "b.test" is too many\n  siteatlas ls and find take several sites',
    ],
    [["ls", "two words"], '"two words" is not a URL\n  Such as example.com or https://example.com/'],
    [
      ["ls", "ftp://x.test"],
      '"ftp://x.test" is not an http or https URL\n  Such as example.com or https://example.com/',
    ],
    [["ls", "x.test", "--retries", "many"], '--retries "many" is not a whole number'],
    [
      ["ls", "x.test", "--format", "xml"],
      '--format "xml" is none of auto, urls, ndjson, json, csv, tsv, tree, parquet, sqlite',
    ],
    [["ls", "x.test", "--include", "blog"], "\"blog\" matches no URL\n  Did you mean '*blog*' or '/blog/*'?"],
    [
      ["ls", "x.test", "-o", "pages.what"],
      "Cannot tell the format of pages.what by its name\n  Name it .txt, .csv, .tsv, .json, .ndjson, .tree, .parquet or .sqlite, or say -f FORMAT",
    ],
    [
      ["ls", "http://x.test", "--https-only"],
      '"http://x.test" is not https\n  --https-only requests nothing over plain http',
    ],
    [["ls", "x.test", "--stratify", "path"], "--stratify needs --sample N"],
    [["ls", "x.test", "--allow", "10.0.0.0/99"], "--allow: "],
    [["ls", "x.test", "--config", "nosuch.json"], "Cannot read nosuch.json: there is no such file"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`error: ${message}`)).toBe(true);
  });

  it("without any argument is help, on stderr", async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^siteatlas finds every page/);
  });

  it("leaves the file of an earlier run where nothing is found now", async () => {
    const site = await openSite({});
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "site.csv"), "url\nhttps://www.example.com/\n");
    const { code } = await runCli(["ls", site.url, "-o", "site.csv", "--force"], { cwd });
    expect(code).toBe(3);
    expect(readFileSync(join(cwd, "site.csv"), "utf8")).toBe("url\nhttps://www.example.com/\n");
    expect((await runCli(["ls", site.url, "-o", "new.csv"], { cwd })).code).toBe(3);
    expect(readdirSync(cwd)).toEqual(["site.csv"]);
  });

  it("does not overwrite a file without --force", async () => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "site.txt"), "mine");
    const { code, stderr } = await runCli(["ls", site.url, "-o", "site.txt"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toBe("error: Cannot write site.txt: it exists already\n  --force overwrites it\n");
    expect(site.requests).toEqual([]);
    expect((await runCli(["ls", site.url, "-o", "site.txt", "--force"], { cwd })).code).toBe(0);
  });
});

describe("exit codes of a run", () => {
  it("4 for what is partial, if that is to count", async () => {
    const site = await openSmallSite();
    expect((await runCli(["ls", site.url, "--fail-on-partial"])).code).toBe(4);
    expect((await runCli(["ls", `${site.url}/posts.xml`, "--fail-on-partial"])).code).toBe(0);
  });

  it("7 for a limit, before 4", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["ls", site.url, "--max-pages", "2", "--fail-on-partial"]);
    expect(code).toBe(7);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stderr).toMatch(/^2 pages in \d sitemaps?; stopped at --max-pages 2, .*\d sitemaps? not read/);
  });

  it("7 for the deadline", async () => {
    const site = await openSite(
      (base) => ({ "/robots.txt": robotsTxt([`${base}/a.xml`]), "/a.xml": urlset([`${base}/a`]) }),
      { delayMs: (path) => (path === "/a.xml" ? 20_000 : 0) },
    );
    const { code, stderr } = await runCli(["ls", site.url, "--no-known", "--deadline", "500ms"]);
    expect(code).toBe(7);
    expect(stderr).toContain("stopped at --deadline 500ms");
  });
});

describe("what is said", () => {
  it("-v names what failed and why, -q says only what is not known", async () => {
    const site = await openSmallSite();
    const verbose = await runCli(["ls", site.url, "-v"]);
    expect(verbose.stderr).toMatch(/^failed \S+\/gone\.xml \(the server answered 404\)$/m);
    expect(verbose.stderr).toMatch(/^truncated \S+\/cut\.xml \(xml, 1 complete page, \d+ B\)$/m);
    expect(verbose.stderr).toMatch(/1 failed \(404\), 1 truncated\n$/);
    const quiet = await runCli(["ls", site.url, "-q"]);
    expect(quiet.stderr).toMatch(/^10 pages in 6 sitemaps; 1 failed/);
    expect((await runCli(["ls", `${site.url}/posts.xml`, "-q"])).stderr).toBe("");
  });

  it("-vv and the log file tell everything; nothing in it moves the cursor", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`]),
      "/index.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": `<urlset><url><loc>${base}/a</loc><lastmod>\u009b2J\u001b[31mred</lastmod></url></urlset>`,
    }));
    const cwd = emptyFolder();
    const { stderr } = await runCli(["ls", site.url, "-vv", "--log-file", "run.log"], { cwd });
    expect(stderr).toMatch(/^found \S+\/a\.xml \(xml, 1 page, \d+ B\)$/m);
    expect(stderr).not.toMatch(/[\u001b\u009b]/);
    const { readFileSync } = await import("node:fs");
    const log = readFileSync(join(cwd, "run.log"), "utf8");
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z note: found \S+\/a\.xml/m);
    expect(log).toMatch(/summary: 1 page in 2 sitemaps\n$/);
  });

  it("the last line says what --strict costs, and -v what that was", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`, `${base}/c.xml`]),
      "/a.xml": urlset([`${base}/a`, "/b", "https://x.test/c"]),
      "/b.xml": urlset([`${base}/d`, `${base}/e?f&g`]),
      "/c.xml": urlset(pageUrls("https://x.test", 20)),
    }));
    const args = ["ls", site.url, "--no-known", "--strict", "--concurrency", "1"];
    const { code, stderr } = await runCli(args);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /; 1 failed \(bare ampersand under --strict\), at least 12 URLs left out by --strict; run with -v to see them\n$/,
    );
    const verbose = await runCli([...args, "-v"]);
    expect(verbose.stderr).toMatch(
      /^left out by --strict: url\.scheme-mismatch \S+\/a\.xml:\d+ «https:\/\/x\.test\/c»$/m,
    );
    expect(verbose.stderr).toMatch(/^failed \S+\/b\.xml \(bare ampersand under --strict\)$/m);
    const quiet = await runCli(["ls", `${site.url}/a.xml`, "--strict", "-q"]);
    expect(quiet.stderr).toBe("1 page in 1 sitemap; 2 URLs left out by --strict; run with -v to see them\n");
    expect((await runCli(["ls", `${site.url}/a.xml`, "-q"])).stderr).toBe("");
  });

  it("--progress json makes every message an object", async () => {
    const site = await openSmallSite();
    const { stderr } = await runCli(["ls", site.url, "--progress", "json", "-v"]);
    const events = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.at(-1)).toMatchObject({
      event: "summary",
      pages: 10,
      sitemaps: 6,
      failed: 1,
      truncated: 1,
      exitCode: 0,
    });
    const failed = await runCli(["ls", "x y", "--progress", "json"]);
    expect(JSON.parse(failed.stderr)).toEqual({
      event: "error",
      message: '"x y" is not a URL',
      hint: "Such as example.com or https://example.com/",
    });
  });

  it("has colours where they are wanted", async () => {
    const site = await openSmallSite();
    const args = ["stats", `${site.url}/posts.xml`];
    expect((await runCli(args, { env: { FORCE_COLOR: "1" } })).stdout).toContain("\u001b[1m");
    expect((await runCli([...args, "--color", "always"], { env: { NO_COLOR: "1" } })).stdout).toContain(
      "\u001b[1m",
    );
    expect((await runCli(args)).stdout).not.toContain("\u001b");
  });

  it("reads settings from the environment and from a file", async () => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    writeFileSync(
      join(cwd, "siteatlas.config.mjs"),
      "export default { userAgent: 'filebot/1', header: ['X-From: file'], robots: false };",
    );
    await runCli(["ls", site.url], { cwd, env: { SITEATLAS_USER_AGENT: "envbot/1" } });
    expect(site.requests[0]?.headers).toMatchObject({ "user-agent": "envbot/1", "x-from": "file" });
    expect(site.count("/robots.txt")).toBe(0);
  });
});
