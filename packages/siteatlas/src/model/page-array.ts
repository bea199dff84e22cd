import type { Page, PageList } from "./model.ts";

/**
 * Turns an array into a `PageList`: adds `toArray`, the only method of a `PageList` that arrays do not have. The method
 * is not enumerable, so that assertions find the array equal to a plain array, and `structuredClone` can copy it.
 */
export function pageArray(pages: Page[]): PageList {
  return Object.defineProperty(pages, "toArray", { value: copyOf }) as Page[] & { toArray(): Page[] };
}

function copyOf(this: readonly Page[]): Page[] {
  return [...this];
}
