/**
 * Numbers the nodes of a tree in the order in which they are written, so that a node or a list of pages that occurs in
 * several places is written once. Later places refer to the number of the first: `{ "sameAs": 3 }`.
 */
import type { PageList, Sitemap } from "../../model/model.ts";
import { TreeError } from "./tree-error.ts";

/** Refers to a node that was written before. */
export interface SameAs {
  readonly sameAs: number;
}

/** A node in the order of a tree: before its sitemaps. */
export type Step =
  | { readonly kind: "node"; readonly sitemap: Sitemap; readonly pages: SameAs | undefined }
  | { readonly kind: "shared"; readonly node: SameAs }
  /** The end of the last open node: all its sitemaps have been visited. */
  | { readonly kind: "end" };

/** Visits the nodes depth first. No recursion: a tree may have thousands of levels. */
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
