/** Rules about the size of sitemaps. */
import type { LintedSitemap, LintRule } from "../rule.ts";
import { GOOGLE_BUILD, GOOGLE_LARGE, SM_INDEX, SM_XML } from "./sources.ts";

const MAX_URLS = 50_000;
const MAX_BYTES = 52_428_800;
/** From this share of a limit on, the sitemap is near the limit. */
const NEAR = 0.9;

/** Problems of a gzip file after which its last bytes are not the size of the document. */
const DAMAGES = ["gzip.truncated", "gzip.corrupt", "gzip.trailing-junk", "gzip.crc", "gzip.nested"] as const;

/** Number of bytes of the document after decompression, as far as it is known. */
function documentBytes({ response, partial, issueCounts = {} }: LintedSitemap): number {
  if (response === undefined) return 0;
  const { chunks, tail, bodyBytes } = response;
  const [first] = chunks;
  const isGzip = first?.[0] === 0x1f && first[1] === 0x8b;
  // The last four bytes of a gzip file are the size of its content (RFC 1952, section 2.3.1), unless it is cut or damaged.
  const isWhole = !partial && !DAMAGES.some((code) => issueCounts[code] !== undefined);
  if (!isGzip || !isWhole) return bodyBytes;
  return tail.length < 4 ? bodyBytes : new DataView(tail.buffer).getUint32(tail.length - 4, true);
}

/** Number of URLs that the document lists, including repeated ones. */
function listed({ pageCount, childCount, duplicateCount }: LintedSitemap): number {
  return pageCount + childCount + duplicateCount;
}

export const sizeRules: readonly LintRule[] = [
  {
    id: "sitemap.too-many-urls",
    severity: "error",
    message: "A sitemap has more than 50,000 URLs",
    why: "Search engines reject the file, or ignore the URLs after the first 50,000.",
    fix: "Split the sitemap, and list the parts in an index.",
    source: SM_INDEX,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const count = listed(sitemap);
        if (sitemap.kind === "pages" && count > MAX_URLS) report({ detail: `${count} URLs` });
      },
    }),
  },
  {
    id: "sitemap.too-large",
    severity: "error",
    message: "A sitemap is larger than 50 MiB without compression",
    why: "Search engines reject the file, or ignore the rest of it.",
    fix: "Split the sitemap, and list the parts in an index.",
    source: GOOGLE_BUILD,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const bytes = documentBytes(sitemap);
        if (bytes > MAX_BYTES) report({ detail: `${bytes} bytes` });
      },
    }),
  },
  {
    id: "index.too-many-sitemaps",
    severity: "error",
    message: "An index lists more than 50,000 sitemaps",
    why: "Search engines ignore the sitemaps after the first 50,000.",
    fix: "Split the index, and list its parts in robots.txt.",
    source: GOOGLE_LARGE,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const count = listed(sitemap);
        if (sitemap.kind === "index" && count > MAX_URLS) report({ detail: `${count} sitemaps` });
      },
    }),
  },
  {
    id: "sitemap.near-limit",
    severity: "info",
    message: "A sitemap has more than 90% of the allowed URLs or bytes",
    why: "The next pages may exceed the limit, and search engines then reject the file.",
    fix: "Split the sitemap before it reaches 50,000 URLs or 50 MiB.",
    source: SM_INDEX,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const isNear = (value: number, most: number): boolean => value > NEAR * most && value <= most;
        const count = listed(sitemap);
        // Generators fill a sitemap to exactly 50,000 URLs and then start the next one.
        if (isNear(count, MAX_URLS) && count !== MAX_URLS) report({ detail: `${count} URLs` });
        else if (isNear(documentBytes(sitemap), MAX_BYTES))
          report({ detail: `${documentBytes(sitemap)} bytes` });
      },
    }),
  },
  {
    id: "sitemap.empty",
    severity: "warning",
    message: "A sitemap has no URLs",
    why: "Google Search Console reports an empty sitemap as an error, and it costs a request each time.",
    fix: "Do not list a sitemap before it has a URL.",
    source: SM_XML,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: (sitemap) => {
        const { outcome, format, head } = sitemap;
        // A news sitemap has no URLs if no article is younger than two days.
        const isNews = head.includes("schemas/sitemap-news/");
        const isEmpty = outcome === "found" && format !== "robots" && listed(sitemap) === 0;
        if (isEmpty && !isNews && (sitemap.issueCount === 0 || sitemap.partial === undefined)) report();
      },
    }),
  },
  {
    id: "feed.only",
    severity: "info",
    message: "The site has feeds but no sitemap",
    why: "A feed lists only the newest pages, so older pages are not discovered through it.",
    fix: "Also publish a sitemap with all pages.",
    source: "https://www.sitemaps.org/protocol.html#otherformats",
    counts: "site",
    listen: ({ report }) => {
      let feeds = 0;
      let others = 0;
      return {
        sitemap: ({ outcome, format }) => {
          if (outcome !== "found" || format === "robots") return;
          if (format === "rss" || format === "atom" || format === "json") feeds++;
          else others++;
        },
        end: () => {
          if (feeds > 0 && others === 0) report();
        },
      };
    },
  },
];
