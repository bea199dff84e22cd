/**
 * Masks the password in a text that is neither a host nor a URL, so that a message can show it. The command `siteatlas`
 * masks passwords in the same way.
 */

const MASK = "***";

/**
 * Matches texts with a colon that is not the colon of `user:password`: the start of a URL, a port before a path, or a
 * drive of Windows. A port at the end does not match, because it may be a password of digits. `localhost` with a port
 * does match.
 */
const NO_CREDENTIALS = /^(?:https?:|localhost:\d+$|[^:]*:[\\/]|[^:]*:\d{1,5}[/?#])/i;

/**
 * Masks everything up to the last `@`. A password may contain a `/`, a `#` or a space, and that may be why the text is
 * not a URL.
 */
export function maskNoSite(text: string): string {
  const at = text.lastIndexOf("@");
  if (at >= 0) return (/^[a-z][a-z\d+.-]*:[\\/]+/i.exec(text)?.[0] ?? "") + MASK + text.slice(at);
  if (!text.includes(":") || NO_CREDENTIALS.test(text)) return text;
  return text.slice(0, text.indexOf(":") + 1) + MASK;
}
