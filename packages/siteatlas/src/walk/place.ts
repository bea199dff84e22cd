/**
 * A place is one position in the tree. If a document is listed several times, it has several places. If the index that
 * lists it has several places, the document has one place below each of them.
 */
import type { SitemapOrigin } from "./events/events.ts";
import { type Declaration, NONE, type SitemapDocument, type Verdict } from "./site-graph.ts";

export interface Place {
  readonly declaration: Declaration;
  readonly source: SitemapOrigin;
  /** The place of the index that lists this sitemap. Undefined at the top level of the tree. */
  readonly parent: Place | undefined;
  readonly level: number;
  /** The document after all redirects. Undefined until it has been fetched. */
  document: SitemapDocument | undefined;
  /** Why this place has no document, for example recursion or a limit. */
  verdict: Verdict | undefined;
  /**
   * True once the place has a document, or a verdict that explains why it has none. Its children may still be
   * unfinished.
   */
  isEnded: boolean;
  /** The sitemaps that the document lists and the filters kept. Empty until the children are created. */
  declared: readonly Declaration[];
  /**
   * The places of the sitemaps in `declared`, in the same order. Undefined until the children are created. An element
   * is undefined until its sitemap is followed or refused.
   */
  children: (Place | undefined)[] | undefined;
  /**
   * Whether the tree may have a node for this place. False for robots.txt, known locations and homepage links until
   * `openRoot` shows them. True for all other places.
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

/** Creates the place of the sitemap at this position of `place.declared`. */
export function createChild(place: Place, position: number): Place {
  const child = createPlace(place.declared[position]!, "sitemap", place);
  // `children` is undefined if `limits.places` removed the children of this place from the tree.
  if (place.children !== undefined) place.children[position] = child;
  return child;
}

/**
 * The URLs of the place and of all its ancestors, nearest first. Each place has two URLs: the URL after redirects, and
 * the listed URL.
 */
export function lineage(place: Place): Set<string> {
  const urls = new Set<string>();
  for (let at: Place | undefined = place; at !== undefined; at = at.parent) {
    if (at.document !== undefined) urls.add(at.document.url);
    urls.add(at.declaration.url);
  }
  return urls;
}

/** Whether the document is also an ancestor of this place. Following it would be an endless recursion. */
export function isBelowItself({ parent }: Place, document: SitemapDocument): boolean {
  for (let at = parent; at !== undefined; at = at.parent) if (at.document === document) return true;
  return false;
}
