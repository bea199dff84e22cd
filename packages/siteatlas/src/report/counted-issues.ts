/** The issues of a sitemap as `stats`, `tree` and `find` count them, so that their numbers are equal. */
import type { IssueCode } from "../model/issue-severity.ts";

/** Removes issues that describe the same fault as another issue, or as the failure of a sitemap. */
export function countedIssues(issues: ReadonlyMap<IssueCode, number>): Map<IssueCode, number> {
  const counted = new Map(issues);
  // An index lists a page that is not a sitemap. The listed page already counts as a failed sitemap.
  counted.delete("index.lists-page");
  // If a file is truncated, its XML is also incomplete. Count this as one issue.
  if (counted.has("gzip.truncated") || counted.has("http.truncated")) counted.delete("xml.truncated");
  return counted;
}
