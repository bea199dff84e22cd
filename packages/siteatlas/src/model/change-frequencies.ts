/** The values of `<changefreq>`: https://www.sitemaps.org/protocol.html#changefreqdef. */
export const CHANGE_FREQUENCIES = [
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
] as const;

/** How often a page is expected to change, from `<changefreq>`. */
export type ChangeFrequency = (typeof CHANGE_FREQUENCIES)[number];
