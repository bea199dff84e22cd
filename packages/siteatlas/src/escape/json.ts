/**
 * Writes values as JSON on one line that every JSON parser accepts. The parser gets the same value, except for
 * lone surrogates.
 *
 * Stops:
 * - a record that becomes two: U+2028 and U+0085 are line breaks to some readers (sec-O05)
 * - escape sequences on a terminal: `JSON.stringify` keeps DEL, C1 and bidi characters (sec-O01)
 * - invalid JSON or UTF-8: `NaN`, `-0`, lone surrogates, which databases reject (sec-O08)
 * - `</script>` in a title (sec-O03)
 */
import { escapeUnit, replaceInvisible } from "./invisible.ts";

/**
 * Matches an escape of `JSON.stringify`, which escapes a surrogate only if it is not part of a pair.
 */
const ESCAPE = /\\(?:u[\da-f]{4}|.)/g;

/** Matches a text in which JSON escapes nothing. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Returns one record of NDJSON, without the final line feed. `NaN`, infinities and `undefined` become `null`,
 * a lone surrogate becomes U+FFFD.
 *
 * @throws {TypeError} for values without a JSON form: circular structures, bigints
 */
export function jsonLine(value: unknown): string {
  if (typeof value === "string" && PLAIN.test(value)) return `"${value}"`;
  const json = JSON.stringify(value) ?? "null";
  return replaceInvisible(json.includes("\\ud") ? json.replace(ESCAPE, wellFormed) : json, escapeUnits);
}

/** Returns JSON for the inside of a `<script>` element. No text in it can end the element. */
export function jsonForScript(value: unknown): string {
  return jsonLine(value).replace(/[<>&]/g, escapeUnit);
}

function wellFormed(escaped: string): string {
  return escaped.startsWith("\\ud") ? "\ufffd" : escaped;
}

/** Escapes a character above U+FFFF as two surrogates, as JSON requires. */
function escapeUnits(character: string): string {
  return character.length === 1
    ? escapeUnit(character)
    : escapeUnit(character.charAt(0)) + escapeUnit(character.charAt(1));
}
