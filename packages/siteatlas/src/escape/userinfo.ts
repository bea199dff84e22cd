/**
 * Removes user name and password from the URLs in a text (sec-O07). It is not in redact.ts, because the parser
 * in browsers needs only this part.
 */

export const MASK = "***";

/** A longer text is not parsed as a URL: encoding a host of a million letters in Punycode takes quadratic time. */
export const MAX_PARSED_LENGTH = 65_536;

/**
 * Matches `//user:password@`, and `https:user:password@` at the start. The password may contain spaces and quotes.
 * Matches cannot overlap, so the search takes linear time.
 */
const USERINFO = /(^\W*https?:[\\/]?|[\\/]{2})[^\\/?#]*@/gi;

/**
 * Masks a text that should have been a URL, for a message. Masks everything up to the last `@`, because a `/`,
 * `#` or space in the password may be the reason why the text is not a URL.
 */
export function maskNoUrl(text: string): string {
  const at = text.lastIndexOf("@");
  return at < 0 ? text : (/^[a-z][a-z\d+.-]*:[\\/]*/i.exec(text)?.[0] ?? "") + MASK + text.slice(at);
}

/**
 * The start of a URL, a port before a path, or a drive of Windows follows the colon, so the text is not
 * `user:password`. A port alone may be a password of digits, except after `localhost`.
 */
const NO_CREDENTIALS = /^(?:https?:|localhost:\d+$|[^:]*:[\\/]|[^:]*:\d{1,5}[/?#])/i;

/** Masks a text that should have been a host or URL but may be `user:password`. */
export function maskNoSite(text: string): string {
  if (text.includes("@") || !text.includes(":") || NO_CREDENTIALS.test(text)) return maskNoUrl(text);
  return text.slice(0, text.indexOf(":") + 1) + MASK;
}

export function maskUserinfo(text: string): string {
  return text.replace(USERINFO, `$1${MASK}@`);
}

/** How the URL was written, without user name and password. Undefined if it was written like this. */
export function writtenText(url: string, text: string): string | undefined {
  return text === url ? undefined : maskUserinfo(text);
}
