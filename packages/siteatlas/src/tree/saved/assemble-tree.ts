/** Builds a tree from checked nodes, in the order in which they were written: a node before its sitemaps. */
import type { OptionRules } from "../../check/check-options.ts";
import { type Check, count, fail, shape } from "../../check/check-value.ts";
import { oneOf } from "../../check/rules.ts";
import type { IndexWebsiteSitemap, PageList, Sitemap } from "../../model/model.ts";
import { NO_PAGES } from "../../page-list/page-list.ts";
import type { SameAs } from "./shared-parts.ts";
import type { SitemapFacts } from "./sitemap-schema.ts";
import { TreeError } from "./tree-error.ts";
import { withToJson } from "./tree-to-json.ts";

/** Which root a caller expects. */
export interface TreeRootOptions {
  /**
   * `"website"` throws a `TreeError` with code `not-a-website` if the root is a single sitemap, such as the result of
   * `sitemapTree`. `"any"` returns every tree, with the type `Sitemap`.
   *
   * @default "website"
   */
  readonly root?: "website" | "any" | undefined;
}

export const TREE_ROOT_OPTIONS: OptionRules<TreeRootOptions> = { root: oneOf("website", "any") };

/** Options of a call whose result is a website. */
export interface WebsiteRootOptions {
  /** The root must be a website. @default "website" */
  readonly root?: "website" | undefined;
}

export const sameAs: Check<SameAs> = shape<SameAs>({ sameAs: count }, {});

export class TreeAssembler {
  readonly #nodes: Sitemap[] = [];
  /** The nodes whose sitemaps are not complete, from the root on, and their lists of sitemaps. */
  readonly #open: { readonly node: Sitemap; readonly subSitemaps: Sitemap[] }[] = [];
  readonly #ancestors: Set<Sitemap> = new Set();

  get nodeCount(): number {
    return this.#nodes.length;
  }

  /** Adds a node to the last open one, and opens it. */
  open(facts: SitemapFacts, pages: PageList): void {
    const subSitemaps: Sitemap[] = [];
    const { issues, issueCount, duplicateCount, ...first } = facts;
    const rest = { subSitemaps, pages: pages.length === 0 ? NO_PAGES : pages };
    const node = withToJson({ ...first, ...rest, issues, issueCount, duplicateCount } as Sitemap);
    this.#nodes.push(node);
    this.#open.at(-1)?.subSitemaps.push(node);
    this.#open.push({ node, subSitemaps });
    this.#ancestors.add(node);
  }

  /** Adds a node that is in the tree already. */
  addShared(reference: SameAs): void {
    const node = this.#find(reference);
    if (this.#ancestors.has(node)) fail("the number of a sitemap that is not above it", reference.sameAs);
    this.#open.at(-1)?.subSitemaps.push(node);
  }

  /** The pages of an earlier node. */
  pagesOf(reference: SameAs): PageList {
    return this.#find(reference).pages;
  }

  /** Ends the last open node. */
  close(): void {
    const closed = this.#open.pop();
    if (closed !== undefined) this.#ancestors.delete(closed.node);
  }

  finish({ root = "website" }: TreeRootOptions): Sitemap {
    const tree = this.#nodes[0]!;
    if (root === "website" && !isWebsite(tree)) {
      const message = `The tree starts at the sitemap ${tree.url}, not at a website. To read it, pass { root: "any" }`;
      throw new TreeError("not-a-website", message);
    }
    return tree;
  }

  #find({ sameAs: number }: SameAs): Sitemap {
    return this.#nodes[number] ?? fail("the number of an earlier sitemap", number);
  }
}

function isWebsite(tree: Sitemap): tree is IndexWebsiteSitemap {
  return tree.kind === "index" && tree.format === "website";
}
