/**
 * The children of one index, requested in the order of declaration, until too many in a row gave nothing.
 * Stops the index of 50,000 sitemaps that are all dead or empty (sec-S05).
 *
 * A child is held back only while those before it could still turn out to be too many: which children are
 * requested does not depend on which of them answers first.
 */
import type { Place, SitemapRecord } from "./record.ts";

export class ChildRun {
  readonly #parent: SitemapRecord;
  readonly #places: readonly Place[];
  readonly #limit: number;
  /** As many were taken. */
  #taken = 0;
  /** As many of these have ended, without a gap. */
  #ended = 0;
  #barren = 0;
  /** Somebody takes already: one at a time. */
  busy = false;

  /** `limit`: so many children in a row may give nothing. */
  constructor(parent: SitemapRecord, places: readonly Place[], limit: number) {
    this.#parent = parent;
    this.#places = places;
    this.#limit = limit;
  }

  /** The next one to request; undefined when others must end before, or when it is over. */
  take(): Place | undefined {
    this.#advance();
    const isOpen = this.#barren + this.#taken - this.#ended < this.#limit;
    return isOpen && this.#taken < this.#places.length ? this.#places[this.#taken++] : undefined;
  }

  /** Nothing more will come of it: all have ended, or too many gave nothing. */
  get isOver(): boolean {
    return this.#ended === this.#places.length || this.#barren >= this.#limit;
  }

  /** Those that are not requested. */
  get rest(): readonly Place[] {
    return this.#places.slice(this.#taken);
  }

  #advance(): void {
    for (; this.#ended < this.#taken; this.#ended++) {
      const { record } = this.#places[this.#ended]!;
      if (record === undefined) continue;
      if (record.parent !== this.#parent || record.outcome === "shared") this.#barren = 0;
      else if (record.outcome === undefined) return;
      else if (record.pageCount > 0 || record.childCount > 0) this.#barren = 0;
      else if (record.outcome === "found" || record.outcome === "failed") this.#barren++;
    }
  }
}
