/**
 * The process, sentence by sentence: each test is named after the sentence that it checks, on a real server. Known
 * locations are turned off unless they are tested, to keep the logs short.
 */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { knownPaths } from "../../src/discover/known-paths.ts";
import type { InvalidSitemap, Sitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage, type TreeOptions } from "../../src/tree/tree.ts";
import type { WalkEvent, WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkLimits } from "../../src/walk/options.ts";
import { streamPages, walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import {
  HTML_PAGE,
  openSite,
  outline,
  pageUrls,
  redirectTo,
  robotsTxt,
  type SiteAnswer,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const DECLARED: TreeOptions = { useKnownPaths: false, useHomepageLinks: false };

async function outlineOf(site: TestSite, options: TreeOptions = DECLARED): Promise<string[]> {
  return outline(await sitemapTreeForHomepage(site.url, options), site.url);
}

async function eventsOf(site: TestSite, options: TreeOptions = DECLARED): Promise<WalkEvent[]> {
  const events: WalkEvent[] = [];
  for await (const event of walkSitemaps(site.url, options)) events.push(event);
  return events;
}

async function walkedOf(site: TestSite, options: TreeOptions = DECLARED): Promise<WalkedSitemap[]> {
  return (await eventsOf(site, options)).flatMap((event) =>
    event.kind === "sitemap" ? [event.sitemap] : [],
  );
}

function invalidOnes(tree: Sitemap): InvalidSitemap[] {
  return [...allSitemaps(tree)].filter((node) => node.kind === "invalid");
}

/** A site whose robots.txt lists `/index.xml`, which lists these sitemaps. */
function indexed(children: readonly string[], rest: (base: string) => SiteRoutes) {
  return (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt([`${base}/index.xml`]),
    "/index.xml": sitemapIndex(children.map((path) => base + path)),
    ...rest(base),
  });
}

describe("the four steps", () => {
  it("Fetch <homepage>/robots.txt and read its Sitemap: lines. robots.txt is an index-type sitemap: it lists other sitemaps", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": urlset([`${base}/1`]),
      "/b.xml": urlset([`${base}/2`]),
    }));
    expect(await outlineOf(site)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    pages xml /a.xml: /1",
      "    pages xml /b.xml: /2",
    ]);
    expect(site.paths()[0]).toBe("/robots.txt");
  });

  it("Fetch and parse each discovered sitemap URL. An index-type sitemap is recursed into", async () => {
    const site = await openSite(
      indexed(["/deep.xml"], (base) => ({
        "/deep.xml": sitemapIndex([`${base}/deeper.xml`]),
        "/deeper.xml": sitemapIndex([`${base}/leaf.xml`]),
        "/leaf.xml": urlset([`${base}/1`]),
      })),
    );
    expect(await outlineOf(site)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    index xml /index.xml",
      "      index xml /deep.xml",
      "        index xml /deeper.xml",
      "          pages xml /leaf.xml: /1",
    ]);
  });

  it("Try the known locations, except those already found through robots.txt", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`, `${base}/wp-sitemap.xml`]),
      "/sitemap.xml": urlset([`${base}/1`]),
      "/wp-sitemap.xml": urlset([`${base}/2`]),
    }));
    await sitemapTreeForHomepage(site.url, { useHomepageLinks: false });
    const rest = knownPaths("usual").filter((path) => path !== "sitemap.xml" && path !== "wp-sitemap.xml");
    expect(site.paths()).toEqual(
      expect.arrayContaining([
        "/robots.txt",
        "/sitemap.xml",
        "/wp-sitemap.xml",
        ...rest.map((path) => `/${path}`),
      ]),
    );
    expect(site.requests).toHaveLength(1 + knownPaths("usual").length);
  });

  it("… also when a filter skipped them", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
      "/sitemap.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, { recurseCallback: () => false });
    expect(outline(tree, site.url)).toEqual(["index website /", "  index robots /robots.txt"]);
    expect(site.count("/sitemap.xml")).toBe(0);
  });

  it("Failures here are expected and quiet: not-found guesses do not appear in the tree", async () => {
    const answers: SiteAnswer[] = [
      { status: 404 },
      { status: 410 },
      { status: 403, body: HTML_PAGE },
      { body: HTML_PAGE },
      { body: "" },
      { body: "hello" },
      redirectTo("/"),
    ];
    const paths = knownPaths("usual");
    const site = await openSite({
      "/robots.txt": robotsTxt([]),
      "/": HTML_PAGE,
      ...Object.fromEntries(paths.map((path, at) => [`/${path}`, answers[at % answers.length]!])),
    });
    const tree = await sitemapTreeForHomepage(site.url);
    expect(outline(tree, site.url)).toEqual(["index website /", "  index robots /robots.txt"]);
    expect(tree.issues).toEqual([]);
    expect(tree.partial).toBeUndefined();
  });

  it("Put a website node on top as the parent of robots.txt and of what the known locations gave", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
      "/sitemap_news.xml": urlset([`${base}/3`]),
      "/sitemap.txt": `${base}/2\n`,
    }));
    const tree = await sitemapTreeForHomepage(site.url);
    expect(tree).toMatchObject({
      kind: "index",
      format: "website",
      url: `${site.url}/`,
    });
    expect(outline(tree, site.url)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    pages xml /a.xml: /1",
      "  pages text /sitemap.txt: /2",
      "  pages xml /sitemap_news.xml: /3",
    ]);
  });

  it.each([404, 410])("… a missing robots.txt (%i) is reported and has no node", async (status) => {
    const site = await openSite((base) => ({
      "/robots.txt": { status },
      "/sitemap.xml": urlset([`${base}/1`]),
    }));
    expect(await outlineOf(site, {})).toEqual(["index website /", "  pages xml /sitemap.xml: /1"]);
    const told: unknown[] = [];
    for await (const event of walkSitemaps(site.url)) {
      if (event.kind === "sitemap" && event.sitemap.source === "robots") told.push(event.sitemap);
    }
    expect(told).toMatchObject([{ outcome: "failed", code: "http.status", http: { status } }]);
  });

  it("… any other failure of robots.txt is an invalid node, and the known locations are tried", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": { status: 403 },
      "/sitemap.xml": urlset([`${base}/1`]),
    }));
    expect(await outlineOf(site, {})).toEqual([
      "index website /",
      "  invalid http.status /robots.txt",
      "  pages xml /sitemap.xml: /1",
    ]);
  });

  it("extraKnownPaths are also tried with useKnownPaths: false", async () => {
    const site = await openSite((base) => ({ "/own/map.xml": urlset([`${base}/1`]) }));
    const options = { useRobots: false, useKnownPaths: false, extraKnownPaths: ["own/map.xml"] };
    expect(await outlineOf(site, options)).toEqual(["index website /", "  pages xml /own/map.xml: /1"]);
    expect(site.paths()).toEqual(["/own/map.xml"]);
  });

  it("Known locations tried by default, always, in this order", async () => {
    const site = await openSite({ "/robots.txt": robotsTxt([]) });
    await sitemapTreeForHomepage(site.url, { concurrency: 1, useHomepageLinks: false });
    expect(site.paths()).toEqual([
      "/robots.txt",
      "/sitemap.xml",
      "/sitemap_index.xml",
      "/sitemap-index.xml",
      "/wp-sitemap.xml",
      "/sitemap.txt",
      "/sitemap.xml.gz",
      "/sitemap_index.xml.gz",
      "/sitemap-index.xml.gz",
      "/.sitemap.xml",
      "/sitemap",
      "/sitemap/sitemap-index.xml",
      "/sitemapindex.xml",
      "/sitemap/sitemap.xml",
      "/sitemap_news.xml",
      "/sitemap-news.xml",
      "/news-sitemap.xml",
      "/sitemap_news.xml.gz",
      "/sitemap-news.xml.gz",
    ]);
  });

  it('The longer lists are knownPaths: "thorough"; extraKnownPaths come after', async () => {
    const site = await openSite({ "/robots.txt": robotsTxt([]) });
    const options = { knownPaths: "thorough", extraKnownPaths: ["my/own.xml"], concurrency: 1 } as const;
    await sitemapTreeForHomepage(site.url, { ...options, useHomepageLinks: false });
    expect(site.paths().slice(1)).toEqual(
      [...knownPaths("thorough"), "my/own.xml"].map((path) => `/${path}`),
    );
  });

  it("No random-path probe: a body that is not a sitemap is dropped after its first bytes", async () => {
    let sent = 0;
    const endless = `${HTML_PAGE}${"<p>not a sitemap at all</p>".repeat(2000)}`;
    const site = await openSite({
      "/robots.txt": robotsTxt([]),
      "/sitemap.xml": (_, response) => {
        response.writeHead(200, { "content-type": "text/html" });
        const write = (): void => {
          while (!response.destroyed && sent < 50_000_000) {
            sent += endless.length;
            if (!response.write(endless)) {
              response.once("drain", write);
              return;
            }
          }
          response.end();
        };
        write();
        return undefined;
      },
    });
    const walked = await walkedOf(site, { useHomepageLinks: false });
    expect(walked.find(({ url }) => url.endsWith("/sitemap.xml"))).toMatchObject({ code: "content.html" });
    // The bytes in the buffers of both sockets are sent in any case.
    expect(sent).toBeLessThan(10_000_000);
    expect(site.requests).toHaveLength(1 + knownPaths("usual").length);
  });

  it.each([
    {
      given: "/blog/post?x=1#top",
      normalize: undefined,
      first: "/robots.txt",
      second: "/sitemap.xml",
      top: "/",
    },
    {
      given: "/blog",
      normalize: false,
      first: "/blog/robots.txt",
      second: "/blog/sitemap.xml",
      top: "/blog",
    },
    {
      given: "/blog/",
      normalize: false,
      first: "/blog/robots.txt",
      second: "/blog/sitemap.xml",
      top: "/blog/",
    },
  ])(
    "normalizeHomepageUrl: $normalize starts from $given at $first",
    async ({ given, normalize, first, second, top }) => {
      const site = await openSite((base) => ({
        [first]: robotsTxt([]),
        [second]: urlset([`${base}/1`]),
      }));
      const options = normalize === undefined ? {} : { normalizeHomepageUrl: normalize };
      const tree = await sitemapTreeForHomepage(site.url + given, options);
      expect(outline(tree, site.url)).toEqual([
        `index website ${top}`,
        `  index robots ${first}`,
        `  pages xml ${second}: /1`,
      ]);
      expect(site.paths()[0]).toBe(first);
    },
  );
});

describe("one fetch-and-parse step", () => {
  it("each redirect hop is looked up before it is requested: already requested in this run ► share that result", async () => {
    const site = await openSite(
      indexed(["/a.xml", "/b.xml", "/c.xml"], (base) => ({
        "/a.xml": urlset([`${base}/1`]),
        "/b.xml": redirectTo("/hop.xml"),
        "/hop.xml": redirectTo("/a.xml"),
        "/c.xml": redirectTo("/hop.xml"),
      })),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).slice(3)).toEqual(Array(3).fill("      pages xml /a.xml: /1"));
    const [first, second, third] = tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
    expect(second!.pages).toBe(first!.pages);
    expect(third!.pages).toBe(first!.pages);
    expect([first, second, third].map((node) => node!.requestedUrl?.slice(site.url.length))).toEqual([
      undefined,
      "/b.xml",
      "/c.xml",
    ]);
    for (const path of ["/a.xml", "/b.xml", "/hop.xml", "/c.xml"]) expect(site.count(path)).toBe(1);
  });

  it("already requested in this run ► a guess: no node at all", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([]),
      "/sitemap.xml": redirectTo("/sitemap_index.xml"),
      "/sitemap_index.xml": urlset([`${base}/1`]),
    }));
    const walked = await walkedOf(site, {});
    expect(await outlineOf(site, {})).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "  pages xml /sitemap_index.xml: /1",
    ]);
    const guesses = walked.filter(({ url }) => url.endsWith("/sitemap_index.xml"));
    expect(guesses.map(({ outcome }) => outcome).sort()).toEqual(["found", "shared"]);
  });

  it("a known location that redirects to a new document is that document", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([]),
      "/sitemap.xml": redirectTo("/maps/main.xml", 301),
      "/maps/main.xml": sitemapIndex(["leaf.xml"]),
      "/maps/leaf.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url);
    expect(outline(tree, site.url).slice(2)).toEqual([
      "  index xml /maps/main.xml",
      "    pages xml /maps/leaf.xml: /1",
    ]);
    expect(tree.subSitemaps[1]).toMatchObject({ requestedUrl: `${site.url}/sitemap.xml` });
  });

  it("two declared sitemaps that redirect to each other are both invalid, and nothing hangs", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`, `${base}/c.xml`]),
      "/a.xml": { ...redirectTo("/b.xml"), delayMs: 20 },
      "/b.xml": { ...redirectTo("/a.xml"), delayMs: 20 },
      "/c.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const [a, b, c] = tree.subSitemaps[0]!.subSitemaps;
    expect([a, b]).toEqual(
      Array(2).fill(expect.objectContaining({ kind: "invalid", code: "http.redirect-loop" })),
    );
    expect([...c!.pages]).toHaveLength(1);
    expect(site.requests).toHaveLength(4);
  });

  it.each([
    { answer: { status: 404 }, code: "http.status", reason: "404", status: 404 },
    { answer: { status: 500 }, code: "http.status", reason: "500", status: 500 },
    { answer: { body: HTML_PAGE }, code: "content.html", reason: "HTML", status: 200 },
    { answer: { body: "" }, code: "content.empty", reason: "empty", status: 200 },
    { answer: { body: "just words\n" }, code: "content.no-urls", reason: "100 lines", status: 200 },
  ])("failed ► InvalidSitemap(code, reason): $code $status", async ({ answer, code, reason, status }) => {
    const site = await openSite(indexed(["/a.xml"], () => ({ "/a.xml": answer })));
    const tree = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits: { backoffMs: 1 } });
    expect(invalidOnes(tree)).toMatchObject([
      { code, reason: expect.stringContaining(reason), http: { status }, url: `${site.url}/a.xml` },
    ]);
  });

  const page = "http://www.example.com/1";
  const rss = `<rss version="2.0"><channel><item><link>${page}</link></item></channel></rss>`;
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"><item rdf:about="${page}"><link>${page}</link></item></rdf:RDF>`;
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="${page}"/></entry></feed>`;
  const json = JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    items: [{ id: "1", url: page }],
  });
  const bom = (text: string): Buffer =>
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);

  it.each<{ is: string; body: string | Uint8Array; gives: string; path?: string; type?: string }>([
    { is: "urlset ► pages xml", body: urlset([page]), gives: "pages xml" },
    { is: "sitemapindex ► index xml (recurse)", body: sitemapIndex([]), gives: "index xml" },
    { is: "rss ► pages rss", body: rss, gives: "pages rss" },
    { is: "rdf:RDF ► pages rss", body: rdf, gives: "pages rss" },
    { is: "feed ► pages atom", body: atom, gives: "pages atom" },
    { is: "starts with '{' and is a JSON Feed ► pages json", body: json, gives: "pages json" },
    { is: "otherwise ► pages text", body: `${page}\n`, gives: "pages text" },
    {
      is: "no http URL in the first 100 lines: InvalidSitemap",
      body: "word\n".repeat(101) + page,
      gives: "invalid content.no-urls",
    },
    {
      is: "… one in the 100th line is enough",
      body: `${"word\n".repeat(99)}${page}\n`,
      gives: "pages text",
    },
    {
      is: "the root decides at /robots.txt, too",
      body: urlset([page]),
      gives: "pages xml",
      path: "/sub/robots.txt",
    },
    {
      is: "starts with '{' and is no JSON Feed",
      body: '{"name":"x","items":[]}',
      gives: "invalid content.json",
    },
    {
      is: "another root elsewhere ► InvalidSitemap(no parser for this root)",
      body: "<kml><a/></kml>",
      gives: "invalid content.unknown-root",
    },
    { is: "decompress by magic bytes", body: gzipSync(urlset([page])), gives: "pages xml" },
    { is: "decode to text", body: bom(urlset([page])), gives: "pages xml" },
    { is: "skip leading white space", body: `\n\n  ${urlset([page])}`, gives: "pages xml" },
    {
      is: "junk before it is skipped, resync at the first known root",
      body: `<br/>Warning: x\n${urlset([page])}`,
      gives: "pages xml",
    },
    { is: "never the file name: XML in .txt", body: urlset([page]), gives: "pages xml", path: "/a.txt" },
    { is: "never the file name: plain in .gz", body: urlset([page]), gives: "pages xml", path: "/a.xml.gz" },
    { is: "never the file name: text in .xml", body: `${page}\n`, gives: "pages text" },
    {
      is: "never the content type: XML as image/png",
      body: urlset([page]),
      gives: "pages xml",
      type: "image/png",
    },
    {
      is: "never the content type: text as application/xml",
      body: `${page}\n`,
      gives: "pages text",
      type: "application/xml",
    },
    {
      is: "URL path ends with /robots.txt ► index robots",
      body: robotsTxt([]),
      gives: "index robots",
      path: "/sub/robots.txt",
    },
    {
      is: "/robots.txt aside: under another name it is text",
      body: robotsTxt([page]),
      gives: "invalid content.no-urls",
      path: "/my-robots",
    },
  ])("$is", async ({ body, gives, path = "/a.xml", type = "text/x-unknown" }) => {
    const site = await openSite(
      indexed([path], () => ({ [path]: { body, headers: { "content-type": type } } })),
    );
    const [node] = (await sitemapTreeForHomepage(site.url, DECLARED)).subSitemaps[0]!.subSitemaps[0]!
      .subSitemaps;
    const format = node?.kind === "invalid" ? node.code : node?.format;
    expect(`${node?.kind} ${format}`).toBe(gives);
    if (gives.startsWith("pages")) expect([...node!.pages].map(({ url }) => url)).toEqual([page]);
  });

  it("the reason for an unknown root names it", async () => {
    const site = await openSite(indexed(["/a.xml"], () => ({ "/a.xml": "<kml><a/></kml>" })));
    const [node] = invalidOnes(await sitemapTreeForHomepage(site.url, DECLARED));
    expect(node?.reason).toContain("<kml>");
  });

  it("at /robots.txt ► robots wrapped in HTML", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": {
        headers: { "content-type": "text/html" },
        body: `<html><body><pre>User-agent: *\nSitemap: ${base}/a.xml\n</pre></body></html>`,
      },
      "/a.xml": urlset([`${base}/1`]),
    }));
    expect(await outlineOf(site)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    pages xml /a.xml: /1",
    ]);
  });

  it("a robots.txt that redirects remains a robots.txt", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": redirectTo("/robots-live"),
      "/robots-live": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
    }));
    expect(await outlineOf(site)).toEqual([
      "index website /",
      "  index robots /robots-live",
      "    pages xml /a.xml: /1",
    ]);
  });

  it("a robots.txt that redirects to the homepage lists nothing, and the walk continues", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": redirectTo("/"),
      "/": HTML_PAGE,
      "/sitemap.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url);
    expect([...allPages(tree)].map(({ url }) => url)).toEqual([`${site.url}/1`]);
  });
});

describe("Order of sub-sitemaps and of pages is the order of declaration, always, whatever finished first", () => {
  it("with a slow first child", async () => {
    const site = await openSite(
      indexed(["/slow.xml", "/mid.xml", "/fast.xml"], (base) => ({
        "/slow.xml": { body: urlset(pageUrls(`${base}/s`, 2)), delayMs: 150 },
        "/mid.xml": { body: sitemapIndex([`${base}/leaf.xml`]), delayMs: 50 },
        "/leaf.xml": urlset([`${base}/l/1`]),
        "/fast.xml": urlset([`${base}/f/2`, `${base}/f/1`]),
      })),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).slice(3)).toEqual([
      "      pages xml /slow.xml: /s/1 /s/2",
      "      index xml /mid.xml",
      "        pages xml /leaf.xml: /l/1",
      "      pages xml /fast.xml: /f/2 /f/1",
    ]);
    const paths = [...allPages(tree)].map(({ url }) => url.slice(site.url.length));
    expect(paths).toEqual(["/s/1", "/s/2", "/l/1", "/f/2", "/f/1"]);
  });

  it("with slow known locations", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([]),
      "/sitemap.xml": { body: urlset([`${base}/1`]), delayMs: 100 },
      "/sitemap.txt": `${base}/2\n`,
    }));
    expect((await outlineOf(site, {})).slice(2)).toEqual([
      "  pages xml /sitemap.xml: /1",
      "  pages text /sitemap.txt: /2",
    ]);
  });
});

describe("Dedup", () => {
  it("inside one sitemap: the first declaration of a sub-sitemap or page counts", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/index.xml`, `${base}/index.xml`]),
      "/index.xml": sitemapIndex([
        [`${base}/a.xml`, "2024-01-01"],
        [`${base}/b.xml`, "2024-01-02"],
        [`${base}/a.xml`, "2024-01-03"],
      ]),
      "/a.xml": urlset([`${base}/1`, `${base}/2`, `${base}/1`]),
      "/b.xml": urlset([`${base}/3`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    index xml /index.xml",
      "      pages xml /a.xml: /1 /2",
      "      pages xml /b.xml: /3",
    ]);
    const index = tree.subSitemaps[0]!.subSitemaps[0]!;
    expect(index.duplicateCount).toBe(1);
    expect(index.subSitemaps[0]).toMatchObject({ duplicateCount: 1, lastModified: { text: "2024-01-01" } });
    expect(site.requests).toHaveLength(4);
  });

  it("across sitemaps: at every place that declares it, requested once, a node of its own with the same pages", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/x.xml`, `${base}/y.xml`, `${base}/shared.xml`]),
      "/x.xml": sitemapIndex([`${base}/shared.xml`, `${base}/a.xml`]),
      "/y.xml": sitemapIndex([`${base}/a.xml`, `${base}/shared.xml`]),
      "/shared.xml": sitemapIndex([`${base}/b.xml`]),
      "/a.xml": urlset([`${base}/1`]),
      "/b.xml": urlset([`${base}/1`, `${base}/2`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    index xml /x.xml",
      "      index xml /shared.xml",
      "        pages xml /b.xml: /1 /2",
      "      pages xml /a.xml: /1",
      "    index xml /y.xml",
      "      pages xml /a.xml: /1",
      "      index xml /shared.xml",
      "        pages xml /b.xml: /1 /2",
      "    index xml /shared.xml",
      "      pages xml /b.xml: /1 /2",
    ]);
    const [x, y, shared] = tree.subSitemaps[0]!.subSitemaps;
    expect(x!.subSitemaps[0]).toEqual(shared);
    expect(y!.subSitemaps[1]).toEqual(shared);
    expect(x!.subSitemaps[1]!.pages).toBe(y!.subSitemaps[0]!.pages);
    for (const path of new Set(site.paths())) expect(site.count(path)).toBe(1);
  });

  it("allPages(tree, { unique: true }) gives each page once", async () => {
    const site = await openSite(
      indexed(["/a.xml", "/b.xml"], (base) => ({
        "/a.xml": urlset([`${base}/1`, `${base}/2`]),
        "/b.xml": urlset([`${base}/2`, `${base}/3`]),
      })),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const paths = (unique: boolean) =>
      [...allPages(tree, { unique })].map(({ url }) => url.slice(site.url.length));
    expect(paths(false)).toEqual(["/1", "/2", "/2", "/3"]);
    expect(paths(true)).toEqual(["/1", "/2", "/3"]);
  });

  it("one URL in several spellings is one URL", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml?q=%c3%a9`, `${base}/a.xml?q=%C3%A9`, `${base}/a.xml?q=é#x`]),
      "/a.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(site.requests).toHaveLength(2);
    expect([...allPages(tree, { unique: true })]).toHaveLength(1);
  });
});

