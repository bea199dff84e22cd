/** Rules for the arguments of functions that take a tree or its file. */
import { type Rule, rule } from "../check/rules.ts";
import type { Sitemap } from "../model/model.ts";

export const NODE: Rule<Sitemap> = rule("a sitemap of a tree", (value) =>
  Array.isArray((value as Partial<Sitemap> | null | undefined)?.subSitemaps),
);

/** Rejects values that JSON cannot contain. A JSON value that is not a tree is reported later, as a `TreeError`. */
export const TREE_JSON: Rule<unknown> = rule(
  "JSON.stringify(tree), or the value that JSON.parse made of it",
  (value) => ["string", "number", "boolean"].includes(typeof value) || value === null || isPlain(value),
  (value) => (ArrayBuffer.isView(value) ? "Decode the bytes: new TextDecoder().decode(bytes)." : undefined),
);

/**
 * Whether the value is a plain object or an array, not a Promise, a Response or a Buffer. It may come from another
 * realm or have no prototype.
 */
function isPlain(value: unknown): boolean {
  return (
    typeof value === "object" && /^\[object (?:Object|Array)\]$/.test(Object.prototype.toString.call(value))
  );
}
