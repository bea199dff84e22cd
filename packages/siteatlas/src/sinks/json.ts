/**
 * Values as JSON, on one line, in a form that every reader takes.
 *
 * Stops the record that becomes two (U+2028 and U+0085 are line breaks to some readers, sec-O05), escape
 * sequences where JSON is shown on a terminal (`JSON.stringify` lets DEL, C1 and bidi characters through,
 * sec-O01), what is no JSON or no UTF-8 (`NaN`, `-0`, lone surrogates, which databases refuse, sec-O08) and
 * the `</script>` in a title (sec-O03). The value that a reader gets is the same, lone surrogates aside.
 */
import { escapeUnit, replaceInvisible } from "./invisible.ts";

/** An escape as `JSON.stringify` writes them. Pairs it writes as they are: an escaped surrogate is a lone one. */
const ESCAPE = /\\(?:u[\da-f]{4}|.)/g;

/** Nothing in it is escaped. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * One record of NDJSON, without the line feed at its end. `NaN` and infinities are `null`, a lone surrogate is
 * U+FFFD, `undefined` is `null`.
 *
 * @throws {TypeError} for what JSON has no form for: circular structures, bigints
 */
export function jsonLine(value: unknown): string {
  if (typeof value === "string" && PLAIN.test(value)) return `"${value}"`;
  const json = JSON.stringify(value) ?? "null";
  return replaceInvisible(json.includes("\\ud") ? json.replace(ESCAPE, wellFormed) : json, escapeUnits);
}

/** JSON for the inside of a `<script>` element, which nothing in it ends. */
export function jsonForScript(value: unknown): string {
  return jsonLine(value).replace(/[<>&]/g, escapeUnit);
}

function wellFormed(escaped: string): string {
  return escaped.startsWith("\\ud") ? "\ufffd" : escaped;
}

/** JSON escapes a character beyond the first 65,536 as its two halves. */
function escapeUnits(character: string): string {
  return character.length === 1
    ? escapeUnit(character)
    : escapeUnit(character.charAt(0)) + escapeUnit(character.charAt(1));
}
