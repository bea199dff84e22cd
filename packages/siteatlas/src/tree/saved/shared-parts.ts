/**
 * Numbers the nodes of a tree in the order in which they are written. If a node or a list of pages occurs in several
 * places, it is written only once. The later places contain the number of the first node: `{ "sameAs": 3 }`.
 */
import type { PageList, Sitemap } from "../../model/model.ts";
import { TreeError } from "./tree-error.ts";

/** A reference to an earlier node, by its number. */
export interface SameAs {
  readonly sameAs: number;
}

/** One step of a walk over the tree. A node comes before its sub-sitemaps. */
export type Step =
  | { readonly kind: "node"; readonly sitemap: Sitemap; readonly pages: SameAs | undefined }
  | { readonly kind: "shared"; readonly node: SameAs }
  /** The end of the last open node: all its sub-sitemaps have been visited. */
  | { readonly kind: "end" };

/** Visits the nodes depth first. Does not use recursion, because a tree may have thousands of levels. */
export function* stepsOf(tree: Sitemap): Generator<Step> {
  const nodes = new Map<Sitemap, number>();
  const lists = new Map<PageList, number>();
  const open: Sitemap[] = [];
  const ancestors = new Set<Sitemap>();
  const rest: Iterator<Sitemap>[] = [[tree].values()];
  for (let siblings = rest.at(-1); siblings !== undefined; siblings = rest.at(-1)) {
    const { done, value: sitemap } = siblings.next();
    if (done) {
      rest.pop();
      const closed = open.pop();
      if (closed === undefined) return;
      ancestors.delete(closed);
      yield { kind: "end" };
      continue;
    }
    if (ancestors.has(sitemap)) throw new TreeError("cyclic", `The sitemap ${sitemap.url} contains itself`);
    const known = nodes.get(sitemap);
    if (known !== undefined) {
      yield { kind: "shared", node: { sameAs: known } };
      continue;
    }
    const number = nodes.size;
    nodes.set(sitemap, number);
    const list = sitemap.pages.length > 0 ? lists.get(sitemap.pages) : undefined;
    if (list === undefined) lists.set(sitemap.pages, number);
    yield { kind: "node", sitemap, pages: list === undefined ? undefined : { sameAs: list } };
    open.push(sitemap);
    ancestors.add(sitemap);
    rest.push(sitemap.subSitemaps[Symbol.iterator]());
  }
}
