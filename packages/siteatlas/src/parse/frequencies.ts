/** What `<changefreq>` may say: https://www.sitemaps.org/protocol.html#changefreqdef. */
import type { ChangeFrequency } from "../model.ts";

export const FREQUENCIES: readonly ChangeFrequency[] = [
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];
