/**
 * Collects the sitemaps that one document lists. Stops at the limit for one document (`children` or `robotsSitemaps`),
 * and at the limits on the memory of the whole walk.
 */
import type { SubSitemap } from "../../model/model.ts";
import { type Breach, type Budget, breachOf } from "../budget.ts";
import { declarationBytes } from "../held-bytes.ts";
import type { Declaration } from "../site-graph.ts";

export class DeclaredChildren {
  readonly declarations: Declaration[] = [];
  readonly #budget: Budget;
  readonly #limit: "children" | "robotsSitemaps";
  /** The limit that was reached. All later sitemaps are dropped. Undefined if the list is complete. */
  breach: Breach | undefined;

  constructor(budget: Budget, limit: "children" | "robotsSitemaps") {
    this.#budget = budget;
    this.#limit = limit;
  }

  add({ url, lastModified }: SubSitemap): void {
    if (this.breach !== undefined) return;
    const { limits } = this.#budget;
    const count = this.declarations.length + 1;
    const declaration = declare(url, lastModified);
    if (count > limits[this.#limit]) this.breach = breachOf(limits, this.#limit, count);
    else {
      const breach = this.#budget.holdChild(declarationBytes(declaration));
      this.breach = breach && this.#budget.reach(breach);
    }
    if (this.breach === undefined) this.declarations.push(declaration);
  }
}

export function declare(url: string, lastModified?: SubSitemap["lastModified"]): Declaration {
  return { url, lastModified, document: undefined, verdict: undefined, isReported: false };
}
