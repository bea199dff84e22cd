/** Builds a tree from the lines of a file. tree-file.ts describes the format. */
import { type Check, checkPart, count, fail, record, shape } from "../../check/check-value.ts";
import type { Sitemap } from "../../model/model.ts";
import { PageListBuilder } from "../../page-list/page-list.ts";
import { sameAs, TreeAssembler, type TreeRootOptions } from "./assemble-tree.ts";
import { page } from "./page-schema.ts";
import type { SameAs } from "./shared-parts.ts";
import { type SitemapFacts, sitemapFacts } from "./sitemap-schema.ts";
import { checkTreeAt, TreeError } from "./tree-error.ts";
import { FILE_FORMAT, type FileEnd } from "./tree-file.ts";
import { TREE_VERSION } from "./tree-to-json.ts";

interface NodeLine {
  readonly sitemap: SitemapFacts;
  readonly subSitemaps: number;
  readonly pages: number | SameAs;
}

const nodeLine = shape<NodeLine>(
  {
    sitemap: sitemapFacts,
    subSitemaps: count,
    pages: (value) => (typeof value === "number" ? count(value) : sameAs(value)),
  },
  {},
);

const endLine = shape<FileEnd>({ end: shape<FileEnd["end"]>({ sitemaps: count, pages: count }, {}) }, {});

/** A node whose pages are being read. */
interface OpenNode {
  readonly facts: SitemapFacts;
  readonly subSitemaps: number;
  readonly pages: PageListBuilder;
  /** Number of pages that have not been read yet. */
  missing: number;
}

export class TreeLineReader {
  readonly #options: TreeRootOptions;
  readonly #assembler: TreeAssembler;
  #next: "header" | "node" | "pages" | "end" | "nothing" = "header";
  #node: OpenNode | undefined;
  /** For each open node: the number of its sub-sitemaps that have not been read yet. */
  readonly #missing: number[] = [];
  #pageCount = 0;

  constructor(options: TreeRootOptions) {
    this.#options = options;
    this.#assembler = new TreeAssembler("it", options);
  }

  readLine(line: string): void {
    if (this.#next === "header") return this.#readHeader(line);
    const value = parse(line);
    if (this.#next === "pages") this.#readPage(value);
    else if (this.#next === "node") this.#readNode(value);
    else if (this.#next === "end") this.#readEnd(value);
    else throw new TreeError("invalid", "it has text after its end");
  }

  /** Returns the tree. Throws a `TreeError` if the file is not complete. */
  finish(): Sitemap {
    if (this.#next === "header") throw new TreeError("not-a-tree", "it is empty");
    if (this.#next !== "nothing") throw new TreeError("truncated", "it ends early");
    return this.#assembler.finish(this.#options);
  }

  #readHeader(line: string): void {
    // Do not parse a long first line, because it may have megabytes.
    const value = line.length < 1000 ? tryParse(line) : undefined;
    const header = typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
    if (header["format"] !== FILE_FORMAT) throw new TreeError("not-a-tree", "it is not a file of saveTree");
    if (header["version"] !== TREE_VERSION) {
      const version = typeof header["version"] === "number" ? header["version"] : "unknown";
      const message = `it has version ${version}, but only version ${TREE_VERSION} is supported`;
      throw new TreeError("unsupported-version", message);
    }
    this.#next = "node";
  }

  #readNode(value: unknown): void {
    checkTreeAt(lineName, this.#addNode, value);
  }

  readonly #addNode: Check<void> = (value) => {
    if (record(value)["sameAs"] !== undefined && this.#missing.length > 0) {
      this.#assembler.addShared(sameAs(value));
      this.#endChild();
      return;
    }
    const { sitemap: facts, subSitemaps, pages } = nodeLine(value);
    if (typeof pages === "object") {
      const list = checkPart("pages", () => this.#assembler.pagesOf(pages), pages);
      this.#open(facts, subSitemaps, list);
    } else {
      this.#node = { facts, subSitemaps, pages: new PageListBuilder(), missing: pages };
      this.#next = "pages";
      if (pages === 0) this.#endPages(this.#node);
    }
  };

  #readPage(value: unknown): void {
    const node = this.#node!;
    node.pages.add(checkTreeAt(lineName, page, value));
    this.#pageCount++;
    node.missing--;
    if (node.missing === 0) this.#endPages(node);
  }

  #endPages({ facts, subSitemaps, pages }: OpenNode): void {
    this.#node = undefined;
    this.#open(facts, subSitemaps, pages.finish());
  }

  #open(facts: SitemapFacts, subSitemaps: number, pages: Sitemap["pages"]): void {
    this.#assembler.open(facts, pages);
    this.#next = "node";
    this.#missing.push(subSitemaps);
    if (subSitemaps === 0) this.#closeComplete();
  }

  /** Called when one sub-sitemap of the last open node is complete. */
  #endChild(): void {
    const last = this.#missing.length - 1;
    this.#missing[last]!--;
    this.#closeComplete();
  }

  /** Closes all nodes whose sub-sitemaps are complete. */
  #closeComplete(): void {
    while (this.#missing.at(-1) === 0) {
      this.#missing.pop();
      this.#assembler.close();
      const last = this.#missing.length - 1;
      if (last >= 0) this.#missing[last]!--;
    }
    if (this.#missing.length === 0) this.#next = "end";
  }

  #readEnd(value: unknown): void {
    const { end } = checkTreeAt(lineName, endLine, value);
    const found = { sitemaps: this.#assembler.nodeCount, pages: this.#pageCount };
    if (end.sitemaps !== found.sitemaps || end.pages !== found.pages) {
      checkTreeAt(
        lineName,
        () => fail(`${JSON.stringify(found)}, the numbers in this file`, JSON.stringify(end)),
        value,
      );
    }
    this.#next = "nothing";
  }
}

function lineName(): string {
  return "$";
}

/** Up to this length, the objects in a line are not counted, because they take at most 2 MB of memory. */
const SHORT_LINE = 64 * 1024;
/** Maximum number of objects and arrays in a line. `JSON.parse` needs 60 bytes of memory for `{}`. */
const MAX_OBJECTS = 500_000;

function parse(line: string): unknown {
  if (line.length > SHORT_LINE && countBrackets(line) > MAX_OBJECTS) {
    throw new TreeError("too-large", `a line has more than ${MAX_OBJECTS} objects and arrays`);
  }
  const value = tryParse(line);
  if (value === undefined) throw new TreeError("invalid", "the line is not JSON");
  return value;
}

/** Counts `[` and `{`, also in strings. */
function countBrackets(line: string): number {
  let found = 0;
  for (let at = 0; at < line.length; at++) {
    const char = line.charCodeAt(at);
    if (char === 0x5b || char === 0x7b) found++;
  }
  return found;
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
