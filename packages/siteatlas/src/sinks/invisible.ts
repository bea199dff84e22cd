/**
 * The characters that do something instead of showing something, and how they are written out. The other
 * sinks build on this one class:
 *
 * - control characters (C0, DEL, C1): move the cursor, clear the screen, change the title, ring the bell
 * - line and paragraph separators: a second line where there should be one
 * - format characters (bidi marks and overrides, zero-width, tags, soft hyphen) and everything else that
 *   Unicode says to leave unshown: make a text look like another one
 * - lone surrogates: no text at all, every encoder does something else with them
 */

const INVISIBLE: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** Nothing but these is in most texts; the test is many times faster than the one above. */
const BEYOND_ASCII: RegExp = /[^\x20-\x7e]/;

const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * The text with `\u001b`, `\n` or `\u{e0001}` in place of what cannot be seen. A backslash of the text stays
 * as it is, so the result cannot always be turned back, but doing it twice is the same as once.
 */
export function showInvisible(text: string): string {
  return replaceInvisible(text, showCharacter);
}

/** Calls back for each character that cannot be seen. */
export function replaceInvisible(text: string, replace: (character: string) => string): string {
  return BEYOND_ASCII.test(text) ? text.replace(INVISIBLE, replace) : text;
}

function showCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  return character.length === 1 ? escapeUnit(character) : `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** `\u001b`: one UTF-16 unit as JSON and JavaScript write it. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
