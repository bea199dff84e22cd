/**
 * Text for a terminal.
 *
 * Stops the title or the error message that holds escape sequences (sec-O01): `ESC ] 8` makes a link that
 * leads elsewhere than it says, `ESC [ 2 J` clears what was there, some terminals can be made to type.
 * C1 characters do the same with one byte, bidi overrides show `exe.gpj` as `jpg.exe`.
 */
import { showInvisible } from "./invisible.ts";

/**
 * One line of text that a terminal only shows. Line breaks and tabs are written out too: the layout is
 * yours. Idempotent.
 *
 * @example
 * terminalText("a\u001b[2Jb"); // "a\\u001b[2Jb"
 */
export function terminalText(text: string): string {
  return showInvisible(text);
}
