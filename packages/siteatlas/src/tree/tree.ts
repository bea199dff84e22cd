/**
 * Builds the tree of a site. It has one node for each place where a sitemap is listed, in the order of the lists. If a
 * document is listed in several places, its nodes share the pages. A sitemap that is listed below itself becomes an
 * invalid node, so the tree is finite.
 */
import { checkArgument, checkOptions, type OptionRules } from "../check/check-options.ts";
import { BOOLEAN } from "../check/rules.ts";
import type { WalkStart } from "../discover/site-start.ts";
import type { IndexWebsiteSitemap, InvalidSitemap, Page, Sitemap } from "../model/model.ts";
import { NO_PAGES, PageListBuilder } from "../page-list/page-list.ts";
import { misplacedIssue } from "../walk/events/place-reporter.ts";
import { copyIssue, failureFacts, httpOf, issueCountOf } from "../walk/events/sitemap-events.ts";
import { checkWalk } from "../walk/option-rules.ts";
import type { WalkOptions } from "../walk/options.ts";
import type { Place } from "../walk/place.ts";
import { isRead, NONE, type SiteGraph, type SitemapDocument, type Verdict } from "../walk/site-graph.ts";
import { urlKey } from "../walk/url-key.ts";
import { Walk } from "../walk/walk.ts";
import { clientFor } from "../walk/walk-sitemaps.ts";
import { NODE } from "./argument-rules.ts";
import { withToJson } from "./saved/tree-to-json.ts";

/** Options of `sitemapTreeForHomepage` and `sitemapTree`. They are the options of a walk. */
export type TreeOptions = WalkOptions;

/**
 * Finds all sitemaps of a site and reads them into a tree.
 *
 * @example
 * const tree = await sitemapTreeForHomepage("https://example.com/");
 * for (const page of allPages(tree)) console.log(page.url);
 */
export async function sitemapTreeForHomepage(
  homepageUrl: string | URL,
  options: TreeOptions = {},
): Promise<IndexWebsiteSitemap> {
  return siteTree(homepageUrl, options, "sitemapTreeForHomepage");
}

/**
 * Reads one sitemap and all sitemaps below it. Does not search robots.txt and known locations. If the sitemap cannot be
 * read, the result is an `InvalidSitemap` with the reason. The `issues` of the result also name the limits that the
 * walk reached.
 *
 * @example
 * const sitemap = await sitemapTree("https://example.com/news.xml");
 * if (sitemap.kind === "invalid") console.error(sitemap.reason);
 * for (const page of allPages(sitemap)) console.log(page.url);
 */
export async function sitemapTree(sitemapUrl: string | URL, options: TreeOptions = {}): Promise<Sitemap> {
  const start = { sitemaps: [sitemapUrl] };
  const { subSitemaps, issues, partial } = await siteTree(start, options, "sitemapTree");
  // The sitemap that the caller passed always has a node.
  const sitemap = subSitemaps[0]!;
  if (issues.length === 0 && !partial) return sitemap;
  return withToJson({
    ...sitemap,
    ...(partial && { partial }),
    issues: [...sitemap.issues, ...issues],
    issueCount: sitemap.issueCount + issues.length,
  });
}

/**
 * Builds the tree for any start. Sitemaps that the caller passes are children of the website node, in the same order.
 */
export async function siteTree(
  start: WalkStart,
  options: TreeOptions,
  caller = "siteTree",
): Promise<IndexWebsiteSitemap> {
  const site = checkWalk(caller, start, options);
  const { client, close } = clientFor(site, options);
  try {
    const builders = new Map<SitemapDocument, PageListBuilder>();
    const keepPages = (document: SitemapDocument, pages: readonly Page[]): undefined => {
      let builder = builders.get(document);
      if (builder === undefined) {
        builder = new PageListBuilder();
        builders.set(document, builder);
      }
      for (const page of pages) builder.add(page);
    };
    const walk = new Walk(site, options, client, { keepPages });
    for await (const _ of walk.run());
    for (const [document, builder] of builders) document.pages = builder.finish();
    return new TreeBuilder(walk.graph).website(walk);
  } finally {
    await close();
  }
}

