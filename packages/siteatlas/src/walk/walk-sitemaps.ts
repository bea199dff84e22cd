/** Streams the events or pages of a site. Memory use does not grow with the number of pages. */
import { givenUrls, type SiteStart, type WalkStart } from "../discover/site-start.ts";
import type { Client } from "../fetch/client/client.ts";
import { createNodeClient } from "../fetch/client/node-client.ts";
import type { Page } from "../model/model.ts";
import { eventsOf, type WalkStep } from "./events/event-reporter.ts";
import type { WalkEvent } from "./events/events.ts";
import { checkWalk } from "./option-rules.ts";
import type { WalkOptions } from "./options.ts";
import { Walk } from "./walk.ts";

/**
 * Walks all sitemaps of a site, or the sitemaps that you pass and all sitemaps below them. Yields events as they
 * happen: pages, results of sitemaps, and issues. The first request is sent at the first call of `next`. Leaving the
 * loop aborts all requests. An invalid start or option throws at the call.
 *
 * @example
 * for await (const event of walkSitemaps("https://example.com/")) {
 *   if (event.kind === "page") console.log(event.page.url);
 * }
 *
 * @param start a homepage, or `{ sitemaps: [url, …] }`
 */
export function walkSitemaps(start: WalkStart, options: WalkOptions = {}): AsyncGenerator<WalkEvent> {
  return eventsOfWalk(checkWalk("walkSitemaps", start, options), options);
}

async function* eventsOfWalk(site: SiteStart, options: WalkOptions): AsyncGenerator<WalkEvent> {
  for await (const batch of batchesOfWalk(site, options)) {
    for (const step of batch) {
      for (const event of eventsOf(step)) {
        options.signal?.throwIfAborted();
        yield event;
      }
    }
  }
}

/**
 * Yields the pages of a site as they are found. If several sitemaps list a page, it is yielded several times.
 * A site that cannot be reached has no pages, and nothing is thrown. `walkSitemaps` also yields the failures, and the
 * option `onEvent` gets them.
 *
 * @example
 * for await (const page of streamPages("https://example.com/")) console.log(page.url);
 *
 * @example
 * const start = { sitemaps: ["https://example.com/news.xml"] };
 * for await (const page of streamPages(start)) console.log(page.url);
 */
export function streamPages(start: WalkStart, options: WalkOptions = {}): AsyncGenerator<Page> {
  return pagesOfWalk(checkWalk("streamPages", start, options), options);
}

async function* pagesOfWalk(site: SiteStart, options: WalkOptions): AsyncGenerator<Page> {
  for await (const pages of pageBatchesOfWalk(site, options)) {
    for (const page of pages) {
      options.signal?.throwIfAborted();
      yield page;
    }
  }
}

/**
 * Yields the same pages as `streamPages`, in batches of a few hundred pages. This saves a tenth of the total time,
 * because pages are not yielded one by one. No batch is empty.
 *
 * @example
 * for await (const pages of streamPageBatches("https://example.com/")) await index.addAll(pages);
 */
export function streamPageBatches(
  start: WalkStart,
  options: WalkOptions = {},
): AsyncGenerator<readonly Page[]> {
  return pageBatchesOfWalk(checkWalk("streamPageBatches", start, options), options);
}

async function* pageBatchesOfWalk(site: SiteStart, options: WalkOptions): AsyncGenerator<readonly Page[]> {
  for await (const batch of batchesOfWalk(site, options)) {
    options.signal?.throwIfAborted();
    for (const step of batch) if (step.kind === "pages") yield step.pages;
  }
}

/** Yields arrays of events, because yielding each event separately would take a third of the time of parsing a page. */
export function walkInBatches(
  start: WalkStart,
  options: WalkOptions = {},
): AsyncGenerator<readonly WalkStep[]> {
  return batchesOfWalk(checkWalk("walkInBatches", start, options), options);
}

async function* batchesOfWalk(site: SiteStart, options: WalkOptions): AsyncGenerator<readonly WalkStep[]> {
  const { client, close } = clientFor(site, options);
  try {
    yield* new Walk(site, options, client).run();
  } finally {
    await close();
  }
}

/** Returns the caller's client, or a new client. `close` closes only the new client. */
export function clientFor(
  site: SiteStart,
  { client, proxy, ca, insecure, allowPrivateNetworks, allow }: WalkOptions,
): { client: Client; close: () => Promise<void> } {
  // The cast is safe: if the client returns a `Response`, `checkedClient` converts it.
  if (client !== undefined) return { client: client as Client, close: async () => {} };
  const homepage = givenUrls(site);
  const hosts = insecure ? homepage.map((url) => new URL(url).hostname) : [];
  const own = createNodeClient({ proxy, ca, insecure: hosts, allowPrivateNetworks, allow, homepage });
  return { client: own, close: () => own.close() };
}