describe("Recursion gives an InvalidSitemap", () => {
  it("when a sitemap's URL equals an ancestor's", async () => {
    const site = await openSite(
      indexed(["/a.xml"], (base) => ({
        "/a.xml": sitemapIndex([`${base}/b.xml`]),
        "/b.xml": sitemapIndex([`${base}/a.xml`, `${base}/leaf.xml`]),
        "/leaf.xml": urlset([`${base}/1`]),
      })),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).slice(3)).toEqual([
      "      index xml /a.xml",
      "        index xml /b.xml",
      "          invalid index.cycle /a.xml",
      "          pages xml /leaf.xml: /1",
    ]);
    const [cycle] = invalidOnes(tree);
    expect(cycle?.reason).toContain(`${site.url}/a.xml`);
    expect(cycle?.reason).toContain(`${site.url}/b.xml`);
    const event = (await walkedOf(site)).find(({ code }) => code === "index.cycle");
    expect(event).toMatchObject({ kind: "invalid", outcome: "failed", reason: cycle?.reason });
  });

  it("when it lists itself", async () => {
    const site = await openSite(
      indexed(["/index.xml", "/a.xml"], (base) => ({ "/a.xml": urlset([`${base}/1`]) })),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).slice(3)).toEqual([
      "      invalid index.self-reference /index.xml",
      "      pages xml /a.xml: /1",
    ]);
    expect(invalidOnes(tree)[0]?.reason).toContain(`${site.url}/index.xml`);
    expect(site.requests).toHaveLength(3);
  });

  it("when it redirects to an ancestor's", async () => {
    const site = await openSite(
      indexed(["/a.xml"], (base) => ({
        "/a.xml": sitemapIndex([`${base}/b.xml`, `${base}/leaf.xml`]),
        "/b.xml": redirectTo("/index.xml"),
        "/leaf.xml": urlset([`${base}/1`]),
      })),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).slice(3)).toEqual([
      "      index xml /a.xml",
      "        invalid index.cycle /b.xml",
      "        pages xml /leaf.xml: /1",
    ]);
    const [cycle] = invalidOnes(tree);
    expect(cycle?.reason).toContain(`${site.url}/b.xml`);
    expect(cycle?.reason).toContain(`${site.url}/index.xml`);
    expect(site.count("/index.xml")).toBe(1);
    const event = (await walkedOf(site)).find(({ code }) => code === "index.cycle");
    expect(event).toMatchObject({ kind: "invalid", outcome: "failed", reason: cycle?.reason });
  });

  it("when a known location redirects to a sitemap already found through robots.txt (an event of the walk, no node)", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/main.xml`]),
      "/main.xml": urlset([`${base}/1`]),
      "/sitemap.xml": redirectTo("/main.xml", 301),
    }));
    expect(await outlineOf(site, {})).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    pages xml /main.xml: /1",
    ]);
    expect(site.count("/main.xml")).toBe(1);
    const event = (await walkedOf(site, {})).find(({ requestedUrl }) =>
      requestedUrl?.endsWith("/sitemap.xml"),
    );
    expect(event).toMatchObject({ kind: "invalid", outcome: "failed", code: "index.cycle", source: "known" });
    expect(event?.reason).toContain(`${site.url}/sitemap.xml`);
    expect(event?.reason).toContain(`${site.url}/main.xml`);
  });
});

describe("Filters", () => {
  const routes = (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/index.xml`]),
    "/a.xml": urlset([`${base}/a/1`]),
    "/index.xml": sitemapIndex([`${base}/b.xml`, `${base}/c.xml`, `${base}/deep.xml`]),
    "/b.xml": urlset([`${base}/b/1`]),
    "/c.xml": urlset([`${base}/c/1`]),
    "/deep.xml": sitemapIndex([`${base}/d.xml`]),
    "/d.xml": urlset([`${base}/d/1`]),
  });
  const wait = () => new Promise((resolve) => setTimeout(resolve, 5));

  it("recurseListCallback gets the list of sub-sitemap URLs of one index and returns those to keep", async () => {
    const site = await openSite(routes);
    const asked: unknown[] = [];
    const tree = await sitemapTreeForHomepage(site.url, {
      ...DECLARED,
      recurseListCallback: (urls, level, parents) => {
        asked.push([
          urls.map((url) => url.slice(site.url.length)),
          level,
          [...parents].map((url) => url.slice(site.url.length)).sort(),
        ]);
        return urls.filter((url) => !url.endsWith("/b.xml"));
      },
    });
    expect(asked).toEqual([
      [["/a.xml", "/index.xml"], 0, ["/robots.txt"]],
      [["/b.xml", "/c.xml", "/deep.xml"], 1, ["/index.xml", "/robots.txt"]],
      [["/d.xml"], 2, ["/deep.xml", "/index.xml", "/robots.txt"]],
    ]);
    expect(outline(tree, site.url)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    pages xml /a.xml: /a/1",
      "    index xml /index.xml",
      "      pages xml /c.xml: /c/1",
      "      index xml /deep.xml",
      "        pages xml /d.xml: /d/1",
    ]);
    expect(site.count("/b.xml")).toBe(0);
  });

  it("recurseCallback is asked for each and says true (fetch) or false (skip)", async () => {
    const site = await openSite(routes);
    const asked: unknown[] = [];
    const tree = await sitemapTreeForHomepage(site.url, {
      ...DECLARED,
      recurseCallback: (url, level, parents) => {
        expect(parents).toBeInstanceOf(Set);
        asked.push([
          url.slice(site.url.length),
          level,
          [...parents].map((parent) => parent.slice(site.url.length)).sort(),
        ]);
        return !url.endsWith("/deep.xml");
      },
    });
    expect(asked).toEqual([
      ["/a.xml", 0, ["/robots.txt"]],
      ["/index.xml", 0, ["/robots.txt"]],
      ["/b.xml", 1, ["/index.xml", "/robots.txt"]],
      ["/c.xml", 1, ["/index.xml", "/robots.txt"]],
      ["/deep.xml", 1, ["/index.xml", "/robots.txt"]],
    ]);
    expect(outline(tree, site.url).slice(3)).toEqual([
      "    index xml /index.xml",
      "      pages xml /b.xml: /b/1",
      "      pages xml /c.xml: /c/1",
    ]);
    expect(site.paths().sort()).toEqual(["/a.xml", "/b.xml", "/c.xml", "/index.xml", "/robots.txt"]);
  });

  it("then recurseCallback is asked for each that is left; both may be async", async () => {
    const site = await openSite(routes);
    const asked: string[] = [];
    const tree = await sitemapTreeForHomepage(site.url, {
      ...DECLARED,
      recurseListCallback: async (urls) => {
        await wait();
        return urls.filter((url) => !url.endsWith("/a.xml"));
      },
      recurseCallback: async (url) => {
        await wait();
        asked.push(url.slice(site.url.length));
        return !url.endsWith("/b.xml");
      },
    });
    expect(asked).toEqual(["/index.xml", "/b.xml", "/c.xml", "/deep.xml", "/d.xml"]);
    expect(outline(tree, site.url).slice(2)).toEqual([
      "    index xml /index.xml",
      "      pages xml /c.xml: /c/1",
      "      index xml /deep.xml",
      "        pages xml /d.xml: /d/1",
    ]);
  });

  it("a URL that a callback adds is not fetched, because no sitemap declares it", async () => {
    const site = await openSite((base) => ({ ...routes(base), "/own.xml": urlset([`${base}/own`]) }));
    const tree = await sitemapTreeForHomepage(site.url, {
      ...DECLARED,
      recurseListCallback: (urls) => [`${site.url}/own.xml`, ...urls].reverse(),
    });
    expect(outline(tree, site.url)).toEqual(await outlineOf(site));
    expect(site.count("/own.xml")).toBe(0);
  });

  it("Skipped ones are not in the tree, but in the events", async () => {
    const site = await openSite(routes);
    const walked = await walkedOf(site, { ...DECLARED, recurseCallback: (url) => !url.endsWith("/b.xml") });
    expect(walked.filter(({ url }) => url.endsWith("/b.xml"))).toMatchObject([
      { outcome: "skipped", code: "filtered", parentUrl: `${site.url}/index.xml`, level: 2 },
    ]);
  });

  it("A robots.txt listed as a child is followed like any other", async () => {
    const site = await openSite(
      (base, site) => ({
        "/robots.txt": ({ headers }) =>
          headers.host === base.slice(7)
            ? { body: robotsTxt([`${base}/index.xml`]) }
            : { body: robotsTxt([`${base}/other.xml`]) },
        "/index.xml": sitemapIndex([`${site.at("127.0.0.2")}/robots.txt`, `${base}/sub/robots.txt`]),
        "/sub/robots.txt": robotsTxt([`${base}/sub.xml`]),
        "/other.xml": urlset([`${base}/1`]),
        "/sub.xml": urlset([`${base}/2`]),
      }),
      { everyAddress: true },
    );
    expect(await outlineOf(site, { ...DECLARED, allowPrivateNetworks: true })).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    index xml /index.xml",
      `      index robots ${site.at("127.0.0.2")}/robots.txt`,
      "        pages xml /other.xml: /1",
      "      index robots /sub/robots.txt",
      "        pages xml /sub.xml: /2",
    ]);
  });

  it("Level 0 is robots.txt and the known locations", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": { status: 404 },
      "/sitemap.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
    }));
    const levels: number[] = [];
    await sitemapTreeForHomepage(site.url, {
      recurseCallback: (_, level, parents) => {
        levels.push(level);
        expect([...parents]).toEqual([`${site.url}/sitemap.xml`]);
        return true;
      },
    });
    expect(levels).toEqual([0]);
    const walked = await walkedOf(site, {});
    expect(walked.filter(({ outcome }) => outcome === "found").map(({ level }) => level)).toEqual([0, 1]);
  });

  it("Default: fetch all", async () => {
    const site = await openSite(routes);
    expect([...allPages(await sitemapTreeForHomepage(site.url, DECLARED))]).toHaveLength(4);
  });

  it.each(["recurseCallback", "recurseListCallback", "onEvent"] as const)(
    "an error of %s is thrown to the caller, and the requests end",
    async (name) => {
      const mistake = new Error("mine");
      const site = await openSite((base) => ({
        ...routes(base),
        "/a.xml": () => new Promise<undefined>(() => {}),
      }));
      const fails = (): never => {
        if (site.count("/index.xml") === 0 && name !== "onEvent") return true as never;
        throw mistake;
      };
      const options =
        name === "recurseListCallback"
          ? { recurseListCallback: (urls: readonly string[]) => (urls.length === 2 ? urls : fails()) }
          : { [name]: fails };
      await expect(sitemapTreeForHomepage(site.url, { ...DECLARED, ...options })).rejects.toBe(mistake);
    },
    5000,
  );
});

