/**
 * The children that a limit stopped, as positions in `place.declared`. They have no place of their own yet, because
 * there may be 50,000. They get one if their document was requested for another place, or at the end of the walk, when
 * they are reported.
 */
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Breach } from "../budget.ts";
import type { Place } from "../place.ts";

export interface DeferredChild {
  readonly place: Place;
  readonly position: number;
  /** The limit that stopped the child. */
  readonly breach: Breach;
}

export class DeferredChildren {
  readonly #limits: Map<IssueCode, { readonly breach: Breach; readonly places: Map<Place, number[]> }> =
    new Map();

  add({ place, position, breach }: DeferredChild): void {
    const limit = this.#limits.get(breach.code) ?? { breach, places: new Map<Place, number[]>() };
    this.#limits.set(breach.code, limit);
    const positions = limit.places.get(place);
    if (positions === undefined) limit.places.set(place, [position]);
    else positions.push(position);
  }

  /** Adds all children of the place from this position on. */
  addFrom(first: number, place: Place, breach: Breach): void {
    for (let position = first; position < place.declared.length; position++) {
      this.add({ place, position, breach });
    }
  }

  /** Removes each child and returns it. Skips the children that `kept` stopped. */
  *take(kept?: Breach): Generator<DeferredChild> {
    for (const { breach, places } of this.#limits.values()) {
      if (breach === kept) continue;
      for (const [place, positions] of places) {
        places.set(place, []);
        for (const position of positions) yield { place, position, breach };
      }
    }
  }
}
