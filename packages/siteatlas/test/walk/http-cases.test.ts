/** Behavior of servers: cases H01 to H40, each on a real server. The ids are those of the catalog of edge cases. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildConnector } from "undici";
import { describe, expect, it } from "vitest";
import { knownPaths } from "../../src/discover/known-paths.ts";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import type { Sitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage, type TreeOptions } from "../../src/tree/tree.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { closedPort } from "../support/http-server.ts";
import {
  HTML_PAGE,
  openSite,
  pageUrls,
  redirectTo,
  robotsTxt,
  type SiteAnswer,
  type SiteHandler,
  type SiteOptions,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";
import { hasOpenssl, openTlsSite } from "../support/tls-site.ts";

const DECLARED: TreeOptions = { useKnownPaths: false, useHomepageLinks: false, limits: { backoffMs: 1 } };

/** A site whose robots.txt lists `/a.xml` with this response. A good response has two pages, /1 and /2. */
async function openWith(
  answer: (good: string, base: string) => string | SiteAnswer | SiteHandler,
  rest: (base: string, site: TestSite) => SiteRoutes = () => ({}),
  options: SiteOptions = {},
): Promise<TestSite> {
  return openSite(
    (base, site) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": answer(urlset(pageUrls(base, 2)), base),
      ...rest(base, site),
    }),
    options,
  );
}

/** The node of `/a.xml` in the tree. */
async function readA(site: TestSite, options: TreeOptions = DECLARED): Promise<Sitemap> {
  const tree = await sitemapTreeForHomepage(site.url, options);
  const [node] = tree.subSitemaps[0]!.subSitemaps;
  return node!;
}

async function walk(homepage: string, options: TreeOptions): Promise<WalkedSitemap[]> {
  const walked: WalkedSitemap[] = [];
  for await (const event of walkSitemaps(homepage, options)) {
    if (event.kind === "sitemap") walked.push(event.sitemap);
  }
  return walked;
}

const pathsOf = (node: Sitemap, base: string): string[] =>
  [...node.pages].map(({ url }) => url.slice(base.length));
const codesOf = (node: Sitemap): string[] => node.issues.map(({ code }) => code);
const answered = (status: number) => ({ kind: "invalid", code: "http.status", http: { status } });

