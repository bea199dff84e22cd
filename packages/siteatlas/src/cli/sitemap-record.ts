/** A sitemap as one flat object, for `tree --json` and `find --json`. */
import type { IssueCode } from "../issues.ts";
import type { WalkedSitemap } from "../walk/events.ts";
import { dateText } from "./output/record.ts";

export function sitemapRecord(sitemap: WalkedSitemap, issues?: ReadonlyMap<IssueCode, number>): object {
  const { url, requestedUrl, outcome, source, parentUrl, level, kind, format, code, reason } = sitemap;
  const { lastModified, pageCount, childCount, issueCount, duplicateCount, partial, http } = sitemap;
  return {
    url,
    requestedUrl,
    outcome,
    source,
    parentUrl,
    level,
    kind,
    format,
    code,
    reason,
    lastmod:
      lastModified?.value === undefined
        ? lastModified?.text
        : dateText(lastModified.value, lastModified.precision),
    pages: pageCount,
    sitemaps: childCount,
    issues: issues === undefined ? issueCount : Object.fromEntries(issues),
    duplicates: duplicateCount,
    partial,
    status: http?.status,
    bytes: http?.bytes,
    ms: http?.ms,
  };
}
