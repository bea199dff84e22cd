/**
 * The public parse functions. `parseEntries` runs the push parser (document.ts) as an async generator. `parseSitemap`
 * returns the whole result as one node. Nothing is fetched: the sitemaps that an index lists become nodes without
 * content.
 */

import { FAST } from "#shortcuts";
import { decompress } from "../decode/inflate.ts";
import { fillLimits } from "../model/fill-limits.ts";
import { PARSE_LIMITS, type ParseLimits } from "../model/generated/limits.ts";
import type { IssueCode } from "../model/issue-severity.ts";
import type { Entry, InvalidSitemap, Page, Sitemap, SubSitemap } from "../model/model.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import { pageArray } from "../model/page-array.ts";
import { type CauseOf, type DocumentKind, DocumentParser, refuse } from "./document.ts";
import type { LinkFormats } from "./formats/link-formats.ts";
import { bytesOf, openSource, type SitemapSource } from "./sitemap-source.ts";
import { argumentError, checkParseOptions, type UrlObject, urlText } from "./values/option-rules.ts";
import { parseUrl } from "./values/parse-url.ts";

/** Options of `parseSitemap` and `parseEntries`, all optional. */
export interface ParseOptions {
  /**
   * URL of the document. Relative URLs are resolved against it. If its path is `/robots.txt`, the document is read as a
   * robots.txt.
   *
   * @default the URL of a Response, otherwise none
   */
  readonly url?: string | UrlObject | undefined;
  /** Content-Type of the response: a hint that never overrides the bytes. @default none */
  readonly contentType?: string | undefined;
  /**
   * Follow the specifications to the letter: mistakes are dropped or rejected, not repaired. docs/issues.md lists the
   * effect for each issue code.
   *
   * @default false
   */
  readonly strict?: boolean | undefined;
  /** Limits of the document. @default see `ParseLimits` */
  readonly limits?: ParseLimits | undefined;
}

/**
 * Yields the pages, sitemaps and issues of a document while it is parsed, in constant memory.
 *
 * @example
 * for await (const entry of parseEntries(createReadStream("sitemap.xml.gz"))) {
 *   if (entry.kind === "page") console.log(entry.page.url);
 * }
 */
export function parseEntries(source: SitemapSource, options: ParseOptions = {}): AsyncGenerator<Entry> {
  return parseEntriesWith(source, options);
}

/** Called at the end of a document. */
export type OnEnd = (kind: DocumentKind, parser: DocumentParser) => void;

/** Like `parseEntries`, but can also read HTML sitemaps and llms.txt. `onEnd` is only called in Node. */
export function parseEntriesWith(
  source: SitemapSource,
  options: ParseOptions,
  linkFormats?: LinkFormats,
  onEnd?: OnEnd,
): AsyncGenerator<Entry> {
  const ready: Entry[] = [];
  const { run, parser } = createRun("parseEntries", source, options, {
    page: (page) => ready.push({ kind: "page", page }),
    child: (sitemap) => ready.push({ kind: "sitemap", sitemap }),
    entry: (entry) => ready.push(entry),
  });
  if (FAST) parser.linkFormats = linkFormats;
  return takeAll(run(), ready, FAST ? (kind) => onEnd?.(kind, parser) : undefined);
}

async function* takeAll<T>(
  steps: AsyncIterable<DocumentKind | undefined>,
  ready: T[],
  onEnd: ((kind: DocumentKind) => void) | undefined,
): AsyncGenerator<T> {
  for await (const kind of steps) {
    if (FAST && kind !== undefined) onEnd?.(kind);
    yield* ready;
    ready.length = 0;
  }
}

/**
 * Parses a complete document into one node of a sitemap tree.
 *
 * @example
 * const sitemap = await parseSitemap(xml, { url: "https://example.com/sitemap.xml" });
 * for (const page of sitemap.pages) console.log(page.url, page.lastModified?.value);
 */
export async function parseSitemap(source: SitemapSource, options: ParseOptions = {}): Promise<Sitemap> {
  return (await parseAndCount(source, options))[0];
}

/**
 * Like `parseSitemap`, but also returns the number of issues per code. The result is an array, because property names
 * would make the bundle for browsers larger.
 */
export async function parseAndCount(
  source: SitemapSource,
  options: ParseOptions,
  linkFormats?: LinkFormats,
  caller = "parseSitemap",
): Promise<readonly [sitemap: Sitemap, issueCounts: ReadonlyMap<IssueCode, number>]> {
  const pages: Page[] = [];
  const children: SubSitemap[] = [];
  const { run, parser, url } = createRun(caller, source, options, {
    page: (page) => pages.push(page),
    child: (child) => children.push(child),
  });
  if (FAST) parser.linkFormats = linkFormats;
  let kind: DocumentKind = refuse("content.empty");
  for await (const outcome of run()) kind = outcome ?? kind;
  const isInvalid = kind.kind === "invalid";
  const sitemap = {
    ...kind,
    url,
    ...(parser.partial && { partial: true as const }),
    subSitemaps: isInvalid ? [] : children.map(notFetched),
    pages: pageArray(isInvalid ? [] : pages),
    issues: parser.log.kept,
    issueCount: parser.log.total,
    duplicateCount: parser.duplicateCount,
  } as Sitemap;
  return [sitemap, parser.log.perCode];
}

interface RunHandlers {
  page(page: Page): void;
  child(child: SubSitemap): void;
  entry?(entry: Entry): void;
}

/** Prepares the parser. `run` yields undefined after each chunk, and the kind of the document at the end. */
function createRun(
  caller: string,
  source: SitemapSource,
  options: ParseOptions,
  handlers: RunHandlers,
): { parser: DocumentParser; url: string; run: () => AsyncGenerator<DocumentKind | undefined> } {
  checkParseOptions(caller, options, true);
  const opened = openSource(caller, source);
  const { chunks: given, isText } = opened;
  const { contentType = opened.contentType, strict = false } = options;
  const url = urlText(options.url ?? opened.url);
  if (url && !parseUrl(url)) throw argumentError(caller, "option url", "an absolute URL", url);
  const limits = fillLimits(PARSE_LIMITS, options.limits);
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
    const bytes = bytesOf(caller, given);
    const chunks = isText
      ? bytes
      : decompress(bytes, {
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
    if (FAST) parser.causeOf = (_, isUnknown) => (isUnknown ? damageOf(parser) : undefined);
    yield parser.end(cut);
  }
  return { parser, url, run };
}

/** The damage of a compressed document: the real cause of the failure if nothing of the document could be read. */
function damageOf({ log }: DocumentParser): ReturnType<CauseOf> {
  const damage = log.kept.find(({ code }) => /^gzip\.(?:truncated|corrupt)$/.test(code));
  return damage && { code: damage.code, reason: "The compressed data is truncated or damaged" };
}

function notFetched({ url, lastModified }: SubSitemap): InvalidSitemap {
  return omitUndefined({
    kind: "invalid" as const,
    code: "not-fetched" as const,
    reason: "not fetched",
    url,
    lastModified,
    subSitemaps: [],
    pages: pageArray([]),
    issues: [],
    issueCount: 0,
    duplicateCount: 0,
  });
}
