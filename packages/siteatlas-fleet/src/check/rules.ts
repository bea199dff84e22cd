/**
 * Rules for the values of options. Each group of options has a table with one rule per option: `OptionRules` in
 * check-options.ts.
 */
import { logLine } from "siteatlas/escape";

/** Describes why a value is invalid. */
export interface Fault {
  /**
   * Returns a sentence for the error message. `label` is the name of the value in this sentence, such as `option
   * shards`.
   */
  readonly describe: (label: string) => string;
  /** Whether the value has the right type but is out of range. */
  readonly isRange?: boolean;
}

export interface Rule<T> {
  readonly find: (value: unknown) => Fault | undefined;
  /**
   * This property is never set. It exists for the compiler: if the type of an option changes, its rule must also
   * change.
   */
  readonly type?: (value: T) => T;
}

/** The rule of an option that the caller must pass, because it has no default. */
export interface RequiredRule<T> extends Rule<T> {
  readonly isRequired: true;
}

export function required<T>({ find }: Rule<T>): RequiredRule<T> {
  return { find, isRequired: true };
}

function rule<T>(allowed: string, isValid: (value: unknown) => boolean): Rule<T> {
  return { find: (value) => (isValid(value) ? undefined : faultOf(allowed, value)) };
}

function faultOf(allowed: string, value: unknown): Fault {
  const hint = isPromise(value) ? ". Did you forget await?" : "";
  return { describe: (label) => `${label} must be ${allowed}, not ${showValue(value)}${hint}` };
}

export const TEXT: Rule<string> = rule("a string", (value) => typeof value === "string");

export const BOOLEAN: Rule<boolean> = rule("true or false", (value) => typeof value === "boolean");

export const PATH: Rule<string> = rule(
  "the path of a folder",
  (value) => typeof value === "string" && value !== "",
);

/**
 * The URL of a proxy. siteatlas also accepts the word `environment`. This rule rejects it, because walker processes do
 * not inherit environment variables such as HTTPS_PROXY.
 */
export const PROXY_URL: Rule<string> = rule(
  "an http or https URL",
  (value) => typeof value === "string" && value !== "environment",
);

export const DATE: Rule<Date> = rule(
  "a valid Date",
  (value) => value instanceof Date && !Number.isNaN(value.getTime()),
);

export const DAY: Rule<string> = rule(
  "a day such as 2026-11-15",
  (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
);

export function callable<T extends (...args: never[]) => unknown>(): Rule<T> {
  return rule("a function", (value) => typeof value === "function");
}

/** A rule for a number from `min` to `max`. Without a maximum, `Infinity` is allowed. */
export function number(min: number, max: number = Number.POSITIVE_INFINITY): Rule<number> {
  const range = max === Number.POSITIVE_INFINITY ? `of at least ${min}` : `from ${min} to ${max}`;
  return numeric(`a number ${range}`, (value) => value >= min && value <= max);
}

export function wholeNumber(min: number): Rule<number> {
  return numeric(`a whole number of at least ${min}`, (value) => Number.isSafeInteger(value) && value >= min);
}

/** A rule for milliseconds of a timer. A timer of Node with more than 2^31 - 1 ms would fire immediately. */
export const TIMER_MS: Rule<number> = number(1, 2 ** 31 - 1);

function numeric(allowed: string, isInRange: (value: number) => boolean): Rule<number> {
  return {
    find: (value) => {
      if (typeof value !== "number") return faultOf(allowed, value);
      return isInRange(value) ? undefined : { ...faultOf(allowed, value), isRange: true };
    },
  };
}

export function oneOf<const T extends readonly string[]>(values: T): Rule<T[number]> {
  const names = values.map((value) => JSON.stringify(value));
  const allowed = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
  return rule(allowed, (value) => values.includes(value as string));
}

export function listOf<T>({ find }: Rule<T>, allowed: string): Rule<readonly T[]> {
  return {
    find: (value) => {
      if (!Array.isArray(value)) return faultOf(allowed, value);
      for (const [index, item] of value.entries()) {
        const fault = find(item);
        if (fault !== undefined)
          return { ...fault, describe: (label) => fault.describe(`${label}[${index}]`) };
      }
      return undefined;
    },
  };
}

/** A rule for an object with this method, such as a connection or a class of the fleet. */
export function having<T extends object>(method: keyof T & string, allowed: string): Rule<T> {
  return rule(allowed, (value) => typeof (value as Partial<T> | null | undefined)?.[method] === "function");
}

/** A rule for a value that must satisfy both rules. */
export function both<T>(first: Rule<T>, second: Pick<Rule<never>, "find">): Rule<T> {
  return { find: (value) => first.find(value) ?? second.find(value) };
}

/**
 * Returns the value as text for an error message: `"no"`, `3`, `null`, `an array` or `a Promise`. Masks the credentials
 * of a URL.
 */
export function showValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(logLine(value, { maxLength: 80 }));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date) return "an invalid Date";
  return isPromise(value) ? "a Promise" : "an object";
}

function isPromise(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
