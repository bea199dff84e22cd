/**
 * Counts the URLs that strict mode dropped. A walk reports only the first issues of each code, but counts all. One URL
 * may have several issues, so if a document has several codes, the number of URLs may be a lower bound. Documents that
 * strict mode rejected are not counted here: they are failures.
 */
import { type IssueCode, strictActionOf } from "../../model/issue-severity.ts";
import type { Issue } from "../../model/model.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";

interface Reported {
  issues: number;
  urls: number;
  /**
   * Number of issues about entries without a <loc>. `missingUrls` is the number of such entries that have a URL in
   * another place.
   */
  missing: number;
  missingUrls: number;
}

export class StrictLosses {
  urls = 0;
  /** Whether `urls` is a lower bound. */
  isAtLeast = false;
  /** Number of reported issues of each document that is being read. Keys are URLs of documents. */
  readonly #reported: Map<string, Reported> = new Map();
  #last = "";

  /** Adds an issue. Returns whether it dropped a URL that was not counted yet. */
  addIssue(issue: Issue): boolean {
    const { url, line, value, code } = issue;
    const reported = this.#reported.get(url) ?? { issues: 0, urls: 0, missing: 0, missingUrls: 0 };
    this.#reported.set(url, reported);
    reported.issues++;
    if (code === MISSING) reported.missing++;
    if (!costsUrl(issue)) return false;
    // One URL may have several issues in a row. Count it once.
    const key = `${url} ${line} ${value}`;
    if (key === this.#last) return false;
    this.#last = key;
    if (code === MISSING) reported.missingUrls++;
    reported.urls++;
    this.urls++;
    return true;
  }

  /** Call this when a document has ended. */
  addDocument({ url, outcome, issueCount, issueCounts = {} }: WalkedSitemap): void {
    const reported = this.#reported.get(url);
    this.#reported.delete(url);
    if (reported === undefined || outcome !== "found" || issueCount <= reported.issues) return;
    const counts = Object.entries(issueCounts)
      .filter(([code]) => code !== MISSING && strictActionOf(code as IssueCode) === "drop")
      .map(([, times]) => times);
    const least = Math.max(reported.urls, reported.missingUrls + Math.max(0, ...counts));
    const most =
      reported.missingUrls +
      ((issueCounts[MISSING] ?? 0) - reported.missing) +
      counts.reduce((sum, times) => sum + times, 0);
    this.urls += least - reported.urls;
    if (most > least) this.isAtLeast = true;
  }
}

const MISSING = "entry.missing-loc" satisfies IssueCode;

function costsUrl({ code, value }: Issue): boolean {
  // If an entry has no <loc>, but a URL in another place, only strict mode drops the URL. An entry without any URL is
  // dropped in every mode, so it is not counted here.
  if (code === MISSING) return value !== undefined && /^https?:/i.test(value);
  return strictActionOf(code) === "drop";
}
