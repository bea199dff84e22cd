/**
 * Removes user name and password from the URLs in a text (sec-O07). This file is separate from redact.ts, because the
 * parser for browsers needs only this file.
 */

export const MASK = "***";

/** Maximum length of a text that is parsed as a URL. Punycode takes quadratic time for a host of a million letters. */
export const MAX_PARSED_LENGTH = 65_536;

/**
 * Matches `//user:password@`, and `https:user:password@` at the start. The password may contain spaces and quotes.
 * Matches cannot overlap, so the search takes linear time.
 */
const USERINFO = /(^\W*https?:[\\/]?|[\\/]{2})[^\\/?#]*@/gi;

/**
 * Masks the credentials in a text that is not a valid URL, for a message. Masks all text up to the last `@`. The
 * password may contain a `/`, `#` or space, and this may be the reason why the URL is not valid.
 */
export function maskNoUrl(text: string): string {
  const at = text.lastIndexOf("@");
  return at < 0 ? text : (/^[a-z][a-z\d+.-]*:[\\/]*/i.exec(text)?.[0] ?? "") + MASK + text.slice(at);
}

/**
 * Matches a text with a colon that is not `user:password`: a URL (`https:`), a host with a port and a path
 * (`example.com:80/a`), a drive of Windows (`C:\`), or `localhost` with a port. Does not match `example.com:8080`,
 * because `8080` may be a password.
 */
const NO_CREDENTIALS = /^(?:https?:|localhost:\d+$|[^:]*:[\\/]|[^:]*:\d{1,5}[/?#])/i;

/** Masks the credentials in a text that is not a valid host or URL. The text may be `user:password`. */
export function maskNoSite(text: string): string {
  if (text.includes("@") || !text.includes(":") || NO_CREDENTIALS.test(text)) return maskNoUrl(text);
  return text.slice(0, text.indexOf(":") + 1) + MASK;
}

export function maskUserinfo(text: string): string {
  return text.replace(USERINFO, `$1${MASK}@`);
}

/** The original text of a URL, without user name and password. Undefined if the text equals `url`. */
export function writtenText(url: string, text: string): string | undefined {
  return text === url ? undefined : maskUserinfo(text);
}
