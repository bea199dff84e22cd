/** HTML sitemaps (`htmlSitemaps`) and llms.txt (`useLlmsTxt`) in walks, trees, saved trees and syncs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  allPages,
  allSitemaps,
  loadTree,
  type Page,
  saveTree,
  sitemapTree,
  sitemapTreeForHomepage,
  streamPages,
  type TreeOptions,
  treeFromJson,
  type WalkedSitemap,
  type WalkOptions,
  walkSitemaps,
} from "../../src/index.ts";
import { toRecord } from "../../src/output/page-fields.ts";
import {
  openSite,
  outline,
  redirectTo,
  robotsTxt,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";
import { NOTHING, syncOnce } from "../sync/support.ts";

const HTML: TreeOptions = { htmlSitemaps: true, useHomepageLinks: false, limits: { backoffMs: 1 } };
const LLMS: TreeOptions = { useLlmsTxt: true, useHomepageLinks: false, limits: { backoffMs: 1 } };

const page = (...hrefs: readonly string[]): string =>
  `<!doctype html><html><title>Sitemap | Shop</title><body>${hrefs.map((href) => `<a href="${href}">T ${href}</a>`).join("")}</body></html>`;

async function outlineOf(site: TestSite, options: TreeOptions): Promise<string[]> {
  return outline(await sitemapTreeForHomepage(site.url, options), site.url).slice(1);
}

async function walked(site: TestSite, options: WalkOptions): Promise<WalkedSitemap[]> {
  const sitemaps: WalkedSitemap[] = [];
  for await (const event of walkSitemaps(site.url, options)) {
    if (event.kind === "sitemap") sitemaps.push(event.sitemap);
  }
  return sitemaps;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-links-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe("HTML sitemaps", () => {
  const declared = (): Promise<TestSite> =>
    openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/map`, `${base}/index.xml`]),
      "/map": page("/a", "b", "https://other.test/"),
      "/index.xml": sitemapIndex([`${base}/more`]),
      "/more": page("/c"),
    }));

  it("are read if robots.txt or an index lists them", async () => {
    expect(await outlineOf(await declared(), HTML)).toEqual([
      "  index robots /robots.txt",
      "    pages html /map: /a /b",
      "    index xml /index.xml",
      "      pages html /more: /c",
    ]);
  });

  it("are invalid without the option, and their known locations are not requested", async () => {
    const site = await declared();
    expect(await outlineOf(site, { ...HTML, htmlSitemaps: false })).toEqual([
      "  index robots /robots.txt",
      "    invalid content.html /map",
      "    index xml /index.xml",
      "      invalid content.html /more",
    ]);
    expect(site.paths()).not.toContain("/sitemap.html");
  });

  it("are read if the caller passes them, even if this is the homepage", async () => {
    const site = await openSite({ "/": page("/a") });
    expect(outline(await sitemapTree(`${site.url}/`, HTML), site.url)).toEqual(["pages html /: /a"]);
  });

  it("are found at known locations, after all others", async () => {
    const site = await openSite((base) => ({
      "/sitemap.xml": urlset([`${base}/x`]),
      "/sitemap_news.xml": urlset([`${base}/n`]),
      "/sitemap": page("/a"),
      "/sitemap.html": page("/b", "/x"),
    }));
    expect(await outlineOf(site, HTML)).toEqual([
      "  pages xml /sitemap.xml: /x",
      "  pages xml /sitemap_news.xml: /n",
      "  pages html /sitemap.html: /b /x",
      "  pages html /sitemap: /a",
    ]);
    const paths = site.paths();
    expect(paths.indexOf("/sitemap.html")).toBeGreaterThan(paths.indexOf("/sitemap-news.xml.gz"));
    expect(paths.filter((path) => path === "/sitemap")).toHaveLength(1);
  });

  it("a location of both lists may have an XML sitemap", async () => {
    const site = await openSite((base) => ({ "/sitemap": urlset([`${base}/x`]) }));
    expect(await outlineOf(site, HTML)).toEqual(["  pages xml /sitemap: /x"]);
  });

  it("with useKnownPaths: false, no known location is tried", async () => {
    const site = await openSite({ "/sitemap.html": page("/a") });
    expect(await outlineOf(site, { ...HTML, useKnownPaths: false })).toEqual([]);
    expect(
      await outlineOf(site, { ...HTML, useKnownPaths: false, extraKnownPaths: ["/sitemap.html"] }),
    ).toEqual(["  pages html /sitemap.html: /a"]);
  });

  it("a page at a known location counts only if its title says that it is a sitemap", async () => {
    const shell = page("/home").replace("Sitemap | Shop", "Shop");
    // A single-page application answers every URL with itself, except URLs of files.
    const site = await openSite(
      { "/robots.txt": "", "/plan": shell, "/sitemap.xml": { status: 404 }, "/sitemap.html": page("/a") },
      { fallback: { body: shell } },
    );
    expect(await outlineOf(site, HTML)).toEqual([
      "  index robots /robots.txt",
      "  pages html /sitemap.html: /a",
    ]);
    expect(await outlineOf(site, { ...HTML, extraKnownPaths: ["/plan"] })).toContain(
      "  pages html /plan: /home",
    );
  });

  it.each([
    "Plan du site",
    "САЙТ: Карта сайта",
    "サイトマップ｜会社",
    "Site&nbsp;Map".replace("&nbsp;", " "),
  ])("the title %s is that of a sitemap", async (title) => {
    const site = await openSite({ "/sitemap.html": page("/a").replace("Sitemap | Shop", title) });
    expect(await outlineOf(site, HTML)).toEqual(["  pages html /sitemap.html: /a"]);
  });

  it("a known location may redirect to an HTML sitemap, but not to the homepage", async () => {
    const site = await openSite({
      "/": page("/home"),
      "/error": page("/home").replace("Sitemap | Shop", "Not found"),
      "/sitemap.html": redirectTo("/"),
      "/sitemap.htm": redirectTo("/error"),
      "/sitemap.xml": redirectTo("/en/all"),
      "/en/all": page("/a"),
    });
    expect(await outlineOf(site, HTML)).toEqual(["  pages html /en/all: /a"]);
  });

  it("an HTML sitemap at a known location does not replace the sitemap that the homepage names", async () => {
    const site = await openSite((base) => ({
      "/": `<!doctype html><link rel="sitemap" href="/real.xml">`,
      "/real.xml": urlset([`${base}/p`]),
      "/sitemap.html": page("/a"),
    }));
    const { useHomepageLinks, ...options } = HTML;
    expect(await outlineOf(site, options)).toEqual([
      "  pages xml /real.xml: /p",
      "  pages html /sitemap.html: /a",
    ]);
  });

  it("an index that lists an HTML page is reported", async () => {
    const site = await declared();
    const tree = await sitemapTreeForHomepage(site.url, HTML);
    const issues = [...allSitemaps(tree)].flatMap((sitemap) => sitemap.issues);
    expect(issues.filter(({ code }) => code === "index.lists-page")).toHaveLength(1);
  });

  it("a listed HTML page is a sitemap, even if a known location that redirects to it answers sooner", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index`]),
      "/index": { body: sitemapIndex([`${base}/all`]), delayMs: 100 },
      "/all": page("/a"),
      "/sitemap.xml": redirectTo("/all"),
    }));
    const [, , listed] = await outlineOf(site, HTML);
    expect(listed?.trim()).toBe("pages html /all: /a");
  });

  it("links to hosts of the same registrable domain are kept", async () => {
    const client = async () => ({
      status: 200,
      headers: {},
      body: (async function* () {
        yield new TextEncoder().encode(page("https://docs.example.co.uk/a", "https://other.co.uk/b", "/c"));
      })(),
    });
    const tree = await sitemapTree("https://www.example.co.uk/map.html", {
      ...HTML,
      client: client as never,
    });
    expect([...tree.pages].map(({ url }) => url)).toEqual([
      "https://docs.example.co.uk/a",
      "https://www.example.co.uk/c",
    ]);
  });

  it("the limits of a document apply: links and bytes", async () => {
    const many = page(...Array.from({ length: 1000 }, (_, at) => `/${at}`));
    const site = await openSite({ "/map": many });
    const limits = { backoffMs: 1, retries: 0 };
    const few = await sitemapTree(`${site.url}/map`, { ...HTML, limits: { ...limits, urlsPerSitemap: 10 } });
    expect(few).toMatchObject({ kind: "pages", format: "html", partial: true });
    expect([few.pages.length, few.issues.map(({ code }) => code)]).toEqual([10, ["limit.urls"]]);
    const short = await sitemapTree(`${site.url}/map`, { ...HTML, limits: { ...limits, wireBytes: 4000 } });
    expect(short).toMatchObject({ kind: "pages", format: "html", partial: true });
    expect(short.pages.length).toBeLessThan(1000);
  });

  it("the stream yields their pages, as pages and not as feed entries", async () => {
    const pages: Page[] = [];
    const site = await declared();
    for await (const one of streamPages(site.url, HTML)) pages.push(one);
    expect(pages[1]).toEqual({ url: `${site.url}/b`, urlText: "b", title: "T b", linkedFrom: "html" });
    expect(toRecord(pages[1]!, `${site.url}/map`)).toMatchObject({ kind: "page", title: "T b" });
  });

  it("a sync reports the pages that were added and removed, and a change of the title", async () => {
    const site = await openSite({ "/sitemap.html": page("/a", "/b") });
    const snapshot = join(temporaryFolder(), "s.gz");
    const sync = (options = {}) =>
      syncOnce({ url: site.url, origin: site.url }, snapshot, { ...HTML, ...options });
    expect((await sync()).added).toEqual(["/a", "/b"]);
    expect(await sync()).toMatchObject(NOTHING);
    site.routes = { "/sitemap.html": page("/a", "/b", "/c").replace("T /a", "New") };
    const { added, changed } = await sync();
    expect([added, changed]).toEqual([["/c"], ["/a"]]);
  });

  it("a sync without the option does not reuse the HTML sitemap of the last sync", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/map`]),
      "/map": (request) =>
        request.headers["if-none-match"] === '"1"'
          ? { status: 304 }
          : { headers: { etag: '"1"' }, body: page("/a") },
    }));
    const snapshot = join(temporaryFolder(), "s.gz");
    const sync = (options = {}) =>
      syncOnce({ url: site.url, origin: site.url }, snapshot, { ...HTML, ...options });
    expect((await sync()).added).toEqual(["/a"]);
    expect((await sync()).summary.notModified).toBe(1);
    expect((await sync({ htmlSitemaps: false })).unknown).not.toEqual([]);
  });
});

const LLMS_TXT =
  "# T\n\n## Docs\n\n- [A](/a): n\n- [Other](https://other.test/)\n\n## Optional\n\n- [B](/b)\n";

describe("llms.txt", () => {
  it("is read after all others, with the source llms", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/s.xml`]),
      "/s.xml": urlset([`${base}/x`]),
      "/llms.txt": LLMS_TXT,
    }));
    expect(await outlineOf(site, LLMS)).toEqual([
      "  index robots /robots.txt",
      "    pages xml /s.xml: /x",
      "  pages llms /llms.txt: /a /b",
    ]);
    const found = (await walked(site, LLMS)).find(({ format }) => format === "llms");
    expect(found).toMatchObject({
      source: "llms",
      outcome: "found",
      level: 0,
      pageCount: 2,
      issueCounts: { "url.cross-site": 1 },
    });
    expect(await outlineOf(site, { ...LLMS, useLlmsTxt: false })).toHaveLength(2);
  });

  it("does not keep the walk from reading the links of the homepage", async () => {
    const site = await openSite((base) => ({
      "/": `<link rel="sitemap" href="/s.xml">`,
      "/s.xml": urlset([`${base}/x`]),
      "/llms.txt": LLMS_TXT,
    }));
    expect(await outlineOf(site, { useLlmsTxt: true })).toEqual([
      "  pages xml /s.xml: /x",
      "  pages llms /llms.txt: /a /b",
    ]);
  });

  it.each([
    ["a missing one", { status: 404 }],
    ["an HTML page in its place", { body: page("/a") }],
    ["a text without links in its place", { body: "not here" }],
    ["an error of the server", { status: 500 }],
  ])("%s is not in the tree, and its links are not read", async (_, answer) => {
    const site = await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/x`]), "/llms.txt": answer }));
    for (const htmlSitemaps of [false, true]) {
      const options = { ...LLMS, htmlSitemaps, limits: { backoffMs: 1, retries: 0 } };
      expect(await outlineOf(site, options)).toEqual(["  pages xml /sitemap.xml: /x"]);
    }
    expect(site.count("/llms.txt")).toBe(2);
  });

  it("is read after a redirect, and if the caller passes it", async () => {
    const site = await openSite({
      "/llms.txt": redirectTo("/docs/for-models.md"),
      "/docs/for-models.md": LLMS_TXT,
    });
    expect(await outlineOf(site, LLMS)).toEqual(["  pages llms /docs/for-models.md: /a /b"]);
    const given = await openSite({ "/docs/llms.txt": LLMS_TXT });
    const tree = await sitemapTree(`${given.url}/docs/llms.txt`, LLMS);
    expect(outline(tree, given.url)).toEqual(["pages llms /docs/llms.txt: /a /b"]);
    expect(await sitemapTree(`${given.url}/docs/llms.txt`, { ...LLMS, useLlmsTxt: false })).not.toMatchObject(
      {
        format: "llms",
      },
    );
  });

  it("saved trees keep titles, sections and the format", async () => {
    const site = await openSite({ "/llms.txt": LLMS_TXT, "/sitemap.html": page("/h") });
    const tree = await sitemapTreeForHomepage(site.url, { ...LLMS, htmlSitemaps: true });
    const file = join(temporaryFolder(), "tree.json");
    await saveTree(tree, file);
    const pages = [
      { url: `${site.url}/h`, urlText: "/h", title: "T /h", linkedFrom: "html" },
      { url: `${site.url}/a`, urlText: "/a", title: "A", section: "Docs", linkedFrom: "llms" },
      { url: `${site.url}/b`, urlText: "/b", title: "B", section: "Optional", linkedFrom: "llms" },
    ];
    for (const loaded of [tree, treeFromJson(JSON.parse(JSON.stringify(tree))), await loadTree(file)]) {
      expect([...allPages(loaded)]).toEqual(pages);
      expect(outline(loaded, site.url)).toEqual(outline(tree, site.url));
    }
  });

  it("a sync reports the changes of llms.txt, and a missing llms.txt as removals that are not certain", async () => {
    const site = await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/x`]), "/llms.txt": LLMS_TXT }));
    const snapshot = join(temporaryFolder(), "s.gz");
    const sync = () => syncOnce({ url: site.url, origin: site.url }, snapshot, LLMS);
    expect((await sync()).added).toEqual(["/a", "/b", "/x"]);
    site.routes = { ...site.routes, "/llms.txt": LLMS_TXT.replace("## Docs", "## Guides") };
    const { changes } = await sync();
    expect(changes.filter(({ kind }) => kind === "changed")).toMatchObject([{ fields: ["section"] }]);
    site.routes = { ...site.routes, "/llms.txt": { status: 404 } };
    const { removed, pending, unknown } = await sync();
    expect([removed, [...pending, ...unknown].length > 0]).toEqual([[], true]);
  });
});
