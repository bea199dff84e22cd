/**
 * The public functions for documents that are at hand: a push core (document.ts) turned into an async
 * generator, and that folded into one node. No network: the children of an index come as nodes that were
 * not fetched.
 */
import { decompress } from "../decode/inflate.ts";
import { fillLimits, PARSE_LIMITS, type ParseLimits } from "../limits.ts";
import type { Entry, InvalidSitemap, Page, Sitemap, SubSitemap } from "../model.ts";
import { maskNoUrl } from "../sinks/userinfo.ts";
import { type DocumentKind, DocumentParser, refuse } from "./document.ts";
import { given } from "./given.ts";

/** A document: its text, its bytes (compressed or not, in any encoding), or chunks of either. */
export type SitemapSource = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface ParseOptions {
  /** Where the document came from: relative URLs start there, and `/robots.txt` is known by it. */
  readonly url?: string;
  /** The Content-Type it came with: a hint, never believed against the bytes. */
  readonly contentType?: string;
  /**
   * Follow the specifications to the letter: what would be repaired is dropped or ends the document, as
   * the issue table says of each code.
   *
   * @default false
   */
  readonly strict?: boolean;
  /** Bounds of the document; an unknown name is a `TypeError`, a negative number a `RangeError`. */
  readonly limits?: ParseLimits;
}

/**
 * Gives the pages, sub-sitemaps and issues of a document as they are read, in constant memory.
 *
 * @example
 * for await (const entry of parseEntries(createReadStream("sitemap.xml.gz"))) {
 *   if (entry.kind === "page") console.log(entry.page.url);
 * }
 */
export async function* parseEntries(
  source: SitemapSource,
  options: ParseOptions = {},
): AsyncGenerator<Entry> {
  const ready: Entry[] = [];
  const { run } = createRun(source, options, {
    page: (page) => ready.push({ kind: "page", page }),
    child: (sitemap) => ready.push({ kind: "sitemap", sitemap }),
    entry: (entry) => ready.push(entry),
  });
  for await (const _ of run()) {
    yield* ready;
    ready.length = 0;
  }
}

/**
 * Reads a whole document into one node of a sitemap tree.
 *
 * @example
 * const sitemap = await parseSitemap(xml, { url: "https://example.com/sitemap.xml" });
 * for (const page of sitemap.pages) console.log(page.url, page.lastModified?.value);
 */
export async function parseSitemap(source: SitemapSource, options: ParseOptions = {}): Promise<Sitemap> {
  const pages: Page[] = [];
  const children: SubSitemap[] = [];
  const { run, parser } = createRun(source, options, {
    page: (page) => pages.push(page),
    child: (child) => children.push(child),
  });
  let kind: DocumentKind = refuse("content.empty");
  for await (const outcome of run()) kind = outcome ?? kind;
  const isInvalid = kind.kind === "invalid";
  return {
    ...kind,
    url: options.url ?? "",
    ...(parser.partial && { partial: true as const }),
    subSitemaps: isInvalid ? [] : children.map(notFetched),
    pages: isInvalid ? [] : pages,
    issues: parser.log.kept,
    issueCount: parser.log.total,
    duplicateCount: parser.duplicateCount,
  } as Sitemap;
}

interface RunHandlers {
  page(page: Page): void;
  child(child: SubSitemap): void;
  entry?(entry: Entry): void;
}

/** A parse about to begin: `run` yields after each chunk, and at last what the document was. */
function createRun(
  source: SitemapSource,
  { url = "", contentType, strict = false, limits: given }: ParseOptions,
  handlers: RunHandlers,
): { parser: DocumentParser; run: () => AsyncGenerator<DocumentKind | undefined> } {
  if (url !== "" && !URL.canParse(url))
    throw new TypeError(`Cannot parse sitemap: invalid url "${maskNoUrl(url)}"`);
  const limits = fillLimits(PARSE_LIMITS, given);
  const isText = typeof source === "string";
  const parser = new DocumentParser({
    url,
    contentType,
    strict,
    limits,
    isText,
    onPage: handlers.page,
    onChild: handlers.child,
    ...(handlers.entry && { onIssue: (issue) => handlers.entry?.({ kind: "issue", issue }) }),
  });
  async function* run(): AsyncGenerator<DocumentKind | undefined> {
    let cut = false;
    const chunks = isText
      ? bytesOf(piecesOf(source))
      : decompress(bytesOf(source instanceof Uint8Array ? [source] : source), {
          report: parser.reportFrame,
          url,
          maxLayers: limits.compressionLayers,
          maxMembers: limits.gzipMembers,
          contentType,
          onCut: () => {
            cut = true;
          },
        });
    for await (const chunk of chunks) {
      parser.push(chunk);
      if (parser.done) break;
      yield undefined;
    }
    yield parser.end(cut);
  }
  return { parser, run };
}

/** Large texts are encoded in pieces. */
const TEXT_STEP = 64 * 1024;

function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; from += TEXT_STEP) yield text.slice(from, from + TEXT_STEP);
}

async function* bytesOf(
  chunks: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  // A character outside the BMP may be cut in two: its first half waits.
  let held = "";
  for await (const chunk of chunks) {
    if (typeof chunk !== "string") {
      yield chunk;
      continue;
    }
    const text = held + chunk;
    const last = text.slice(-1);
    held = last >= "\ud800" && last < "\udc00" ? last : "";
    yield encoder.encode(text.slice(0, text.length - held.length));
  }
  if (held !== "") yield encoder.encode(held);
}

function notFetched({ url, lastModified }: SubSitemap): InvalidSitemap {
  return given({
    kind: "invalid" as const,
    code: "not-fetched" as const,
    reason: "not fetched",
    url,
    lastModified,
    subSitemaps: [],
    pages: [],
    issues: [],
    issueCount: 0,
    duplicateCount: 0,
  });
}
