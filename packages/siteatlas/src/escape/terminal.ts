/**
 * Escapes text for a terminal.
 *
 * Stops escape sequences in a title or an error message (sec-O01). `ESC ] 8` makes a link with a misleading text,
 * `ESC [ 2 J` clears the screen, and other sequences make some terminals type a command. C1 characters have the same
 * effects without ESC. Bidi overrides show `exe.gpj` as `jpg.exe`.
 */
import { expectText } from "./expect-text.ts";
import { showInvisible } from "./invisible.ts";

/**
 * Returns one line of text without characters that a terminal interprets. Also escapes line breaks and tabs. A second
 * call changes nothing.
 *
 * @example
 * terminalText("a\u001b[2Jb"); // "a\\u001b[2Jb"
 */
export function terminalText(text: string): string {
  expectText("terminalText", text);
  return showInvisible(text);
}
