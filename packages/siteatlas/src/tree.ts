/**
 * The tree of a site: a fold over the records of a walk. The walk finishes things in any order; the fold
 * goes through them in the order of declaration, so the tree is the same each time.
 *
 * A document that several places declare is one node at all of them. A place below itself would make the
 * tree endless and becomes an invalid sitemap instead, so the nodes never form a circle.
 */
import type { IssueCode } from "./issues.ts";
import type { IndexWebsiteSitemap, InvalidSitemap, Page, Sitemap } from "./model.ts";
import { PageListBuilder } from "./page-list.ts";
import { copyIssue, reasonText, recursionReason } from "./walk/describe.ts";
import type { WalkOptions } from "./walk/options.ts";
import { type Place, resolveRecord, type SitemapRecord } from "./walk/record.ts";
import { clientFor } from "./walk/walk-sitemaps.ts";
import { Walker } from "./walk/walker.ts";

export type TreeOptions = WalkOptions;

/**
 * Finds all sitemaps of a site and reads them into a tree.
 *
 * @example
 * const tree = await sitemapTreeForHomepage("https://example.com/");
 * for (const page of allPages(tree)) console.log(page.url);
 */
export async function sitemapTreeForHomepage(
  homepageUrl: string,
  options: TreeOptions = {},
): Promise<IndexWebsiteSitemap> {
  const { client, close } = clientFor(homepageUrl, options);
  try {
    const builders = new Map<SitemapRecord, PageListBuilder>();
    const keepPages = (record: SitemapRecord, pages: readonly Page[]): void => {
      let builder = builders.get(record);
      if (builder === undefined) {
        builder = new PageListBuilder();
        builders.set(record, builder);
      }
      for (const page of pages) builder.add(page);
    };
    const walker = new Walker(homepageUrl, options, client, { keepPages });
    for await (const _ of walker.run());
    for (const [record, builder] of builders) record.pages = builder.finish();
    return foldTree(walker);
  } finally {
    await close();
  }
}

/** The nodes below this one, depth first, in the order of declaration; not the node itself. */
export function* allSitemaps(sitemap: Sitemap): Generator<Sitemap> {
  // Not by recursion: hundreds of indexes that list each other nest as deep as they are many.
  const path = [sitemap.subSitemaps[Symbol.iterator]()];
  for (let children = path.at(-1); children !== undefined; children = path.at(-1)) {
    const { done, value: child } = children.next();
    if (done) path.pop();
    else {
      yield child;
      path.push(child.subSitemaps[Symbol.iterator]());
    }
  }
}

/**
 * The pages of this node and of all below it, depth first; never holds the whole list. A page that several
 * sitemaps list, or a sitemap that several places declare, comes each time; with `unique` once.
 */
export function* allPages(sitemap: Sitemap, { unique = false }: { unique?: boolean } = {}): Generator<Page> {
  if (!unique) {
    yield* pagesBelow(sitemap);
    return;
  }
  const seen = new Set<string>();
  for (const page of pagesBelow(sitemap)) {
    if (seen.has(page.url)) continue;
    seen.add(page.url);
    yield page;
  }
}

function* pagesBelow(sitemap: Sitemap): Generator<Page> {
  yield* sitemap.pages;
  for (const child of allSitemaps(sitemap)) yield* child.pages;
}

function foldTree(walker: Walker): IndexWebsiteSitemap {
  const fold = new Fold();
  const subSitemaps: Sitemap[] = [];
  for (const root of walker.roots) {
    const node = fold.root(root);
    if (node !== undefined) subSitemaps.push(node);
  }
  const { issues } = walker;
  return {
    kind: "index",
    format: "website",
    url: walker.homepage.href,
    ...(walker.isPartial && { partial: true }),
    subSitemaps,
    pages: [],
    issues,
    issueCount: issues.length,
    duplicateCount: 0,
  };
}

/**
 * Nodes that come again because an index above them does. Stops indexes that list each other, or the next
 * ones, all of them: 30 are 30 nodes, but a billion places to go through.
 */
const MAX_REPEATED = 1_000_000;

/** Where a document is declared first, in the order of the tree. */
type Declaration = Pick<Place, "url" | "lastModified">;

class Fold {
  readonly #nodes: Map<SitemapRecord, Sitemap> = new Map();
  /** The first document with this content, in the order of the tree: which one was read first is chance. */
  readonly #contents: Map<string, SitemapRecord> = new Map();
  /** How many places a node has below it, itself included. */
  readonly #sizes: Map<Sitemap, number> = new Map();
  #repeated = 0;
  /** The documents that lead to where we are. */
  readonly #path: Set<SitemapRecord> = new Set();

