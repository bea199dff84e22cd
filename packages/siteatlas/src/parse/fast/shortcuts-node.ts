/**
 * Code that is only for speed. The import `#shortcuts` resolves to this file in Node, and elsewhere to
 * shortcuts-web.ts. That file does the same in few bytes, or leaves the work to the ordinary code. Both files export
 * the same names, and all fixtures run with both.
 */

/** True in Node. In shortcuts-web.ts it is false, so that bundlers for browsers remove the code behind `if (FAST)`. */
export const FAST: boolean = true;

export { foreignMonth, isForeignWeekday } from "../../model/month-names.ts";
export { RARE_LETTERS, RARE_SYMBOLS } from "../../model/rare-entities.ts";
export { createEntry, usualFrequency, usualPriority } from "./common-fields.ts";
export { EntryProbe } from "./entry-run.ts";
export { readCanonical, readPlainDate } from "./iso-date.ts";
export { Separators } from "./markup-cache.ts";
export { NameTable } from "./name-table.ts";
export { PlainAssets, plainOrigin } from "./normalized-path.ts";
export { UrlSet } from "./seen-urls.ts";
export { keepSpecimens } from "./specimens.ts";
export { cachedText } from "./string-cache.ts";
export { forgetWindow, windowText } from "./string-window.ts";
export { endOf, lineEnd, mayBeRecord, utf8Length } from "./text-lines.ts";
export { decodeEscaped } from "./unescape-ascii.ts";