describe("redirects", () => {
  it("H01: 301 to a sitemap on the same host is followed; base and key are the final URL, the chain is kept", async () => {
    const site = await openWith(
      () => redirectTo("/x/hop", 301),
      (base) => ({
        "/x/hop": redirectTo("final/b.xml", 308),
        "/x/final/b.xml": sitemapIndex(["leaf.xml", `${base}/x/final/b.xml`]),
        "/x/final/leaf.xml": urlset(["page"]),
      }),
    );
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const [node] = tree.subSitemaps[0]!.subSitemaps;
    expect(node).toMatchObject({
      url: `${site.url}/x/final/b.xml`,
      requestedUrl: `${site.url}/a.xml`,
      format: "xml",
    });
    expect([...allPages(tree)].map(({ url }) => url)).toEqual([`${site.url}/x/final/page`]);
    expect(node!.subSitemaps[1]).toMatchObject({ code: "index.self-reference" });
    const walked = await walk(site.url, DECLARED);
    const event = walked.find(({ url }) => url === `${site.url}/x/final/b.xml`);
    expect(event?.redirects).toEqual([`${site.url}/a.xml`, `${site.url}/x/hop`]);
  });

  it("H01: ten redirects are followed, eleven are not", async () => {
    const chain = (length: number): SiteRoutes => ({
      "/a.xml": redirectTo("/hop/1"),
      ...Object.fromEntries(
        Array.from({ length }, (_, at) => [`/hop/${at + 1}`, redirectTo(`/hop/${at + 2}`)]),
      ),
    });
    const ten = await openWith(
      (good) => good,
      (base) => ({ ...chain(9), "/hop/10": urlset([`${base}/1`]) }),
    );
    expect(await readA(ten)).toMatchObject({ kind: "pages" });
    const eleven = await openWith(
      (good) => good,
      (base) => ({ ...chain(10), "/hop/11": urlset([`${base}/1`]) }),
    );
    expect(await readA(eleven)).toMatchObject({ kind: "invalid", code: "http.too-many-redirects" });
  });

  it("H02: a redirect to itself stops at the first repeat", async () => {
    const site = await openWith(() => redirectTo("/a.xml"));
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "http.redirect-loop" });
    expect(site.count("/a.xml")).toBe(1);
  });

  it("H03: 302 to the HTML homepage", async () => {
    const site = await openWith(
      () => redirectTo("/"),
      () => ({ "/": { headers: { "content-type": "text/html" }, body: HTML_PAGE } }),
    );
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "content.html", url: `${site.url}/` });
  });

  it("H04: a redirect to file: is refused", async () => {
    const site = await openWith(() => redirectTo("file:///etc/passwd"));
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "http.redirect-scheme" });
  });

  // The guard decides which addresses are allowed. A homepage on loopback may list loopback addresses.
  it("H05: the caller's headers are not sent to a child on another address", async () => {
    const site = await openSite(
      (base, { port }) => ({
        "/robots.txt": robotsTxt([`${base}/a.xml`, `http://127.0.0.2:${port}/b.xml`]),
        "/a.xml": redirectTo(`http://127.0.0.3:${port}/c.xml`),
        "/b.xml": urlset([`${base}/1`]),
        "/c.xml": urlset([`${base}/2`]),
      }),
      { everyAddress: true },
    );
    await sitemapTreeForHomepage(site.url, {
      ...DECLARED,
      headers: { authorization: "Basic eDp5" },
      allowPrivateNetworks: true,
    });
    const sent = site.requests.map(
      ({ host, headers }) => `${host.replace(/:.*/, "")} ${headers.authorization}`,
    );
    expect(sent.sort()).toEqual([
      "127.0.0.1 Basic eDp5",
      "127.0.0.1 Basic eDp5",
      "127.0.0.2 undefined",
      "127.0.0.3 undefined",
    ]);
  });

  it("H05: … and without allowPrivateNetworks no document can make the walk connect to it", async () => {
    const site = await openSite(
      (base, { port }) => ({
        "/robots.txt": robotsTxt([
          `${base}/a.xml`,
          `${base}/index.xml`,
          `http://127.0.0.2:${port}/b.xml`,
          `http://[::1]:${port}/c.xml`,
          `http://[::ffff:127.0.0.2]:${port}/d.xml`,
          `http://127.0.0.2.:${port}/e.xml`,
        ]),
        "/a.xml": redirectTo(`http://127.0.0.2:${port}/moved.xml`),
        "/index.xml": sitemapIndex([`http://2130706434:${port}/f.xml`, `${base}/good.xml`]),
        "/good.xml": urlset([`${base}/1`]),
      }),
      { everyAddress: true, fallback: ({ url }) => ({ body: urlset([`http://127.0.0.2${url}`]) }) },
    );
    const walked = await walk(site.url, DECLARED);
    const refused = walked.filter(({ outcome }) => outcome === "failed");
    expect(refused.map(({ code, url }) => `${code} ${new URL(url).pathname}`).sort()).toEqual([
      "http.blocked-address /b.xml",
      "http.blocked-address /c.xml",
      "http.blocked-address /d.xml",
      "http.blocked-address /e.xml",
      "http.blocked-address /f.xml",
      "http.blocked-address /moved.xml",
    ]);
    const own = new URL(site.url).host;
    expect(site.requests.filter(({ host }) => host !== own)).toEqual([]);
    expect(site.paths().sort()).toEqual(["/a.xml", "/good.xml", "/index.xml", "/robots.txt"]);
  });

  it.runIf(hasOpenssl)("H06: a redirect from https to http is followed and reported", async () => {
    const plain = await openSite((base) => ({ "/a.xml": urlset([`${base}/1`]) }));
    const base = await openTlsSite((request, response) => {
      if (request.url === "/robots.txt") response.end(robotsTxt(["/a.xml"]));
      else response.writeHead(302, { location: `${plain.url}/a.xml` }).end();
    });
    await using client = createNodeClient({ connect: buildConnector({ rejectUnauthorized: false }) });
    const tree = await sitemapTreeForHomepage(base, { ...DECLARED, client });
    const [node] = tree.subSitemaps[0]!.subSitemaps;
    expect(node).toMatchObject({ kind: "pages", url: `${plain.url}/a.xml` });
    expect(codesOf(node!)).toContain("http.downgrade");
  });

  it("H07: a redirect to another host is followed; its children are resolved there", async () => {
    const site = await openSite(
      (base, { port }) => ({
        "/robots.txt": robotsTxt([`${base}/a.xml`]),
        "/a.xml": redirectTo(`http://127.0.0.2:${port}/b.xml`),
        "/b.xml": sitemapIndex(["/c.xml"]),
        "/c.xml": urlset([`${base}/1`]),
      }),
      { everyAddress: true },
    );
    const options = { ...DECLARED, allowPrivateNetworks: true };
    expect((await readA(site, options)).subSitemaps[0]).toMatchObject({
      url: `${site.at("127.0.0.2")}/c.xml`,
      kind: "pages",
    });
    site.requests.length = 0;
    const none = await walk(site.url, { ...options, crossHost: "none" });
    expect(none.filter(({ code }) => code === "url.cross-host")).toMatchObject([
      { url: `${site.url}/a.xml`, outcome: "skipped" },
    ]);
    expect(site.paths()).toEqual(["/robots.txt", "/a.xml"]);
  });

  // siteatlas stores no cookies.
  it("H08: a redirect that requires a cookie is a loop", async () => {
    const site = await openWith((good) => ({ headers }) => {
      if (headers.cookie !== undefined) return { body: good };
      return { status: 302, headers: { location: "/a.xml", "set-cookie": "seen=1" } };
    });
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "http.redirect-loop" });
    expect(site.count("/a.xml")).toBe(1);
  });

  it("H09: a meta refresh is an HTML page", async () => {
    const site = await openWith(
      () => '<html><head><meta http-equiv="refresh" content="0; url=/b.xml"></head></html>',
    );
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "content.html" });
    expect(site.requests).toHaveLength(2);
  });
});