describe("Depth", () => {
  const chain =
    (length: number) =>
    (base: string): SiteRoutes => ({
      "/robots.txt": robotsTxt([`${base}/1.xml`]),
      ...Object.fromEntries(
        Array.from({ length }, (_, at) => [`/${at + 1}.xml`, sitemapIndex([`${base}/${at + 2}.xml`])]),
      ),
      [`/${length + 1}.xml`]: urlset([`${base}/page`]),
    });

  it("level 11 is fetched", async () => {
    const site = await openSite(chain(10));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect([...allPages(tree)].map(({ url }) => url)).toEqual([`${site.url}/page`]);
    expect(tree.partial).toBeUndefined();
  });

  it("level 12 becomes an InvalidSitemap with code limit.depth", async () => {
    const site = await openSite(chain(11));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).at(-1)?.trim()).toBe("invalid limit.depth /12.xml");
    expect(site.count("/11.xml")).toBe(1);
    expect(site.count("/12.xml")).toBe(0);
    expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.depth" }] });
  });

  it("the smallest level counts, in any order", async () => {
    // The long path is fast and the short path slow. The sitemap is too deep on the long path only.
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/1.xml`, `${base}/short.xml`]),
      "/1.xml": sitemapIndex([`${base}/2.xml`]),
      "/2.xml": sitemapIndex([`${base}/3.xml`]),
      "/3.xml": sitemapIndex([`${base}/leaf.xml`]),
      "/leaf.xml": urlset([`${base}/page`]),
      "/short.xml": { body: sitemapIndex([`${base}/3.xml`]), delayMs: 200 },
    }));
    const walked = await walkedOf(site, { ...DECLARED, limits: { depth: 3 } });
    expect(walked.filter(({ url }) => url.endsWith("/leaf.xml")).map(({ outcome }) => outcome)).toEqual([
      "found",
    ]);
    const tree = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits: { depth: 3 } });
    expect([...allPages(tree, { unique: true })]).toHaveLength(1);
    expect(tree.partial).toBeUndefined();
  });
});

it("a place that is too deep is cut, even if its document is requested for another place", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`, `${base}/leaf.xml`]),
    "/i.xml": sitemapIndex([`${base}/j.xml`]),
    "/j.xml": sitemapIndex([`${base}/leaf.xml`]),
    "/leaf.xml": urlset([`${base}/1`]),
  }));
  const options = { ...DECLARED, limits: { depth: 2 } };
  const tree = await sitemapTreeForHomepage(site.url, options);
  expect(outline(tree, site.url)).toEqual([
    "index website /",
    "  index robots /robots.txt",
    "    index xml /i.xml",
    "      index xml /j.xml",
    "        invalid limit.depth /leaf.xml",
    "    pages xml /leaf.xml: /1",
  ]);
  // Nothing is lost, so the result is not partial.
  expect(tree.partial).toBeUndefined();
  expect(site.count("/leaf.xml")).toBe(1);
});

