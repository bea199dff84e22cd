/** Rules about the HTTP response of a sitemap. */
import type { WalkedSitemap } from "../../walk/events/events.ts";
import type { LintedSitemap, LintRule } from "../rule.ts";
import { BING_SITEMAPS, GOOGLE_BUILD, GOOGLE_HTTP, RFC_9110 } from "./sources.ts";

const SLOW_MS = 10_000;
const SLOW_BYTES_PER_SECOND = 50_000;
/** Smaller documents are dominated by the latency of the connection. */
const LARGE_BYTES = 1_000_000;

/** Media types that fit a format. Other formats have no rule. */
const TYPES: Readonly<Record<string, RegExp>> = {
  xml: /^(?:application|text)\/(?:[\w.]+\+)?xml\b|gzip|octet-stream/i,
  rss: /xml|gzip|octet-stream/i,
  atom: /xml|gzip|octet-stream/i,
  text: /^text\/plain\b|gzip|octet-stream/i,
  robots: /^text\/plain\b/i,
};

function isCompressed({ response }: LintedSitemap): boolean {
  const [first] = response?.chunks ?? [];
  return (response?.codings ?? 0) > 0 || (first?.[0] === 0x1f && first[1] === 0x8b);
}

/** Whether the server refuses the sitemap without a login. The rule http.auth then replaces http.status. */
export function needsLogin({ outcome, http }: WalkedSitemap): boolean {
  return outcome === "failed" && (http?.status === 401 || http?.status === 403);
}

export const responseRules: readonly LintRule[] = [
  {
    id: "http.auth",
    severity: "error",
    message: "A sitemap needs a login",
    why: "Search engines have no login. They cannot fetch the sitemap.",
    fix: "Allow requests to the sitemap without a login. Check that no firewall blocks unknown crawlers.",
    source: GOOGLE_BUILD,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        if (needsLogin(sitemap)) report({ detail: `status ${sitemap.http!.status}` });
      },
    }),
  },
  {
    id: "http.redirect",
    severity: "warning",
    message: "A listed sitemap redirects",
    why: "Bing advises against redirects. Each one costs a request, and some search engines do not follow it.",
    fix: "List the final URL.",
    source: BING_SITEMAPS,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ url, redirects, requestedUrl, parentUrl, outcome, source }) => {
        if (redirects === undefined || outcome === "failed" || source === "known" || source === "robots")
          return;
        report({ value: requestedUrl, detail: `redirects to ${url}` }, parentUrl);
      },
    }),
  },
  {
    id: "http.content-type",
    severity: "info",
    message: "A sitemap has an unusual Content-Type",
    why: "Some crawlers read a document only if its media type fits.",
    fix: "Send application/xml for XML, and text/plain for text and robots.txt.",
    source: `${RFC_9110}#section-8.3`,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ outcome, format = "", response }) => {
        const type = response?.headers["content-type"];
        const expected = TYPES[format];
        if (outcome !== "found" || type === undefined || expected === undefined) return;
        if (!expected.test(type)) report({ detail: type });
      },
    }),
  },
  {
    id: "http.noindex",
    severity: "info",
    isOff: true,
    message: "A sitemap is sent with X-Robots-Tag: noindex",
    why: "This is allowed. It keeps the sitemap itself out of search results, and its pages are still read.",
    fix: "Nothing, if it is intended.",
    source: "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag",
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ response }) => {
        const tag = response?.headers["x-robots-tag"];
        if (tag !== undefined && /noindex/i.test(tag)) report({ detail: tag });
      },
    }),
  },
  {
    id: "http.slow",
    severity: "warning",
    message: "The server sends a sitemap slowly",
    why: "Search engines give up on slow responses, and fetch fewer pages of a slow site.",
    fix: "Generate the sitemap in advance, serve it as a file, and compress it.",
    source: GOOGLE_HTTP,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ outcome, http }) => {
        if (outcome !== "found" || http === undefined) return;
        const { ms, waitMs = 0, bytes } = http;
        const seconds = Math.max(1, ms - waitMs) / 1000;
        const isSlow =
          seconds > SLOW_MS / 1000 || (bytes > LARGE_BYTES && bytes / seconds < SLOW_BYTES_PER_SECOND);
        if (isSlow) report({ detail: `${bytes} bytes in ${seconds.toFixed(1)} s` });
      },
    }),
  },
  {
    id: "http.compression",
    severity: "info",
    message: "A sitemap of more than 1 MB is sent without compression",
    why: "XML shrinks to about a tenth with gzip. Search engines and you pay for the other nine tenths.",
    fix: "Turn on gzip for XML in the server, or publish the sitemap as .xml.gz.",
    source: GOOGLE_BUILD,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const { outcome, http, response } = sitemap;
        const isFile = response?.file !== undefined;
        if (outcome !== "found" || http === undefined || isFile || isCompressed(sitemap)) return;
        if (http.bytes > LARGE_BYTES) report({ detail: `${http.bytes} bytes` });
      },
    }),
  },
  {
    id: "http.cache",
    severity: "info",
    isOff: true,
    message: "A sitemap is sent without ETag and Last-Modified",
    why: "Crawlers then download the sitemap each time, even if it did not change.",
    fix: "Send ETag or Last-Modified, and answer conditional requests with 304.",
    source: `${RFC_9110}#section-8.8`,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ outcome, http, response, format }) => {
        if (outcome !== "found" || format === "robots" || http === undefined || response?.file !== undefined)
          return;
        if (http.etag === undefined && http.lastModified === undefined) report();
      },
    }),
  },
];
