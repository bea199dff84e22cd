/** The findings of lint: one per rule and document, with the number of occurrences and the first places. */
import { issueValue } from "../model/issue-log.ts";
import type { Severity } from "../model/issue-severity.ts";
import type { LintRule, Occurrence } from "./rule.ts";

/** One rule that one document violates. */
export interface Finding {
  /** The id of the rule, such as `url.relative`. */
  readonly rule: string;
  /** The severity that applies. */
  readonly severity: Severity;
  /** URL of the document. */
  readonly url: string;
  /** Path of the document on disk, if it was read from a file. */
  readonly file?: string;
  /** Number of occurrences in the document. */
  readonly count: number;
  /** The first occurrences: at most 10 per document. */
  readonly places: readonly FindingPlace[];
}

/** One place with a problem. */
export interface FindingPlace {
  /** The text that has the problem, such as a URL: at most 200 characters, control characters escaped. */
  readonly value?: string;
  /** More about this place: lower case, no final period. */
  readonly detail?: string;
  /** Path of the file that has the problem, if it is not the document of the finding. */
  readonly file?: string;
  /** Line in the decoded document, starting at 1. */
  readonly line?: number;
  /** Column in UTF-16 code units, starting at 1. */
  readonly column?: number;
  /** The line, or the part of it around the problem. */
  readonly excerpt?: Excerpt;
}

/** A part of a line, and which part of it has the problem. */
export interface Excerpt {
  /** At most 160 characters, control characters escaped. */
  readonly text: string;
  /** Where the problem starts in `text`, from 0. */
  readonly from: number;
  /** Length of the problem in `text`. */
  readonly length: number;
}

/** Maximum number of places of a rule in one document. */
const PLACES_PER_DOCUMENT = 10;

/** The occurrences of one rule in one document, while the document is read. */
interface Draft {
  readonly rule: LintRule;
  count: number;
  readonly occurrences: Occurrence[];
}

/** Collects the occurrences in one document. Keeps the first places of each rule and counts the others. */
export class DocumentFindings {
  readonly #drafts: Map<LintRule, Draft> = new Map();

  /** Adds an occurrence. `times`: how many it stands for. 0 adds a place that is counted elsewhere. */
  add(rule: LintRule, occurrence: Occurrence, times: number = occurrence.times ?? 1): void {
    const draft = this.#draft(rule);
    draft.count += times;
    if (draft.occurrences.length < PLACES_PER_DOCUMENT) draft.occurrences.push(occurrence);
  }

  /** Sets the number of occurrences that someone else has counted. */
  setCount(rule: LintRule, count: number): void {
    this.#draft(rule).count = count;
  }

  /** Drops the findings of all other rules. */
  keep(isKept: (rule: LintRule) => boolean): void {
    for (const rule of this.#drafts.keys()) if (!isKept(rule)) this.#drafts.delete(rule);
  }

  get drafts(): Iterable<Readonly<Draft>> {
    return this.#drafts.values();
  }

  get size(): number {
    return this.#drafts.size;
  }

  #draft(rule: LintRule): Draft {
    let draft = this.#drafts.get(rule);
    if (draft === undefined) {
      draft = { rule, count: 0, occurrences: [] };
      this.#drafts.set(rule, draft);
    }
    return draft;
  }
}

/** An occurrence as a place, without its position. The text is safe to print. */
export function placeOf({ value, detail, line, file }: Occurrence): FindingPlace {
  return {
    ...(value !== undefined && { value: issueValue(value) }),
    ...(detail !== undefined && { detail: issueValue(detail) }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
  };
}
