/**
 * Checks the arguments of a public function against a table with one rule for each option. Plain JavaScript has no
 * types, so a misspelled option would otherwise be ignored silently.
 *
 * Misuse is a `TypeError` that names the function, the option, the value and what is allowed. A number that is out of
 * range is a `RangeError`. An option that is `undefined` has its default.
 *
 * A function that returns a promise rejects it. Any other function throws at the call, even if it returns a
 * generator: an error at the first iteration could surface far from the mistake.
 */
import { didYouMean, type Fault, type Rule } from "./rules.ts";
import { isPromise, showValue } from "./show-value.ts";
import { nearestName } from "./suggest-name.ts";

/**
 * One rule for each option. The compiler rejects a table with a missing or an additional option, or with a rule for
 * another type.
 */
export type OptionRules<O> = {
  readonly [Name in keyof O]-?: Rule<Exclude<O[Name], undefined>>;
};

/** Other names that callers may expect, such as names of flags, and the options that they mean. */
export type OtherNames = Readonly<Record<string, string>>;

/** @throws {TypeError | RangeError} for an unknown option or an invalid value */
export function checkOptions<O>(
  caller: string,
  rules: OptionRules<O>,
  options: unknown,
  otherNames?: OtherNames,
): void {
  if (options === undefined) return;
  const fault = objectOf(rules, otherNames).find(options);
  if (fault === undefined) return;
  throw misuse(caller, fault.path === "" ? "options" : "option ", { ...fault, path: fault.path.slice(1) });
}

/** Checks an argument that has no default. */
export function checkArgument<T>(caller: string, name: string, { find }: Rule<T>, value: unknown): void {
  const fault = find(value);
  if (fault !== undefined) throw misuse(caller, name, fault);
}

/** A rule for an object with these options, all of them optional. */
export function objectOf<O>(rules: OptionRules<O>, otherNames: OtherNames = {}): Rule<O> {
  const allowed = "an object";
  return {
    allowed,
    find: (value) => {
      if (!isOptionsObject(value)) {
        return { path: "", value, allowed };
      }
      const given = value as Readonly<Record<string, unknown>>;
      for (const name of Object.keys(given)) {
        if (given[name] !== undefined && !Object.hasOwn(rules, name))
          return unknownName(name, rules, otherNames);
      }
      for (const [name, { find }] of Object.entries<Pick<Rule<never>, "find">>(rules)) {
        const fault = given[name] === undefined ? undefined : find(given[name]);
        if (fault !== undefined) return { ...fault, path: `.${name}${fault.path}` };
      }
      return undefined;
    },
  };
}

/** A Map, a Date or a URL is not an options object, but would look like one without options. */
function isOptionsObject(value: unknown): boolean {
  return /^\[object (?:Object|Module)\]$/.test(Object.prototype.toString.call(value)) && !isPromise(value);
}

function unknownName(name: string, rules: object, otherNames: OtherNames): Fault {
  const path = `.${/^\w{1,40}$/.test(name) ? name : showValue(name)}`;
  const hint = didYouMean(
    Object.hasOwn(otherNames, name) ? otherNames[name] : nearestName(name, Object.keys(rules)),
  );
  return { path, value: undefined, allowed: "", hint, isUnknown: true };
}

/** The error for an argument of the wrong type. */
export function invalidArgument(caller: string, name: string, allowed: string, value: unknown): Error {
  return misuse(caller, name, { path: "", value, allowed });
}

/** `walkSitemaps: option crossHost must be "follow", "same-site" or "none", not "no"` */
function misuse(caller: string, name: string, fault: Fault): Error {
  const { path, value, allowed, isUnknown, isRange, isSecret } = fault;
  const hint = fault.hint ?? (isPromise(value) ? "Did you forget await?" : undefined);
  const shown = isSecret ? `this ${typeof value}` : (fault.shown ?? showValue(value));
  const what = isUnknown ? `unknown ${name}${path}` : `${name}${path} must be ${allowed}, not ${shown}`;
  const message = `${caller}: ${what}${hint === undefined ? "" : `. ${hint}`}`;
  return isRange ? new RangeError(message) : new TypeError(message);
}
