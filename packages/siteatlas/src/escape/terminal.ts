/**
 * Escapes text for a terminal.
 *
 * Stops escape sequences in a title or an error message (sec-O01): `ESC ] 8` makes a link with a misleading
 * text, `ESC [ 2 J` clears the screen, and others make some terminals type a command. C1 characters do the same
 * without ESC. Bidi overrides show `exe.gpj` as `jpg.exe`.
 */
import { expectText } from "./expect-text.ts";
import { showInvisible } from "./invisible.ts";

/**
 * Returns one line of text that a terminal shows and does not interpret. Line breaks and tabs are also escaped.
 * A second call changes nothing.
 *
 * @example
 * terminalText("a\u001b[2Jb"); // "a\\u001b[2Jb"
 */
export function terminalText(text: string): string {
  expectText("terminalText", text);
  return showInvisible(text);
}
