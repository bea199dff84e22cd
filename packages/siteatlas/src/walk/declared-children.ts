/**
 * The sitemaps that one document declares: the first ones, as many as its limit allows and as the walk has
 * room for.
 */
import type { SubSitemap } from "../model.ts";
import { type Breach, type Budget, breachOf } from "./budget.ts";
import type { Place } from "./record.ts";

export class DeclaredChildren {
  readonly places: Place[] = [];
  readonly #budget: Budget;
  readonly #limit: "children" | "robotsSitemaps";
  /** Why there are no more of them. */
  breach: Breach | undefined;

  constructor(budget: Budget, limit: "children" | "robotsSitemaps") {
    this.#budget = budget;
    this.#limit = limit;
  }

  add({ url, lastModified }: SubSitemap): void {
    if (this.breach !== undefined) return;
    const { limits } = this.#budget;
    const count = this.places.length + 1;
    this.breach =
      count > limits[this.#limit] ? breachOf(limits, this.#limit, count) : this.#budget.holdChild();
    if (this.breach === undefined)
      this.places.push({ url, lastModified, record: undefined, verdict: undefined });
  }
}
