/**
 * Escapes invisible characters. Most functions of this folder use this file. Invisible characters are:
 *
 * - control characters (C0, DEL, C1): they move the cursor, clear the screen, change the title, ring the bell
 * - line and paragraph separators: they split one line into two
 * - format characters (bidi marks and overrides, zero-width characters, tags, soft hyphen) and other characters that
 *   Unicode marks as ignorable: they make one text look like another
 * - lone surrogates: they are not valid text, and encoders treat them in different ways
 */

const INVISIBLE: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A quick test before `INVISIBLE`, which is many times slower. Most texts are printable ASCII and need no other test.
 */
const BEYOND_ASCII: RegExp = /[^\x20-\x7e]/;

const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * Replaces invisible characters by escapes such as `\u001b`, `\n` or `\u{e0001}`. Backslashes are not escaped. So a
 * second call changes nothing, but the original text cannot always be restored.
 */
export function showInvisible(text: string): string {
  return replaceInvisible(text, showCharacter);
}

export function replaceInvisible(text: string, replace: (character: string) => string): string {
  return BEYOND_ASCII.test(text) ? text.replace(INVISIBLE, replace) : text;
}

function showCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  return character.length === 1 ? escapeUnit(character) : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Escapes one UTF-16 unit as in JSON and JavaScript: `\u001b`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
