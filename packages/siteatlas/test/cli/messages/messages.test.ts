/** Messages and exit codes: each message says what to do. */

import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readTarget } from "../../../src/cli/config/target.ts";
import { partialHint } from "../../../src/cli/messages/hints.ts";
import { noAnswer } from "../../../src/cli/messages/no-answer.ts";
import { RunCounts } from "../../../src/cli/messages/run-counts.ts";
import { tlsFault } from "../../../src/fetch/tls-faults.ts";
import { HTML_PAGE, openSite, pageUrls, robotsTxt, sitemapIndex, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";
import { walked } from "../support/example-site.ts";
import { openSmallSite } from "../support/small-site.ts";

buildCli();

/** A port without a server. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("a host that cannot be reached", () => {
  it("is reported with a hint (exit 3)", async () => {
    const port = await freePort();
    const { code, stdout, stderr } = await runCli(["ls", `http://127.0.0.1:${port}`, "--retries", "0"]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `error: cannot connect to 127.0.0.1:${port} (connection refused)\n  Is the server running? Behind a proxy, add --proxy URL.\n`,
    );
  });

  it("gets a hint about plain http if the user gave no scheme", async () => {
    const port = await freePort();
    const { code, stderr } = await runCli(["ls", `127.0.0.1:${port}`, "--retries", "0"]);
    expect(code).toBe(3);
    expect(stderr).toContain(`If it uses plain http, try http://127.0.0.1:${port}/`);
  });

  it("gets a hint about its spelling if it does not resolve", async () => {
    const { code, stderr } = await runCli(["ls", "nosuch.invalid"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: cannot find the host nosuch\.invalid\n {2}Check the spelling/);
  });

  describe("while a proxy is set but not used", () => {
    afterEach(() => void vi.unstubAllEnvs());

    it.each([
      ["http.dns", "Check the spelling and your connection."],
      ["http.connection", "Is the server running?"],
    ] as const)("is not answered with the advice to add one: %s", (code, first) => {
      const target = readTarget("http://staging.example/", {});
      const failure = { code, url: target.url, reason: "", cause: "connection-refused" };
      const hint = (settings: { proxy?: false } = {}): string | undefined =>
        noAnswer(target, failure, settings).hint;
      vi.stubEnv("HTTP_PROXY", "http://proxy.example:3128");
      vi.stubEnv("NO_PROXY", "other.example");
      expect(hint({ proxy: false })).toBe(
        `${first} Behind a proxy, remove --no-proxy, or replace it by --proxy URL.`,
      );
      vi.stubEnv("NO_PROXY", ".example");
      expect(hint()).toBe(`${first} The proxy is not used, because NO_PROXY lists this host.`);
      vi.stubEnv("HTTP_PROXY", "");
      expect(hint()).toBe(`${first} Behind a proxy, add --proxy URL.`);
    });
  });

  it.each([
    ["nosuch.rss", "cannot find the host nosuch.rss, and no such file exists"],
    ["folder/a.xml.gz", "cannot find the host folder, and the file folder/a.xml.gz does not exist"],
    ["example.com/a.xml", "cannot find the host example.com"],
    ["https://nosuch.xml", "cannot find the host nosuch.xml"],
    ["folder", "cannot find the host folder"],
  ])("may have been meant as a file: %s", (given, text) => {
    const target = readTarget(given);
    const failure = { url: new URL("/robots.txt", target.url).href, code: "http.dns", reason: "" } as const;
    expect(noAnswer(target, failure, {}).text).toBe(text);
  });

  it("is not requested if its port is reserved for another protocol", async () => {
    const { code, stderr } = await runCli(["ls", "http://127.0.0.1:6667/", "-vv"]);
    expect(code).toBe(3);
    const reason = "siteatlas does not connect to this reserved port because it belongs to another protocol";
    expect(stderr).toContain(
      "error: siteatlas does not connect to port 6667 of 127.0.0.1: it is reserved for another protocol\n  Connect anyway with --allow 127.0.0.1:6667.\n",
    );
    expect(stderr).toContain(`\nerror http.blocked-port http://127.0.0.1:6667/ ${reason}\n`);
    expect(stderr).toContain(`failed http://127.0.0.1:6667/robots.txt (${reason})\n`);
  });
});

describe("a private address", () => {
  it("in a sitemap is not requested, and the flag that allows it is suggested", async () => {
    const site = await openSite(
      (base, self) => ({
        "/robots.txt": robotsTxt([`${base}/sitemap.xml`, `${self.at("127.0.0.2")}/private.xml`]),
        "/sitemap.xml": urlset([`${base}/a`]),
        "/private.xml": urlset([`${base}/b`]),
      }),
      { everyAddress: true },
    );
    const { code, stdout, stderr } = await runCli(["ls", site.url]);
    const at = `127.0.0.2:${new URL(site.url).port}`;
    expect([code, stdout]).toEqual([0, `${site.url}/a\n`]);
    expect(stderr).toBe(
      `1 sitemap was not fetched because ${at} has a private address. Allow it with --allow ${at}, or all private addresses with --allow-private.\n` +
        "1 page in 1 sitemap. 1 sitemap failed (private address). Details: -v\n",
    );
    for (const args of [
      ["ls", site.url, "-v"],
      ["tree", site.url, "--json"],
    ]) {
      const told = await runCli(args);
      expect(told.stderr + told.stdout).toContain("its host has a private address");
      expect(told.stderr + told.stdout).not.toContain("allowPrivateNetworks");
    }
    const allowed = await runCli(["ls", site.url, "--allow-private"]);
    expect(allowed.stderr).toBe("2 pages in 2 sitemaps\n");
    const named = await runCli(["ls", site.url, "--allow", "127.0.0.0/30"]);
    expect(named.stderr).toBe("2 pages in 2 sitemaps\n");
  });
});

describe("the message about a host", () => {
  it.each([
    ["CERT_HAS_EXPIRED", { valid_to: "Jan  1 00:00:00 2199 GMT" }, "has expired"],
    ["CERT_NOT_YET_VALID", { valid_from: "Jan  1 00:00:00 1999 GMT" }, "is not yet valid"],
  ] as const)("with an intermediate certificate that fails with %s names it", (code, certificate, fault) => {
    const target = readTarget("www.example.com");
    const failure = { url: target.url, code: "http.tls", ...tlsFault(code, certificate) } as const;
    expect(noAnswer(target, failure, {}).text).toBe(
      `an intermediate certificate of www.example.com ${fault}`,
    );
  });

  it("behind a redirect is named", () => {
    const target = readTarget("example.com");
    const failure = { url: "https://www.example.com/robots.txt", code: "http.dns", reason: "" } as const;
    expect(noAnswer(target, failure, {}).text).toBe(
      "example.com redirects to www.example.com, which cannot be found",
    );
  });
});

describe("a cloud metadata address", () => {
  it.each(["ls", "robots"])("is never requested, and no flag is suggested: %s", async (command) => {
    // Any request that the guard allows would arrive here.
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
      "error: 169.254.169.254 is a cloud metadata address and is always refused\n" +
        "  Such services hand out this machine's credentials, so no flag allows them.\n",
    );
  });

  const failure = { code: "http.blocked-address", reason: "allowPrivateNetworks" } as const;

  it("behind a host name is refused even with --allow-private", () => {
    const target = readTarget("intranet.example.com");
    const blocked = { ...failure, url: `${target.url}robots.txt` };
    expect(noAnswer(target, blocked, {})).toEqual({
      text: "intranet.example.com is not requested because it has a private address",
      hint: "Allow it with --allow intranet.example.com, or all private addresses with --allow-private.",
    });
    const { text, hint } = noAnswer(target, blocked, { allowPrivate: true });
    expect(text).toBe(
      "intranet.example.com is not requested because its address is link-local or belongs to a cloud metadata service",
    );
    expect(hint).not.toContain("--allow");
  });

  it("is told apart from a link-local address, which --allow opens", () => {
    const target = readTarget("http://169.254.7.7/");
    const blocked = { ...failure, url: `${target.url}robots.txt` };
    const expected = {
      text: "169.254.7.7 is not requested because it is a link-local address",
      hint: "Allow it with --allow 169.254.7.7. --allow-private is not enough.",
    };
    expect(noAnswer(target, blocked, {})).toEqual(expected);
    expect(noAnswer(target, blocked, { allowPrivate: true })).toEqual(expected);
  });

  it("in a sitemap is counted apart from private addresses", () => {
    const runCounts = new RunCounts();
    const list = (url: string): void =>
      runCounts.addSitemap(walked(url, { ...failure, outcome: "failed", kind: "invalid" }));
    list("http://169.254.169.254/latest/meta-data/");
    expect(partialHint(runCounts)).toBeUndefined();
    list("http://[fd00:ec2::254]/sitemap.xml");
    list("http://metadata.google.internal/sitemap.xml");
    list("http://169.254.7.7/sitemap.xml");
    list("http://10.1.2.3/sitemap.xml");
    expect([...runCounts.failed]).toEqual([
      ["metadata address", 3],
      ["link-local address", 1],
      ["private address", 1],
    ]);
    expect(partialHint(runCounts)).toMatch(
      /^1 sitemap was not fetched because 10\.1\.2\.3 has a private address\. Allow it with --allow 10\.1\.2\.3, /,
    );
  });
});

describe("a site without sitemaps", () => {
  it("is reported with everything that was tried (exit 3)", async () => {
    const site = await openSite({ "/": HTML_PAGE });
    const { code, stdout, stderr } = await runCli(["ls", site.url]);
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe(
      `error: no sitemap found on ${new URL(site.url).host}\n` +
        "  Tried: robots.txt (404), 18 known locations (404), homepage links.\n" +
        "  Try about 100 locations with --known thorough, or name one with --known-path /my-sitemap.xml.\n",
    );
  });

  it("whose robots.txt lists missing sitemaps", async () => {
    const site = await openSite((base) => ({ "/robots.txt": robotsTxt([`${base}/gone.xml`]) }));
    const { code, stderr } = await runCli([site.url, "--no-known"]);
    expect(code).toBe(3);
    expect(stderr).toContain(
      "Tried: robots.txt (lists 1 sitemap), 1 listed sitemap (404), homepage links (404).",
    );
  });

  it("at the URL of a sitemap", async () => {
    const site = await openSite({});
    const { code, stderr } = await runCli(["ls", `${site.url}/my.xml`]);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `error: no sitemap at ${site.url}/my.xml (404)\n  Find the site's sitemaps: siteatlas find ${site.url}\n`,
    );
  });
});

describe("stdin", () => {
  it("is an error if it is empty", async () => {
    const { code, stdout, stderr } = await runCli(["ls", "-"], { input: "# no hosts\n" });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("error: stdin is empty: expected one host or URL per line\n");
  });

  it.each(["ls", "find", "watch"])("of %s must not be empty", async (command) => {
    for (const args of [["-"], ["-", "--json"]]) {
      const { code, stdout, stderr } = await runCli([command, ...args]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe("error: stdin is empty: expected one host or URL per line\n");
    }
  });

  it("with one site that has no sitemap does not end silently", async () => {
    const site = await openSite(() => ({}));
    const { code, stderr } = await runCli(["ls", "-", "--allow-private"], { input: `${site.url}\n` });
    const { host } = new URL(site.url);
    expect([code, stderr]).toEqual([3, `0 pages in 0 sitemaps. 1 site without sitemaps (${host}).\n`]);
  });
});

describe("usage (exit 2)", () => {
  it.each([
    [["lss", "example.com"], 'unknown command "lss"\n  Did you mean "siteatlas ls"?'],
    [["ls", "--fomat", "csv", "x.test"], "siteatlas ls has no flag --fomat\n  Did you mean --format?"],
    [
      ["tree", "x.test", "--xyzzy"],
      "siteatlas tree has no flag --xyzzy\n  All flags of tree: siteatlas tree --help",
    ],
    [
      ["x.test", "--xyzzy"],
      "unknown flag --xyzzy\n  Without a command, siteatlas runs stats. All flags of stats: siteatlas stats --help",
    ],
    [["tree", "x.test", "--depth", "1"], "siteatlas tree has no flag --depth\n  Did you mean --max-depth?"],
    [
      ["tree", "x.test", "--format", "csv"],
      "siteatlas tree has no flag --format\n  It writes text, or JSON with --json. siteatlas ls writes pages in other formats.",
    ],
    [["list", "example.com"], 'unknown command "list"\n  Did you mean "siteatlas ls"?'],
    [["bogus", "--xyzzy"], 'unknown command "bogus"\n  List them with siteatlas --help.'],
    [["lss", "x.test", "--xyzzy"], 'unknown command "lss"\n  Did you mean "siteatlas ls"?'],
    [
      ["sync", "x.test", "--exclude-sitemap", "*"],
      "siteatlas sync has no flag --exclude-sitemap\n  ls, tree, find, stats and report have it. All flags of sync: siteatlas sync --help",
    ],
    [["ls", "x.test", "-o"], "--output needs a value\n  All flags of ls: siteatlas ls --help"],
    [["ls"], "siteatlas ls needs a host or URL, such as example.com\n  Examples: siteatlas ls -h"],
    [
      ["tree", "a.test", "b.test"],
      "siteatlas tree takes one site, or files\n  siteatlas ls and find take several sites.",
    ],
    [
      ["ls", "two words"],
      '"two words" is not a URL\n  Use a host or URL, such as example.com or https://example.com/.',
    ],
    [
      ["ls", "ftp://x.test"],
      '"ftp://x.test" is not an http or https URL\n  Use a host or URL, such as example.com or https://example.com/.',
    ],
    [["ls", "x.test", "--retries", "many"], '--retries must be a whole number, not "many"'],
    [
      ["ls", "x.test", "--format", "xml"],
      "siteatlas ls cannot write xml\n  Use urls, ndjson, json, csv, tsv, tree, parquet or sqlite.",
    ],
    [
      ["ls", "x.test", "--include", "blog"],
      "--include \"blog\" matches no URL: a glob must match the complete URL or path\n  Did you mean '*blog*' or '/blog/*'?",
    ],
    [["ls", "x.test", "--json", "-f", "csv"], "--json conflicts with --format csv\n  Use one of them."],
    [["ls", "x.test", "--limit", "3", "-f", "tree"], "--limit cannot be used with --format tree"],
    [
      ["ls", "x.test", "-o", "pages.what"],
      "pages.what: unknown file extension\n  Use .txt, .ndjson, .json, .csv, .tsv, .tree, .parquet or .sqlite, or choose a format with -f.",
    ],
    [
      ["ls", "http://x.test", "--https-only"],
      '"http://x.test" uses plain http\n  Allow that by removing --https-only.',
    ],
    [["ls", "x.test", "--stratify", "path"], "--stratify needs --sample"],
    [["robots", "x.test", "--as", "Googlebot"], "--as needs --can-fetch"],
    [["ls", "x.test", "--lang", ""], "--lang must not be empty"],
    [["ls", "x.test", "--kind", ","], "--kind must not be empty"],
    [
      ["ls", "x.test", "-f", "urls", "--fields", "url"],
      "--fields cannot be used with --format urls\n  Use csv, tsv or ndjson.",
    ],
    [["ls", "x.test", "-f", "json", "--csv-raw"], "--csv-raw can only be used with csv and tsv"],
    [["ls", "x.test", "--allow", "10.0.0.0/99"], "--allow: "],
    [["ls", "x.test", "--config", "nosuch.json"], "cannot read nosuch.json: no such file"],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`error: ${message}`)).toBe(true);
  });

  it("without arguments prints help on stderr", async () => {
    const { code, stdout, stderr } = await runCli([]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^siteatlas finds every page/);
  });

  it("keeps an earlier file if nothing was found", async () => {
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
    expect(stderr).toBe("error: site.txt already exists\n  Replace it with --force.\n");
    expect(site.requests).toEqual([]);
    expect((await runCli(["ls", site.url, "-o", "site.txt", "--force"], { cwd })).code).toBe(0);
  });
});

describe("exit codes of a run", () => {
  it("4 for an incomplete result, with --fail-on-partial", async () => {
    const site = await openSmallSite();
    expect((await runCli(["ls", site.url, "--fail-on-partial"])).code).toBe(4);
    expect((await runCli(["ls", `${site.url}/posts.xml`, "--fail-on-partial"])).code).toBe(0);
  });

  it("7 for a limit, which takes precedence over 4", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["ls", site.url, "--max-pages", "2", "--fail-on-partial"]);
    expect(code).toBe(7);
    expect(stdout.split("\n")).toHaveLength(3);
    expect(stderr).toMatch(/^2 pages in \d sitemaps?\. Stopped at --max-pages 2: \d sitemaps? not read/);
  });

  it("counts what a limit cuts apart from what the site truncated", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset(pageUrls(base, 20)),
    }));
    const args = ["ls", site.url, "--no-known", "--max-pages-per-sitemap", "5"];
    const { stderr } = await runCli(args);
    expect(stderr).toBe("5 pages in 1 sitemap. 1 sitemap read only in part. Details: -v\n");
    expect((await runCli([...args, "-v"])).stderr).toMatch(/^cut by a limit: \S+\/a\.xml \(xml, 5 /);
    const tree = await runCli(["tree", ...args.slice(1), "--json"]);
    const records = tree.stdout.split("\n").filter((line) => line.includes("/a.xml"));
    expect(records.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ cutByLimit: true }),
    ]);
    expect(records[0]).not.toContain('"truncated"');
  });

  it("7 for the deadline", async () => {
    const site = await openSite(
      (base) => ({ "/robots.txt": robotsTxt([`${base}/a.xml`]), "/a.xml": urlset([`${base}/a`]) }),
      { delayMs: (path) => (path === "/a.xml" ? 20_000 : 0) },
    );
    const { code, stderr } = await runCli(["ls", site.url, "--no-known", "--deadline", "500ms"]);
    expect(code).toBe(7);
    expect(stderr).toContain("Stopped at --deadline 500ms");
  });
});

describe("messages", () => {
  it("suggest robots.txt if it was not read", async () => {
    const site = await openSite(() => ({}));
    const { stderr } = await runCli(["ls", site.url, "--no-robots", "--no-known"]);
    expect(stderr).toContain("Read it by removing --no-robots.\n");
  });

  it("parse -vv says that there are more issues than it shows", async () => {
    const input = urlset(Array.from({ length: 30 }, (_, i) => `https://example.com/a b${i}`));
    const { stderr } = await runCli(["parse", "-", "-vv"], { input });
    expect(stderr).toMatch(
      / 20 more issues were not shown: -vv shows 10 per code and document\. .*--max-issues 1000\.\n$/,
    );
    const some = await runCli(["parse", "-", "-vv", "--max-issues", "1000"], { input });
    expect(some.stderr).not.toContain("not shown");
  });

  it("-v shows what failed and why, -q only what is missing", async () => {
    const site = await openSmallSite();
    const verbose = await runCli(["ls", site.url, "-v"]);
    expect(verbose.stderr).toMatch(/^failed \S+\/gone\.xml \(the server answered 404\)$/m);
    expect(verbose.stderr).toMatch(/^truncated \S+\/cut\.xml \(xml, 1 complete page, \d+ B\)$/m);
    expect(verbose.stderr).toMatch(/1 sitemap failed \(404\), 1 was truncated\.\n$/);
    const all = await runCli(["ls", site.url, "-vv"]);
    expect(all.stderr).toMatch(/^nothing at known location \S+\/sitemap\.xml \(the server answered 404\)$/m);
    expect(all.stderr.match(/^failed /gm)).toHaveLength(1);
    const quiet = await runCli(["ls", site.url, "-q"]);
    expect(quiet.stderr).toMatch(/^10 pages in 6 sitemaps\. 1 sitemap failed/);
    expect((await runCli(["ls", `${site.url}/posts.xml`, "-q"])).stderr).toBe("");
  });

  it("-vv and the log file show every event, without escape sequences", async () => {
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
    expect(log).not.toContain("note: ");
    expect(log).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z found \S+\/a\.xml/m);
    expect(log).toMatch(/summary: 1 page in 2 sitemaps\n$/);
  });

  it("the last line counts everything that --strict dropped, not only what was reported", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/x/a.xml`]),
      "/x/a.xml": urlset([`${base}/x/1`, ...pageUrls(base, 200)]),
    }));
    const { stderr } = await runCli(["ls", site.url, "--no-known", "--strict"]);
    expect(stderr).toBe("1 page in 1 sitemap. 200 URLs were dropped by --strict. Details: -v\n");
    const input = urlset(["https://example.com/x/1", ...pageUrls("https://example.com", 200)]);
    const parsed = await runCli(["parse", "-", "--strict", "--url", "https://example.com/x/a.xml"], {
      input,
    });
    expect(parsed.stderr).toContain(". 200 URLs were dropped by --strict.");
  });

  it("-q prints the result and no message", async () => {
    const site = await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/a`]) }));
    for (const command of [[], ["stats"], ["tree"], ["ls"], ["robots"]]) {
      const loud = await runCli([...command, site.url]);
      const quiet = await runCli([...command, site.url, "-q"]);
      expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
      expect(quiet.stdout.split("\n")).toHaveLength(loud.stdout.split("\n").length);
    }
  });

  it("names sitemaps that a limit cut as part of those that were read", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": urlset(pageUrls(base, 20)),
      "/b.xml": urlset([`${base}/b`]),
    }));
    const args = ["ls", site.url, "--no-known", "--max-pages-per-sitemap", "5"];
    expect((await runCli(args)).stderr).toBe(
      "6 pages in 2 sitemaps. 1 of 2 sitemaps read only in part. Details: -v\n",
    );
  });

  it("the last line counts what --strict dropped, and -v lists it", async () => {
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
      /\. 1 sitemap failed \(rejected by --strict: bare ampersand\)\. 22 URLs were dropped by --strict\. Details: -v\n$/,
    );
    const verbose = await runCli([...args, "-v"]);
    expect(verbose.stderr).toMatch(
      /^dropped by --strict: url\.scheme-mismatch \S+\/a\.xml:\d+ "https:\/\/x\.test\/c"$/m,
    );
    expect(verbose.stderr).toMatch(/^failed \S+\/b\.xml \(rejected by --strict: bare ampersand\)$/m);
    const rejected = await runCli(["ls", `${site.url}/b.xml`, "--strict"]);
    expect(rejected.code).toBe(3);
    expect(rejected.stderr).toMatch(
      /^error: cannot read \S+\/b\.xml \(.*--strict.*\)\n {2}Remove --strict: /,
    );
    const quiet = await runCli(["ls", `${site.url}/a.xml`, "--strict", "-q"]);
    expect(quiet.stderr).toBe("1 page in 1 sitemap. 2 URLs were dropped by --strict. Details: -v\n");
    expect((await runCli(["ls", `${site.url}/a.xml`, "-q"])).stderr).toBe("");
  });

  it("--progress json writes every message as an object", async () => {
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
      hint: "Use a host or URL, such as example.com or https://example.com/.",
    });
  });

  it("have colors on request", async () => {
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
    await runCli(["ls", site.url, "--config", "siteatlas.config.mjs"], {
      cwd,
      env: { SITEATLAS_USER_AGENT: "envbot/1" },
    });
    expect(site.requests[0]?.headers).toMatchObject({ "user-agent": "envbot/1", "x-from": "file" });
    expect(site.count("/robots.txt")).toBe(0);
  });
});