describe("statuses", () => {
  it.each([
    ["H10", 400],
    ["H11", 401],
    ["H11", 403],
    ["H12", 404],
    ["H12", 410],
  ])("%s: %i is not retried", async (_, status) => {
    const site = await openWith(() => ({ status, body: HTML_PAGE }));
    expect(await readA(site)).toMatchObject(answered(status));
    expect(site.count("/a.xml")).toBe(1);
  });

  it("H12: known locations with 404 or 410 have no node", async () => {
    const site = await openSite({ "/robots.txt": robotsTxt([]), "/sitemap.xml": { status: 410 } });
    const tree = await sitemapTreeForHomepage(site.url);
    expect([...allSitemaps(tree)]).toHaveLength(1);
  });

  it.each([
    ["H13", 429],
    ["H14", 503],
  ])("%s: Retry-After of %i pauses all requests to the host", async (_, status) => {
    const site = await openWith(
      (good) => (__, ___, times) =>
        times === 1 ? { status, headers: { "retry-after": "1" } } : { body: good },
      (base) => ({
        "/robots.txt": robotsTxt([`${base}/a.xml`, ...pageUrls(`${base}/other`, 4)]),
        ...Object.fromEntries(
          pageUrls("/other", 4).map((path) => [path, { body: urlset([base + path]), delayMs: 30 }]),
        ),
      }),
    );
    const node = await readA(site);
    expect(pathsOf(node, site.url)).toEqual(["/1", "/2"]);
    expect(codesOf(node)).toContain("http.retry");
    const refusedAt = site.requests.find(({ path }) => path === "/a.xml")!.at;
    const after = site.requests.filter(({ at }) => at > refusedAt + 100);
    // At least one second after the refusal. Timers may be a few milliseconds early.
    expect(Math.min(...after.map(({ at }) => at)) - refusedAt).toBeGreaterThan(980);
    expect(after.map(({ path }) => path)).toContain("/a.xml");
    expect(after.length).toBeGreaterThanOrEqual(4);
  });

  it.each([
    ["H13", 429, "7"],
    ["H14", 503, new Date(Date.now() + 3_600_000).toUTCString()],
  ])(
    "%s: %i with a Retry-After above the limit: the limit is waited, then the host gets no more requests",
    async (_, status, wait) => {
      const site = await openSite({}, { fallback: { status, headers: { "retry-after": wait } } });
      const walked = await walk(site.url, { limits: { retryAfterMs: 150 } });
      // robots.txt is requested three times, then the host gets no more requests.
      expect(site.paths()).toEqual(Array(3).fill("/robots.txt"));
      const [first = 0, second = 0, third = 0] = site.requests.map(({ at }) => at);
      expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(145);
      expect(walked[0]).toMatchObject({ code: "http.status", http: { status } });
      expect(walked.slice(1).every(({ cause }) => cause === "host-failed")).toBe(true);
    },
  );

  it.each([500, 502, 504, 520, 522])("H15: %i is tried three times", async (status) => {
    const site = await openWith(() => ({ status }));
    const node = await readA(site);
    expect(node).toMatchObject(answered(status));
    expect(codesOf(node)).toEqual(["http.retry", "http.retry"]);
    expect(site.count("/a.xml")).toBe(3);
  });

  it("H16: 503 twice, then 200", async () => {
    const site = await openWith((good) => (_, __, times) => (times < 3 ? { status: 503 } : { body: good }));
    expect(pathsOf(await readA(site), site.url)).toEqual(["/1", "/2"]);
    expect(site.count("/a.xml")).toBe(3);
  });

  it.each([
    ["H17", 200],
    ["H18", 204],
  ])("%s: %i with an empty body is not a sitemap of 0 pages", async (_, status) => {
    const site = await openWith(() => ({ status, body: "" }));
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "content.empty", http: { status } });
  });

  it("H19: 206 with half the file is read and reported", async () => {
    const site = await openWith((good) => ({ status: 206, body: good.slice(0, good.indexOf("/2<")) }));
    const node = await readA(site);
    expect(pathsOf(node, site.url)).toEqual(["/1"]);
    expect(codesOf(node)).toContain("http.partial");
    expect(node.partial).toBe(true);
  });

  it("H30: 304 to a conditional request of the caller is reported", async () => {
    const site = await openWith(
      (good) =>
        ({ headers }) =>
          headers["if-none-match"] === '"v1"' ? { status: 304, headers: { etag: '"v1"' } } : { body: good },
    );
    expect(await readA(site, { ...DECLARED, headers: { "If-None-Match": '"v1"' } })).toMatchObject(
      answered(304),
    );
    expect(await readA(site)).toMatchObject({ kind: "pages" });
  });

  it.each([403, 503])("H31: the challenge page of a firewall (%i) is not retried", async (status) => {
    const site = await openSite(
      {},
      { fallback: { status, headers: { "cf-mitigated": "challenge" }, body: HTML_PAGE } },
    );
    const walked = await walk(site.url, { limits: { backoffMs: 1 } });
    expect(walked.every(({ outcome, http }) => outcome === "failed" && http?.status === status)).toBe(true);
    expect(site.requests).toHaveLength(2 + knownPaths("usual").length);
  });
});

