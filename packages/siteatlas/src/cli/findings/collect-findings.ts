/** Collects the findings of a run: removes those of the baseline, and groups the others by rule. */
import type { Finding } from "../../lint/finding.ts";
import { FindingGroups } from "../../lint/group-findings.ts";
import type { RuleText } from "../../lint/rule.ts";
import type { Settings } from "../config/flags.ts";
import { UsageError } from "../process/usage-error.ts";
import { Baseline, BaselineDraft } from "./baseline.ts";

/** Maximum number of examples per rule in a report. */
const MAX_EXAMPLES = 10;

export class CollectedFindings {
  readonly groups: FindingGroups;
  /** Complete sentences about checks that were not possible. */
  readonly notes: string[] = [];
  readonly #baseline: Baseline | undefined;
  readonly #draft: BaselineDraft | undefined;

  /** @throws {UsageError} if the baseline cannot be read */
  constructor(rules: readonly RuleText[], { baseline, updateBaseline }: Settings) {
    if (updateBaseline && baseline === undefined) {
      throw new UsageError("--update-baseline needs --baseline FILE");
    }
    this.groups = new FindingGroups(rules, MAX_EXAMPLES);
    this.#draft = updateBaseline ? new BaselineDraft() : undefined;
    this.#baseline = baseline === undefined || updateBaseline ? undefined : Baseline.read(baseline);
  }

  add(finding: Finding): void {
    this.#draft?.add(finding);
    const added = this.#baseline === undefined ? finding : this.#baseline.newPart(finding);
    if (added !== undefined) this.groups.add(added);
  }

  /** Number of findings that the baseline contains. */
  get known(): number {
    return this.#baseline?.known ?? 0;
  }

  /** The baseline to write. Undefined without `--update-baseline`. */
  get draft(): BaselineDraft | undefined {
    return this.#draft;
  }
}