  /** A node at the top. A guess that failed, a robots.txt that is not there, and what is in the tree have none. */
  root(record: SitemapRecord): Sitemap | undefined {
    const target = resolveRecord(record);
    if (this.#nodes.has(target) || target.outcome === "skipped") return undefined;
    if (record.source === "known" && target.outcome !== "found") return undefined;
    if (record.source === "robots" && isAbsent(target)) return undefined;
    return this.#node(target, { url: record.url, lastModified: undefined });
  }

  /** Which place asked first for a document is chance; what a node says of it is from the first that declares it. */
  #node(record: SitemapRecord, declaration: Declaration): Sitemap {
    const known = this.#nodes.get(record);
    if (known !== undefined) return known;
    this.#path.add(record);
    const original = this.#original(record);
    const subSitemaps: Sitemap[] = [];
    for (const place of record.places) {
      const child = this.#place(place, record);
      if (child !== undefined) subSitemaps.push(child);
    }
    this.#path.delete(record);
    const node = createNode(record, declaration, subSitemaps, original);
    this.#nodes.set(record, node);
    this.#sizes.set(
      node,
      node.subSitemaps.reduce((sum, child) => sum + (this.#sizes.get(child) ?? 1), 1),
    );
    return node;
  }

  /** The document before this one that it is a copy of. */
  #original(record: SitemapRecord): SitemapRecord | undefined {
    const { contentKey: key } = record;
    if (key === undefined) return undefined;
    const original = this.#contents.get(key);
    if (original === undefined) this.#contents.set(key, record);
    return original;
  }

  #place(place: Place, parent: SitemapRecord): Sitemap | undefined {
    const { record, verdict } = place;
    if (record === undefined) {
      return verdict === undefined || verdict.outcome === "skipped"
        ? undefined
        : invalidNode(place, verdict.code, verdict.reason);
    }
    const target = resolveRecord(record);
    if (this.#path.has(target)) {
      const listsItself = target === parent && place.url === target.finalUrl;
      const code = listsItself ? "index.self-reference" : "index.cycle";
      return invalidNode(place, code, recursionReason(target.finalUrl, parent.finalUrl, place.url));
    }
    if (target.outcome === "skipped") return undefined;
    // Where a circle of redirects was entered first is chance: all places on it say the same.
    if (target.kind?.kind === "invalid" && target.kind.code === "http.redirect-loop") {
      return invalidNode(place, target.kind.code, `${place.url} redirects in a circle`);
    }
    if (!this.#mayRepeat(target)) {
      return invalidNode(place, "limit.sitemaps", `${target.finalUrl} is shown where it is declared first`);
    }
    return this.#node(target, place);
  }

  #mayRepeat(record: SitemapRecord): boolean {
    const known = this.#nodes.get(record);
    if (known === undefined || known.subSitemaps.length === 0) return true;
    const size = this.#sizes.get(known)!;
    if (this.#repeated + size > MAX_REPEATED) return false;
    this.#repeated += size;
    return true;
  }
}

/** 404 and 410 say that there is nothing; every other failure may hide something. */
function isAbsent({ outcome, http }: SitemapRecord): boolean {
  return outcome === "failed" && (http?.status === 404 || http?.status === 410);
}

function createNode(
  record: SitemapRecord,
  { url, lastModified }: Declaration,
  subSitemaps: readonly Sitemap[],
  original: SitemapRecord | undefined,
): Sitemap {
  const { finalUrl, http, kind, contentHash } = record;
  const issues = original === undefined ? record.issues : [...record.issues, copyIssue(record, original)];
  const isInvalid = kind === undefined || kind.kind === "invalid";
  return {
    ...(kind ?? { kind: "invalid", code: "not-fetched", reason: "not fetched" }),
    ...(kind?.kind === "invalid" && { reason: reasonText(kind.reason) }),
    url: finalUrl,
    ...(finalUrl !== url && { requestedUrl: url }),
    ...(lastModified !== undefined && { lastModified }),
    ...(http !== undefined && { http }),
    ...(record.partial && { partial: true }),
    ...(contentHash !== undefined && { contentHash }),
    ...(original !== undefined && { duplicateOf: original.finalUrl }),
    subSitemaps: isInvalid ? [] : subSitemaps,
    pages: isInvalid ? [] : record.pages,
    issues,
    issueCount: record.issueCount + (original === undefined ? 0 : 1),
    duplicateCount: record.duplicateCount,
  } as Sitemap;
}

function invalidNode(place: Place, code: IssueCode, reason: string): InvalidSitemap {
  return {
    kind: "invalid",
    code,
    reason: reasonText(reason),
    url: place.url,
    ...(place.lastModified !== undefined && { lastModified: place.lastModified }),
    subSitemaps: [],
    pages: [],
    issues: [],
    issueCount: 0,
    duplicateCount: 0,
  };
}
