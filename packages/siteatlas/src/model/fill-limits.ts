import { type OptionRules, type OtherNames, objectOf } from "../check/check-options.ts";
import { finiteNumber, number, type Rule } from "../check/rules.ts";

/**
 * The rule for the option `limits`: only known names, and numbers of at least 0. The limits in `waits` must be finite.
 */
export function limitsRule<L extends { readonly [Name in keyof L]?: number | undefined }>(
  defaults: Required<L>,
  otherNames: OtherNames = {},
  waits: readonly string[] = [],
): Rule<L> {
  const atLeastZero = number(0);
  const rules = Object.fromEntries(
    Object.keys(defaults).map((name) => [name, waits.includes(name) ? finiteNumber(0) : atLeastZero]),
  );
  return objectOf(rules as unknown as OptionRules<L>, otherNames);
}

/** Adds the defaults of the limits that the caller did not set. `Infinity` removes a limit. */
export function fillLimits<L extends Readonly<Record<keyof L, number>>>(
  defaults: L,
  given: { readonly [K in keyof L]?: number | undefined } = {},
): L {
  const limits: Record<string, number> = { ...defaults };
  for (const [name, value] of Object.entries<number | undefined>(given)) {
    if (value === undefined) continue;
    // This check is for browsers, where the parser must be small. In Node, limitsRule checks first, with better
    // messages.
    const isNumber = Object.hasOwn(defaults, name) && typeof value === "number";
    if (!isNumber || !(value >= 0)) throw new (isNumber ? RangeError : TypeError)(`Invalid limit ${name}`);
    limits[name] = value;
  }
  return limits as L;
}