describe("bodies", () => {
  const drops: (body: string) => SiteHandler = (body) => (_, response) => {
    response.writeHead(200, { "content-length": String(body.length + 1000) });
    response.write(body, () => setTimeout(() => response.destroy(), 10));
    return undefined;
  };

  it("H20: a connection that breaks twice: the received pages are kept", async () => {
    const site = await openWith((good) => drops(good.slice(0, good.indexOf("/2<"))));
    const node = await readA(site);
    expect(pathsOf(node, site.url)).toEqual(["/1"]);
    expect(codesOf(node)).toEqual(expect.arrayContaining(["http.retry", "http.truncated"]));
    expect(node.partial).toBe(true);
    expect(site.count("/a.xml")).toBe(2);
  });

  /** Five pages, one of them repeated. The connection breaks after the third page, then this is the second response. */
  const cutOnce = (again: (whole: string, base: string) => string | SiteAnswer | SiteHandler) =>
    openWith((_, base) => {
      const whole = urlset([`${base}/1`, `${base}/1`, ...pageUrls(base, 5)]);
      const second = again(whole, base);
      return (request, response, times) => {
        if (times === 1) return drops(whole.slice(0, whole.indexOf("/4<")))(request, response, times);
        if (typeof second === "function") return second(request, response, times);
        return typeof second === "string" ? { body: second } : second;
      };
    });

  it.each<[string, (whole: string, base: string) => string | SiteAnswer | SiteHandler, string[], object]>([
    ["whole the second time", (whole) => whole, ["/1", "/2", "/3", "/4", "/5"], { duplicateCount: 2 }],
    [
      "cut later the second time",
      (whole) => drops(whole.slice(0, whole.indexOf("/5<"))),
      ["/1", "/2", "/3", "/4"],
      { partial: true },
    ],
    [
      "cut earlier the second time",
      (whole) => drops(whole.slice(0, whole.indexOf("/3<"))),
      ["/1", "/2", "/3"],
      { partial: true },
    ],
    [
      "another document the second time",
      (_, base) => urlset([`${base}/3`, `${base}/new`, `${base}/1`]),
      ["/1", "/2", "/3", "/new"],
      {},
    ],
    ["HTML the second time", () => HTML_PAGE, ["/1", "/2", "/3"], { partial: true }],
    ["503 the second time", () => ({ status: 503 }), ["/1", "/2", "/3"], { partial: true }],
    [
      "elsewhere the second time",
      () => redirectTo("/robots.txt"),
      ["/1", "/2", "/3"],
      { partial: true, http: { status: 200 } },
    ],
  ])("H20: a page sitemap is truncated, and %s: no page is repeated", async (_, again, pages, expected) => {
    const site = await cutOnce(again);
    const node = await readA(site);
    expect(pathsOf(node, site.url)).toEqual(pages);
    expect(node).toMatchObject(expected);
    expect(node.partial ?? false).toBe("partial" in expected);
    expect(codesOf(node)).toContain("http.retry");
    const streamed: string[] = [];
    const events: WalkedSitemap[] = [];
    const other = await cutOnce(again);
    for await (const event of walkSitemaps(other.url, DECLARED)) {
      if (event.kind === "page") streamed.push(event.page.url.slice(other.url.length));
      if (event.kind === "sitemap") events.push(event.sitemap);
    }
    expect(streamed).toEqual(pages);
    expect(events.find(({ url }) => url.endsWith("/a.xml"))).toMatchObject({
      outcome: "found",
      pageCount: pages.length,
    });
  });

  it("H20: without retries it is not requested again", async () => {
    const site = await cutOnce((whole) => whole);
    expect(pathsOf(await readA(site, { ...DECLARED, limits: { retries: 0 } }), site.url)).toHaveLength(3);
    expect(site.count("/a.xml")).toBe(1);
  });

  it("H20: a truncated index is requested once more", async () => {
    const routes = (again: (whole: string) => string | SiteHandler) =>
      openWith(
        (_, base) => {
          const whole = sitemapIndex(pageUrls(`${base}/s`, 5));
          const second = again(whole);
          return (request, response, times) => {
            if (times === 1) return drops(whole.slice(0, whole.indexOf("/s/4")))(request, response, times);
            return typeof second === "string" ? { body: second } : second(request, response, times);
          };
        },
        (base) => Object.fromEntries(pageUrls("/s", 5).map((path) => [path, urlset([base + path])])),
      );
    const good = await routes((whole) => whole);
    const whole = await readA(good);
    expect(whole.subSitemaps).toHaveLength(5);
    expect(whole.partial).toBeUndefined();
    expect(codesOf(whole)).toEqual(["http.retry"]);
    // The second response is not better, so the pages of the first one count.
    const bad = await routes(() => (_, response) => {
      response.destroy();
      return undefined;
    });
    const half = await readA(bad);
    expect(half.subSitemaps).toHaveLength(3);
    expect(half.partial).toBe(true);
    expect(codesOf(half)).toContain("http.truncated");
  });

  it("H20: a truncated robots.txt or known location does not end the discovery", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": drops(`Sitemap: ${base}/a.xml\nSitemap: ${base}/b`),
      "/a.xml": urlset([`${base}/1`]),
      "/sitemap.xml": drops("<urlset><url>"),
      "/sitemap.txt": `${base}/2`,
    }));
    const tree = await sitemapTreeForHomepage(site.url, { useHomepageLinks: false });
    expect([...allPages(tree)].map(({ url }) => url.slice(site.url.length))).toEqual(["/1", "/2"]);
  });

  it("H21: Content-Encoding: gzip over a plain body", async () => {
    const site = await openWith((good) => ({ headers: { "content-encoding": "gzip" }, body: good }));
    const node = await readA(site);
    expect(pathsOf(node, site.url)).toEqual(["/1", "/2"]);
    expect(codesOf(node)).toEqual(["http.bad-content-encoding"]);
  });

  it("H21: an unknown coding over unreadable bytes", async () => {
    const body = Uint8Array.from({ length: 5000 }, (_, at) => (at * 7) % 251);
    const site = await openWith(() => ({ headers: { "content-encoding": "zstd" }, body }));
    expect(await readA(site)).toMatchObject({ kind: "invalid", code: "http.bad-content-encoding" });
  });

  it("H22: Content-Encoding: br. Only supported codings are in Accept-Encoding", async () => {
    const site = await openWith((good) => ({
      headers: { "content-encoding": "br" },
      body: brotliCompressSync(good),
    }));
    expect(pathsOf(await readA(site), site.url)).toEqual(["/1", "/2"]);
    expect(site.requests[1]?.headers["accept-encoding"]).toBe("gzip, deflate, br");
  });

  it.each([
    ["H23", 1],
    ["H24", 2],
  ])("%s: .xml.gz with Content-Encoding: gzip in %i layers", async (_, layers) => {
    const site = await openSite((base) => {
      const once = gzipSync(urlset([`${base}/1`]));
      const body = layers === 1 ? once : gzipSync(once);
      return {
        "/robots.txt": robotsTxt([`${base}/a.xml.gz`]),
        "/a.xml.gz": { headers: { "content-encoding": "gzip", "content-type": "application/gzip" }, body },
      };
    });
    expect(pathsOf(await readA(site), site.url)).toEqual(["/1"]);
  });

  it.each([
    ["H25", "/a.xml", "image/png", ["content.type-mismatch"]],
    ["H25", "/a.xml", "Video/mp4", ["content.type-mismatch"]],
    ["H26", "/feed", "text/html; charset=utf-8", []],
    ["H27", "/sitemap_products_1.xml?from=1&to=2", "text/plain", []],
  ])("%s: XML at %s as %s", async (_, path, type, codes) => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([base + path]),
      [path]: { headers: { "content-type": type }, body: urlset([`${base}/1`]) },
    }));
    const node = await readA(site);
    expect(pathsOf(node, site.url)).toEqual(["/1"]);
    expect(codesOf(node)).toEqual(codes);
  });

  // No random path is requested: each known location costs a few kilobytes.
  it("H28: a site that answers every path with 200 and HTML has no sitemap", async () => {
    const site = await openSite(
      {},
      { fallback: { headers: { "content-type": "text/html" }, body: HTML_PAGE } },
    );
    const tree = await sitemapTreeForHomepage(site.url);
    expect([...allSitemaps(tree)]).toEqual([]);
    expect(site.paths()).toEqual(
      expect.arrayContaining(["/robots.txt", "/", ...knownPaths("usual").map((path) => `/${path}`)]),
    );
    expect(site.requests).toHaveLength(2 + knownPaths("usual").length);
  });

  it("H29: HEAD is never used", async () => {
    const site = await openWith(
      (good) =>
        ({ method }) =>
          method === "GET" ? { body: good } : { status: 405 },
    );
    expect(pathsOf(await readA(site), site.url)).toEqual(["/1", "/2"]);
    expect(new Set(site.requests.map(({ method }) => method))).toEqual(new Set(["GET"]));
  });

  it("H37: one byte at a time is too slow. The received pages are kept", async () => {
    const site = await openWith((good) => async (_, response) => {
      response.writeHead(200);
      response.write(good.slice(0, good.indexOf("/2<")));
      while (!response.destroyed) {
        response.write("x");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      response.end();
      return undefined;
    });
    const node = await readA(site, { ...DECLARED, limits: { idleMs: 300, bytesPerSecond: 4096 } });
    expect(pathsOf(node, site.url)).toEqual(["/1"]);
    expect(codesOf(node)).toContain("http.timeout");
    expect(node.partial).toBe(true);
  });

  /** A sitemap with this number of blanks between its two pages, generated while it is sent. */
  const padded =
    (base: string, mebibytes: number): SiteHandler =>
    (_, response) => {
      const blank = Buffer.alloc(1024 * 1024, " ");
      response.write(`<urlset><url><loc>${base}/1</loc></url>`);
      let left = mebibytes;
      const write = (): void => {
        while (left > 0 && !response.destroyed) {
          left--;
          if (!response.write(blank)) {
            response.once("drain", write);
            return;
          }
        }
        response.end(`<url><loc>${base}/2</loc></url></urlset>`);
      };
      write();
      return undefined;
    };

  it("H38: 60 MB are read, 150 MB are cut at the limit of 100 MiB", async () => {
    const small = await openWith((_, base) => padded(base, 60));
    expect(pathsOf(await readA(small), small.url)).toEqual(["/1", "/2"]);
    const large = await openWith((_, base) => padded(base, 150));
    const node = await readA(large);
    expect(pathsOf(node, large.url)).toEqual(["/1"]);
    expect(codesOf(node)).toContain("limit.bytes");
    expect(node.partial).toBe(true);
    expect(node.http?.bytes).toBeLessThan(110 * 1024 * 1024);
  });

  it.each<[string, string, boolean]>([
    // Level 1 is 230:1, level 9 is 1,030:1.
    ["that grows 230 times ends at the limit of decoded bytes", "limit.bytes", false],
    ["that grows 1,030 times ends as a bomb", "gzip.bomb", true],
  ])("H39: gzip as Content-Encoding or as a file %s", async (_, code, isBomb) => {
    for (const headers of [{ "content-encoding": "gzip" }, {}]) {
      const site = await openWith((__, base) => {
        const head = `<urlset><url><loc>${base}/1</loc></url>`;
        const blank = Buffer.alloc((isBomb ? 40 : 120) * 1024 * 1024, " ");
        return {
          headers,
          body: gzipSync(Buffer.concat([Buffer.from(head), blank]), { level: isBomb ? 9 : 1 }),
        };
      });
      const node = await readA(site);
      expect(pathsOf(node, site.url)).toEqual(["/1"]);
      expect(codesOf(node)).toContain(code);
      expect(node.partial).toBe(true);
    }
  });
});

