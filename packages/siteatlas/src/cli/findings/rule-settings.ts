/** The settings of rules: `--rule` and `--ignore`. */
import { matches, type RuleSeverities, type RuleSeverity } from "../../lint/rule-settings.ts";
import type { Settings } from "../config/flags.ts";
import { urlGlob } from "../config/glob.ts";
import { UsageError } from "../process/usage-error.ts";

interface RuleSettings {
  readonly severities: RuleSeverities;
  readonly ignore?: (rule: string, value: string) => boolean;
}

export function ruleSettings(settings: Settings): RuleSettings {
  const ignore = ignoreTest(settings);
  return { severities: severitiesOf(settings), ...(ignore && { ignore }) };
}

/** Turns the error about an unknown rule into a usage error. Returns other errors unchanged. */
export function unknownRule(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error;
  return new UsageError(`--rule: ${error.message}`, "All rules: docs/lint-rules.md");
}

/** Reads `--rule` values: `url.tracking=off`. */
function severitiesOf({ rule = [] }: Settings): RuleSeverities {
  const pairs = rule.map((text) => text.split("=", 2) as [string, RuleSeverity]);
  return Object.fromEntries(pairs);
}

/** The test for `--ignore` values: `url.tracking:/shop/*`. */
function ignoreTest({ ignore = [] }: Settings): ((rule: string, value: string) => boolean) | undefined {
  if (ignore.length === 0) return undefined;
  const tests = ignore.map((text) => {
    const at = text.indexOf(":");
    return { rule: text.slice(0, at), test: urlGlob(text.slice(at + 1), "--ignore") };
  });
  return (id, value) => tests.some(({ rule, test }) => matches(id, rule) && test(value));
}