describe("a limit stops a sitemap at one place, and another place may request it", () => {
  it.each<{ name: string; limits: WalkLimits }>([
    { name: "below one index too many", limits: { indexes: 1 } },
    { name: "one sitemap too many", limits: { sitemaps: 4 } },
  ])("is shown at both: $name", async ({ limits }) => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/i.xml`, `${base}/late.xml`]),
      "/i.xml": sitemapIndex([`${base}/j.xml`]),
      "/j.xml": sitemapIndex([`${base}/leaf.xml`]),
      // Responds after the first requests.
      "/late.xml": { ...redirectTo("/leaf.xml"), delayMs: 150 },
      "/leaf.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits });
    expect(outline(tree, site.url)).toEqual([
      "index website /",
      "  index robots /robots.txt",
      "    index xml /i.xml",
      "      index xml /j.xml",
      "        pages xml /leaf.xml: /1",
      "    pages xml /leaf.xml: /1",
    ]);
    expect(tree.partial).toBeUndefined();
    expect(site.count("/leaf.xml")).toBe(1);
  });
});

it("a sitemap after too many barren ones is shared if it was requested before", async () => {
  const site = await openSite(
    indexed(["/moved.xml", "/empty.xml", "/more.xml"], (base) => ({
      "/moved.xml": redirectTo("/empty.xml"),
      "/empty.xml": urlset([]),
      "/more.xml": urlset([`${base}/1`]),
    })),
  );
  const options = { ...DECLARED, concurrency: 1, limits: { barrenChildren: 1 } };
  const walked = await walkedOf(site, options);
  expect(walked.slice(2).map(({ outcome, url }) => `${outcome} ${url.slice(site.url.length)}`)).toEqual([
    "found /empty.xml",
    "shared /empty.xml",
    "stopped /more.xml",
  ]);
  expect(await outlineOf(site, options)).toEqual([
    "index website / (partial)",
    "  index robots /robots.txt",
    "    index xml /index.xml (partial)",
    "      pages xml /empty.xml",
    "      pages xml /empty.xml",
    "      invalid limit.barren /more.xml",
  ]);
});

describe("guarantees about entries", () => {
  it("A truncated file gives every entry that was complete", async () => {
    const site = await openSite(
      indexed(["/cut.xml", "/whole.xml"], (base) => {
        const text = urlset(pageUrls(`${base}/c`, 4));
        return {
          "/cut.xml": text.slice(0, text.indexOf("/c/4") + 2),
          "/whole.xml": urlset([`${base}/w/1`]),
        };
      }),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(outline(tree, site.url).slice(3)).toEqual([
      "      pages xml /cut.xml: /c/1 /c/2 /c/3 (partial)",
      "      pages xml /whole.xml: /w/1",
    ]);
  });

  it("One broken entry never costs another one. No URL is ever emitted that is not in the document", async () => {
    const site = await openSite(
      indexed(["/a.xml"], (base) => ({
        "/a.xml": `<urlset><url><loc>${base}/1</loc></url><url><loc>${base}/2</loc><lastmod></url><url><loc>http://</loc></url><url><loc>${base}/3?a&b</loc></url></urlset>`,
      })),
    );
    const pages: string[] = [];
    for await (const page of streamPages(site.url, DECLARED)) pages.push(page.url.slice(site.url.length));
    expect(pages).toEqual(["/1", "/2", "/3?a&b"]);
  });

  it("a dead child does not affect its siblings", async () => {
    const site = await openSite(
      indexed(["/dead.xml", "/html.xml", "/a.xml"], (base) => ({
        "/dead.xml": (_, response) => {
          response.destroy();
          return undefined;
        },
        "/html.xml": HTML_PAGE,
        "/a.xml": urlset([`${base}/1`]),
      })),
    );
    expect((await outlineOf(site, { ...DECLARED, limits: { backoffMs: 1 } })).slice(3)).toEqual([
      "      invalid http.connection /dead.xml",
      "      invalid content.html /html.xml",
      "      pages xml /a.xml: /1",
    ]);
  });
});

