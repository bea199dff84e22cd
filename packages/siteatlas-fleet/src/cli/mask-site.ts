/** Masks the password in a text that should have been a host or a URL, for a message. `siteatlas` masks the same texts. */

const MASK = "***";

/**
 * The start of a URL, a port before a path, or a drive of Windows follows the colon, so the text is not
 * `user:password`. A port alone may be a password of digits, except after `localhost`.
 */
const NO_CREDENTIALS = /^(?:https?:|localhost:\d+$|[^:]*:[\\/]|[^:]*:\d{1,5}[/?#])/i;

/** Masks everything up to the last `@`, because a `/`, `#` or space in the password may be why it is not a URL. */
export function maskNoSite(text: string): string {
  const at = text.lastIndexOf("@");
  if (at >= 0) return (/^[a-z][a-z\d+.-]*:[\\/]+/i.exec(text)?.[0] ?? "") + MASK + text.slice(at);
  if (!text.includes(":") || NO_CREDENTIALS.test(text)) return text;
  return text.slice(0, text.indexOf(":") + 1) + MASK;
}
