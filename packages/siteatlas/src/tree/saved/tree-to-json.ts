/**
 * Converts a tree to the objects that `JSON.stringify` writes. They are nested like the tree, and the root has a
 * version. If a node or a list of pages occurs in several places, it is written only once.
 */
import type { PageList, Sitemap } from "../../model/model.ts";
import { type SameAs, stepsOf } from "./shared-parts.ts";
import { TreeError } from "./tree-error.ts";

/** The version of the JSON. Raise it if older versions of siteatlas could not read the new JSON, or would lose data. */
export const TREE_VERSION = 1;

/** Maximum number of levels. `JSON.stringify` is recursive: with about 2,000 levels, it overflows the stack of Node. */
const MAX_LEVELS = 1000;

/** A node in JSON. `JSON.stringify` writes `pages` with the `toJSON` of the list. */
type SitemapJson = Omit<Sitemap, "subSitemaps" | "pages" | "toJSON"> & {
  readonly treeVersion?: typeof TREE_VERSION;
  readonly subSitemaps: (SitemapJson | SameAs)[];
  readonly pages: PageList | SameAs;
};

/**
 * Adds `toJSON`, so that `JSON.stringify` can write the tree below the node. Like a class method, it is not enumerable.
 */
export function withToJson<S extends Sitemap>(sitemap: S): S {
  return Object.defineProperty(sitemap, "toJSON", { value: toJson, configurable: true });
}

function toJson(this: Sitemap): SitemapJson {
  const open: { readonly subSitemaps: (SitemapJson | SameAs)[] }[] = [{ subSitemaps: [] }];
  const roots = open[0]!.subSitemaps;
  for (const step of stepsOf(this)) {
    const siblings = open.at(-1)!.subSitemaps;
    if (step.kind === "end") open.pop();
    else if (step.kind === "shared") siblings.push(step.node);
    else {
      const { sitemap, pages } = step;
      const node = { ...sitemap, subSitemaps: [], pages: pages ?? sitemap.pages };
      siblings.push(node);
      open.push(node);
      if (open.length > MAX_LEVELS + 1) {
        throw new TreeError(
          "too-large",
          `The tree has more than ${MAX_LEVELS} levels, which is too deep for JSON: use saveTree`,
        );
      }
    }
  }
  return { treeVersion: TREE_VERSION, ...(roots[0] as SitemapJson) };
}
