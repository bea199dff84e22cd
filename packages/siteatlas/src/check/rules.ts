/**
 * Rules for the values that callers pass. A rule describes the allowed values, and finds the first invalid part of a
 * value. The tables of options consist of rules: `OptionRules` in check-options.ts.
 */
import { nearestName } from "./suggest-name.ts";

/** The first invalid part of a value. */
export interface Fault {
  /** Where the invalid part is in the value, such as `[2]` or `.accept`. Empty for the value itself. */
  readonly path: string;
  readonly value: unknown;
  /** Text about the allowed values, to be read after "must be". */
  readonly allowed: string;
  /** A sentence that helps to correct the value. */
  readonly hint?: string | undefined;
  /** Whether the invalid part is a name that does not exist. */
  readonly isUnknown?: boolean;
  /** Whether the value has the right type but is out of range: a `RangeError` instead of a `TypeError`. */
  readonly isRange?: boolean;
  /** Whether the value may be a secret that must not be in the message. */
  readonly isSecret?: boolean;
  /** Describes the value, to be read after "not". @default showValue(value) */
  readonly shown?: string;
}

export interface Rule<T> {
  /** Text about the allowed values, to be read after "must be". */
  readonly allowed: string;
  readonly find: (value: unknown) => Fault | undefined;
  /** Never set. It ties the rule to exactly this type: if an option's type changes, its rule must change. */
  readonly type?: (value: T) => T;
}

/** A rule for a value as a whole. The other functions here also check the parts of objects and arrays. */
export function rule<T>(
  allowed: string,
  isValid: (value: unknown) => boolean,
  hint?: (value: unknown) => string | undefined,
): Rule<T> {
  return {
    allowed,
    find: (value) => (isValid(value) ? undefined : { path: "", value, allowed, hint: hint?.(value) }),
  };
}

// Literals instead of calls, so that bundlers can drop unused ones.

export const BOOLEAN: Rule<boolean> = {
  allowed: "true or false",
  find: (value) => faultUnless(typeof value === "boolean", value, BOOLEAN),
};

export const STRING: Rule<string> = {
  allowed: "a string",
  find: (value) => faultUnless(typeof value === "string", value, STRING),
};

export const DATE: Rule<Date> = {
  allowed: "a valid Date",
  find: (value) => faultUnless(value instanceof Date && !Number.isNaN(value.getTime()), value, DATE),
};

export const FILE_PATH: Rule<string | URL> = {
  allowed: "the path of a file or a file: URL",
  find: (value) => {
    const isFile =
      value instanceof URL ? value.protocol === "file:" : typeof value === "string" && value !== "";
    return faultUnless(isFile, value, FILE_PATH);
  },
};

export const SIGNAL: Rule<AbortSignal> = {
  allowed: "an AbortSignal",
  find: (value) => {
    const isSignal = typeof (value as Partial<AbortSignal> | null)?.throwIfAborted === "function";
    const hint = value instanceof AbortController ? "Pass its signal property." : undefined;
    return isSignal ? undefined : { path: "", value, allowed: SIGNAL.allowed, hint };
  },
};

function faultUnless<T>(isValid: boolean, value: unknown, { allowed }: Rule<T>): Fault | undefined {
  return isValid ? undefined : { path: "", value, allowed };
}

/** A rule for one of these values. A string that is similar to one of them gets a suggestion. */
export function oneOf<const T extends readonly (string | boolean)[]>(...values: T): Rule<T[number]> {
  const names = values.filter((value) => typeof value === "string");
  return rule(
    orList(values.map((value) => JSON.stringify(value))),
    (value) => values.includes(value as T[number]),
    (value) => (typeof value === "string" ? didYouMean(nearestName(value, names), '"') : undefined),
  );
}

/** A rule for a number from `min` to `max`. Without a maximum, `Infinity` is allowed. */
export function number(min: number, max: number = Number.POSITIVE_INFINITY): Rule<number> {
  const allowed =
    max === Number.POSITIVE_INFINITY ? `a number of at least ${min}` : `a number from ${min} to ${max}`;
  return inRange(allowed, (value) => value >= min && value <= max);
}

/** A rule for a finite number: a wait of `Infinity` would never end. */
export function finiteNumber(min: number): Rule<number> {
  return inRange(`a finite number of at least ${min}`, (value) => value >= min && Number.isFinite(value));
}

/** A rule for a count. `Infinity` is allowed. */
export function wholeNumber(min: number): Rule<number> {
  return inRange(
    `a whole number of at least ${min}, or Infinity`,
    (value) => value >= min && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY),
  );
}

function inRange(allowed: string, isInRange: (value: number) => boolean): Rule<number> {
  return {
    allowed,
    find: (value) => {
      if (typeof value !== "number") return { path: "", value, allowed };
      return isInRange(value) ? undefined : { path: "", value, allowed, isRange: true };
    },
  };
}

export function callable<T extends (...args: never[]) => unknown>(allowed = "a function"): Rule<T> {
  return rule(allowed, (value) => typeof value === "function");
}

/** A rule for an array, or another iterable that is not a string, whose items satisfy the rule. */
export function listOf<T>(items: Rule<T>, allowed: string): Rule<readonly T[]> {
  return {
    allowed,
    find: (value) => {
      if (!Array.isArray(value)) {
        const hint = typeof value === "string" ? "Put it into an array." : undefined;
        return { path: "", value, allowed, hint };
      }
      for (const [index, item] of value.entries()) {
        const fault = items.find(item);
        if (fault !== undefined) return { ...fault, path: `[${index}]${fault.path}` };
      }
      return undefined;
    },
  };
}

/** A rule for a value that one of the two rules accepts. */
export function either<A, B>(first: Rule<A>, second: Rule<B>): Rule<A | B> {
  const allowed = `${first.allowed} or ${second.allowed}`;
  return {
    allowed,
    find: (value) => {
      const fault = first.find(value);
      const other = fault && second.find(value);
      if (fault === undefined || other === undefined) return undefined;
      // A fault inside the value is more precise than a fault of the value itself.
      if (fault.path !== "" || fault.isRange) return fault;
      return other.path !== "" || other.isRange ? other : { ...fault, allowed };
    },
  };
}

export const ONE_OR_MORE: Rule<string | readonly string[]> = {
  allowed: "a string or an array of strings",
  find: (value) => either(STRING, listOf(STRING, "an array of strings")).find(value),
};

/** `"a", "b" or "c"` */
function orList(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
}

export function didYouMean(name: string | undefined, quote = ""): string | undefined {
  return name === undefined ? undefined : `Did you mean ${quote}${name}${quote}?`;
}
