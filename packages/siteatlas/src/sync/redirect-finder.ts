/** Asks where pages that were removed redirect to. A few requests, of which no body is read. */
import { type Client, discard } from "../fetch/client.ts";
import { gateOf } from "../fetch/host-gate.ts";
import type { WalkOptions } from "../walk/options.ts";

const REQUEST_MS = 10_000;

/** Gives for up to `most` URLs the one that they redirect to; undefined when nobody is to be asked. */
export function redirectFinder(
  client: Client,
  { signal, userAgent, concurrency = 2, delayMs = 0 }: WalkOptions,
  most: number,
): ((url: string) => Promise<string | undefined>) | undefined {
  if (most === 0) return undefined;
  const known = new Map<string, string | undefined>();
  const end = signal ?? new AbortController().signal;
  return async (url) => {
    if (known.has(url) || known.size >= most) return known.get(url);
    const turn = await gateOf(client).enter(new URL(url).host, { concurrency, delayMs }, end);
    try {
      const timeout = AbortSignal.timeout(REQUEST_MS);
      const headers = { ...(userAgent !== undefined && { "user-agent": userAgent }) };
      const response = await client({ url, headers, signal: AbortSignal.any([end, timeout]) });
      discard(response);
      const { location } = response.headers;
      const isRedirect = response.status >= 300 && response.status < 400 && location !== undefined;
      known.set(url, isRedirect && URL.canParse(location, url) ? new URL(location, url).href : undefined);
    } catch {
      end.throwIfAborted();
      known.set(url, undefined);
    } finally {
      turn.leave();
    }
    return known.get(url);
  };
}
