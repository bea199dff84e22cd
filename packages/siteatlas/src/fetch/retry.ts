/** Decides which responses are retried, and after how long: exponential backoff with full jitter. */

/** True for timeouts, rate limits and most server errors (https://www.rfc-editor.org/rfc/rfc9110#section-15). */
export function isRetryable(status: number, headers: Readonly<Record<string, string>> = {}): boolean {
  // Never retry a bot challenge of Cloudflare, because retries make it worse (H31).
  if (headers["cf-mitigated"] !== undefined) return false;
  return (
    status === 408 || status === 425 || status === 429 || (status >= 500 && status !== 501 && status !== 505)
  );
}

/** Returns a random wait in milliseconds. Its upper bound doubles with each retry. */
export function backoffMs(tries: number, baseMs: number, random: () => number = Math.random): number {
  return Math.round(random() * baseMs * 2 ** tries);
}

/** Parses Retry-After: a number of seconds or an HTTP date (RFC 9110 section 10.2.3). Returns milliseconds from now. */
export function retryAfterMs(header: string | undefined, now: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Accept only dates in GMT, as HTTP requires. So the result does not depend on the time zone of the machine.
  if (!/GMT$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
