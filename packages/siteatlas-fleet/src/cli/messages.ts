/**
 * Prints results on standard output and messages on standard error, and formats numbers for people.
 *
 * Arguments, file names, reasons in the database and messages of servers are untrusted. Every message and all JSON is
 * escaped here. So no escape sequence or bidi character reaches a terminal, and no password of a URL reaches a log.
 */
import { jsonLine, logLine } from "siteatlas/escape";
import { errorText } from "./error-text.ts";
import type { UsageError } from "./usage-error.ts";

/** Prints a line as it is. It must not contain untrusted text. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(jsonLine(value));
}

/** Prints JSON on several lines, for people. */
export function printIndentedJson(value: unknown): void {
  const json = JSON.stringify(value, undefined, 2);
  print(json.replace(/[^\n -~]/gu, (character) => jsonLine(character).slice(1, -1)));
}

/** Writes one line to standard error. */
export function log(text: string): void {
  process.stderr.write(`${logLine(text)}\n`);
}

export function logError(error: unknown): void {
  log(`error: ${errorText(error)}`);
  const { hint } = error as Partial<UsageError>;
  if (hint !== undefined) log(`  ${hint}`);
}

/** Writes an error of commander. It may end with a line such as `(Did you mean --every?)`. */
export function logCommanderError(text: string): void {
  const [, message = text, hint] = /^(.*?)(?:\n(\(Did you mean [^\n]*\)))?\n?$/s.exec(text) ?? [];
  log(message);
  if (hint !== undefined) log(hint);
}

/** Formats a number: 80356 becomes `80,356`. */
export function number(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** Formats a number with its noun: `1 page`, `80,356 pages`. */
export function count(value: number, one: string): string {
  return `${number(value)} ${one}${value === 1 ? "" : "s"}`;
}

/** Formats a size: 4200000 becomes `4.2 MB`. */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let rest = value;
  while (rest >= 1000 && units.length > 1) {
    rest /= 1000;
    units.shift();
  }
  return `${units[0] === "B" ? Math.round(rest) : rest.toFixed(1)} ${units[0]}`;
}

/** Formats a duration: `30 s`, `15 min`, `3 days`. */
export function duration(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
