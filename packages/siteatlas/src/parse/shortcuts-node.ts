/**
 * What is there for speed alone. `#shortcuts` leads here under Node, where sitemaps are read by the million,
 * and everywhere else to shortcuts-web.ts, which does the same in few bytes or leaves it to the ordinary way.
 * Both export the same names, and all fixtures are run on both.
 */

/** Code behind this is left out of bundles for browsers. */
export const FAST: boolean = true;

export { readCanonical } from "./date-canonical.ts";
export { decodeEscaped } from "./escaped-text.ts";
export { createDateValue, readPlainDate } from "./lazy-date.ts";
export { NameTable } from "./name-table.ts";
export { PlainAssets, plainPlace } from "./plain-path.ts";
export { PlainUrlProbe } from "./plain-url.ts";
export { Separators } from "./separators.ts";
export { cachedText } from "./string-cache.ts";
export { forgetWindow, windowText } from "./text-window.ts";
export { UrlSet } from "./url-set.ts";
export { createEntry, usualFrequency, usualPriority } from "./usual-fields.ts";
