/**
 * Whether the server or siteatlas ended a document early: only the true reason is reported, and `cutBy` contains it.
 */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { WalkStart } from "../../src/discover/site-start.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkLimits } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import {
  openSite,
  pageUrls,
  robotsTxt,
  type SiteAnswer,
  type SiteHandler,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const COUNT = 5000;
const HALF = 100_000;

async function readA(
  site: TestSite,
  limits: WalkLimits,
  start: WalkStart = site.url,
): Promise<{ sitemap: WalkedSitemap; codes: string[]; pages: number }> {
  const codes: string[] = [];
  let sitemap: WalkedSitemap | undefined;
  let pages = 0;
  const options = { useKnownPaths: false, useHomepageLinks: false, limits: { retries: 0, ...limits } };
  for await (const event of walkSitemaps(start, options)) {
    if (event.kind === "page") pages++;
    if (event.kind === "issue" && event.issue.url === `${site.url}/a.xml`) codes.push(event.issue.code);
    if (event.kind === "sitemap" && event.sitemap.url === `${site.url}/a.xml`) sitemap = event.sitemap;
  }
  return { sitemap: sitemap!, codes, pages };
}

const breaksOff =
  (body: Uint8Array): SiteHandler =>
  (_, response) => {
    response.writeHead(200, { "content-length": String(body.length) });
    response.write(body.subarray(0, body.length / 2), () => setTimeout(() => response.destroy(), 10));
    return undefined;
  };

const pauses =
  (body: Uint8Array): SiteHandler =>
  (_, response) => {
    response.writeHead(200);
    response.write(body.subarray(0, HALF));
    return new Promise<undefined>(() => {});
  };

interface Row {
  readonly who: string;
  readonly answer: (whole: Buffer) => SiteAnswer | SiteHandler;
  readonly limits?: WalkLimits;
  readonly codes: readonly string[];
  readonly cutBy?: string;
}

const ROWS: readonly Row[] = [
  { who: "nobody", answer: (body) => ({ body }), codes: [] },
  // Ended by siteatlas: the document has no issue.
  {
    who: "urlsPerSitemap",
    answer: (body) => ({ body }),
    limits: { urlsPerSitemap: 1 },
    codes: ["limit.urls"],
  },
  { who: "urls", answer: (body) => ({ body }), limits: { urls: 10 }, codes: ["limit.urls"] },
  {
    who: "decodedBytes",
    answer: (body) => ({ body }),
    limits: { decodedBytes: HALF },
    codes: ["limit.bytes"],
  },
  {
    who: "wireBytes",
    answer: (body) => (_, response) => {
      response.write(body);
      response.end();
      return undefined;
    },
    limits: { wireBytes: HALF },
    codes: ["limit.bytes"],
  },
  {
    who: "wireBytes of a gzip file",
    answer: (body) => (_, response) => {
      response.write(gzipSync(body));
      response.end();
      return undefined;
    },
    limits: { wireBytes: 5000 },
    codes: ["limit.bytes"],
  },
  {
    who: "decodedBytes of a gzip file",
    answer: (body) => ({ body: gzipSync(body), headers: { "content-type": "application/gzip" } }),
    limits: { decodedBytes: HALF },
    codes: ["limit.bytes"],
  },
  { who: "totalBytes", answer: (body) => ({ body }), limits: { totalBytes: HALF }, codes: ["limit.bytes"] },
  { who: "cpuMs", answer: (body) => ({ body }), limits: { cpuMs: 0 }, codes: ["limit.cpu"] },
  { who: "timeMs", answer: pauses, limits: { timeMs: 300 }, codes: ["limit.time"] },
  // Ended by the server.
  {
    who: "the document",
    answer: (body) => ({ body: body.subarray(0, HALF) }),
    codes: ["xml.truncated"],
  },
  {
    who: "the gzip file",
    answer: (body) => ({
      body: gzipSync(body).subarray(0, 5000),
      headers: { "content-type": "application/gzip" },
    }),
    codes: ["gzip.truncated", "xml.truncated"],
  },
  { who: "the connection", answer: breaksOff, codes: ["http.truncated", "xml.truncated"] },
  {
    who: "a part",
    answer: (body) => ({ status: 206, body: body.subarray(0, HALF) }),
    codes: ["http.partial", "xml.truncated"],
  },
  {
    who: "a pause",
    answer: pauses,
    limits: { idleMs: 200 },
    codes: ["http.timeout", "xml.truncated"],
  },
];

