/**
 * Counts the issues of a walk by code. A document reports at most `limits.issues` issues one by one, but the event at
 * its end has all counts. A failed sitemap counts as one issue.
 */
import { type IssueCode, type Severity, severityOf } from "../model/issue-severity.ts";
import type { Issue } from "../model/model.ts";
import { isGuess, type WalkedSitemap } from "../walk/events/events.ts";
import { isFailure } from "../walk/events/failed-sitemap.ts";
import { MISPLACED_CODES } from "../walk/events/place-reporter.ts";

export interface IssueCount {
  readonly severity: Severity;
  count: number;
}

export const SEVERITIES: readonly Severity[] = ["error", "warning", "info"];

export class IssueCounts {
  readonly #issues: Map<IssueCode, IssueCount> = new Map();
  /**
   * Reported issues of documents that are being read. Keys are URLs of documents, then issue codes. Values are counts.
   */
  readonly #pending: Map<string, Map<IssueCode, number>> = new Map();

  add({ url, code }: Issue): void {
    // This issue has the URL of the index. It is counted when the listed document ends.
    if (MISPLACED_CODES.has(code)) return;
    const codes = this.#pending.get(url) ?? new Map<IssueCode, number>();
    this.#pending.set(url, codes);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }

  /**
   * Counts the issues of a document when it has ended. A failure counts as an issue, unless it is a known location
   * without a sitemap.
   */
  addSitemap(sitemap: WalkedSitemap): void {
    const { url, requestedUrl = url, redirects = [], source, outcome, code, issueCounts = {} } = sitemap;
    const found = new Map(Object.entries(issueCounts) as [IssueCode, number][]);
    for (const one of new Set([url, requestedUrl, ...redirects])) {
      // `issueCounts` has all issues, but is empty for a document that is listed again. Reported issues are at most ten
      // per code. Use the larger number.
      for (const [reported, times] of this.#pending.get(one) ?? [])
        found.set(reported, Math.max(times, found.get(reported) ?? 0));
      this.#pending.delete(one);
    }
    if (isGuess(source) && outcome === "failed") return;
    const counted = countedIssues(found);
    if (isFailure(sitemap) && code !== undefined && !counted.has(code)) counted.set(code, 1);
    for (const [one, times] of counted) this.#count(one, times);
  }

  /** The issues, sorted by severity, then by count. */
  sorted(): [code: IssueCode, issue: IssueCount][] {
    // The issues that are left belong to the site, not to a document.
    for (const codes of this.#pending.values()) for (const [code, times] of codes) this.#count(code, times);
    this.#pending.clear();
    return [...this.#issues].sort(
      ([codeA, a], [codeB, b]) =>
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        b.count - a.count ||
        (codeA < codeB ? -1 : 1),
    );
  }

  #count(code: IssueCode, times: number): void {
    const entry = this.#issues.get(code);
    if (entry === undefined) this.#issues.set(code, { severity: severityOf(code), count: times });
    else entry.count += times;
  }
}

/**
 * The issues of a sitemap as `stats`, `tree` and `find` count them, so that their numbers are equal. Removes issues that
 * describe the same fault as another issue, or as the failure of a sitemap.
 */
export function countedIssues(issues: ReadonlyMap<IssueCode, number>): Map<IssueCode, number> {
  const counted = new Map(issues);
  // An index lists a page that is not a sitemap. The listed page already counts as a failed sitemap.
  counted.delete("index.lists-page");
  // If a file is truncated, its XML is also incomplete. Count this as one issue.
  if (counted.has("gzip.truncated") || counted.has("http.truncated")) counted.delete("xml.truncated");
  return counted;
}
