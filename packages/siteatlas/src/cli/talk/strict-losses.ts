/**
 * The URLs that strict mode left out, which would have been repaired or kept without it. Counted from the
 * issues that are told; of a document with many of one kind these are not all, so the number may be a least
 * one. Documents that strict mode ended are failures, and counted with them.
 */
import { strictActionOf } from "../../issues.ts";
import type { Issue } from "../../model.ts";

export class StrictLosses {
  urls = 0;
  /** There are more URLs than those that were told. */
  isAtLeast = false;
  /** Issues told of documents that are not at their end. */
  readonly #told: Map<string, { issues: number; urls: number }> = new Map();
  #last = "";

  /** Whether it is a URL that was left out, and told for the first time. */
  addIssue(issue: Issue): boolean {
    const { url, line, value } = issue;
    const told = this.#told.get(url) ?? { issues: 0, urls: 0 };
    this.#told.set(url, told);
    told.issues++;
    if (!costsUrl(issue)) return false;
    // One URL may have several faults.
    const key = `${url} ${line} ${value}`;
    if (key === this.#last) return false;
    this.#last = key;
    told.urls++;
    this.urls++;
    return true;
  }

  /** A document is at its end; `issueCount` are all of its issues, also those that were not told. */
  addDocument(url: string, issueCount: number): void {
    const told = this.#told.get(url);
    this.#told.delete(url);
    if (told !== undefined && told.urls > 0 && issueCount > told.issues) this.isAtLeast = true;
  }
}

function costsUrl({ code, value }: Issue): boolean {
  // An entry without any URL gives nothing either way.
  if (code === "entry.missing-loc") return value !== undefined && /^https?:/i.test(value);
  return strictActionOf(code) === "drop";
}
