/**
 * The tree of sitemaps out of the events of a walk, without their pages, in the order in which the site
 * declares them: events come as sitemaps end, the order comes with the lists that the walk asks about.
 */
import { knownPaths } from "../discover/known-paths.ts";
import type { IssueCode } from "../issues.ts";
import type { Issue } from "../model.ts";
import type { WalkedSitemap } from "../walk/events.ts";
import type { TreeNode } from "./picture/draw-tree.ts";
import { isFailure } from "./talk/tally.ts";

interface Node extends TreeNode {
  readonly children: Node[];
  /** Its place among those declared beside it. */
  readonly order: number;
}

const ROOT_ORDER: Readonly<Record<WalkedSitemap["source"], number>> = {
  robots: 0,
  known: 1,
  homepage: 2,
  sitemap: 3,
};

export class SitemapTree {
  readonly #sitemaps: WalkedSitemap[] = [];
  readonly #issues: Map<string, Map<IssueCode, number>> = new Map();
  /** What declares → what it declares → its place. */
  readonly #orders: Map<string, Map<string, number>> = new Map();

  /** What a sitemap lists, in order; the first of `parentUrls` is the one that lists it. */
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
    if (sitemap.source === "known" && sitemap.outcome !== "found" && sitemap.outcome !== "stopped") return;
    // A robots.txt that is not there is no news.
    if (sitemap.source === "robots" && sitemap.outcome === "failed" && !isFailure(sitemap)) return;
    this.#sitemaps.push(sitemap);
  }

  /** robots.txt, what known locations gave, what the homepage links to. */
  roots(): readonly TreeNode[] {
    const roots: Node[] = [];
    const found = new Map<string, Node>();
    const nodes = this.#sitemaps.map((sitemap) => this.#node(sitemap));
    for (const node of nodes) if (node.sitemap.outcome === "found") found.set(node.sitemap.url, node);
    for (const node of nodes) {
      const { parentUrl } = node.sitemap;
      const siblings = parentUrl === undefined ? roots : found.get(parentUrl)?.children;
      siblings?.push(node);
    }
    for (const node of nodes) node.children.sort((a, b) => a.order - b.order);
    return roots.sort((a, b) => a.order - b.order);
  }

  #node(sitemap: WalkedSitemap): Node {
    const { url, requestedUrl, parentUrl, source } = sitemap;
    const declared = requestedUrl ?? url;
    const place =
      parentUrl === undefined ? rootPlace(declared) : (this.#orders.get(parentUrl)?.get(declared) ?? 0);
    return {
      sitemap,
      issues: this.#issues.get(url) ?? this.#issues.get(declared) ?? new Map(),
      children: [],
      order: parentUrl === undefined ? ROOT_ORDER[source] * 1000 + place : place,
    };
  }
}

/** Known locations stand in the order in which they are tried. */
function rootPlace(url: string): number {
  const at = knownPaths("thorough").findIndex((path) => url.endsWith(`/${path}`));
  return at === -1 ? 999 : at;
}

/** Depth first. Not by recursion: indexes may nest as deep as they are many. */
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
