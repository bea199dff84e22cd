/** Describes a sitemap as a flat object, for `tree --json` and `find --json` (docs/cli.md). */

import { dateText } from "../../model/format-date.ts";
import { type IssueCode, severityOf } from "../../model/issue-severity.ts";
import type { SitemapOrigin } from "../../walk/events/events.ts";
import { failureReason } from "../messages/failure-texts.ts";
import { isCutByLimit } from "../messages/run-counts.ts";
import type { TreeNode } from "../render/draw-tree.ts";

/**
 * @param options `isBeginning`: only the first page of the sitemap was read, so the numbers of pages and duplicates are
 * unknown
 */
export function sitemapRecord(
  site: string,
  { sitemap, issues, isListedByRobots }: TreeNode,
  { isBeginning = false }: { readonly isBeginning?: boolean } = {},
): object {
  const { url, requestedUrl, outcome, parentUrl, level, kind, format, code, cause, http } = sitemap;
  const { lastModified, pageCount, childCount, duplicateCount, duplicateOf, partial } = sitemap;
  return {
    site,
    url,
    requestedUrl,
    outcome,
    // For the walk, robots.txt is a sitemap like any other. For users, `robots` is the source of the sitemaps that it
    // lists.
    source: isListedByRobots ? ("robots" satisfies SitemapOrigin) : sitemap.source,
    parentUrl,
    level,
    kind,
    format,
    code,
    reason: failureReason(sitemap),
    cause,
    lastmod:
      lastModified?.value === undefined
        ? lastModified?.text
        : dateText(lastModified.value, lastModified.precision),
    ...(!isBeginning && { pages: pageCount }),
    sitemaps: childCount,
    ...(!isBeginning && { duplicates: duplicateCount }),
    duplicateOf,
    ...(isCutByLimit(sitemap) ? { cutByLimit: true } : { truncated: partial }),
    issues: issueList(issues),
    status: http?.status,
    bytes: http?.bytes,
    ms: http?.ms,
    waitMs: http?.waitMs,
  };
}

function issueList(issues: ReadonlyMap<IssueCode, number>): object[] {
  return [...issues].map(([code, count]) => ({ code, severity: severityOf(code), count }));
}
