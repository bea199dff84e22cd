/**
 * A sitemap as one flat object, for `tree --json` and `find --json`. The names are those of the last line and
 * of the other commands' JSON: docs/cli.md.
 */

import { dateText } from "../date-text.ts";
import { type IssueCode, severityOf } from "../issues.ts";
import type { SitemapOrigin, WalkedSitemap } from "../walk/events.ts";
import type { TreeNode } from "./picture/draw-tree.ts";
import { failureReason } from "./talk/failures.ts";

/** `isBeginning`: only its beginning was looked at, so how much there is in it is not known. */
export function sitemapRecord(
  site: string,
  { sitemap, issues }: TreeNode,
  { isBeginning = false }: { readonly isBeginning?: boolean } = {},
): object {
  const { url, requestedUrl, outcome, parentUrl, level, kind, format, code, http } = sitemap;
  const { lastModified, pageCount, childCount, issueCount, duplicateCount, duplicateOf, partial } = sitemap;
  const told = [...issues.values()].reduce((sum, times) => sum + times, 0);
  return {
    site,
    url,
    requestedUrl,
    outcome,
    source: sourceOf(sitemap),
    parentUrl,
    level,
    kind,
    format,
    code,
    reason: failureReason(sitemap),
    lastmod:
      lastModified?.value === undefined
        ? lastModified?.text
        : dateText(lastModified.value, lastModified.precision),
    ...(!isBeginning && { pages: pageCount }),
    sitemaps: childCount,
    ...(!isBeginning && { duplicates: duplicateCount }),
    duplicateOf,
    truncated: partial,
    issues: issueList(issues),
    ...(!isBeginning && { moreIssues: Math.max(0, issueCount - told) }),
    status: http?.status,
    bytes: http?.bytes,
    ms: http?.ms,
    waitMs: http?.waitMs,
  };
}

/** How it was found. Of what robots.txt names the walk says that a sitemap does. */
export function sourceOf({ source, parentUrl }: WalkedSitemap): SitemapOrigin {
  return source === "sitemap" && parentUrl?.endsWith("/robots.txt") ? "robots" : source;
}

function issueList(issues: ReadonlyMap<IssueCode, number>): object[] {
  return [...issues].map(([code, count]) => ({ code, severity: severityOf(code), count }));
}