describe("robots.txt", () => {
  const silent: SiteHandler = () => new Promise<undefined>(() => {});

  it.each<[string, SiteAnswer | SiteHandler]>([
    ["5xx", { status: 503 }],
    ["a timeout", silent],
  ])("H32: a robots.txt that is %s is reported, and the known locations are tried", async (_, answer) => {
    const site = await openSite((base) => ({ "/robots.txt": answer, "/sitemap.xml": urlset([`${base}/1`]) }));
    const limits = { backoffMs: 1, headersMs: 200 };
    const tree = await sitemapTreeForHomepage(site.url, { limits });
    expect(tree.subSitemaps[0]).toMatchObject({ kind: "invalid", url: `${site.url}/robots.txt` });
    expect(tree.issues).toMatchObject([{ code: "robots.unreachable", severity: "warning" }]);
    expect([...allPages(tree)]).toHaveLength(1);
  });

  it("H32: with respectRobots nothing else is requested (RFC 9309 section 2.3.1.4)", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": { status: 500 },
      "/sitemap.xml": urlset([`${base}/1`]),
    }));
    const walked = await walk(site.url, {
      respectRobots: true,
      useHomepageLinks: false,
      limits: { retries: 0 },
    });
    expect(site.paths()).toEqual(["/robots.txt"]);
    expect(
      walked.slice(1).every(({ outcome, code }) => outcome === "skipped" && code === "robots.disallowed"),
    ).toBe(true);
    expect(walked).toHaveLength(1 + knownPaths("usual").length);
  });

  it.each([401, 403, 404, 410])("H33: robots.txt %i restricts nothing", async (status) => {
    const site = await openSite((base) => ({
      "/robots.txt": { status },
      "/sitemap.xml": urlset([`${base}/1`]),
    }));
    const tree = await sitemapTreeForHomepage(site.url, { respectRobots: true });
    expect([...allPages(tree)]).toHaveLength(1);
    expect(tree.issues).toEqual([]);
  });

  it("H34: sitemaps that robots.txt lists and disallows are read, known locations obey", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/private/a.xml`], "Disallow: /private/\nDisallow: /sitemap.xml"),
      "/private/a.xml": urlset([`${base}/1`]),
      "/sitemap.xml": urlset([`${base}/2`]),
      "/sitemap.txt": `${base}/3`,
    }));
    const found = async (respectRobots: boolean): Promise<string[]> => {
      const tree = await sitemapTreeForHomepage(site.url, { respectRobots });
      return [...allPages(tree)].map(({ url }) => url.slice(site.url.length));
    };
    expect(await found(true)).toEqual(["/1", "/3"]);
    expect(site.count("/sitemap.xml")).toBe(0);
    expect(await found(false)).toEqual(["/1", "/2", "/3"]);
  });

  it("H34: a robots.txt that disallows its own sitemaps is reported", async () => {
    const site = await openSite((base, { port }) => ({
      "/robots.txt": robotsTxt(
        [`${base}/private/a.xml`, `${base}/b.xml`, `http://127.0.0.2:${port}/private/c.xml`],
        "Disallow: /private/",
      ),
      "/private/a.xml": urlset([`${base}/1`]),
      "/b.xml": urlset([`${base}/2`]),
    }));
    const [robots] = (await sitemapTreeForHomepage(site.url, DECLARED)).subSitemaps;
    const told = robots!.issues.filter(({ code }) => code === "robots.sitemap-disallowed");
    expect(told.map(({ value }) => value)).toEqual([`${site.url}/private/a.xml`]);
    const forUs = { ...DECLARED, userAgent: "examplebot/1.0" };
    site.routes = {
      "/robots.txt": `User-agent: examplebot\nAllow: /\n\n${robotsTxt([`${site.url}/a.xml`], "Disallow: /")}`,
    };
    expect(codesOf((await sitemapTreeForHomepage(site.url, forUs)).subSitemaps[0]!)).toEqual([]);
  });

  it("H34: with respectRobots the homepage also obeys", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([], "Disallow: /"),
      "/": '<link rel="sitemap" href="/a.xml">',
      "/a.xml": urlset([`${base}/1`]),
    }));
    await sitemapTreeForHomepage(site.url, { respectRobots: true, useHomepageLinks: true });
    expect(site.paths()).toEqual(["/robots.txt"]);
  });
});

