/**
 * Writes values as JSON on one line that every JSON parser accepts. The parser gets the same value, except for
 * lone surrogates.
 *
 * Stops these attacks:
 * - one record that is read as two: some readers take U+2028 and U+0085 for line breaks (sec-O05)
 * - escape sequences on a terminal: `JSON.stringify` keeps DEL, C1 and bidi characters (sec-O01)
 * - invalid JSON or UTF-8 that databases reject: `NaN`, `-0`, lone surrogates (sec-O08)
 * - `</script>` in a title (sec-O03)
 */
import { escapeUnit, replaceInvisible } from "./invisible.ts";

/**
 * Matches an escape in the output of `JSON.stringify`, such as `\n` or `\ud800`. A surrogate is written as an escape
 * only if it is not part of a pair.
 */
const ESCAPE = /\\(?:u[\da-f]{4}|.)/g;

/** Matches a text without characters that JSON must escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Returns one record of NDJSON, without the final line feed. `NaN`, infinities and `undefined` become `null`. A lone
 * surrogate becomes U+FFFD.
 *
 * @throws {TypeError} for values without a JSON form: circular structures, bigints
 */
export function jsonLine(value: unknown): string {
  if (typeof value === "string" && PLAIN.test(value)) return `"${value}"`;
  const json = JSON.stringify(value) ?? "null";
  return replaceInvisible(json.includes("\\ud") ? json.replace(ESCAPE, wellFormed) : json, escapeUnits);
}

/** Returns JSON for the inside of a `<script>` element. No text in the value can end the element. */
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
