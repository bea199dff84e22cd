/** The stream over a site: constant memory however large the site is. */
import type { Client } from "../fetch/client.ts";
import { createNodeClient } from "../fetch/node-client.ts";
import type { Page } from "../model.ts";
import type { WalkEvent } from "./events.ts";
import type { WalkOptions } from "./options.ts";
import { Walker } from "./walker.ts";

/**
 * Walks all sitemaps of a site and tells what happens as it happens: pages, sitemaps as they end, issues.
 * Nothing is requested before the first event is asked for; leaving the loop ends all requests.
 *
 * @example
 * for await (const event of walkSitemaps("https://example.com/")) {
 *   if (event.kind === "page") console.log(event.page.url);
 * }
 */
export async function* walkSitemaps(
  homepageUrl: string,
  options: WalkOptions = {},
): AsyncGenerator<WalkEvent> {
  for await (const batch of walkInBatches(homepageUrl, options)) {
    for (const event of batch) {
      options.signal?.throwIfAborted();
      yield event;
    }
  }
}

/**
 * Gives the pages of a site as they are found. A page that several sitemaps list comes once for each.
 *
 * @example
 * for await (const page of streamPages("https://example.com/")) console.log(page.url);
 */
export async function* streamPages(homepageUrl: string, options: WalkOptions = {}): AsyncGenerator<Page> {
  for await (const batch of walkInBatches(homepageUrl, options)) {
    for (const event of batch) {
      options.signal?.throwIfAborted();
      if (event.kind === "page") yield event.page;
    }
  }
}

/**
 * The same pages in the batches in which they are found, some hundreds each: a page given out by itself costs a
 * tenth of what it takes to fetch and read it. No batch is empty.
 *
 * @example
 * for await (const pages of streamPageBatches("https://example.com/")) await index.addAll(pages);
 */
export async function* streamPageBatches(
  homepageUrl: string,
  options: WalkOptions = {},
): AsyncGenerator<readonly Page[]> {
  for await (const batch of walkInBatches(homepageUrl, options)) {
    options.signal?.throwIfAborted();
    const pages: Page[] = [];
    for (const event of batch) if (event.kind === "page") pages.push(event.page);
    if (pages.length > 0) yield pages;
  }
}

/**
 * The events of a walk as they come together. An event given out by itself costs a third of what it takes to
 * read a page; who handles millions takes them so.
 */
export async function* walkInBatches(
  homepageUrl: string,
  options: WalkOptions = {},
): AsyncGenerator<readonly WalkEvent[]> {
  const { client, close } = clientFor(homepageUrl, options);
  try {
    const batches = new Walker(homepageUrl, options, client).run();
    for await (const batch of batches) yield batch;
  } finally {
    await close();
  }
}

/** The client of the options, or one of our own that lives as long as the walk. */
export function clientFor(
  homepageUrl: string,
  { client, proxy, allowPrivateNetworks, allow }: WalkOptions,
): { client: Client; close: () => Promise<void> } {
  if (client !== undefined) return { client, close: async () => {} };
  // What is no URL is the walk's to refuse.
  const homepage = URL.canParse(homepageUrl) ? homepageUrl : undefined;
  const own = createNodeClient({ proxy, allowPrivateNetworks, allow, homepage });
  return { client: own, close: () => own.close() };
}
