/**
 * The queue of documents that wait for their request. Listed sitemaps come before known locations. So the first pages
 * arrive early, and the limits are not used up by known locations, most of which have no sitemap.
 */
import type { SitemapDocument } from "../site-graph.ts";

export class RequestQueue {
  /**
   * Listed sitemaps. The sitemaps before index `#next` have been taken. `shift` would be slow for an array of 500,000
   * elements.
   */
  #declared: SitemapDocument[] = [];
  #next = 0;
  readonly #guesses: Set<SitemapDocument> = new Set();

  add(document: SitemapDocument): void {
    if (document.demand.source === "known") this.#guesses.add(document);
    else this.#declared.push(document);
  }

  /** Moves a known location to the listed sitemaps. Called when a sitemap lists it. */
  promote(document: SitemapDocument): void {
    if (this.#guesses.delete(document)) this.#declared.push(document);
  }

  /** Returns the next document. Returns a known location only if `mayGuess` is true and no listed sitemap waits. */
  take(mayGuess: boolean): SitemapDocument | undefined {
    if (this.#next < this.#declared.length) return this.#declared[this.#next++];
    this.#declared = [];
    this.#next = 0;
    if (!mayGuess) return undefined;
    for (const guess of this.#guesses) {
      this.#guesses.delete(guess);
      return guess;
    }
    return undefined;
  }
}
