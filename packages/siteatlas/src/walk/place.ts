/** A place is one position in the tree. A document has one place for each listing, at each place of its index. */
import type { SitemapOrigin } from "./events/events.ts";
import { type Declaration, NONE, type SitemapDocument, type Verdict } from "./site-graph.ts";

export interface Place {
  readonly declaration: Declaration;
  readonly source: SitemapOrigin;
  /** The place of the index that lists this one. Undefined at the top level of the tree. */
  readonly parent: Place | undefined;
  readonly level: number;
  /** The document after all redirects. Undefined until it was fetched. */
  document: SitemapDocument | undefined;
  /** Why this place has no document, for example recursion or a limit. */
  verdict: Verdict | undefined;
  /** True once the place has a document or a verdict. Its children may not have ended yet. */
  isEnded: boolean;
  /** The listed sitemaps that the filters kept. Empty until the place is laid out. */
  declared: readonly Declaration[];
  /**
   * The places of `declared`, in the same order. Undefined until the place is laid out. A child is undefined until it
   * is followed or refused.
   */
  children: (Place | undefined)[] | undefined;
  /**
   * Whether the tree has a node for this place. A root gets one when it is opened, a given sitemap always has one, and
   * a skipped document that an index lists has none.
   */
  isShown: boolean;
}

export function createPlace(
  declaration: Declaration,
  source: SitemapOrigin,
  parent: Place | undefined,
): Place {
  return {
    declaration,
    source,
    parent,
    level: parent === undefined ? 0 : parent.level + 1,
    document: undefined,
    verdict: undefined,
    isEnded: false,
    declared: NONE,
    children: undefined,
    isShown: parent !== undefined || source === "given",
  };
}

/** Creates the child at this position of `declared`. */
export function createChild(place: Place, position: number): Place {
  const child = createPlace(place.declared[position]!, "sitemap", place);
  // `limits.places` may have removed the children of this place from the tree.
  if (place.children !== undefined) place.children[position] = child;
  return child;
}

/** URLs of a place's document and of all its ancestors, after and before redirects, nearest first. */
export function lineage(place: Place): Set<string> {
  const urls = new Set<string>();
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (at.document !== undefined) urls.add(at.document.url);
    urls.add(at.declaration.url);
  }
  return urls;
}

/** Whether the document is also an ancestor of this place, which would be an endless recursion. */
export function isBelowItself({ parent }: Place, document: SitemapDocument): boolean {
  for (let at = parent; at !== undefined; at = at.parent) if (at.document === document) return true;
  return false;
}
