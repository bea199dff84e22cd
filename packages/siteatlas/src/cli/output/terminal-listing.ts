/**
 * Listings of pages for a terminal. Usually pages are grouped by sitemap and printed as they are found. `-f tree`
 * prints a nested listing like `usp ls`: one line per sitemap and page, with one more tab than its parent.
 */

import { terminalText } from "../../escape/terminal.ts";
import { dateText } from "../../model/format-date.ts";
import type { IndexWebsiteSitemap, Page, Sitemap } from "../../model/model.ts";
import type { Selection } from "../config/page-filter.ts";
import type { Paint } from "../terminal/style.ts";
import type { TextOutput } from "./buffered-output.ts";

/**
 * Maximum number of pages that wait until the current sitemap ends. If there are more, a sitemap is listed in several
 * blocks.
 */
const MAX_WAITING = 20_000;

/**
 * Lists the pages of several sitemaps that are read at the same time. Each sitemap is one block, unless too many pages
 * wait.
 */
export class TerminalListing {
  readonly #output: TextOutput;
  readonly #paint: Paint;
  #current: string | undefined;
  readonly #waiting: Map<string, Page[]> = new Map();
  #waitingCount = 0;
  /** Sitemaps that have ended, and whose pages wait to be listed. */
  readonly #ended: Set<string> = new Set();

  constructor(output: TextOutput, paint: Paint) {
    this.#output = output;
    this.#paint = paint;
  }

  page(page: Page, sitemapUrl: string): void | Promise<void> {
    if (this.#current === undefined) this.#begin(sitemapUrl);
    if (this.#current === sitemapUrl) return this.#output.write(this.#line(page));
    const list = this.#waiting.get(sitemapUrl);
    if (list === undefined) this.#waiting.set(sitemapUrl, [page]);
    else list.push(page);
    if (++this.#waitingCount > MAX_WAITING) return this.#flush(sitemapUrl);
    return undefined;
  }

  /** Call this when the sitemap has no more pages. */
  async sitemapEnd(sitemapUrl: string): Promise<void> {
    if (this.#waiting.has(sitemapUrl)) this.#ended.add(sitemapUrl);
    if (sitemapUrl !== this.#current) return;
    // List the waiting sitemaps that have ended. Then continue with a sitemap that has not ended.
    for (const url of this.#ended) await this.#flush(url);
    this.#ended.clear();
    this.#current = undefined;
    const [next] = this.#waiting.keys();
    if (next !== undefined) await this.#flush(next);
  }

  async end(): Promise<undefined> {
    for (const url of [...this.#waiting.keys()]) await this.#flush(url);
    await this.#output.end();
  }

  async abort(): Promise<void> {
    await this.#output.abort();
  }

  #begin(sitemapUrl: string): void {
    this.#current = sitemapUrl;
    void this.#output.write(`${this.#paint("bold", terminalText(sitemapUrl))}\n`);
  }

  async #flush(sitemapUrl: string): Promise<void> {
    const pages = this.#waiting.get(sitemapUrl) ?? [];
    this.#waiting.delete(sitemapUrl);
    this.#waitingCount -= pages.length;
    this.#begin(sitemapUrl);
    for (const page of pages) await this.#output.write(this.#line(page));
  }

  #line({ url, lastModified }: Page): string {
    const path = URL.canParse(url) ? new URL(url).origin.length : 0;
    const shown = this.#paint("dim", terminalText(url.slice(0, path))) + terminalText(url.slice(path));
    if (lastModified?.value === undefined) return `  ${shown}\n`;
    return `  ${shown}  ${this.#paint("dim", dateText(lastModified.value, lastModified.precision))}\n`;
  }
}

interface NestedOptions {
  readonly select: Selection | undefined;
  /** A function that shortens the URLs of sitemaps. It is not used for the first line. */
  readonly strip: ((url: string) => string) | undefined;
  /** Called for each page that was already listed, because its sitemap is at several places of the tree. */
  readonly onRepeat: () => void;
}

/** Yields the nested listing of `-f tree`, line by line. It is not recursive, because trees can be deep. */
export function* nestedListing(
  tree: IndexWebsiteSitemap,
  { select, strip = (url) => url, onRepeat }: NestedOptions,
): Generator<string> {
  // The pages that were already listed. If a sitemap is at several places of the tree, all its nodes have the same
  // array of pages.
  const seen = new Set<Sitemap["pages"]>();
  yield `${tree.url}\n`;
  const path: Iterator<Sitemap>[] = [tree.subSitemaps[Symbol.iterator]()];
  for (let children = path.at(-1); children !== undefined; children = path.at(-1)) {
    const { done, value: sitemap } = children.next() as IteratorResult<Sitemap, undefined>;
    if (done) {
      path.pop();
      continue;
    }
    const depth = "\t".repeat(path.length);
    yield `${depth}${strip(sitemap.url)}\n`;
    for (const page of sitemap.pages) {
      const given = select === undefined ? page : select(page);
      if (given === undefined) continue;
      if (seen.has(sitemap.pages)) onRepeat();
      yield `${depth}\t${given.url}\n`;
    }
    seen.add(sitemap.pages);
    path.push(sitemap.subSitemaps[Symbol.iterator]());
  }
}