describe("the known locations", () => {
  const site = (base: string, named: readonly string[]): SiteRoutes => ({
    "/robots.txt": robotsTxt(named.map((name) => base + name)),
    "/named.xml": urlset([`${base}/1`]),
    "/sitemap.xml": urlset([`${base}/2`]),
  });

  it.each([
    { named: ["/named.xml"], useKnownPaths: true, asked: 1 },
    { named: ["/named.xml"], useKnownPaths: "when-empty" as const, asked: 0 },
    { named: [], useKnownPaths: "when-empty" as const, asked: 1 },
    { named: [], useKnownPaths: false, asked: 0 },
  ])(
    "useKnownPaths: $useKnownPaths with a robots.txt that lists $named",
    async ({ named, useKnownPaths, asked }) => {
      const opened = await openSite((base) => site(base, named));
      await sitemapTreeForHomepage(opened.url, { useKnownPaths });
      expect(opened.count("/sitemap.xml")).toBe(asked);
    },
  );
});

describe("the homepage", () => {
  const linked = (base: string): SiteRoutes => ({
    "/robots.txt": robotsTxt([]),
    "/": {
      headers: { "content-type": "text/html", link: `<${base}/header.xml>; rel=sitemap` },
      body: '<html><head><link rel="sitemap" href="/linked.xml"></head></html>',
    },
    "/linked.xml": urlset([`${base}/1`]),
    "/header.xml": urlset([`${base}/2`]),
  });

  it.each([
    { useHomepageLinks: "when-empty" as const, found: true },
    { useHomepageLinks: true, found: true },
    { useHomepageLinks: false, found: false },
  ])(
    "useHomepageLinks: $useHomepageLinks on a site that has nothing else",
    async ({ useHomepageLinks, found }) => {
      const site = await openSite(linked);
      expect((await outlineOf(site, { useHomepageLinks })).slice(2)).toEqual(
        found ? ["  pages xml /header.xml: /2", "  pages xml /linked.xml: /1"] : [],
      );
      expect(site.count("/")).toBe(found ? 1 : 0);
    },
  );

  it.each([
    { useHomepageLinks: "when-empty" as const, asked: 0 },
    { useHomepageLinks: true, asked: 1 },
  ])("useHomepageLinks: $useHomepageLinks on a site with a sitemap", async ({ useHomepageLinks, asked }) => {
    const site = await openSite((base) => ({ ...linked(base), "/sitemap.xml": urlset([`${base}/3`]) }));
    await sitemapTreeForHomepage(site.url, { useHomepageLinks });
    expect(site.count("/")).toBe(asked);
    expect(site.count("/linked.xml")).toBe(asked);
  });

  const FEEDS =
    '<link rel="alternate" type="application/rss+xml" href="/feed.xml"><link rel="alternate" hreflang="de" href="/de">';

  it.each([
    ["no sitemap", "", true],
    ["a dead sitemap", '<link rel="sitemap" href="/gone.xml">', true],
    ["a sitemap", '<link rel="sitemap" href="/linked.xml">', false],
  ])("a homepage with a feed and %s: the feed is read if there is nothing else", async (_, link, isRead) => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([]),
      "/": `<html><head>${link}${FEEDS}</head></html>`,
      "/linked.xml": urlset([`${base}/1`]),
      "/feed.xml": `<rss><channel><item><link>${base}/2</link></item></channel></rss>`,
    }));
    const pages = [...allPages(await sitemapTreeForHomepage(site.url))].map(({ url }) => url);
    expect(pages).toEqual([`${site.url}/${isRead ? 2 : 1}`]);
    expect(site.count("/feed.xml")).toBe(isRead ? 1 : 0);
    expect(site.count("/de")).toBe(0);
    await sitemapTreeForHomepage(site.url, { useHomepageLinks: false });
    expect(site.count("/feed.xml")).toBe(isRead ? 1 : 0);
  });

  it("a linked sitemap that fails is declared, not guessed: it is in the tree", async () => {
    const site = await openSite({
      "/robots.txt": robotsTxt([]),
      "/": '<html><head><link rel="sitemap" href="/gone.xml"></head></html>',
    });
    expect((await outlineOf(site, {})).slice(2)).toEqual(["  invalid http.status /gone.xml"]);
  });

  it("a homepage that guesses redirect to is requested once, and its links are found", async () => {
    const moved = Object.fromEntries(knownPaths("usual").map((path) => [`/${path}`, redirectTo("/")]));
    const site = await openSite((base) => ({ ...linked(base), ...moved }));
    expect((await outlineOf(site, {})).slice(2)).toEqual([
      "  pages xml /header.xml: /2",
      "  pages xml /linked.xml: /1",
    ]);
    expect(site.count("/")).toBe(1);
  });

  it("a linked sitemap that redirects to the homepage does not request it again", async () => {
    const site = await openSite((base) => ({ ...linked(base), "/linked.xml": redirectTo("/") }));
    expect((await outlineOf(site, {})).slice(2)).toEqual([
      "  pages xml /header.xml: /2",
      "  invalid content.html /",
    ]);
    expect(site.count("/")).toBe(1);
  });

  it("a homepage that cannot be fetched is reported", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
      "/": { status: 403 },
    }));
    const options = { useHomepageLinks: true, useKnownPaths: false };
    const tree = await sitemapTreeForHomepage(site.url, options);
    expect(tree.issues).toMatchObject([{ code: "http.status", url: `${site.url}/` }]);
    expect(tree.partial).toBeUndefined();
    const events = await eventsOf(site, options);
    expect(events).toContainEqual({
      kind: "issue",
      issue: expect.objectContaining({ code: "http.status", url: `${site.url}/` }),
    });
  });
});

describe("misuse", () => {
  it.each([
    ["example.com", {}, TypeError],
    ["ftp://127.0.0.1/", {}, TypeError],
    ["http://127.0.0.1:9/", { limits: { sitemaps: -1 } }, RangeError],
    ["http://127.0.0.1:9/", { limits: { pages: 1 } as never }, TypeError],
  ])("%s %j is rejected", async (homepage, options, error) => {
    await expect(sitemapTreeForHomepage(homepage, options)).rejects.toBeInstanceOf(error);
    expect(() => walkSitemaps(homepage, options)).toThrow(error);
  });
});
