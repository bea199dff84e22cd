/** Describes a value that a caller passed, for an error message. */
import { showInvisible } from "../escape/invisible.ts";
import { maskNoUrl } from "../escape/userinfo.ts";

/** Maximum length of a string in a message. */
const MAX_SHOWN = 80;

/** Returns a text such as `"no"`, `3`, `null`, `an array` or `a Promise`. Masks credentials in URLs. */
export function showValue(value: unknown): string {
  if (typeof value === "string") {
    const masked = maskNoUrl(value);
    const shown = masked.length > MAX_SHOWN ? `${masked.slice(0, MAX_SHOWN)}…` : masked;
    return showInvisible(JSON.stringify(shown));
  }
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  if (value instanceof Date && Number.isNaN(value.getTime())) return "an invalid Date";
  const name = nameOf(value);
  if (name === "Object") return "an object";
  return `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

/** Whether the value is a Promise. If it is, the caller probably forgot `await`. */
export function isPromise(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}

function nameOf(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === "string" && /^\w{1,40}$/.test(name) ? name : "Object";
}
