/** Rules about URLs that a site lists more than once. */
import type { LintRule, Occurrence } from "../rule.ts";
import { GOOGLE_CANONICAL, SM_INDEX, SM_XML } from "./sources.ts";

/** No part can match the same spaces as another one, so the time is linear. */
const LISTED = /<loc>([^<]+)<\/loc>|^[ \t]*(?:sitemap[ \t]*:[ \t]*)?(https?:\/\/\S+)[ \t\r]*$/gim;

/** The first repeated URL of a document. Its start is usually enough. Otherwise, the whole document is searched. */
function repeated(head: string): Occurrence {
  return firstRepeated(head) ?? { search: firstRepeated };
}

/** The first URL that occurs twice in a text, and the line of its second entry. */
function firstRepeated(text: string): { readonly value: string; readonly line: number } | undefined {
  const seen = new Set<string>();
  for (const match of text.matchAll(LISTED)) {
    const value = (match[1] ?? match[2] ?? "").trim();
    if (value !== "" && seen.has(value))
      return { value, line: lineAt(text, match.index + match[0].indexOf(value)) };
    seen.add(value);
  }
  return undefined;
}

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

export const duplicateRules: readonly LintRule[] = [
  {
    id: "url.duplicate",
    severity: "warning",
    message: "A URL is listed more than once in a sitemap",
    why: "Its entries may contradict each other, and the sitemap is larger than needed.",
    fix: "Keep one entry per URL.",
    source: SM_XML,
    counts: "page",
    listen: ({ report }) => ({
      sitemap: ({ kind, duplicateCount, head }) => {
        if (kind !== "pages" || duplicateCount === 0) return;
        report({ times: duplicateCount, ...repeated(head) });
      },
    }),
  },
  {
    id: "index.duplicate",
    severity: "warning",
    message: "An index or robots.txt lists a sitemap more than once",
    why: "The sitemap is read once. The other entries may contradict the first one.",
    fix: "Keep one entry per sitemap.",
    source: SM_INDEX,
    counts: "sitemap",
    listen: ({ report }) => ({
      sitemap: ({ kind, duplicateCount, head }) => {
        if (kind !== "index" || duplicateCount === 0) return;
        report({ times: duplicateCount, ...repeated(head) });
      },
    }),
  },
  {
    id: "url.duplicate-site",
    severity: "warning",
    message: "A URL is listed in several sitemaps",
    why: "Its entries may contradict each other, and search engines read it several times.",
    fix: "List each page in one sitemap. A news sitemap may repeat pages.",
    source: GOOGLE_CANONICAL,
    counts: "page",
    listen: ({ report, site }) => ({
      page: ({ url, urlText, news, linkedFrom }, sitemapUrl) => {
        if (site.listing !== "same" || site.listedIn === sitemapUrl) return;
        // A news sitemap and a feed repeat pages of other sitemaps. That is their purpose.
        if (news !== undefined || linkedFrom !== undefined) return;
        report({ value: url, find: urlText ?? url, detail: `also in ${site.listedIn}` });
      },
    }),
  },
  {
    id: "url.duplicate-variant",
    severity: "warning",
    message: "Two listed URLs differ only in case, a final slash, index.html or the order of parameters",
    why: "They usually show the same page, and search engines must choose one of them.",
    fix: "List the canonical URL only.",
    source: GOOGLE_CANONICAL,
    counts: "page",
    listen: ({ report, site }) => ({
      page: ({ url, urlText }) => {
        if (site.listing === "variant") report({ value: url, find: urlText ?? url });
      },
    }),
  },
];
