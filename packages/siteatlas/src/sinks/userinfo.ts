/**
 * Takes user name and password out of the URLs in a text (sec-O07). On its own, because the parser's issues
 * need no more of redact.ts than this.
 */

export const MASK = "***";

/** `//user:password@`. What is in front is in no other such part, so all of it takes linear time. */
const USERINFO = /[\\/]{2}[^\s\\/?#"<>]*@/g;

/**
 * What was to be a URL and is none, to repeat in a message: a password may be the reason why (`/`, `#` and spaces
 * would have to be escaped), so all up to the last `@` is left out.
 */
export function maskNoUrl(text: string): string {
  const at = text.lastIndexOf("@");
  return at < 0 ? text : (/^[a-z][a-z\d+.-]*:[\\/]*/i.exec(text)?.[0] ?? "") + MASK + text.slice(at);
}

export function maskUserinfo(text: string): string {
  return text.replace(USERINFO, (found) => `${found.slice(0, 2)}${MASK}@`);
}
