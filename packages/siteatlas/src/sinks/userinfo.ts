/**
 * Takes user name and password out of the URLs in a text (sec-O07). On its own, because the parser's issues
 * need no more of redact.ts than this.
 */

export const MASK = "***";

/** `//user:password@`. What is in front is in no other such part, so all of it takes linear time. */
const USERINFO = /[\\/]{2}[^\s\\/?#"<>]*@/g;

export function maskUserinfo(text: string): string {
  return text.replace(USERINFO, (found) => `${found.slice(0, 2)}${MASK}@`);
}
