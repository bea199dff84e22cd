/** `siteatlas ls` as a process against a small site, compared with golden files. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openSite } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli, steady } from "../support/cli.ts";
import { openSmallSite, SMALL_SITE_PAGES } from "../support/small-site.ts";

buildCli();

const lines = (text: string): string[] => text.split("\n").slice(0, -1);
const sorted = (list: readonly string[]): string[] => [...list].sort();

describe("ls", () => {
  it("prints one URL per line in a pipe, and at the end what is missing", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["ls", site.url]);
    expect(code).toBe(0);
    expect(sorted(lines(stdout))).toEqual(sorted(SMALL_SITE_PAGES.map((path) => site.url + path)));
    expect(stderr).toBe("10 pages in 6 sitemaps. 1 sitemap failed (404), 1 was truncated. Details: -v\n");
  });

  it("prints pages in the order of the site with --ordered", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["ls", site.url, "--ordered"]);
    expect(lines(stdout)).toEqual(SMALL_SITE_PAGES.map((path) => site.url + path));
  });

  it.each(["ndjson", "csv"])("writes %s", async (format) => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["ls", site.url, "--ordered", "-f", format]);
    expect(code).toBe(0);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot(`../golden/ls.${format}`);
  });

  it("writes the nested listing, with and without the URL (like usp ls)", async () => {
    const site = await openSmallSite();
    const nested = await runCli(["ls", site.url, "-f", "tree"]);
    await expect(steady(nested.stdout, site.url)).toMatchFileSnapshot("../golden/ls.tree");
    const stripped = await runCli(["ls", `${site.url}/`, "-f", "tree", "-u"]);
    expect(stripped.stdout).toBe(nested.stdout.replaceAll(`\t${site.url}`, "\t"));
    expect(lines(stripped.stdout)[0]).toBe(`${site.url}/`);
  });

  it("takes the format from the extension, compresses .gz, and leaves no temporary file", async () => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    const { code, stdout } = await runCli(["ls", site.url, "-o", "site.csv.gz", "--fields", "url,lastmod"], {
      cwd,
    });
    expect([code, stdout]).toEqual([0, ""]);
    expect(readdirSync(cwd)).toEqual(["site.csv.gz"]);
    const text = gunzipSync(readFileSync(join(cwd, "site.csv.gz"))).toString();
    expect(lines(text.replaceAll("\r", ""))).toHaveLength(1 + SMALL_SITE_PAGES.length);
    expect(text).toMatch(/^url,lastmod\r?\n/);
  });

  it("reads one sitemap if its URL is given", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["ls", `${site.url}/posts.xml`]);
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual(SMALL_SITE_PAGES.slice(0, 3).map((path) => site.url + path));
    expect(stderr).toBe("3 pages in 1 sitemap\n");
    expect(site.paths()).toEqual(["/posts.xml"]);
  });

  it("selects pages, and counts all", async () => {
    const site = await openSmallSite();
    const flags = ["--include", "/posts/*", "--exclude", "*.pdf", "--unique", "--ordered"];
    const { code, stdout, stderr } = await runCli(["ls", site.url, ...flags]);
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual(
      ["/posts/first", "/posts/second", "/posts/third"].map((path) => site.url + path),
    );
    expect(stderr).toMatch(/^3 of 10 pages in 6 sitemaps\. /);
  });

  it.each([
    ["*nothing*", []],
    ["*llms*", ["/l"]],
    ["*.html", ["/a"]],
  ])("--include-sitemap %s applies to HTML sitemaps and llms.txt", async (pattern, expected) => {
    const site = await openSite({
      "/sitemap.html": "<!doctype html><title>Sitemap</title><a href=/a>A</a>",
      "/llms.txt": "# T\n\n- [l](/l)\n",
    });
    const flags = ["--html-sitemaps", "--llms", "--include-sitemap", pattern];
    const { stdout } = await runCli(["ls", site.url, ...flags]);
    expect(lines(stdout)).toEqual(expected.map((path) => site.url + path));
  });

  it.each([
    [
      ["--include-sitemap", "*shop*"],
      ["/shop/a", "/de/a", "/posts/first"],
      ["/posts.xml", "/news.xml"],
    ],
    [
      ["--exclude-sitemap", "*posts*", "--exclude-sitemap", "/cut.xml"],
      ["/shop/a", "/de/a", "/posts/first", "/news/today", "/plain/1", "/plain/2"],
      ["/posts.xml", "/cut.xml"],
    ],
    [["--no-robots"], ["/plain/1", "/plain/2"], ["/robots.txt"]],
    [
      ["--no-known", "--include-sitemap", "*/index.xml"],
      SMALL_SITE_PAGES.slice(0, 7),
      ["/sitemap.txt", "/news.xml"],
    ],
  ])("reads only the selected sitemaps: %j", async (flags, expected, unread) => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["ls", site.url, "--ordered", ...flags]);
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual(expected.map((path) => site.url + path));
    for (const path of unread) expect(site.count(path)).toBe(0);
  });

  it("rewrites origins and strips the given URL", async () => {
    const site = await openSmallSite();
    const moved = await runCli([
      "ls",
      `${site.url}/posts.xml`,
      "--rewrite-origin",
      "https://staging.example.com",
    ]);
    expect(lines(moved.stdout)[0]).toBe("https://staging.example.com/posts/first");
    const stripped = await runCli(["ls", `${site.url}/posts.xml`, "--strip-url"]);
    expect(lines(stripped.stdout)[0]).toBe("/posts/first");
  });

  it("samples the same pages each time, some of every section", async () => {
    const site = await openSmallSite();
    const args = ["ls", site.url, "--sample", "5", "--stratify", "path"];
    const [first, second] = [await runCli(args), await runCli([...args, "--concurrency", "1"])];
    expect(first.stdout).toBe(second.stdout);
    const sections = lines(first.stdout).map((url) => new URL(url).pathname.split("/")[1]);
    expect(new Set(sections)).toEqual(new Set(["posts", "shop", "de", "news", "plain"]));
  });

  it("stops after --limit pages, with success", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["ls", site.url, "--limit", "2"]);
    expect([code, lines(stdout).length]).toEqual([0, 2]);
    expect(stderr).toBe("2 pages. Stopped at --limit 2.\n");
  });
});
