/** Groups findings by rule: how often, in how many documents, and the first places. */
import type { Severity } from "../model/issue-severity.ts";
import type { Finding, FindingPlace } from "./finding.ts";
import type { RuleText } from "./rule.ts";

/** All findings of one rule. */
export interface FindingGroup {
  readonly rule: RuleText;
  /** The severity that applies, which may differ from that of the rule. */
  readonly severity: Severity;
  /** Number of occurrences. */
  count: number;
  /** Number of documents that have an occurrence. */
  documents: number;
  /** The first places, with the document of each. */
  readonly examples: GroupExample[];
}

/** A place, and the document that it is in. */
export interface GroupExample extends FindingPlace {
  readonly url: string;
}

/** Numbers by severity. */
export type SeverityCounts = Readonly<Record<Severity, number>>;

const RANKS: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

export class FindingGroups {
  readonly #rules: ReadonlyMap<string, RuleText>;
  readonly #maxExamples: number;
  readonly #groups: Map<string, FindingGroup> = new Map();

  /** @param maxExamples maximum number of examples per rule */
  constructor(rules: readonly RuleText[], maxExamples: number) {
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
    this.#maxExamples = maxExamples;
  }

  add({ rule: id, severity, url, file, count, places }: Finding): void {
    let group = this.#groups.get(id);
    if (group === undefined) {
      const rule = this.#rules.get(id)!;
      group = { rule, severity, count: 0, documents: 0, examples: [] };
      this.#groups.set(id, group);
    }
    group.count += count;
    group.documents++;
    const shown = places.length === 0 ? [{}] : places;
    for (const place of shown.slice(0, this.#maxExamples - group.examples.length)) {
      group.examples.push({ url, ...(file !== undefined && { file }), ...place });
    }
  }

  /** The groups: errors first, then by number of occurrences. */
  sorted(): readonly FindingGroup[] {
    return [...this.#groups.values()].sort(
      (a, b) =>
        RANKS[a.severity] - RANKS[b.severity] || b.count - a.count || (a.rule.id < b.rule.id ? -1 : 1),
    );
  }

  /** Number of rules that have findings, by severity. */
  get counts(): SeverityCounts {
    const counts = { error: 0, warning: 0, info: 0 };
    for (const { severity } of this.#groups.values()) counts[severity]++;
    return counts;
  }
}
