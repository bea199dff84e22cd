/**
 * Checks untrusted JSON values: saved trees and snapshots. A check returns the value with its type, or throws an
 * `InvalidValue` error that names the place of the value, such as `$.subSitemaps[0].url`. Objects are copied property
 * by property. An unknown property is an error.
 */
import { logLine, MAX_MESSAGE_LENGTH } from "../escape/log-line.ts";

/** Thrown if a value is invalid. Callers convert it to the error of their file format. */
export class InvalidValue extends Error {}

export type Check<T> = (value: unknown) => T;

type OptionalKeys<T> = { [K in keyof T]-?: Record<never, never> extends Pick<T, K> ? K : never }[keyof T];

/** Maximum length of a value in a message. */
const SHOWN_LENGTH = 80;

/**
 * The place of the value that is being checked: property names and indexes below `root`. All checks share this
 * variable. This is safe, because checks are synchronous.
 */
const place: (string | number)[] = [];
let root: () => string = () => "$";

/** Checks a whole value. In messages, `name()` is the name of this value. */
export function checkAt<T>(name: () => string, check: Check<T>, value: unknown): T {
  place.length = 0;
  root = name;
  return check(value);
}

/** Checks a property or an item of the current value. If the check throws, `place` is kept for the message. */
export function checkPart<T>(part: string | number, check: Check<T>, value: unknown): T {
  place.push(part);
  const checked = check(value);
  place.pop();
  return checked;
}

export function fail(expected: string, value: unknown): never {
  const shown = value === undefined ? "missing" : describe(value);
  throw new InvalidValue(`${placeText()} must be ${expected}, but is ${shown}`);
}

function placeText(): string {
  const parts = place.map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`)).join("");
  return logLine(`${root()}${parts}`, { maxLength: MAX_MESSAGE_LENGTH });
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  // Shorten the value before JSON.stringify, because it may be megabytes long.
  const start = typeof value === "string" ? JSON.stringify(value.slice(0, SHOWN_LENGTH)) : String(value);
  return logLine(start, { maxLength: SHOWN_LENGTH });
}

export const text: Check<string> = (value) => (typeof value === "string" ? value : fail("a string", value));

export const flag: Check<boolean> = (value) =>
  typeof value === "boolean" ? value : fail("true or false", value);

export const yes: Check<true> = (value) => (value === true ? value : fail("true", value));

export const amount: Check<number> = (value) =>
  typeof value === "number" && Number.isFinite(value) ? value : fail("a number", value);

export const count: Check<number> = (value) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : fail("a count", value);

/** A fraction from 0 to 1. */
export const share: Check<number> = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : fail("a number from 0 to 1", value);

export function matching(pattern: RegExp, expected: string): Check<string> {
  return (value) => (typeof value === "string" && pattern.test(value) ? value : fail(expected, value));
}

export function oneOf<const T extends string>(values: readonly T[]): Check<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  const expected = `one of ${values.join(", ")}`;
  return (value) => (known.has(value) ? (value as T) : fail(expected, value));
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (value) =>
    Array.isArray(value) ? value.map((item, i) => checkPart(i, check, item)) : fail("an array", value);
}

/** Any object that is not an array. */
export const record: Check<Readonly<Record<string, unknown>>> = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : fail("an object", value);

/**
 * An object that has all required properties and no unknown ones. The compiler requires a check for each property of
 * `T`.
 */
export function shape<T extends object>(
  required: { readonly [K in Exclude<keyof T, OptionalKeys<T>>]: Check<T[K]> },
  optional: { readonly [K in OptionalKeys<T>]: Check<Exclude<T[K], undefined>> },
): Check<T> {
  const checks = new Map<string, Check<unknown>>(Object.entries({ ...required, ...optional }));
  const needed = Object.keys(required);
  return (value) => {
    const given = record(value);
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(given)) {
      const part = given[name];
      if (part === undefined) continue;
      const check = checks.get(name) ?? unknownProperty;
      copy[name] = checkPart(name, check, part);
    }
    for (const name of needed) if (copy[name] === undefined) checkPart(name, checks.get(name)!, undefined);
    return copy as T;
  };
}

function unknownProperty(value: unknown): never {
  return fail("absent, because this version of siteatlas does not know it", value);
}
