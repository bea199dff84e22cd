/** Applies the severities that the caller sets for rules, such as `url.*=off`. */
import { nearestName } from "../check/suggest-name.ts";
import type { Severity } from "../model/issue-severity.ts";
import type { RuleText } from "./rule.ts";

/** A severity for a rule. `off` turns the rule off. */
export type RuleSeverity = Severity | "off";

/** Severities by rule id. A `*` at the end of an id stands for all rules that start with it. */
export type RuleSeverities = Readonly<Record<string, RuleSeverity>>;

/**
 * Returns the rules that are on, with the severity that applies. A later entry overrides an earlier one.
 *
 * @throws {RangeError} if an entry names no rule
 */
export function activeRules<R extends RuleText>(
  rules: readonly R[],
  severities: RuleSeverities,
): readonly R[] {
  const wanted = new Map<R, RuleSeverity>(rules.map((rule) => [rule, rule.isOff ? "off" : rule.severity]));
  for (const [pattern, severity] of Object.entries(severities)) {
    const matching = rules.filter(({ id }) => matches(id, pattern));
    if (matching.length === 0) throw new RangeError(unknownRule(pattern, rules));
    for (const rule of matching) wanted.set(rule, severity);
  }
  const active: R[] = [];
  for (const [rule, severity] of wanted) {
    if (severity === "off") continue;
    active.push(severity === rule.severity ? rule : { ...rule, severity });
  }
  return active;
}

/** Whether the id of a rule matches: `url.*` matches `url.relative`. */
export function matches(id: string, pattern: string): boolean {
  return pattern.endsWith("*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern;
}

function unknownRule(pattern: string, rules: readonly RuleText[]): string {
  const nearest = nearestName(
    pattern,
    rules.map(({ id }) => id),
  );
  return `unknown rule "${pattern.slice(0, 80)}"${nearest === undefined ? "" : `. Did you mean ${nearest}?`}`;
}
