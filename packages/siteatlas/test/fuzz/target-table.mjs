/**
 * The fuzz targets. `isSync`: the target returns no promise, and Jazzer.js runs it faster. `maxLength` is that of an
 * input in bytes.
 */

/** @typedef {"parse" | "decode" | "robots" | "json-feed" | "dates" | "urls" | "snapshot" | "settings" | "saved-tree" | "html-sitemap" | "llms-txt"} TargetName */

/** @type {readonly { readonly name: TargetName, readonly isSync: boolean, readonly maxLength: number }[]} */
export const TARGETS = [
  { name: "parse", isSync: false, maxLength: 8192 },
  { name: "decode", isSync: false, maxLength: 4096 },
  { name: "robots", isSync: false, maxLength: 4096 },
  { name: "json-feed", isSync: false, maxLength: 4096 },
  { name: "dates", isSync: true, maxLength: 128 },
  { name: "urls", isSync: true, maxLength: 2048 },
  { name: "snapshot", isSync: false, maxLength: 4096 },
  { name: "settings", isSync: false, maxLength: 4096 },
  { name: "saved-tree", isSync: false, maxLength: 4096 },
  { name: "html-sitemap", isSync: false, maxLength: 8192 },
  { name: "llms-txt", isSync: false, maxLength: 4096 },
];
