/**
 * The form of a tree that `JSON.stringify` writes: nested as the tree is, with a version in the root. A node or a list
 * of pages that occurs in several places is written once.
 */
import type { PageList, Sitemap } from "../../model/model.ts";
import { type SameAs, stepsOf } from "./shared-parts.ts";
import { TreeError } from "./tree-error.ts";

/** Changes when older versions of siteatlas could not read the JSON, or would lose something. */
export const TREE_VERSION = 1;

/** `JSON.stringify` is recursive. It overflows the default stack of Node at about 2,000 levels. */
const MAX_LEVELS = 1000;

/** A node in JSON. `pages` is written by its own `toJSON`. */
type SitemapJson = Omit<Sitemap, "subSitemaps" | "pages" | "toJSON"> & {
  readonly treeVersion?: typeof TREE_VERSION;
  readonly subSitemaps: (SitemapJson | SameAs)[];
  readonly pages: PageList | SameAs;
};

/** Lets `JSON.stringify` write the node and what is below it. The method is not enumerable, like those of classes. */
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
