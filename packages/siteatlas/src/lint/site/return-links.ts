/**
 * Finds language links without a return link. If page A links to B, B must link to A. Each link waits until its return
 * link is seen.
 *
 * Only a hash of 53 bits is kept per waiting link, with random seeds: at most 2 million links, about 80 MB. Sitemaps
 * usually list all languages of a page together, so few links wait at the same time. When the limit is reached, further
 * links are not checked. Only the first links are reported: the texts of 10,000 waiting links are kept.
 */
import { pageKey } from "../../page-list/page-key.ts";

const MAX_WAITING = 2_000_000;
const MAX_TEXTS = 10_000;

/** A link without a return link. */
export interface OneWayLink {
  readonly from: string;
  readonly to: string;
  readonly sitemapUrl: string;
}

export class ReturnLinks {
  /** True from the moment when a link could not be added. Its return link must not be added either. */
  #isFull = false;
  readonly #waiting: Set<number> = new Set();
  readonly #texts: Map<number, OneWayLink> = new Map();
  readonly #maxWaiting: number;
  readonly #seedA: number = Math.trunc(Math.random() * 0x7fffffff) | 1;
  readonly #seedB: number = Math.trunc(Math.random() * 0x7fffffff) | 1;

  constructor(maxWaiting: number = MAX_WAITING) {
    this.#maxWaiting = maxWaiting;
  }

  add(from: string, to: string, sitemapUrl: string): void {
    const [source, target] = [pageKey(from), pageKey(to)];
    const back = this.#hash(target, source);
    if (this.#waiting.delete(back)) {
      this.#texts.delete(back);
      return;
    }
    this.#isFull ||= this.#waiting.size >= this.#maxWaiting;
    if (this.#isFull) return;
    const key = this.#hash(source, target);
    this.#waiting.add(key);
    if (this.#texts.size < MAX_TEXTS) this.#texts.set(key, { from, to, sitemapUrl });
  }

  /** Links without a return link. Only the first of them have texts. */
  get oneWay(): Iterable<OneWayLink> {
    return this.#texts.values();
  }

  #hash(from: string, to: string): number {
    let a = this.#seedA;
    let b = this.#seedB;
    const text = `${from}\n${to}`;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      a = Math.imul(a ^ code, 0x01000193);
      b = Math.imul(b ^ code, 0x5bd1e995);
      b ^= b >>> 13;
    }
    return (a >>> 0) * 0x200000 + (b >>> 11);
  }
}
