/**
 * Counts the URLs that strict mode dropped: one issue per URL. Documents that strict mode rejected are not counted here:
 * they are failures.
 */
import { type IssueCode, strictActionOf } from "../../model/issue-severity.ts";
import type { Issue } from "../../model/model.ts";
import type { WalkedSitemap } from "../../walk/events/events.ts";

/** The reported issues about entries without a <loc>. `urls` is the number of such entries that have a URL elsewhere. */
interface Missing {
  issues: number;
  urls: number;
}

export class StrictLosses {
  urls = 0;
  /** Whether `urls` is a lower bound. */
  isAtLeast = false;
  /** Entries without a <loc> in the documents that are being read. Keys are URLs of documents. */
  readonly #missing: Map<string, Missing> = new Map();

  /** Adds an issue. Returns whether strict mode dropped a URL because of it. */
  addIssue({ url, value, code }: Issue): boolean {
    if (code !== MISSING) return strictActionOf(code) === "drop";
    // Only strict mode drops an entry that has a URL in another place. An entry without any URL is dropped in every mode.
    const hasUrl = value !== undefined && /^https?:/i.test(value);
    const missing = this.#missing.get(url) ?? { issues: 0, urls: 0 };
    this.#missing.set(url, missing);
    missing.issues++;
    if (hasUrl) missing.urls++;
    return hasUrl;
  }

  /** Call this when a document has ended. */
  addDocument({ url, outcome, issueCounts = {} }: Counted): void {
    const missing = this.#missing.get(url) ?? { issues: 0, urls: 0 };
    this.#missing.delete(url);
    if (outcome !== "found") return;
    this.urls += missing.urls;
    for (const [code, times] of Object.entries(issueCounts)) {
      if (code !== MISSING && strictActionOf(code as IssueCode) === "drop") this.urls += times;
    }
    // A document reports only the first issues of each code. Whether the other entries have a URL is unknown.
    if ((issueCounts[MISSING] ?? 0) > missing.issues) this.isAtLeast = true;
  }
}

type Counted = Pick<WalkedSitemap, "url" | "outcome" | "issueCounts">;

const MISSING = "entry.missing-loc" satisfies IssueCode;
