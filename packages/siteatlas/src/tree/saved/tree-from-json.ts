/** Reads the JSON of a tree. The JSON is untrusted, so every value is checked. */
import { checkArgument, checkOptions } from "../../check/check-options.ts";
import { type Check, checkPart, fail, record } from "../../check/check-value.ts";
import type { IndexWebsiteSitemap, PageList, Sitemap } from "../../model/model.ts";
import { CompactPageList, PageListBuilder } from "../../page-list/page-list.ts";
import { TREE_JSON } from "../argument-rules.ts";
import {
  sameAs,
  TREE_ROOT_OPTIONS,
  TreeAssembler,
  type TreeRootOptions,
  type WebsiteRootOptions,
} from "./assemble-tree.ts";
import { page } from "./page-schema.ts";
import { sitemapFacts } from "./sitemap-schema.ts";
import { checkTreeAt, TreeError } from "./tree-error.ts";
import { TREE_VERSION } from "./tree-to-json.ts";

/** The sub-sitemaps of one node, and the index of the next one to read. */
interface Level {
  readonly values: readonly unknown[];
  next: number;
}

/**
 * Restores a tree from the text that `JSON.stringify(tree)` returned, or from the value that `JSON.parse` made of this
 * text. Dates become `Date` objects again. Sitemaps that occur in several places share their pages. For millions of
 * pages, use `saveTree` and `loadTree`.
 *
 * @throws {TreeError} if the value is not a complete and correct tree
 * @throws {TypeError} for a value that JSON cannot contain, such as a Promise, or an invalid option
 *
 * @example
 * const text = JSON.stringify(await sitemapTreeForHomepage("https://example.com/"));
 * const tree = treeFromJson(text);
 */
export function treeFromJson(
  value: unknown,
  options?: TreeRootOptions & WebsiteRootOptions,
): IndexWebsiteSitemap;
export function treeFromJson(value: unknown, options: TreeRootOptions): Sitemap;
export function treeFromJson(value: unknown, options: TreeRootOptions = {}): Sitemap {
  checkArgument("treeFromJson", "value", TREE_JSON, value);
  checkOptions("treeFromJson", TREE_ROOT_OPTIONS, options);
  const { treeVersion, ...root } = versionedRoot(typeof value === "string" ? parse(value) : value);
  if (treeVersion !== TREE_VERSION) {
    const message = `The version of the tree is ${describeVersion(treeVersion)}, but only version ${TREE_VERSION} is supported`;
    throw new TreeError("unsupported-version", message);
  }
  const assembler = new TreeAssembler("The tree", options);
  const levels: Level[] = [{ values: [root], next: 0 }];
  const name = (): string => nameOf(levels);
  // Do not use recursion: the untrusted input decides how deep the tree is.
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const child = level.values[level.next++];
    if (level.next > level.values.length) {
      levels.pop();
      assembler.close();
    } else {
      const children = checkTreeAt(name, readNode(assembler), child);
      if (children !== undefined) levels.push({ values: children, next: 0 });
    }
  }
  return assembler.finish(options);
}

function parse(text: string): unknown {
  try {
    // Remove a byte order mark, which some editors and tools write. JSON does not allow it.
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new TreeError("not-a-tree", "The text is not JSON");
  }
}

function versionedRoot(value: unknown): Readonly<Record<string, unknown>> {
  const isTree = typeof value === "object" && value !== null && Object.hasOwn(value, "treeVersion");
  if (!isTree)
    throw new TreeError("not-a-tree", "The value is not the JSON of a tree: it has no treeVersion");
  return value as Readonly<Record<string, unknown>>;
}

function describeVersion(version: unknown): string {
  return typeof version === "number" ? String(version) : `a value of type ${typeof version}`;
}

/** Adds a node to the tree. Returns the unchecked sub-sitemaps of the node, or undefined if the node is a reference. */
function readNode(assembler: TreeAssembler): Check<readonly unknown[] | undefined> {
  return (value) => {
    const { subSitemaps, pages, ...facts } = record(value);
    if (facts["sameAs"] !== undefined) {
      assembler.addShared(sameAs(value));
      return undefined;
    }
    const children = checkPart("subSitemaps", array, subSitemaps);
    const checked = sitemapFacts(facts);
    assembler.open(
      checked,
      checkPart("pages", (list) => readPages(list, assembler), pages),
    );
    return children;
  };
}

const array: Check<readonly unknown[]> = (value) => (Array.isArray(value) ? value : fail("an array", value));

function readPages(value: unknown, assembler: TreeAssembler): PageList {
  // The caller passed the result of `toJSON`, which was not converted to text. Its pages need no check.
  if (value instanceof CompactPageList) return value;
  if (!Array.isArray(value)) return assembler.pagesOf(sameAs(value));
  const builder = new PageListBuilder();
  for (let i = 0; i < value.length; i++) builder.add(checkPart(i, page, value[i]));
  return builder.finish();
}

/** The position of the current node, for messages: `$.subSitemaps[3].subSitemaps[0]`. */
function nameOf(levels: readonly Level[]): string {
  return `$${levels
    .slice(1)
    .map(({ next }) => `.subSitemaps[${next - 1}]`)
    .join("")}`;
}
