/** Every command but ls as a process against a small site, compared with golden files. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HTML_PAGE, openSite, pageUrls, robotsTxt, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli, steady } from "../support/cli.ts";
import { openSmallSite } from "../support/small-site.ts";

buildCli();

const lines = (text: string): string[] => text.split("\n").slice(0, -1);

describe("tree", () => {
  it("draws the sitemaps in the order of the site", async () => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["tree", site.url]);
    expect(code).toBe(0);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("../golden/tree.txt");
  });

  it("writes an object per sitemap with --json", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["tree", site.url, "--json"]);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("../golden/tree.ndjson");
  });

  it("shortens nothing in a file, and in a pipe only to COLUMNS", async () => {
    const name = `/${"a-long-name-".repeat(12)}.xml`;
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([base + name]),
      [name]: urlset([`${base}/a`]),
    }));
    const cwd = emptyFolder();
    const env = { COLUMNS: "70" };
    const widths = (text: string): number => Math.max(...lines(text).map((line) => [...line].length));
    const args = ["tree", site.url, "--no-known"];
    const piped = await runCli(args);
    expect(piped.stdout).toContain(`${name}  xml`);
    const narrow = await runCli(args, { env });
    expect(widths(narrow.stdout)).toBeLessThanOrEqual(70);
    expect(narrow.stdout).toContain("…");
    await runCli([...args, "-o", "tree.txt"], { cwd, env });
    expect(readFileSync(join(cwd, "tree.txt"), "utf8")).toBe(piped.stdout);
  });
});

describe("-o", () => {
  it.each([
    ["tree", "json"],
    ["find", "json"],
    ["stats", "json"],
    ["robots", "json"],
    ["tree", "ndjson"],
    ["find", "jsonl"],
    ["stats", "json.gz"],
    ["robots", "ndjson"],
  ])("%s takes the format from the name: .%s", async (command, ending) => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    const args = [command, site.url, "--concurrency", "1"].slice(0, command === "robots" ? 2 : 4);
    const { code, stdout } = await runCli([...args, "-o", `out.${ending}`], { cwd });
    expect([code, stdout]).toEqual([0, ""]);
    const bytes = readFileSync(join(cwd, `out.${ending}`));
    const text = ending.endsWith(".gz") ? gunzipSync(bytes).toString() : bytes.toString();
    const expected = lines((await runCli([...args, "--json"])).stdout).map((line) => JSON.parse(line));
    const isArray = ending === "json" && expected.length > 1;
    const given = isArray ? JSON.parse(text) : lines(text).map((line) => JSON.parse(line));
    const facts = (list: object[]): object[] => list.map((one) => ({ ...one, ms: 0, waitMs: 0, slowest: 0 }));
    expect(facts(given)).toEqual(facts(expected));
  });

  it.each([
    ["tree", "out.txt", /^site\.test\n├─/],
    ["tree", "out.tree", /^site\.test\n├─/],
    ["find", "out.tsv", /^http:\/\/site\.test\/index\.xml\trobots\.txt line\t/],
    ["stats", "out", /^site\.test {2}6 sitemaps/],
    ["robots", "out.txt", /^http:\/\/site\.test\/robots\.txt {2}200/],
  ])("%s writes its text to %s", async (command, file, expected) => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    expect((await runCli([command, site.url, "-o", file], { cwd })).code).toBe(0);
    expect(steady(readFileSync(join(cwd, file), "utf8"), site.url)).toMatch(expected);
  });

  it.each([
    ["tree", "out.csv", "csv", ".txt, .tree, .json or .ndjson"],
    ["find", "out.parquet", "parquet", ".txt, .tsv, .json or .ndjson"],
    ["stats", "out.db", "sqlite", ".txt, .json or .ndjson"],
    ["robots", "out.csv.gz", "csv", ".txt, .json or .ndjson"],
  ])("%s cannot write %s", async (command, file, format, endings) => {
    const { code, stderr } = await runCli([command, "x.test", "-o", file]);
    expect(code).toBe(2);
    expect(stderr).toBe(`error: siteatlas ${command} cannot write ${format}\n  Use ${endings}.\n`);
  });

  it.each(["tree", "find", "stats", "ls"])(
    "%s keeps an earlier file if it finds nothing",
    async (command) => {
      const site = await openSite({});
      const cwd = emptyFolder();
      writeFileSync(join(cwd, "out.txt"), "mine");
      expect((await runCli([command, site.url, "-o", "out.txt", "--force"], { cwd })).code).toBe(3);
      expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe("mine");
    },
  );

  it("overrides the format of a settings file", async () => {
    const site = await openSmallSite();
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "siteatlas.config.json"), '{ "format": "csv", "fields": "url" }');
    await runCli(["ls", `${site.url}/posts.xml`, "-o", "out.json"], { cwd });
    expect(JSON.parse(readFileSync(join(cwd, "out.json"), "utf8"))).toHaveLength(3);
    await runCli(["ls", `${site.url}/posts.xml`, "-o", "out"], { cwd });
    expect(readFileSync(join(cwd, "out"), "utf8")).toMatch(/^url\r\n/);
    expect((await runCli(["ls", `${site.url}/posts.xml`], { cwd })).stdout).toMatch(/^url\r\n/);
  });
});

describe("find", () => {
  it("shows where sitemaps are and how they were found, without reading deeper", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["find", site.url]);
    expect(code).toBe(0);
    expect(lines(steady(stdout, site.url))).toEqual([
      "http://site.test/index.xml\trobots.txt line\tindex of 4\t200",
      "http://site.test/news.xml\trobots.txt line\txml\t200",
      "http://site.test/sitemap.txt\tknown location\ttext\t200",
    ]);
    expect(stderr).toBe("3 sitemaps: 2 in robots.txt, 1 at known locations\n");
    expect(site.count("/posts.xml")).toBe(0);
  });

  it("writes an object per sitemap with --json", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["find", site.url, "--json"]);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("../golden/find.ndjson");
  });

  it("shows with -vv what it found, but not what it skips itself", async () => {
    const site = await openSmallSite();
    const { stderr } = await runCli(["find", site.url, "-vv", "--exclude-sitemap", "/news.xml"]);
    expect(stderr).toMatch(/^found \S+\/sitemap\.txt \(text\)$/m);
    expect(stderr).toMatch(/^found \S+\/index\.xml \(xml, 4 sitemaps\)$/m);
    // Reports sitemaps that the user filters, but not those that `find` itself skips.
    expect(stderr).toMatch(/^skipped \S+\/news\.xml /m);
    expect(stderr).not.toMatch(/posts\.xml|truncated/);
    // Enough pages that reading stops in the middle.
    site.routes = {
      "/robots.txt": robotsTxt([`${site.url}/a.xml`, `${site.url}/b.xml`]),
      "/a.xml": urlset(pageUrls(site.url, 50)),
      "/b.xml": urlset([`${site.url}/b`]).replace("</urlset>", "<url><lo"),
    };
    const long = await runCli(["find", site.url, "-vv", "--no-known"]);
    expect(long.stderr).not.toMatch(/a\.xml:\d+ The document is truncated/);
    expect(long.stderr).toMatch(/error xml\.truncated \S+\/b\.xml:/);
    expect(long.stderr).toMatch(/2 sitemaps: 2 in robots\.txt\. 1 sitemap was truncated\.\n$/);
  });
});

describe("stats", () => {
  it("is the default command", async () => {
    const site = await openSmallSite();
    const [named, bare] = [await runCli(["stats", site.url]), await runCli([site.url])];
    expect([named.code, bare.code]).toEqual([0, 0]);
    const [first = ""] = lines(steady(bare.stdout, site.url));
    expect(first).toMatch(/^site\.test {2}6 sitemaps · 10 pages · 2 languages · # ms$/);
    expect(lines(steady(named.stdout, site.url))[0]).toBe(first);
    for (const word of ["/posts", "formats", "slowest", "largest", "✖ 2 errors"])
      expect(bare.stdout).toContain(word);
  });

  it.each([{ flags: [] }, { flags: ["--include", "/posts/*"] }, { flags: ["--strict"] }])(
    "counts as the last line does: $flags",
    async ({ flags }) => {
      const site = await openSmallSite();
      // A page at a known location is not an issue of the site.
      site.routes = { ...site.routes, "/sitemap.xml": HTML_PAGE };
      const args = ["stats", site.url, ...flags, "--json", "--progress", "json", "--concurrency", "1"];
      const { stdout, stderr } = await runCli(args);
      const { site: _, ms: __, ...json } = JSON.parse(stdout);
      const { event, message, sites, exitCode, ...summary } = JSON.parse(lines(stderr).at(-1) ?? "");
      expect([event, sites, exitCode]).toEqual(["summary", 1, 0]);
      expect(json).toMatchObject(summary);
      const errors = json.issues.filter(({ severity }: { severity: string }) => severity === "error");
      const sum = errors.reduce((all: number, { count }: { count: number }) => all + count, 0);
      expect(sum).toBe(summary.failed + summary.truncated);
      const drawn = await runCli(["stats", site.url, ...flags]);
      expect(drawn.stdout).toContain(` · ${/^[\d,]+(?: of [\d,]+)? pages/.exec(message)?.[0]} · `);
      if (flags.length === 0)
        expect(message).toMatch(/^10 pages in 6 sitemaps\. 1 sitemap failed \(404\), 1 was truncated/);
    },
  );

  it("writes the numbers with --json", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["stats", site.url, "--json"]);
    const { slowest, largest, ...numbers } = JSON.parse(steady(stdout, site.url));
    expect([slowest.length, largest.length]).toEqual([5, 5]);
    await expect(`${JSON.stringify(numbers, null, 2)}\n`).toMatchFileSnapshot("../golden/stats.json");
  });
});

describe("parse", () => {
  it("reads files and stdin, without the network", async () => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "a.xml"), urlset(["https://example.com/a"]));
    const { code, stdout, stderr } = await runCli(
      ["parse", "a.xml", "-", "-f", "csv", "--fields", "url,sitemap"],
      {
        cwd,
        input: urlset(["https://example.com/b"]),
      },
    );
    expect(code).toBe(0);
    expect(lines(stdout.replaceAll("\r", ""))).toEqual([
      "url,sitemap",
      "https://example.com/a,a.xml",
      "https://example.com/b,stdin",
    ]);
    expect(stderr).toBe("2 pages in 2 documents\n");
  });

  it("lists the sitemaps of an index with --sitemaps, and suggests it without", async () => {
    const input = "<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>";
    const listed = await runCli(["parse", "-", "--sitemaps"], { input });
    expect(listed.stdout).toBe("https://example.com/a.xml\n");
    const plain = await runCli(["parse", "-"], { input });
    expect(plain.stderr).toBe("0 pages, 1 sitemap (list with --sitemaps) in 1 document\n");
  });

  it("counts what the filters select, of all pages or sitemaps", async () => {
    const pages =
      "<urlset><url><loc>https://x.test/a</loc></url><url><loc>https://x.test/b.pdf</loc></url></urlset>";
    const few = await runCli(["parse", "-", "--exclude", "*.pdf"], { input: pages });
    expect([few.stdout, few.stderr]).toEqual(["https://x.test/a\n", "1 of 2 pages in 1 document\n"]);
    const index =
      "<sitemapindex><sitemap><loc>https://x.test/a.xml</loc></sitemap><sitemap><loc>https://x.test/b.xml</loc></sitemap></sitemapindex>";
    const some = await runCli(["parse", "-", "--sitemaps", "--include", "*/b.xml"], { input: index });
    expect(some.stderr).toBe("0 pages, 1 of 2 sitemaps in 1 document\n");
    const first = await runCli(["parse", "-", "--sitemaps", "--limit", "1"], { input: index });
    expect(first.stderr).toBe("1 sitemap. Stopped at --limit 1.\n");
  });

  it("resolves relative URLs against --url", async () => {
    const { stdout } = await runCli(["parse", "-", "--url", "https://example.com/x/s.xml"], {
      input: "<urlset><url><loc>page</loc></url></urlset>",
    });
    expect(stdout).toBe("https://example.com/x/page\n");
  });

  it("reports dropped relative URLs without --url", async () => {
    const input = (count: number): string =>
      `<urlset><url><loc>https://example.com/a</loc></url>${"<url><loc>page</loc></url>".repeat(count)}</urlset>`;
    const one = await runCli(["parse", "-"], { input: input(1) });
    expect([one.code, one.stdout]).toEqual([0, "https://example.com/a\n"]);
    expect(one.stderr).toBe(
      "1 page in 1 document. 1 relative URL was dropped because --url is missing. Details: -v\n",
    );
    expect((await runCli(["parse", "-", "-q"], { input: input(1) })).stderr).toContain("--url");
    const many = await runCli(["parse", "-", "-v"], { input: input(30) });
    expect(many.stderr).toMatch(/^dropped: url\.no-base stdin:1 "page"$/m);
    expect(many.stderr).toMatch(/\. 30 relative URLs were dropped because --url is missing\.\n/);
    const index = "<sitemapindex><sitemap><loc>/a.xml</loc></sitemap></sitemapindex>";
    expect((await runCli(["parse", "-"], { input: index })).stderr).toContain("1 relative URL was dropped");
    // A URL with a host can be resolved.
    const named = "<urlset><url><loc>//example.com/a</loc></url></urlset>";
    expect((await runCli(["parse", "-"], { input: named })).stderr).toBe("1 page in 1 document\n");
  });

  it("reports what --strict drops", async () => {
    const input =
      "<urlset><url><loc>https://example.com/a</loc></url><url><loc>/b</loc></url><url><loc>http://example.com/c</loc></url></urlset>";
    const args = ["parse", "-", "--strict", "--url", "https://example.com/sitemap.xml"];
    const { stdout, stderr } = await runCli(args, { input });
    expect(stdout).toBe("https://example.com/a\n");
    expect(stderr).toBe("1 page in 1 document. 2 URLs were dropped by --strict. Details: -v\n");
    expect((await runCli([...args, "-v"], { input })).stderr).toMatch(
      /^dropped by --strict: url\.relative stdin:1 "\/b"$/m,
    );
    const ended = await runCli(args, { input: input.replace("/b", "/b?x&y") });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toBe(
      "stdin was rejected by --strict at line 1: bare ampersand (xml.bare-ampersand)\n" +
        "1 page in 0 documents. 1 document failed (rejected by --strict: bare ampersand).\n",
    );
  });

  it.each([
    ["markup in every <loc>", (i: number) => `<url><loc><b>https://example.com/${i}</b></loc></url>`, "25"],
    ["two reasons per URL", (i: number) => `<url><loc>http://x.test/${i}</loc></url>`, "25"],
    ["exactly as many as are reported", (i: number) => (i < 10 ? `<url><loc>/${i}</loc></url>` : ""), "10"],
    ["entries without a <loc>", (i: number) => `<url>https://example.com/${i}</url>`, "At least 10"],
  ])("--strict with %s says how many URLs it dropped", async (_, entry, number) => {
    const input = `<urlset>${Array.from({ length: 25 }, (_, i) => entry(i)).join("")}</urlset>`;
    const { stderr } = await runCli(["parse", "-", "--strict", "--url", "https://example.com/s.xml"], {
      input,
    });
    expect(stderr).toContain(`0 pages in 1 document. ${number} URLs were dropped by --strict.`);
  });

  it.each([
    ["an XML declaration", '<?xml version="1.0" enc', "the document ends before its root element"],
    ["the root", "<?xml version='1.0'?>\n<!-- a -->\n<urls", "the document ends before its root element"],
    ["the version of a feed", '{"vers', "the JSON ends early"],
    [
      "gzip data",
      gzipSync("<urlset></urlset>").subarray(0, 12),
      "the compressed data is truncated or damaged",
    ],
  ])("of a file that is truncated inside %s says so", async (_, input, reason) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "a.xml"), input);
    const parsed = await runCli(["parse", "a.xml"], { cwd });
    expect([parsed.code, parsed.stderr.split("\n")[0]]).toEqual([3, `cannot read a.xml: ${reason}`]);
    const { stderr } = await runCli(["stats", "a.xml"], { cwd });
    expect(stderr).toBe(`error: cannot read a.xml: ${reason}\n`);
  });

  it("of a truncated feed says so", async () => {
    const input = '{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"https://a.test/a"},{"ur';
    const { stdout, stderr } = await runCli(["parse", "-"], { input });
    expect(stdout).toBe("https://a.test/a\n");
    expect(stderr).toBe("1 page in 1 document. 1 document was truncated. Details: -v\n");
  });

  it("continues after a file that cannot be read, and exits with 2", async () => {
    const { code, stdout, stderr } = await runCli(["parse", "nosuch.xml", "-"], {
      input: urlset(["https://example.com/b"]),
    });
    expect([code, stdout]).toEqual([2, "https://example.com/b\n"]);
    expect(stderr).toContain("error: cannot read nosuch.xml: no such file or folder\n");
  });

  it("exits with 3 without a sitemap, and with 4 for a truncated one with --fail-on-partial", async () => {
    const none = await runCli(["parse", "-"], { input: "<!doctype html><html><body></body></html>" });
    expect(none.code).toBe(3);
    expect(none.stderr).toMatch(/^cannot read stdin: the document is an HTML page, not a sitemap$/m);
    const input = urlset(["https://example.com/b"]).replace("</urlset>", "<url><lo");
    expect((await runCli(["parse", "-"], { input })).code).toBe(0);
    expect((await runCli(["parse", "-", "--fail-on-partial"], { input })).code).toBe(4);
  });
});

