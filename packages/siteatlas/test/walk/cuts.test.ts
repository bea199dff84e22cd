/** Who ended a document early, the server or we: only what is so is told, and `cutBy` names it. */
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { WalkedSitemap } from "../../src/walk/events.ts";
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
): Promise<{ sitemap: WalkedSitemap; codes: string[]; pages: number }> {
  const codes: string[] = [];
  let sitemap: WalkedSitemap | undefined;
  let pages = 0;
  const options = { useKnownPaths: false, useHomepageLinks: false, limits: { retries: 0, ...limits } };
  for await (const event of walkSitemaps(site.url, options)) {
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
  // We: nothing is wrong with the document.
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
  // The server.
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
