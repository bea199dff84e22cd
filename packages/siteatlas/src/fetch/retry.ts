/** When to ask again, and how long to wait before: only for what can pass, with full jitter. */

/** https://www.rfc-editor.org/rfc/rfc9110#section-15: too early, too many, and the server's own trouble. */
export function isPassing(status: number, headers: Readonly<Record<string, string>> = {}): boolean {
  // A firewall that wants to see a browser: asking again is what it is there against (H31).
  if (headers["cf-mitigated"] !== undefined) return false;
  return (
    status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505)
  );
}

/** A random time up to the doubled one of the try before. */
export function backoffMs(tries: number, baseMs: number, random: () => number = Math.random): number {
  return Math.round(random() * baseMs * 2 ** tries);
}

/** Retry-After in milliseconds: seconds or an HTTP date (RFC 9110 section 10.2.3). */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // An HTTP date names its zone, always GMT, so the machine's does not matter.
  if (!/GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
