/**
 * Builds the tree of sitemaps from the events of a walk, in the order in which the site lists them. The events arrive
 * in another order, so a callback of the walk passes the list of each index to `declare`.
 */
import { htmlKnownPaths, knownPaths } from "../../discover/known-paths.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { Issue } from "../../model/model.ts";
import { countedIssues } from "../../report/issue-counts.ts";
import { isGuess, type WalkedSitemap } from "../../walk/events/events.ts";
import { isFailure } from "../../walk/events/failed-sitemap.ts";
import type { TreeNode } from "../render/draw-tree.ts";

interface Node extends TreeNode {
  readonly children: Node[];
  /** Position among the children of the same parent. */
  readonly order: number;
  isListedByRobots: boolean;
}

const ROOT_ORDER: Readonly<Record<WalkedSitemap["source"], number>> = {
  given: 0,
  robots: 0,
  known: 1,
  homepage: 2,
  llms: 3,
  sitemap: 4,
};

export class SitemapTree {
  readonly #sitemaps: WalkedSitemap[] = [];
  readonly #issues: Map<string, Map<IssueCode, number>> = new Map();
  /** The position of each sitemap in the list of its parent. Keys are URLs of parents, then URLs of children. */
  readonly #orders: Map<string, Map<string, number>> = new Map();

  /** Stores the list of sitemaps of an index. The first of `parentUrls` is that index. */
  declare(urls: readonly string[], parentUrls: ReadonlySet<string>): void {
    const [parent = ""] = parentUrls;
    this.#orders.set(parent, new Map([...urls].reverse().map((url, i) => [url, urls.length - 1 - i])));
  }

  addIssue({ url, code }: Issue): void {
    let codes = this.#issues.get(url);
    if (codes === undefined) {
      codes = new Map();
      this.#issues.set(url, codes);
    }
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }

  addSitemap(sitemap: WalkedSitemap): void {
    if (isGuess(sitemap.source) && sitemap.outcome !== "found" && sitemap.outcome !== "stopped") return;
    // A missing robots.txt is not shown.
    if (sitemap.source === "robots" && sitemap.outcome === "failed" && !isFailure(sitemap)) return;
    this.#sitemaps.push(sitemap);
  }

  /**
   * The top of the tree: sitemaps that the user gave, robots.txt, sitemaps at known locations, and sitemaps that the
   * homepage links.
   */
  roots(): readonly TreeNode[] {
    const roots: Node[] = [];
    const found = new Map<string, Node>();
    const nodes = this.#sitemaps.map((sitemap) => this.#node(sitemap));
    for (const node of nodes) if (node.sitemap.outcome === "found") found.set(node.sitemap.url, node);
    for (const node of nodes) {
      const { parentUrl } = node.sitemap;
      const parent = parentUrl === undefined ? undefined : found.get(parentUrl);
      // The parent is recognized as a robots.txt by its format. Its URL may have another name after a redirect.
      node.isListedByRobots = parent?.sitemap.format === "robots";
      if (parentUrl === undefined) roots.push(node);
      else parent?.children.push(node);
    }
    for (const node of nodes) node.children.sort((a, b) => a.order - b.order);
    return roots.sort((a, b) => a.order - b.order);
  }

  #node(sitemap: WalkedSitemap): Node {
    const { url, requestedUrl, parentUrl, source } = sitemap;
    const declared = requestedUrl ?? url;
    const place =
      parentUrl === undefined
        ? rootPlace(declared, sitemap)
        : (this.#orders.get(parentUrl)?.get(declared) ?? 0);
    return {
      sitemap,
      issues: countedIssues(
        countsOf(sitemap) ?? this.#issues.get(url) ?? this.#issues.get(declared) ?? new Map(),
      ),
      children: [],
      isListedByRobots: false,
      order: parentUrl === undefined ? ROOT_ORDER[source] * 1000 + place : place,
    };
  }
}

/** The number of issues by code. The walk counts all issues, but reports at most ten of each code. */
function countsOf({ issueCounts }: WalkedSitemap): Map<IssueCode, number> | undefined {
  return issueCounts && new Map(Object.entries(issueCounts) as [IssueCode, number][]);
}

/** Position of a known location: the number of locations that are tried before it. */
function rootPlace(url: string, { format }: WalkedSitemap): number {
  const isAt = (path: string): boolean => url.endsWith(`/${path}`);
  const html = htmlKnownPaths.findIndex(isAt);
  if (format === "html" && html >= 0) return 900 + html;
  const at = knownPaths("thorough").findIndex(isAt);
  return at === -1 ? 999 : at;
}

/** Yields all nodes, depth first. It is not recursive, because trees can be deep. */
export function* allNodes(roots: readonly TreeNode[]): Generator<TreeNode> {
  const path = [roots[Symbol.iterator]()];
  for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
    const { done, value: node } = level.next() as IteratorResult<TreeNode, undefined>;
    if (done) {
      path.pop();
      continue;
    }
    yield node;
    path.push(node.children[Symbol.iterator]());
  }
}
