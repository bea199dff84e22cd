/** How `console.log` and `util.inspect` of Node show a list of pages: its length and its first pages. */
import type { InspectOptionsStylized, inspect } from "node:util";
import type { PageList } from "../model/model.ts";

/** The name of the method that `util.inspect` calls. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom");

/** More pages would fill the terminal: one with dates takes ten lines. */
const SHOWN_PAGES = 3;

/** Adds the method to the prototype of a class of lists. A class body cannot name it: isolatedDeclarations forbids it. */
export function addInspect(prototype: PageList): void {
  Object.defineProperty(prototype, INSPECT, { value: inspectPages });
}

/** `depth` is the remaining depth of `util.inspect`. It is negative if the list is too deep. */
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
  // The depth is at least 1, because `[Object]` would hide the page.
  return `${name} ${inspectValue(shown, { ...options, depth: depth === null ? null : Math.max(depth, 1) })}`;
}
