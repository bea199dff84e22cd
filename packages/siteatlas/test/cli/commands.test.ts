/** Every command but ls, run as a process against a small site; what it writes is compared with golden files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { urlset } from "../support/test-site.ts";
import { buildCli, emptyFolder, runCli, steady } from "./support/cli.ts";
import { openSmallSite } from "./support/small-site.ts";

buildCli();

const lines = (text: string): string[] => text.split("\n").slice(0, -1);

describe("tree", () => {
  it("draws the sitemaps in the order of declaration", async () => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["tree", site.url]);
    expect(code).toBe(0);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("golden/tree.txt");
  });

  it("gives an object per sitemap with --json", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["tree", site.url, "--json"]);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("golden/tree.ndjson");
  });
});

describe("find", () => {
  it("says where sitemaps are and how each was found, and reads nothing deeper", async () => {
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

  it("gives an object per sitemap with --json", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["find", site.url, "--json"]);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("golden/find.ndjson");
  });
});

describe("stats", () => {
  it("is what siteatlas <url> does", async () => {
    const site = await openSmallSite();
    const [named, bare] = [await runCli(["stats", site.url]), await runCli([site.url])];
    expect([named.code, bare.code]).toEqual([0, 0]);
    const [first = ""] = lines(steady(bare.stdout, site.url));
    expect(first).toMatch(/^site\.test {2}6 sitemaps · 10 pages · 2 languages · # ms$/);
    expect(lines(steady(named.stdout, site.url))[0]).toBe(first);
    for (const word of ["/posts", "formats", "slowest", "largest", "✖ 1 error"])
      expect(bare.stdout).toContain(word);
  });

  it("gives the numbers alone with --json", async () => {
    const site = await openSmallSite();
    const { stdout } = await runCli(["stats", site.url, "--json"]);
    const { slowest, largest, ...numbers } = JSON.parse(steady(stdout, site.url));
    expect([slowest.length, largest.length]).toEqual([5, 5]);
    await expect(`${JSON.stringify(numbers, null, 2)}\n`).toMatchFileSnapshot("golden/stats.json");
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

  it("lists the sitemaps of an index with --sitemaps, and says so without", async () => {
    const input = "<sitemapindex><sitemap><loc>https://example.com/a.xml</loc></sitemap></sitemapindex>";
    const listed = await runCli(["parse", "-", "--sitemaps"], { input });
    expect(listed.stdout).toBe("https://example.com/a.xml\n");
    const plain = await runCli(["parse", "-"], { input });
    expect(plain.stderr).toBe("0 pages, 1 sitemap (--sitemaps lists them) in 1 document\n");
  });

  it("resolves relative URLs against --url", async () => {
    const { stdout } = await runCli(["parse", "-", "--url", "https://example.com/x/s.xml"], {
      input: "<urlset><url><loc>page</loc></url></urlset>",
    });
    expect(stdout).toBe("https://example.com/x/page\n");
  });

  it("goes on behind a file that cannot be read, and ends with 2", async () => {
    const { code, stdout, stderr } = await runCli(["parse", "nosuch.xml", "-"], {
      input: urlset(["https://example.com/b"]),
    });
    expect([code, stdout]).toEqual([2, "https://example.com/b\n"]);
    expect(stderr).toContain("error: Cannot read nosuch.xml: no such file or directory\n");
  });

  it("ends with 3 where there is no sitemap, with 4 where it is cut and that counts", async () => {
    const none = await runCli(["parse", "-"], { input: "<!doctype html><html><body></body></html>" });
    expect(none.code).toBe(3);
    expect(none.stderr).toMatch(/^- is no sitemap: The document is an HTML page, not a sitemap$/m);
    const input = urlset(["https://example.com/b"]).replace("</urlset>", "<url><lo");
    expect((await runCli(["parse", "-"], { input })).code).toBe(0);
    expect((await runCli(["parse", "-", "--fail-on-partial"], { input })).code).toBe(4);
  });
});

describe("robots", () => {
  it("shows what it says", async () => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli(["robots", `${site.url}/some/page`]);
    expect(code).toBe(0);
    await expect(steady(stdout, site.url)).toMatchFileSnapshot("golden/robots.txt");
    const json = await runCli(["robots", site.url, "--json"]);
    await expect(steady(json.stdout, site.url)).toMatchFileSnapshot("golden/robots.json");
  });

  it("says whether a crawler may fetch a URL", async () => {
    const site = await openSmallSite();
    const { code, stdout } = await runCli([
      "robots",
      site.url,
      "--can-fetch",
      "/admin/x",
      "--can-fetch",
      "/",
      "--as",
      "Googlebot",
    ]);
    expect(code).toBe(0);
    expect(lines(stdout)).toEqual([`disallowed\t${site.url}/admin/x`, `allowed\t${site.url}/`]);
  });

  it("allows everything where there is none", async () => {
    const site = await openSmallSite();
    site.routes = {};
    const { code, stdout, stderr } = await runCli(["robots", site.url, "--can-fetch", "/admin/x"]);
    expect([code, stdout]).toEqual([0, `allowed\t${site.url}/admin/x\n`]);
    expect(stderr).toBe("No robots.txt (404): everything is allowed\n");
  });
});
