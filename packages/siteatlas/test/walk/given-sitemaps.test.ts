/** A walk that starts at sitemaps: it reads only these sitemaps and everything below them, with the source `given`. */
import { describe, expect, it } from "vitest";
import {
  allPages,
  createNodeClient,
  sitemapTree,
  sitemapTreeForHomepage,
  streamPageBatches,
  streamPages,
  type WalkedSitemap,
  type WalkOptions,
  type WalkStart,
  walkSitemaps,
} from "../../src/index.ts";
import {
  HTML_PAGE,
  openSite,
  outline,
  redirectTo,
  robotsTxt,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

function openExample(): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/other.xml`], "Disallow: /private"),
    "/sitemap.xml": urlset([`${base}/guessed`]),
    "/other.xml": urlset([`${base}/other`]),
    "/news.xml": sitemapIndex([`${base}/a.xml`, `${base}/gone.xml`]),
    "/a.xml": urlset([`${base}/1`, `${base}/2`]),
    "/b.xml": urlset([`${base}/3`]),
    "/private.xml": urlset([`${base}/4`]),
    "/old.xml": redirectTo("/b.xml"),
    "/page": HTML_PAGE,
  }));
}

async function walked(start: WalkStart, options: WalkOptions = {}): Promise<WalkedSitemap[]> {
  const sitemaps: WalkedSitemap[] = [];
  for await (const event of walkSitemaps(start, { limits: { backoffMs: 1 }, ...options })) {
    if (event.kind === "sitemap") sitemaps.push(event.sitemap);
  }
  return sitemaps;
}

describe("sitemapTree", () => {
  it("returns the sitemap and everything below it, and requests nothing else", async () => {
    const site = await openExample();
    const tree = await sitemapTree(`${site.url}/news.xml`);
    expect(outline(tree, site.url)).toEqual([
      "index xml /news.xml",
      "  pages xml /a.xml: /1 /2",
      "  invalid http.status /gone.xml",
    ]);
    expect(site.paths().sort()).toEqual(["/a.xml", "/gone.xml", "/news.xml"]);
  });

  it("accepts a URL object, and keeps its query", async () => {
    const site = await openExample();
    const tree = await sitemapTree(new URL(`${site.url}/a.xml?page=1`));
    expect([...allPages(tree)].map(({ url }) => url)).toEqual([`${site.url}/1`, `${site.url}/2`]);
    expect(site.paths()).toEqual(["/a.xml?page=1"]);
  });

  it.each([
    ["/missing.xml", "http.status", "404"],
    ["/page", "content.html", "HTML"],
  ])("%s is an invalid sitemap with the reason", async (path, code, reason) => {
    const site = await openExample();
    const tree = await sitemapTree(site.url + path);
    expect(tree).toMatchObject({ kind: "invalid", code, url: site.url + path });
    expect(tree.kind === "invalid" && tree.reason).toContain(reason);
  });

  it("reports why a sitemap was skipped", async () => {
    const site = await openExample();
    const tree = await sitemapTree(`${site.url}/private.xml`, { respectRobots: true });
    expect(tree).toMatchObject({ kind: "invalid", code: "robots.disallowed" });
    expect(site.paths()).toEqual(["/robots.txt"]);
  });

  it("follows a redirect and keeps the requested URL", async () => {
    const site = await openExample();
    const tree = await sitemapTree(`${site.url}/old.xml`);
    expect(tree).toMatchObject({
      kind: "pages",
      url: `${site.url}/b.xml`,
      requestedUrl: `${site.url}/old.xml`,
    });
  });

  it("is partial and has the issue of a limit that the walk reached", async () => {
    const site = await openExample();
    const tree = await sitemapTree(`${site.url}/news.xml`, { limits: { urls: 1, backoffMs: 1 } });
    expect(tree.partial).toBe(true);
    expect(tree.issues.map(({ code }) => code)).toContain("limit.urls");
    expect(tree.issueCount).toBe(tree.issues.length);
  });

  it("reads a robots.txt that was given as an index", async () => {
    const site = await openExample();
    const tree = await sitemapTree(`${site.url}/robots.txt`, { respectRobots: true });
    expect(outline(tree, site.url)).toEqual(["index robots /robots.txt", "  pages xml /other.xml: /other"]);
  });

  it.each([
    ["example.com/a.xml", 'Cannot read sitemap URL "example.com/a.xml"'],
    ["ftp://example.com/a.xml", "not http or https"],
    [undefined as unknown as string, "Cannot read sitemap URL"],
  ])("throws for %s", async (url, message) => {
    await expect(sitemapTree(url)).rejects.toThrow(TypeError);
    await expect(sitemapTree(url)).rejects.toThrow(message);
  });
});

describe("a start at sitemaps", () => {
  it("has the source given, in the order given, each URL once", async () => {
    const site = await openExample();
    const [news, b, missing] = ["/news.xml", "/b.xml", "/missing.xml"].map((path) => site.url + path);
    const sitemaps = await walked({ sitemaps: [news!, new URL(b!), missing!, `${b}#again`] });
    const roots = sitemaps.filter(({ parentUrl }) => parentUrl === undefined);
    expect(roots.map(({ url }) => url).sort()).toEqual([b, missing, news]);
    expect(new Set(roots.map(({ source }) => source))).toEqual(new Set(["given"]));
    expect(roots.map(({ level }) => level)).toEqual([0, 0, 0]);
    expect(roots.find(({ url }) => url === missing)?.outcome).toBe("failed");
    expect(sitemaps.filter(({ parentUrl }) => parentUrl === news).map(({ source }) => source)).toEqual([
      "sitemap",
      "sitemap",
    ]);
    expect(site.paths().sort()).toEqual(["/a.xml", "/b.xml", "/gone.xml", "/missing.xml", "/news.xml"]);
  });

  it("works with streamPages and streamPageBatches", async () => {
    const site = await openExample();
    const start = { sitemaps: [`${site.url}/a.xml`, `${site.url}/b.xml`] };
    const urls: string[] = [];
    for await (const { url } of streamPages(start)) urls.push(url);
    expect(urls.sort()).toEqual(["/1", "/2", "/3"].map((path) => site.url + path));
    let count = 0;
    for await (const pages of streamPageBatches(start)) count += pages.length;
    expect(count).toBe(3);
  });

  it("reads robots.txt only for its rules, at each host", async () => {
    const site = await openSite(
      (base, { port }) => ({
        "/robots.txt": ({ headers }) => ({
          body: headers.host?.startsWith("127.0.0.2")
            ? robotsTxt([], "Disallow: /b")
            : robotsTxt([`${base}/other.xml`, `${base}/listed.xml`], "Disallow: /a\nDisallow: /listed"),
        }),
        "/a.xml": urlset([`${base}/1`]),
        "/b.xml": urlset([`http://127.0.0.2:${port}/2`]),
        "/listed.xml": urlset([`${base}/3`]),
      }),
      { everyAddress: true },
    );
    const other = site.at("127.0.0.2");
    const sitemaps = await walked(
      {
        sitemaps: [
          `${site.url}/a.xml`,
          `${site.url}/b.xml`,
          `${site.url}/listed.xml`,
          `${other}/a.xml`,
          `${other}/b.xml`,
        ],
      },
      { respectRobots: true, limits: { backoffMs: 1 } },
    );
    const given = sitemaps.filter(({ source }) => source === "given");
    expect(Object.fromEntries(given.map(({ url, outcome }) => [url.slice(7), outcome]))).toEqual({
      [`127.0.0.1:${site.port}/a.xml`]: "skipped",
      [`127.0.0.1:${site.port}/b.xml`]: "found",
      // A sitemap that robots.txt lists is read even if its rules disallow it (H34).
      [`127.0.0.1:${site.port}/listed.xml`]: "found",
      [`127.0.0.2:${site.port}/a.xml`]: "found",
      [`127.0.0.2:${site.port}/b.xml`]: "skipped",
    });
    expect(site.count("/other.xml")).toBe(0);
    expect(sitemaps.filter(({ source }) => source === "robots").map(({ childCount }) => childCount)).toEqual([
      0, 0,
    ]);
  });

  it("counts the hosts of given sitemaps as the site, and sends the caller's headers only there", async () => {
    const site = await openSite(
      (_, { port }) => ({
        "/a.xml": sitemapIndex([`http://127.0.0.3:${port}/c.xml`]),
        "/b.xml": urlset(["http://127.0.0.2/1"]),
        "/c.xml": urlset(["http://127.0.0.3/2"]),
      }),
      { everyAddress: true },
    );
    const start = { sitemaps: [`${site.url}/a.xml`, `${site.at("127.0.0.2")}/b.xml`] };
    const client = createNodeClient({ allowPrivateNetworks: true });
    const headers = { authorization: "Bearer secret" };
    const own = await walked(start, { client, headers, crossHost: "none" });
    expect(own.map(({ outcome }) => outcome).sort()).toEqual(["found", "found", "skipped"]);
    await walked(start, { client, headers });
    await client.close();
    const seen = site.requests.map(({ path, headers: { authorization } }) => [path, authorization]);
    expect(new Map(seen as [string, string][])).toEqual(
      new Map<string, string | undefined>([
        ["/a.xml", "Bearer secret"],
        ["/b.xml", "Bearer secret"],
        ["/c.xml", undefined],
      ]),
    );
  });

  it("allows private hosts that were given, and no others", async () => {
    const site = await openSite(
      (_, { port }) => ({
        "/a.xml": sitemapIndex([`http://127.0.0.3:${port}/c.xml`]),
        "/b.xml": urlset(["http://127.0.0.2/1"]),
      }),
      { everyAddress: true },
    );
    const sitemaps = await walked({ sitemaps: [`${site.url}/a.xml`, `${site.at("127.0.0.2")}/b.xml`] });
    expect(sitemaps.map(({ outcome, code }) => code ?? outcome).sort()).toEqual([
      "found",
      "found",
      "http.blocked-address",
    ]);
  });

  it("shows a given sitemap that a given index also lists at both places", async () => {
    const site = await openExample();
    const sitemaps = await walked({ sitemaps: [`${site.url}/news.xml`, `${site.url}/a.xml`] });
    const a = sitemaps.filter(({ url }) => url === `${site.url}/a.xml`);
    expect(a.map(({ source }) => source).sort()).toEqual(["given", "sitemap"]);
    expect(a.map(({ outcome }) => outcome).sort()).toEqual(["found", "shared"]);
    expect(site.count("/a.xml")).toBe(1);
  });

  it.each([
    [{ sitemaps: [] }],
    [{ sitemaps: "https://example.com/a.xml" }],
    [{ sitemap: ["https://example.com/a.xml"] }],
    [null],
    [["https://example.com/a.xml"]],
  ])("throws a TypeError for %j", async (start) => {
    await expect((async () => walkSitemaps(start as unknown as WalkStart).next())()).rejects.toThrow(
      TypeError,
    );
  });

  it("throws for a plain http sitemap with httpsOnly", async () => {
    const start = { sitemaps: ["https://127.0.0.1:1/a.xml", "http://127.0.0.1:1/b.xml"] };
    await expect((async () => walkSitemaps(start, { httpsOnly: true }).next())()).rejects.toThrow(
      "/b.xml is not https",
    );
  });
});

it("a homepage may be a URL object", async () => {
  const site = await openExample();
  const tree = await sitemapTreeForHomepage(new URL(`${site.url}/any/path`), { useHomepageLinks: false });
  expect(tree.url).toBe(`${site.url}/`);
  expect(outline(tree, site.url)).toEqual([
    "index website /",
    "  index robots /robots.txt",
    "    pages xml /other.xml: /other",
    "  pages xml /sitemap.xml: /guessed",
  ]);
  const urls: string[] = [];
  for await (const { url } of streamPages(new URL(site.url))) urls.push(url);
  expect(urls.sort()).toEqual([`${site.url}/guessed`, `${site.url}/other`]);
});
