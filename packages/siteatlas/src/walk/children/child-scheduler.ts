/**
 * Decides when each sitemap of an index (a child) is followed, in the order of the index. After `limit` consecutive
 * children without content, the rest of the children are not followed. Stops an index that lists 50,000 dead or empty
 * sitemaps (sec-S05).
 *
 * A child is followed only when it is certain that the children before it do not reach the limit, even if all
 * unfinished children among them turn out to be empty. So the set of followed children does not depend on which request
 * ends first.
 */
import type { Place } from "../place.ts";

export class ChildScheduler {
  readonly #place: Place;
  readonly #limit: number;
  /** Number of children that `take` has returned. */
  taken = 0;
  /** All children before this position have finished. */
  #ended = 0;
  #barren = 0;
  /** True while a task takes children. Prevents a second task from doing the same. */
  isBusy = false;

  /** `limit`: maximum number of consecutive children without pages and sitemaps. */
  constructor(place: Place, limit: number) {
    this.#place = place;
    this.#limit = limit;
  }

  /**
   * Returns the position of the next child. Returns undefined if this child must wait for earlier children, or if no
   * child is left.
   */
  take(): number | undefined {
    this.#advance();
    const isOpen = this.#barren + this.taken - this.#ended < this.#limit;
    return isOpen && this.taken < this.#place.declared.length ? this.taken++ : undefined;
  }

  /** True if all children have finished, or if too many consecutive children had no content. */
  get isOver(): boolean {
    return this.#ended === this.#place.declared.length || this.#barren >= this.#limit;
  }

  #advance(): void {
    for (; this.#ended < this.taken; this.#ended++) {
      const child = this.#place.children![this.#ended];
      // Skip this child: a limit stopped it before it was followed.
      if (child === undefined) continue;
      const { document, verdict, isEnded } = child;
      if (!isEnded) return;
      if (document !== undefined && (document.pageCount > 0 || document.children.length > 0))
        this.#barren = 0;
      else if (isFruitless(verdict ?? document ?? {})) this.#barren++;
    }
  }
}

/** Whether a request was sent and found no content. No request was sent for skipped, stopped and recursive sitemaps. */
function isFruitless({
  outcome,
  code = "",
}: {
  readonly outcome?: string | undefined;
  readonly code?: string;
}): boolean {
  return (outcome === "found" || outcome === "failed") && !code.startsWith("index.");
}
