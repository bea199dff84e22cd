/**
 * Limits the size of one page. A page with all the images, videos and tags that the limits allow would have 100 MB. Only
 * Node checks it: in browsers the parser has to be small, and nothing is fetched.
 */

/** Maximum number of characters in the images, videos, alternates, media and PageMap of a page. */
export const MAX_PAGE_LENGTH: number = 2 * 1024 * 1024;

/** Number of characters in all texts of an item. */
export function itemLength(item: unknown): number {
  if (typeof item === "string") return item.length;
  let length = 0;
  if (typeof item === "object" && item !== null) {
    for (const value of Object.values(item)) length += itemLength(value);
  }
  return length;
}