it.each(ROWS)("$who ends it: $codes", async ({ answer, limits = {}, codes }) => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": answer(Buffer.from(urlset(pageUrls(base, COUNT)))),
  }));
  const told = await readA(site, limits);
  expect(told.codes.filter((code) => code !== "gzip.unlabelled")).toEqual(codes);
  expect(told.sitemap.outcome).toBe("found");
  const isWhole = codes.length === 0;
  expect([told.sitemap.partial ?? false, told.sitemap.cutBy]).toEqual([!isWhole, codes[0]]);
  expect(told.sitemap.contentHash === undefined).toBe(!isWhole);
  if (isWhole) expect(told.pages).toBe(COUNT);
  else {
    expect(told.pages).toBeGreaterThan(0);
    expect(told.pages).toBeLessThan(COUNT);
  }
});

/** Sends the body in one piece without a Content-Length, which would be refused if it is above the limit. */
const chunked =
  (body: string | Uint8Array): SiteHandler =>
  (_, response) => {
    response.write(body);
    response.end();
    return undefined;
  };

/** Promises more bytes than it sends. */
const endsEarly =
  (body: string | Uint8Array): SiteHandler =>
  (_, response) => {
    response.writeHead(200, { "content-length": String(body.length + 100) });
    response.write(body, () => setTimeout(() => response.destroy(), 10));
    return undefined;
  };

const XML_START = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset `;

it.each<[what: string, answer: SiteHandler, limits: WalkLimits, code: string, reason: string]>([
  [
    "wireBytes inside the root",
    chunked(`${XML_START}xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`),
    { wireBytes: 45 },
    "limit.bytes",
    "More bytes than the limit (108 bytes; limits.wireBytes allows 45)",
  ],
  [
    "decodedBytes inside the root",
    chunked(`${XML_START}></urlset>`),
    { decodedBytes: 45 },
    "limit.bytes",
    "More bytes than the limit (57 bytes; limits.decodedBytes allows 45)",
  ],
  [
    "wireBytes inside the first keys of a JSON Feed",
    chunked(`{"title": "A", "version": "https://jsonfeed.org/version/1.1", "items": []}`),
    { wireBytes: 12 },
    "limit.bytes",
    "More bytes than the limit (74 bytes; limits.wireBytes allows 12)",
  ],
  [
    "the connection inside the root",
    endsEarly(XML_START),
    {},
    "http.truncated",
    "The connection broke before the document was complete",
  ],
  [
    "a compression bomb",
    chunked(gzipSync(Buffer.alloc(9 * 1024 * 1024, " "))),
    { compressionRatio: 10 },
    "gzip.bomb",
    "The data exceeds the limit when decompressed",
  ],
  [
    "a Content-Length above wireBytes",
    () => ({ headers: { "content-length": "57" }, body: `${XML_START}></urlset>` }),
    { wireBytes: 40 },
    "limit.bytes",
    "the Content-Length is above the limit (57 bytes; limits.wireBytes allows 40)",
  ],
  [
    "a gzip file that ends inside the root",
    chunked(gzipSync(`${XML_START}${"x ".repeat(100)}></urlset>`, { level: 0 }).subarray(0, 100)),
    {},
    "gzip.truncated",
    "The gzip stream is truncated",
  ],
  [
    "no cut, but another root",
    endsEarly(`<opml><body/></opml>`),
    {},
    "content.unknown-root",
    "The root element is unknown (root element <opml>)",
  ],
])("%s: an invalid sitemap has the reason", async (_, answer, limits, code, reason) => {
  const site = await openSite(() => ({ "/a.xml": answer }));
  const { sitemap } = await readA(site, limits, { sitemaps: [`${site.url}/a.xml`] });
  expect(sitemap).toMatchObject({ kind: "invalid", outcome: "failed", code });
  expect(sitemap.reason?.slice(0, reason.length)).toBe(reason);
  expect(sitemap.reason).not.toContain("was used");
});

it("a complete document with a wrong Content-Length is not reported as truncated XML", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": endsEarly(urlset(pageUrls(base, 3))),
  }));
  const { sitemap, codes, pages } = await readA(site, {});
  expect(codes).toEqual(["http.truncated"]);
  expect(sitemap).toMatchObject({ outcome: "found", partial: true, cutBy: "http.truncated" });
  expect(pages).toBe(3);
});

it("a document that ended before its root has only the reason for its early end", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": breaksOff(Buffer.from(`<?xml version="1.0"?>${" ".repeat(100)}<urlset></urlset>`)),
  }));
  const { sitemap, codes } = await readA(site, {});
  expect(sitemap).toMatchObject({ outcome: "failed", code: "http.truncated", issueCount: 1 });
  expect(codes).toEqual(["http.truncated"]);
});
