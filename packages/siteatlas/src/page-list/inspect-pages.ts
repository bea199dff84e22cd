/** Makes `console.log` and `util.inspect` of Node show a list of pages as its length and its first pages. */
import type { InspectOptionsStylized, inspect } from "node:util";
import type { PageList } from "../model/model.ts";

/** The name of the method that `util.inspect` calls. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** Number of pages that are shown. A page with dates takes ten lines, so more pages would fill the terminal. */
const SHOWN_PAGES = 3;

/**
 * Adds the `INSPECT` method to the prototype of a list class. It cannot be written in the class body, because
 * isolatedDeclarations does not allow such a name.
 */
export function addInspect(prototype: PageList): void {
  Object.defineProperty(prototype, INSPECT, { value: inspectPages });
}

/**
 * Returns the text for a list. `depth` is the remaining depth of `util.inspect`, negative if the list is nested too
 * deep.
 */
function inspectPages(
  this: PageList,
  depth: number | null,
  options: InspectOptionsStylized,
  inspectValue: typeof inspect,
): string {
  const name = `PageList(${this.length})`;
  if (depth !== null && depth < 0) return options.stylize(`[${name}]`, "special");
  const shown: unknown[] = this.slice(0, SHOWN_PAGES);
  const more = this.length - shown.length;
  if (more > 0) shown.push({ [INSPECT]: () => `... ${more} more ${more === 1 ? "page" : "pages"}` });
  // Use a depth of at least 1. With less, `util.inspect` would show each page as `[Object]`.
  return `${name} ${inspectValue(shown, { ...options, depth: depth === null ? null : Math.max(depth, 1) })}`;
}
