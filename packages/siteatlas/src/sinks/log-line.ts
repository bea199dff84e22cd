/**
 * Text for a log, and for messages that end up in one.
 *
 * Stops the forged record (a title that holds a line break and then what looks like the next line, sec-O05),
 * the escape sequence that waits for somebody to `cat` the log (sec-O01), the password that is kept for ever
 * (sec-O07) and the message of a megabyte.
 */
import { showInvisible } from "./invisible.ts";
import { redactText, redactUrl } from "./redact.ts";

/** What an error message or a reason may take up: three shortened URLs and the words between them. */
export const MAX_MESSAGE_LENGTH = 512;

const MAX_LINE_LENGTH = 8192;
const MAX_URL_LENGTH = 150;
const ELLIPSIS = "…";

export interface LogLineOptions {
  /**
   * In UTF-16 units, the ellipsis included. Longer lines lose their end.
   * @default 8192
   */
  readonly maxLength?: number;
}

/**
 * One line, without control characters and secrets, of bounded length.
 *
 * @example
 * logLine("GET https://user:pw@example.com/\nforged"); // "GET https://***@example.com/\\nforged"
 */
export function logLine(text: string, { maxLength = MAX_LINE_LENGTH }: LogLineOptions = {}): string {
  // Secrets first: of a password that was cut off from its `@` the beginning would stay.
  const redacted = redactText(text);
  // Before it is written out, which only makes it longer, more than can be shown is left out.
  const line = showInvisible(firstUnits(redacted, maxLength + 2));
  if (line.length <= maxLength) return line;
  return maxLength < 1 ? "" : firstUnits(line, maxLength - 1) + ELLIPSIS;
}

/**
 * A URL to name in a message: without secrets, and without its middle when it is long, so that host and file
 * name stay and the next URL of the message has its room.
 *
 * @example
 * logUrl("https://example.com/a?token=1234"); // "https://example.com/a?token=***"
 */
export function logUrl(url: string, { maxLength = MAX_URL_LENGTH }: LogLineOptions = {}): string {
  const shown = showInvisible(redactUrl(url));
  if (shown.length <= maxLength) return shown;
  if (maxLength < 1) return "";
  const tail = Math.floor((maxLength - 1) / 3);
  const end = shown.slice(shown.length - tail).replace(/^[\udc00-\udfff]/, "");
  return firstUnits(shown, maxLength - 1 - tail) + ELLIPSIS + end;
}

/** So many units, or one less where that would halve a character. */
function firstUnits(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