describe("connections", () => {
  it.runIf(hasOpenssl)("H35: an untrusted certificate", async () => {
    let requests = 0;
    const base = await openTlsSite((_, response) => {
      requests++;
      response.end();
    });
    const tree = await sitemapTreeForHomepage(base, DECLARED);
    expect(tree.subSitemaps).toMatchObject([{ kind: "invalid", code: "http.tls" }]);
    expect(requests).toBe(0);
  });

  it("H36: an unreachable host is not requested repeatedly", async () => {
    const homepage = `http://127.0.0.1:${await closedPort()}`;
    const walked = await walk(homepage, { limits: { backoffMs: 1 } });
    expect(walked).toHaveLength(1 + knownPaths("usual").length);
    expect(walked.every(({ code, outcome }) => code === "http.connection" && outcome === "failed")).toBe(
      true,
    );
    const dialled = walked.filter(({ cause }) => cause !== "host-failed");
    expect(dialled.map(({ url }) => url)).toEqual([`${homepage}/robots.txt`]);
  });

  it("H36: the time limit of the walk applies to a silent host", async () => {
    const site = await openSite({}, { fallback: () => new Promise<undefined>(() => {}) });
    const limits = { timeMs: 300, headersMs: Number.POSITIVE_INFINITY, requestMs: Number.POSITIVE_INFINITY };
    const tree = await sitemapTreeForHomepage(site.url, { limits });
    expect(tree).toMatchObject({
      partial: true,
      issues: expect.arrayContaining([expect.objectContaining({ code: "limit.time" })]),
    });
  });

  it.each<[string, SiteRoutes]>([
    ["a robots.txt", { "/robots.txt": robotsTxt([]) }],
    ["no robots.txt", {}],
  ])("H40: a site on another host, with %s there: the known locations are tried there", async (_, there) => {
    const site = await openSite(
      (base, { port }) => {
        const elsewhere = `http://127.0.0.2:${port}`;
        const moved: SiteHandler = ({ headers, url }) => {
          if (headers.host === base.slice(7)) return redirectTo(elsewhere + url, 301);
          const answer = there[url ?? ""] as string | undefined;
          if (url === "/sitemap.xml") return { body: urlset([`${elsewhere}/1`]) };
          return answer === undefined ? { status: 404 } : { body: answer };
        };
        return { "/robots.txt": moved, "/sitemap.xml": moved };
      },
      { everyAddress: true },
    );
    const tree = await sitemapTreeForHomepage(site.url, {
      useHomepageLinks: false,
      allowPrivateNetworks: true,
    });
    expect([...allPages(tree)].map(({ url }) => url)).toEqual([`${site.at("127.0.0.2")}/1`]);
    expect(site.paths(new URL(site.url).host)).toEqual(["/robots.txt"]);
    expect(tree.url).toBe(`${site.url}/`);
  });
});
