/** The issues of a sitemap as `stats`, `tree` and `find` count them, so that their numbers are equal. */
import type { IssueCode } from "../../model/issue-severity.ts";

/** Counts each fault once. The failure of a sitemap is not an issue: its code is the `code` of the sitemap. */
export function countedIssues(issues: ReadonlyMap<IssueCode, number>): Map<IssueCode, number> {
  const counted = new Map(issues);
  // The listed page is not a sitemap, so it counts as a failure. Do not count it twice.
  counted.delete("index.lists-page");
  // If a file is truncated, its XML is also incomplete. Count this as one issue.
  if (counted.has("gzip.truncated") || counted.has("http.truncated")) counted.delete("xml.truncated");
  return counted;
}
