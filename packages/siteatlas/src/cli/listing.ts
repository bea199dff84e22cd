/**
 * Listings for people: the pages on a terminal, below the sitemap that each comes from, while they come; and
 * the nested listing of a whole tree (`-f tree`), which is that of `usp ls`: a line for each sitemap and
 * page, a tab deeper than what declares it.
 */

import { dateText } from "../date-text.ts";
import type { IndexWebsiteSitemap, Page, Sitemap } from "../model.ts";
import { terminalText } from "../sinks/terminal.ts";
import type { TextOutput } from "./output/text-output.ts";
import type { Selection } from "./select.ts";
import type { Paint } from "./talk/style.ts";

/** Pages of other sitemaps that wait until the one being listed has ended. Beyond, listings take turns. */
const MAX_WAITING = 20_000;

/** Several sitemaps are read at once; each is listed in one go, if it is not too large. */
export class TerminalListing {
  readonly #output: TextOutput;
  readonly #paint: Paint;
  #current: string | undefined;
  readonly #waiting: Map<string, Page[]> = new Map();
  #waitingCount = 0;
  /** Those that wait and will get no more pages. */
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

  /** No more pages of this one. */
  async sitemapEnd(sitemapUrl: string): Promise<void> {
    if (this.#waiting.has(sitemapUrl)) this.#ended.add(sitemapUrl);
    if (sitemapUrl !== this.#current) return;
    // First those that are whole, then the next that is being read.
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

export interface NestedOptions {
  readonly select: Selection | undefined;
  /** Changes the URLs of sitemaps, all but the first. */
  readonly strip: ((url: string) => string) | undefined;
  /** A page of a sitemap that was listed before, at another place that declares it. */
  readonly onRepeat: () => void;
}

/** Line by line, so that nobody holds all of it. Deep trees are no trouble: the path is a list, not a stack. */
export function* nestedListing(
  tree: IndexWebsiteSitemap,
  { select, strip = (url) => url, onRepeat }: NestedOptions,
): Generator<string> {
  const seen = new Set<Sitemap>();
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
      if (seen.has(sitemap)) onRepeat();
      yield `${depth}\t${given.url}\n`;
    }
    seen.add(sitemap);
    path.push(sitemap.subSitemaps[Symbol.iterator]());
  }
}
