/**
 * Escapes text for logs and error messages.
 *
 * Stops these attacks:
 * - a forged record: a title with a line break and a fake next line (sec-O05)
 * - an escape sequence that runs when the log is printed on a terminal (sec-O01)
 * - a password that is stored in the log (sec-O07)
 * - a message of a megabyte
 */
import { expectOption, expectText } from "./expect-text.ts";
import { showInvisible } from "./invisible.ts";
import { redactText, redactUrl } from "./redact.ts";

/** Maximum length of an error message or a reason: enough for three shortened URLs and some words. */
export const MAX_MESSAGE_LENGTH = 512;

const MAX_LINE_LENGTH = 8192;
const MAX_URL_LENGTH = 150;
const ELLIPSIS = "…";

/** Options of `logLine` and `logUrl`. */
export interface LogLineOptions {
  /**
   * Maximum length in UTF-16 units, including the ellipsis. A longer text is shortened.
   * @default 8192 for `logLine`, 150 for `logUrl`
   */
  readonly maxLength?: number | undefined;
}

/**
 * Returns one line without control characters and secrets, of limited length.
 *
 * @example
 * logLine("GET https://user:pw@example.com/\nforged"); // "GET https://***@example.com/\\nforged"
 */
export function logLine(text: string, options: LogLineOptions = {}): string {
  expectText("logLine", text);
  expectOption("logLine", options, "maxLength", "number");
  const { maxLength = MAX_LINE_LENGTH } = options;
  // Remove secrets before shortening: without the `@` after it, a password is not recognized.
  const redacted = redactText(text);
  // Shorten the text before escaping, to save time. The result stays the same, because escaping never shortens a text.
  const line = showInvisible(firstUnits(redacted, maxLength + 2));
  if (line.length <= maxLength) return line;
  return maxLength < 1 ? "" : firstUnits(line, maxLength - 1) + ELLIPSIS;
}

/**
 * Returns a URL for a message, without secrets. The middle of a long URL is cut out, so that the host and the file name
 * stay visible, and the message has room for other URLs.
 *
 * @example
 * logUrl("https://example.com/a?token=1234"); // "https://example.com/a?token=***"
 */
export function logUrl(url: string, options: LogLineOptions = {}): string {
  expectText("logUrl", url, "url");
  expectOption("logUrl", options, "maxLength", "number");
  const { maxLength = MAX_URL_LENGTH } = options;
  const shown = showInvisible(redactUrl(url));
  if (shown.length <= maxLength) return shown;
  if (maxLength < 1) return "";
  const tail = Math.floor((maxLength - 1) / 3);
  const end = shown.slice(shown.length - tail).replace(/^[\udc00-\udfff]/, "");
  return firstUnits(shown, maxLength - 1 - tail) + ELLIPSIS + end;
}

/** Returns the first `length` UTF-16 units. Returns one unit less if a surrogate pair would be split. */
function firstUnits(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}