/** Yields all nodes below this node, depth first, in the order in which they are listed. */
export function allSitemaps(sitemap: Sitemap): Generator<Sitemap> {
  checkArgument("allSitemaps", "sitemap", NODE, sitemap);
  return nodesBelow(sitemap);
}

function* nodesBelow(sitemap: Sitemap): Generator<Sitemap> {
  // Do not use recursion, because `limits.depth` may allow thousands of levels.
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

/** Options of `allPages`. */
export interface AllPagesOptions {
  /** Yield each URL only once, even if several sitemaps list it. This keeps all URLs in memory. @default false */
  readonly unique?: boolean | undefined;
}

const ALL_PAGES_OPTIONS: OptionRules<AllPagesOptions> = { unique: BOOLEAN };

/**
 * Yields the pages of this node and of all nodes below it, depth first, without building a list. If several nodes list
 * a page, it is yielded several times. With `unique`, it is yielded only once.
 *
 * @example
 * for (const page of allPages(tree, { unique: true })) console.log(page.url);
 */
export function allPages(sitemap: Sitemap, options: AllPagesOptions = {}): Generator<Page> {
  checkArgument("allPages", "sitemap", NODE, sitemap);
  checkOptions("allPages", ALL_PAGES_OPTIONS, options);
  return options.unique ? uniquePagesBelow(sitemap) : pagesBelow(sitemap);
}

function* uniquePagesBelow(sitemap: Sitemap): Generator<Page> {
  const seen = new Set<string>();
  for (const page of pagesBelow(sitemap)) {
    if (seen.has(page.url)) continue;
    seen.add(page.url);
    yield page;
  }
}

function* pagesBelow(sitemap: Sitemap): Generator<Page> {
  yield* sitemap.pages;
  // Skip nodes without pages. In a large tree, most nodes may be invalid, and an iterator for each of them would take
  // more memory than the nodes.
  for (const child of nodesBelow(sitemap)) if (child.pages.length > 0) yield* child.pages;
}

/** One level of the tree: the listed sitemaps (places) that have no node yet, and the nodes that were already built. */
interface Level {
  readonly places: IterableIterator<Place | undefined>;
  readonly siblings: Sitemap[];
}

/** The properties of a node without content. */
const EMPTY = {
  subSitemaps: NONE,
  pages: NO_PAGES,
  issues: NONE,
  issueCount: 0,
  duplicateCount: 0,
} as const;

class TreeBuilder {
  readonly #graph: SiteGraph;
  /**
   * The texts of failures, by verdict (the reason why a sitemap was not read). Nodes share these texts, because 100,000
   * nodes may have the same few reasons.
   */
  readonly #failures: Map<Verdict, ReturnType<typeof failureFacts>> = new Map();
  /**
   * The first document with each content in the order of the tree, by content key (content-hash.ts). The order of
   * requests is random.
   */
  readonly #contents: Map<string, SitemapDocument> = new Map();

  constructor(graph: SiteGraph) {
    this.#graph = graph;
  }

  website({ homepage, roots, issues, isPartial }: Walk): IndexWebsiteSitemap {
    return withToJson({
      kind: "index",
      format: "website",
      url: homepage.href,
      ...(isPartial && { partial: true }),
      subSitemaps: this.#nodes(roots),
      pages: NO_PAGES,
      issues,
      issueCount: issues.length,
      duplicateCount: 0,
    });
  }

  /** Builds the nodes. Does not use recursion, because `limits.depth` may allow thousands of levels. */
  #nodes(roots: readonly Place[]): Sitemap[] {
    const nodes: Sitemap[] = [];
    const open: Level[] = [{ places: roots.values(), siblings: nodes }];
    for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
      const { done, value: place } = level.places.next();
      if (done) {
        open.pop();
        continue;
      }
      if (!place?.isShown) continue;
      if (place.verdict !== undefined) {
        level.siblings.push(withToJson(this.#invalidNode(place, place.verdict)));
        continue;
      }
      const subSitemaps: Sitemap[] = [];
      const node = this.#node(place, subSitemaps);
      if (node === undefined) continue;
      level.siblings.push(withToJson(node));
      // Build the children of the node, unless it is invalid: children of an invalid node are not part of the tree.
      if (node.subSitemaps === subSitemaps)
        open.push({ places: (place.children ?? []).values(), siblings: subSitemaps });
    }
    return nodes;
  }

  #node(place: Place, subSitemaps: readonly Sitemap[]): Sitemap | undefined {
    const { document } = place;
    if (document === undefined) return undefined;
    // A skipped sitemap has no node. Exception: if the caller passed the sitemap, its node explains why it was skipped.
    if (document.outcome === "skipped" && place.source !== "given") return undefined;
    const { chain } = this.#graph.resolve(place.declaration.document!);
    const original = this.#original(document);
    const misplaced = misplacedIssue(place);
    const issues = [
      ...chain.flatMap((hop) => hop.issues),
      ...(misplaced === undefined ? [] : [misplaced]),
      ...(original === undefined ? [] : [copyIssue(document, original)]),
    ];
    const { url, kind, contentHash } = document;
    const { declaration } = place;
    const http = httpOf(chain);
    // Assign the properties one by one: an object with many spread properties takes 2 KB, and a tree has 100,000 nodes.
    const base = kind?.kind === "invalid" ? { kind: kind.kind, ...failureFacts(kind) } : { ...kind };
    const node = base as { -readonly [K in keyof InvalidSitemap]: Sitemap[K & keyof Sitemap] };
    node.url = url;
    if (url !== urlKey(declaration.url)) node.requestedUrl = declaration.url;
    if (declaration.lastModified !== undefined) node.lastModified = declaration.lastModified;
    if (http !== undefined) node.http = http;
    if (document.partial) node.partial = true;
    if (contentHash !== undefined) node.contentHash = contentHash;
    if (original !== undefined) node.duplicateOf = original.url;
    node.subSitemaps = subSitemaps;
    node.pages = isRead(document) ? document.pages : NO_PAGES;
    node.issues = issues;
    const own = (misplaced === undefined ? 0 : 1) + (original === undefined ? 0 : 1);
    node.issueCount = issueCountOf(chain) + own;
    node.duplicateCount = document.duplicateCount;
    return node as unknown as Sitemap;
  }

  /**
   * Builds an invalid node. A tree may have 100,000 of them. An object takes half the memory if one literal contains
   * all its properties.
   */
  #invalidNode({ declaration }: Place, verdict: Verdict): InvalidSitemap {
    let failure = this.#failures.get(verdict);
    if (failure === undefined) {
      failure = failureFacts(verdict);
      this.#failures.set(verdict, failure);
    }
    const { url, lastModified } = declaration;
    const { code, reason, cause } = failure;
    const kind = "invalid";
    if (cause !== undefined) {
      const date = lastModified !== undefined && { lastModified };
      return { kind, code, reason, cause, url, ...date, ...EMPTY };
    }
    const { subSitemaps, pages, issues, issueCount, duplicateCount } = EMPTY;
    if (lastModified === undefined) {
      return { kind, code, reason, url, subSitemaps, pages, issues, issueCount, duplicateCount };
    }
    return { kind, code, reason, url, lastModified, subSitemaps, pages, issues, issueCount, duplicateCount };
  }

  /** Returns an earlier document of the tree with the same content. */
  #original(document: SitemapDocument): SitemapDocument | undefined {
    const { contentKey: key } = document;
    if (key === undefined) return undefined;
    const first = this.#contents.get(key);
    if (first === undefined) this.#contents.set(key, document);
    return first === document ? undefined : first;
  }
}