describe("robots", () => {
  it("shows groups, rules and issues", async () => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["robots", `${site.url}/some/page`]);
    expect(code).toBe(0);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("../golden/robots.txt");
    const json = await runCli(["robots", site.url, "--json"]);
    await expect(steady(json.stdout, site.url)).toMatchFileSnapshot("../golden/robots.json");
  });

  it("tests whether a crawler may fetch a URL, and exits with code 8 if not", async () => {
    const site = await openSmallSite();
    const args = ["robots", site.url, "--can-fetch", "/", "--as", "Googlebot"];
    const [all, one] = [await runCli([...args, "--can-fetch", "/admin/x"]), await runCli(args)];
    expect([all.code, one.code]).toEqual([8, 0]);
    expect(lines(all.stdout)).toEqual([
      `allowed\t${site.url}/\tno rule matches`,
      `disallowed\t${site.url}/admin/x\tline 2: Disallow: /admin/ (User-agent: *)`,
    ]);
    const json = await runCli([...args, "--can-fetch", "/admin/x", "--json"]);
    expect(json.code).toBe(8);
    expect(JSON.parse(json.stdout).canFetch).toEqual([
      { url: `${site.url}/`, crawler: "Googlebot", isAllowed: true },
      {
        url: `${site.url}/admin/x`,
        crawler: "Googlebot",
        isAllowed: false,
        rule: { allow: false, path: "/admin/", line: 2, userAgents: ["*"] },
      },
    ]);
  });

  it("warns about rules that the test ignores, because no User-agent line is before them", async () => {
    const site = await openSite({
      "/robots.txt": "Disallow: /private\nDissallow: /old\nUser-agent: *\nDisallow: /x\nCrawl-delay: soon\n",
    });
    const args = ["robots", site.url, "--can-fetch", "/private"];
    const { code, stdout, stderr } = await runCli(args);
    expect([code, stdout]).toEqual([0, `allowed\t${site.url}/private\tno rule matches\n`]);
    expect(lines(stderr)).toEqual([
      'warning: line 1: "Disallow: /private" is ignored: no User-agent line is before it',
      'warning: line 2: "Dissallow: /old" is ignored: no User-agent line is before it',
    ]);
  });

  it("reports lines without a colon", async () => {
    const site = await openSite({ "/robots.txt": "User-agent: *\nFoo bar\nDisallow /x\n" });
    const { stdout } = await runCli(["robots", site.url]);
    expect(lines(stdout).slice(-3)).toEqual([
      "2 issues",
      '  line 2: A line without a colon; it is ignored unless its meaning is clear "Foo bar" robots.missing-colon',
      '  line 3: A line without a colon; it is ignored unless its meaning is clear "Disallow /x" robots.missing-colon',
    ]);
  });

  it("refuses a URL on another host", async () => {
    const site = await openSmallSite();
    const { code, stdout, stderr } = await runCli(["robots", site.url, "--can-fetch", "https://x.test/a?b"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      `error: --can-fetch https://x.test/a?b is on another host: the robots.txt of ${new URL(site.url).host} does not apply\n` +
        "  Use siteatlas robots https://x.test --can-fetch '/a?b'\n",
    );
  });

  it("tests URLs on its host before and after redirects", async () => {
    const site = await openSite(
      (base, self) => ({
        "/robots.txt": ({ headers }) =>
          headers.host?.startsWith("127.0.0.2")
            ? { body: "User-agent: *\nDisallow: /admin/\n" }
            : { status: 301, headers: { location: `${self.at("127.0.0.2")}/robots.txt` } },
        [`${base}/`]: "",
      }),
      { everyAddress: true },
    );
    const urls = [`${site.url}/admin/x`, `${site.at("127.0.0.2")}/admin/y`];
    const args = ["robots", site.url, "--allow", "127.0.0.2", ...urls.flatMap((url) => ["--can-fetch", url])];
    const { code, stdout } = await runCli(args);
    const rule = "line 2: Disallow: /admin/ (User-agent: *)";
    expect([code, lines(stdout)]).toEqual([8, urls.map((url) => `disallowed\t${url}\t${rule}`)]);
  });

  it("refuses a wrong --allow as the other commands do", async () => {
    for (const command of ["robots", "ls"]) {
      const args = [command, "http://127.0.0.1:9/", "--allow", "https://www.example.com/"];
      const { code, stderr } = await runCli(args);
      expect([code, stderr]).toEqual([
        2,
        'error: --allow: Cannot allow "https://www.example.com/": it must be a host, a host with a port, or a range of addresses\n',
      ]);
    }
  });

  it("allows everything if there is none", async () => {
    const site = await openSmallSite();
    site.routes = {};
    const { code, stdout, stderr } = await runCli(["robots", site.url, "--can-fetch", "/admin/x"]);
    expect([code, stdout]).toEqual([0, `allowed\t${site.url}/admin/x\tno rule matches\n`]);
    expect(stderr).toBe("No robots.txt (404): everything is allowed\n");
  });
});
