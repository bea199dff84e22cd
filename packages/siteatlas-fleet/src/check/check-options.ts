/**
 * Checks the arguments of the public functions of the fleet against a table with one rule for each option. Plain
 * JavaScript has no types, so a misspelled option would otherwise be ignored.
 *
 * Misuse throws a `TypeError` that names the function, the option, the value and what is allowed. A number that is out
 * of range throws a `RangeError`.
 */
import { nearestName } from "./nearest-name.ts";
import { type Fault, type RequiredRule, type Rule, showValue } from "./rules.ts";

/**
 * One rule for each option. The compiler rejects a table with a missing or an additional option, with a rule for
 * another type, or without `required` for an option that has no default.
 */
export type OptionRules<O> = {
  readonly [Name in keyof O]-?: object extends Pick<O, Name>
    ? Rule<Exclude<O[Name], undefined>>
    : RequiredRule<O[Name]>;
};

/**
 * Checks an object of options. @throws {TypeError | RangeError} for an unknown or missing option, or an invalid value
 */
export function checkOptions<O>(caller: string, rules: OptionRules<O>, options: unknown): void {
  const fault = findFault(rules, options, (name) => `option ${name}`);
  if (fault !== undefined) throw misuse(caller, fault, "options");
}

/** Checks a single argument, such as the pool of `migrate`. For an object of options, use `checkOptions`. */
export function checkArgument<T>(caller: string, name: string, { find }: Rule<T>, value: unknown): void {
  const fault = find(value);
  if (fault !== undefined) throw misuse(caller, fault, name);
}

/** A rule for an option whose value is itself an object of options. `rules` has one rule for each of them. */
export function objectOf<O>(rules: OptionRules<O>): Rule<O> {
  return { find: (value) => findFault(rules, value) };
}

type AnyRule = Pick<RequiredRule<never>, "find"> & Partial<Pick<RequiredRule<never>, "isRequired">>;

function findFault<O>(
  rules: OptionRules<O>,
  options: unknown,
  labelOf?: (name: string) => string,
): Fault | undefined {
  if (typeof options !== "object" || options === null || Array.isArray(options) || "then" in options) {
    return { describe: (label) => `${label} must be an object, not ${showValue(options)}` };
  }
  const given = options as Readonly<Record<string, unknown>>;
  const inside = (name: string, describe: Fault["describe"]): Fault["describe"] => {
    return (label) => describe(labelOf?.(name) ?? `${label}.${name}`);
  };
  for (const name of Object.keys(given)) {
    if (given[name] === undefined || Object.hasOwn(rules, name)) continue;
    const nearest = nearestName(name, Object.keys(rules));
    const hint = nearest === undefined ? "" : `. Did you mean ${nearest}?`;
    return { describe: inside(name, (label) => `unknown ${label}${hint}`) };
  }
  for (const [name, { find, isRequired }] of Object.entries<AnyRule>(rules)) {
    const fault = given[name] === undefined && !isRequired ? undefined : find(given[name]);
    if (fault !== undefined) return { ...fault, describe: inside(name, fault.describe) };
  }
  return undefined;
}

/** Makes the error, such as `migrate: option shards must be a whole number of at least 1, not "many"`. */
function misuse(caller: string, { describe, isRange }: Fault, label: string): Error {
  const message = `${caller}: ${describe(label)}`;
  return isRange ? new RangeError(message) : new TypeError(message);
}
