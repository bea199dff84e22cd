/**
 * Rules for the values that callers pass. A rule describes the allowed values, and finds the first invalid part of a
 * value. `OptionRules` in check-options.ts is a table of rules.
 */
import { nearestName } from "./suggest-name.ts";

/** The first invalid part of a value. */
export interface Fault {
  /** The position of the invalid part in the value, such as `[2]` or `.accept`. Empty for the value itself. */
  readonly path: string;
  readonly value: unknown;
  /** Describes the allowed values. In the message, this text follows "must be". */
  readonly allowed: string;
  /** A sentence that helps to correct the value. */
  readonly hint?: string | undefined;
  /** Whether the invalid part is an option name that does not exist. */
  readonly isUnknown?: boolean;
  /** Whether the value has the right type but is out of range. Then the error is a `RangeError`, not a `TypeError`. */
  readonly isRange?: boolean;
  /** Whether the value may be a secret. Then the message does not contain it. */
  readonly isSecret?: boolean;
  /** Describes the value. In the message, this text follows "not". @default showValue(value) */
  readonly shown?: string;
}

export interface Rule<T> {
  /** Describes the allowed values. In the message, this text follows "must be". */
  readonly allowed: string;
  readonly find: (value: unknown) => Fault | undefined;
  /**
   * Never set. It makes the compiler reject the rule for another type, for example after the type of an option changed.
   */
  readonly type?: (value: T) => T;
}

/** A rule that checks a value as a whole. It does not check properties or items. */
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

// These rules are object literals, not calls of `rule`, so that bundlers can remove unused rules.

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

/** A rule that allows only these values. For a similar string, the message suggests the correct value. */
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

/** A rule for a finite number, such as a waiting time. A wait of `Infinity` would never end. */
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

/** A rule for an array. Each item must satisfy the rule `items`. */
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
      // Prefer a fault in a part of the value, because it is more precise than a fault of the whole value.
      if (fault.path !== "" || fault.isRange) return fault;
      return other.path !== "" || other.isRange ? other : { ...fault, allowed };
    },
  };
}

export const ONE_OR_MORE: Rule<string | readonly string[]> = {
  allowed: "a string or an array of strings",
  find: (value) => either(STRING, listOf(STRING, "an array of strings")).find(value),
};

/** Joins items to a list such as `"a", "b" or "c"`. */
function orList(items: readonly string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1)}`;
}

export function didYouMean(name: string | undefined, quote = ""): string | undefined {
  return name === undefined ? undefined : `Did you mean ${quote}${name}${quote}?`;
}
