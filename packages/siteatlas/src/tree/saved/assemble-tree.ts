/** Builds a tree from checked nodes, in the order in which they were written. A node comes before its sub-sitemaps. */
import type { OptionRules } from "../../check/check-options.ts";
import { type Check, count, fail, shape } from "../../check/check-value.ts";
import { number, oneOf } from "../../check/rules.ts";
import type { IndexWebsiteSitemap, PageList, Sitemap } from "../../model/model.ts";
import { NO_PAGES } from "../../page-list/page-list.ts";
import type { SameAs } from "./shared-parts.ts";
import type { SitemapFacts } from "./sitemap-schema.ts";
import { TreeError } from "./tree-error.ts";
import { withToJson } from "./tree-to-json.ts";

/** Options of `treeFromJson`: the expected root, and limits. */
export interface TreeRootOptions {
  /**
   * `"website"` throws a `TreeError` with code `not-a-website` if the root is a single sitemap, such as the result of
   * `sitemapTree`. `"any"` returns every tree, with the type `Sitemap`.
   *
   * @default "website"
   */
  readonly root?: "website" | "any" | undefined;
  /**
   * Maximum number of sitemaps in the tree. A sitemap that is in the tree three times counts three times. `Infinity`
   * removes the limit.
   *
   * @default 1_000_000
   */
  readonly maxSitemaps?: number | undefined;
  /**
   * Maximum number of pages in the tree. If a sitemap is in the tree three times, its pages also count three times.
   * `Infinity` removes the limit.
   *
   * @default 100_000_000
   */
  readonly maxPages?: number | undefined;
}

export const TREE_ROOT_OPTIONS: OptionRules<TreeRootOptions> = {
  root: oneOf("website", "any"),
  maxSitemaps: number(0),
  maxPages: number(0),
};

const DEFAULT_MAX_SITEMAPS = 1_000_000;
const DEFAULT_MAX_PAGES = 100_000_000;

/** Options with which `treeFromJson` and `loadTree` return a website. */
export interface WebsiteRootOptions {
  /** The root must be a website. @default "website" */
  readonly root?: "website" | undefined;
}

export const sameAs: Check<SameAs> = shape<SameAs>({ sameAs: count }, {});

/** Number of sitemaps and pages in a part of the tree. A sitemap counts once for each place where it occurs. */
interface Size {
  readonly sitemaps: number;
  readonly pages: number;
}

/** A node whose sub-sitemaps have not all been added yet. */
interface OpenNode {
  readonly node: Sitemap;
  readonly subSitemaps: Sitemap[];
  /** Size of the tree before this node. */
  readonly before: Size;
}

export class TreeAssembler {
  readonly #subject: string;
  readonly #maxSitemaps: number;
  readonly #maxPages: number;
  readonly #nodes: Sitemap[] = [];
  /** The open nodes, from the root down to the current node. */
  readonly #open: OpenNode[] = [];
  readonly #ancestors: Set<Sitemap> = new Set();
  /** The sizes of complete nodes. */
  readonly #sizes: Map<Sitemap, Size> = new Map();
  /**
   * Size of the tree that was built so far. It must be limited: a file of 696 bytes can contain a chain of 60 nodes,
   * each of which lists the next node twice. This tree would have 2^60 nodes.
   */
  #size: Size = { sitemaps: 0, pages: 0 };

  /** @param subject the start of error messages: `The tree` or `it` */
  constructor(
    subject: string,
    { maxSitemaps = DEFAULT_MAX_SITEMAPS, maxPages = DEFAULT_MAX_PAGES }: TreeRootOptions,
  ) {
    this.#subject = subject;
    this.#maxSitemaps = maxSitemaps;
    this.#maxPages = maxPages;
  }

  get nodeCount(): number {
    return this.#nodes.length;
  }

  /** Adds a node below the last open node, and opens it. */
  open(facts: SitemapFacts, pages: PageList): void {
    const before = this.#size;
    this.#grow({ sitemaps: 1, pages: pages.length });
    const subSitemaps: Sitemap[] = [];
    const { issues, issueCount, duplicateCount, ...first } = facts;
    const rest = { subSitemaps, pages: pages.length === 0 ? NO_PAGES : pages };
    const node = withToJson({ ...first, ...rest, issues, issueCount, duplicateCount } as Sitemap);
    this.#nodes.push(node);
    this.#open.at(-1)?.subSitemaps.push(node);
    this.#open.push({ node, subSitemaps, before });
    this.#ancestors.add(node);
  }

  /** Adds a node that is already in the tree, below the last open node. */
  addShared(reference: SameAs): void {
    const node = this.#find(reference);
    if (this.#ancestors.has(node)) fail("the number of a sitemap that is not above it", reference.sameAs);
    this.#grow(this.#sizes.get(node)!);
    this.#open.at(-1)?.subSitemaps.push(node);
  }

  /** Returns the pages of an earlier node. */
  pagesOf(reference: SameAs): PageList {
    return this.#find(reference).pages;
  }

  /** Ends the last open node. */
  close(): void {
    const closed = this.#open.pop();
    if (closed === undefined) return;
    const { node, before } = closed;
    this.#ancestors.delete(node);
    const { sitemaps, pages } = this.#size;
    this.#sizes.set(node, { sitemaps: sitemaps - before.sitemaps, pages: pages - before.pages });
  }

  finish({ root = "website" }: TreeRootOptions): Sitemap {
    const tree = this.#nodes[0]!;
    if (root === "website" && !isWebsite(tree)) {
      const message = `The tree starts at the sitemap ${tree.url}, not at a website. To read it, pass { root: "any" }`;
      throw new TreeError("not-a-website", message);
    }
    return tree;
  }

  #grow({ sitemaps, pages }: Size): void {
    this.#size = { sitemaps: this.#size.sitemaps + sitemaps, pages: this.#size.pages + pages };
    if (this.#size.sitemaps > this.#maxSitemaps) this.#refuse(this.#maxSitemaps, "sitemaps", "maxSitemaps");
    if (this.#size.pages > this.#maxPages) this.#refuse(this.#maxPages, "pages", "maxPages");
  }

  #refuse(limit: number, what: string, option: string): never {
    const message = `${this.#subject} has more than ${limit} ${what}: raise ${option} to read it`;
    throw new TreeError("too-large", message);
  }

  #find({ sameAs: number }: SameAs): Sitemap {
    return this.#nodes[number] ?? fail("the number of an earlier sitemap", number);
  }
}

function isWebsite(tree: Sitemap): tree is IndexWebsiteSitemap {
  return tree.kind === "index" && tree.format === "website";
}
