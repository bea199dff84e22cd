import type { Page, PageList } from "./model.ts";

/**
 * Adds `toArray`, the only method of a `PageList` that arrays do not have. The method is not enumerable, so that the
 * array equals a plain array in assertions, and `structuredClone` copies the pages.
 */
export function pageArray(pages: Page[]): PageList {
  return Object.defineProperty(pages, "toArray", { value: copyOf }) as Page[] & { toArray(): Page[] };
}

function copyOf(this: readonly Page[]): Page[] {
  return [...this];
}
