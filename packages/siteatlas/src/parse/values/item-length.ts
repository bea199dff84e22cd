/**
 * Limits the size of one page. Without this limit, a page with all the images, videos and tags that the other limits
 * allow would have 100 MB. The limit is checked only in Node. In browsers the parser has to be small, and does not
 * fetch documents.
 */

/** Maximum number of characters in the images, videos, alternates, media and PageMap of a page. */
export const MAX_PAGE_LENGTH: number = 2 * 1024 * 1024;

/** Number of characters in all texts of an item, such as an image. */
export function itemLength(item: unknown): number {
  if (typeof item === "string") return item.length;
  let length = 0;
  if (typeof item === "object" && item !== null) {
    for (const value of Object.values(item)) length += itemLength(value);
  }
  return length;
}
