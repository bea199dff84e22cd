/**
 * Checks the arguments of a public function against a table with one rule for each option. Plain JavaScript has no
 * types, so a misspelled option would otherwise be ignored silently.
 *
 * A wrong argument throws a `TypeError`. Its message names the function, the option, the value and the allowed values.
 * A number out of range throws a `RangeError`. The value `undefined` selects the default of the option.
 *
 * If the public function returns a promise, the promise rejects with the error. All other functions throw at the call,
 * even if they return a generator. An error at the first iteration could be far from the mistake.
 */
import { didYouMean, type Fault, type Rule } from "./rules.ts";
import { isPromise, showValue } from "./show-value.ts";
import { nearestName } from "./suggest-name.ts";

/**
 * A table with one rule for each option of `O`. The compiler rejects a table with a missing option, an unknown option,
 * or a rule of the wrong type.
 */
export type OptionRules<O> = {
  readonly [Name in keyof O]-?: Rule<Exclude<O[Name], undefined>>;
};

/** Wrong option names that callers may use, such as names of flags. The values are the correct names. */
export type OtherNames = Readonly<Record<string, string>>;

/** Checks all options. @throws {TypeError | RangeError} for an unknown option or an invalid value */
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

/** Checks a required argument. */
export function checkArgument<T>(caller: string, name: string, { find }: Rule<T>, value: unknown): void {
  const fault = find(value);
  if (fault !== undefined) throw misuse(caller, name, fault);
}

/** A rule for an object with these options. Each option may be missing. */
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

/** Whether the value is a plain object. A Map, a Date or a URL would look like an object without options. */
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

/**
 * Returns the error for a fault. Example of a message: `walkSitemaps: option crossHost must be "follow", "same-site" or
 * "none", not "no"`.
 */
function misuse(caller: string, name: string, fault: Fault): Error {
  const { path, value, allowed, isUnknown, isRange, isSecret } = fault;
  const hint = fault.hint ?? (isPromise(value) ? "Did you forget await?" : undefined);
  const shown = isSecret ? `this ${typeof value}` : (fault.shown ?? showValue(value));
  const what = isUnknown ? `unknown ${name}${path}` : `${name}${path} must be ${allowed}, not ${shown}`;
  const message = `${caller}: ${what}${hint === undefined ? "" : `. ${hint}`}`;
  return isRange ? new RangeError(message) : new TypeError(message);
}
