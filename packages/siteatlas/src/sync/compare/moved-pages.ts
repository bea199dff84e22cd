/**
 * Finds pages that probably moved: a removed page that redirects to an added page, or a removed and an added page with
 * similar URLs.
 */

import { checkedClient } from "../../fetch/client/check-response.ts";
import { type Client, discard } from "../../fetch/client/client.ts";
import { isCallerBug } from "../../fetch/client-faults.ts";
import { gateOf } from "../../fetch/politeness.ts";
import { createDeadline } from "../../fetch/timeout-signal.ts";
import { pageKey } from "../../page-list/page-key.ts";
import { parseUrl } from "../../parse/values/parse-url.ts";
import { DEFAULT_CONCURRENCY, type WalkOptions } from "../../walk/options.ts";
import type { PageAdded, PageRemoved } from "../changes.ts";
import { isSpecificSlug, pathOf, slugOf } from "./slug.ts";

const REQUEST_MS = 10_000;

/** Sets `movedTo` of removed pages and `movedFrom` of added ones. Compares redirects first, then paths, then slugs. */
export async function pairMoves(
  { added, removed }: { added: Map<string, PageAdded>; removed: Map<string, PageRemoved> },
  redirectOf?: (url: string) => Promise<string | undefined>,
): Promise<void> {
  if (removed.size === 0) return;
  const pair = (from: string, to: string): void => {
    const [old, young] = [removed.get(from)!, added.get(to)!];
    if (old.movedTo !== undefined || young.movedFrom !== undefined) return;
    removed.set(from, { ...old, movedTo: to });
    added.set(to, { ...young, movedFrom: from });
  };
  for (const from of removed.keys()) {
    const to = await redirectOf?.(from);
    if (to !== undefined && added.has(to)) pair(from, to);
  }
  for (const keyOf of [pathOf, specificSlugOf]) {
    const olds = [...removed.values()].filter(({ movedTo }) => movedTo === undefined);
    const youngs = [...added.values()].filter(({ movedFrom }) => movedFrom === undefined);
    const targets = uniqueBy(youngs, keyOf);
    for (const [key, from] of uniqueBy(olds, keyOf)) {
      const to = targets.get(key);
      if (from !== undefined && to !== undefined) pair(from, to);
    }
  }
}

/** Whether both URLs differ only in their scheme, `www.` or escapes: the page has not moved within the site. */
export function isSamePlace(url: string, other: string | undefined): boolean {
  const place = (text: string): string => pageKey(text).replace(/^https?:\/\/(?:www\.)?/, "");
  return other !== undefined && place(url) === place(other);
}

function specificSlugOf(url: string): string {
  const slug = slugOf(url);
  return isSpecificSlug(slug) ? slug : "";
}

/** Maps each key to its URL, or to undefined if several URLs have this key. */
function uniqueBy(
  changes: readonly { readonly url: string }[],
  keyOf: (url: string) => string,
): Map<string, string | undefined> {
  const byKey = new Map<string, string | undefined>();
  for (const { url } of changes) {
    const key = keyOf(url);
    if (key !== "") byKey.set(key, byKey.has(key) ? undefined : url);
  }
  return byKey;
}

/** How pages are requested: with the headers of the walk, and only if robots.txt allows it. */
interface PagePolicy {
  headersFor(url: URL): Record<string, string>;
  allowsPage(url: string, signal: AbortSignal): Promise<boolean>;
}

/** Returns a function that requests a URL and returns where it redirects to, for up to `most` URLs. */
export function redirectFinder(
  client: Client,
  { signal, httpsOnly, concurrency = DEFAULT_CONCURRENCY, delayMs = 0 }: WalkOptions,
  most: number,
  policy: PagePolicy,
): ((url: string) => Promise<string | undefined>) | undefined {
  if (most === 0) return undefined;
  const known = new Map<string, string | undefined>();
  /** Origins of the requested URLs. At most `most`, because each origin may take a request for its robots.txt. */
  const origins = new Set<string>();
  const end = signal ?? new AbortController().signal;
  const request = async (url: string): Promise<string | undefined> => {
    const turn = await gateOf(client).enter(new URL(url).host, { concurrency, delayMs }, end);
    const deadline = createDeadline(end, REQUEST_MS);
    try {
      const headers = policy.headersFor(new URL(url));
      const response = await checkedClient(client)({ url, headers, signal: deadline.signal });
      discard(response);
      const { location } = response.headers;
      const isRedirect = response.status >= 300 && response.status < 400 && location !== undefined;
      return isRedirect ? parseUrl(location, url)?.href : undefined;
    } catch (error) {
      end.throwIfAborted();
      if (isCallerBug(error)) throw error;
      return undefined;
    } finally {
      deadline.clear();
      turn.leave();
    }
  };
  return async (url) => {
    if (known.has(url) || known.size >= most) return known.get(url);
    if (httpsOnly && url.startsWith("http:")) return undefined;
    const { origin } = new URL(url);
    if (!origins.has(origin) && origins.size >= most) return undefined;
    origins.add(origin);
    if (!(await policy.allowsPage(url, end))) return undefined;
    const target = await request(url);
    known.set(url, target);
    return target;
  };
}
