/**
 * Reads the body of one document: passes it to the parser, passes pages on while parsing, and stops at a limit. If the
 * server or a limit ends the body early, this is reported, and the data before the end is kept.
 */
import { decompress } from "../../decode/inflate.ts";
import type { HomepageBytes } from "../../discover/homepage-reader.ts";
import type { Resource } from "../../fetch/fetch-resource.ts";
import type { IssueLog, Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { HttpFacts, Page } from "../../model/model.ts";
import { type DocumentKind, DocumentParser } from "../../parse/document.ts";
import type { UrlSet } from "../../parse/fast/seen-urls.ts";
import type { LinkFormats } from "../../parse/formats/link-formats.ts";
import type { RobotsContent } from "../../parse/robots/robots.ts";
import { type Breach, type Budget, breachOf } from "../budget.ts";
import { reasonOf } from "../events/sitemap-events.ts";
import type { Declaration } from "../site-graph.ts";
import { ContentHash } from "./content-hash.ts";
import { DeclaredChildren } from "./declared-children.ts";
import { DocumentLimits } from "./document-limits.ts";

export type Body = Extract<Resource, { kind: "body" }>;

export interface ReadOptions {
  readonly budget: Budget;
  readonly strict: boolean;
  /** Whether to parse the document as robots.txt. */
  readonly isRobots: boolean;
  /** URLs of the pages that the first attempt yielded. Undefined if this is the first attempt. */
  readonly pageUrls: UrlSet | undefined;
  /** Reads HTML sitemaps and llms.txt. Undefined if this document can be neither. */
  readonly linkFormats: LinkFormats | undefined;
  /** Set if this document is the homepage. This object then also receives the bytes of the document, to find links. */
  readonly homepage: HomepageBytes | undefined;
  /** Receives the pages. Returns the reached limit if it did not allow all of them. */
  readonly onPages: (pages: readonly Page[]) => Promise<Breach | undefined>;
  /** Returns the limit that ended the walk. Undefined if no limit ended the walk. */
  readonly stopped: () => Breach | undefined;
}

export interface ReadDocument {
  readonly kind: DocumentKind;
  readonly isPartial: boolean;
  /** Why the document is partial. Undefined if it is complete. */
  readonly cutBy: IssueCode | undefined;
  readonly children: readonly Declaration[];
  readonly robots: RobotsContent | undefined;
  readonly duplicateCount: number;
  readonly pageUrls: UrlSet;
  readonly log: IssueLog;
  /** Hash of the content. Undefined if the document was not read to its end. */
  readonly contentHash: string | undefined;
  /** The first URL that the document lists. Pages that an earlier attempt yielded do not count. */
  readonly firstUrl: string | undefined;
}

interface Cut {
  readonly code: IssueCode;
  readonly value?: string;
}

/**
 * Number of bytes that are read of an index if the walk has already followed `limits.indexes` other indexes. Most
 * indexes are smaller than this.
 */
const SURPLUS_BYTES = 64 * 1024;

/** Matches media types that a sitemap never has. */
const FOREIGN_TYPE = /^\s*(?:image|audio|video|font)\/|^\s*application\/pdf\b/i;

/** Maximum length of ETag and Last-Modified. Longer values are dropped (sec-H17). */
const MAX_HEADER_LENGTH = 1024;
/** Matches a valid header value (RFC 9110 section 5.5). A custom client may return values with other characters. */
export const HEADER_TEXT: RegExp = /^[\t -~\x80-\xff]+$/;

export function httpFacts(
  { status, headers, bytes }: Body,
  times: Pick<HttpFacts, "ms" | "waitMs">,
): HttpFacts {
  const { etag = "", "last-modified": lastModified = "" } = headers;
  // Keep only short and valid values, because they are sent in conditional requests and stored in snapshots.
  const isShort = (text: string): boolean => HEADER_TEXT.test(text) && text.length <= MAX_HEADER_LENGTH;
  return {
    status,
    ...(isShort(etag) && { etag }),
    ...(isShort(lastModified) && { lastModified }),
    bytes: bytes(),
    ...times,
  };
}

export async function readDocument(resource: Body, options: ReadOptions): Promise<ReadDocument> {
  const { budget, isRobots, onPages } = options;
  const pages: Page[] = [];
  const children = new DeclaredChildren(budget, isRobots ? "robotsSitemaps" : "children");
  let firstUrl: string | undefined;
  const contentType = resource.headers["content-type"];
  const parser = new DocumentParser({
    url: resource.url,
    contentType,
    ...(isRobots && { isRobots }),
    strict: options.strict,
    limits: budget.limits,
    isText: false,
    pageUrls: options.pageUrls,
    onPage: (page) => {
      firstUrl ??= page.url;
      pages.push(page);
    },
    onChild: (child) => {
      firstUrl ??= child.url;
      children.add(child);
    },
  });
  parser.linkFormats = options.linkFormats;
  const reading = new Reading(resource, options, parser, pages, children);
  let cut: Cut | undefined = await reading.run();
  const isCut = reading.isDamaged || cut !== undefined;
  // If a limit ended the body, do not report it as truncated, because the server did not truncate it.
  const isLeft = cut !== undefined && isOwn(cut);
  if (!isLeft) reading.reportTruncation();
  if (cut !== undefined && cut.code !== "http.partial") parser.log.report(cut.code, cut.value);
  parser.causeOf = (code, isUnknown) => {
    const cause = realCause(code, isUnknown, cut ?? damageOf(parser.log), resource);
    return cause && { code: cause.code, reason: reasonOf(cause) };
  };
  const kind = parser.end(isCut, isLeft);
  const overflow = (await onPages(pages)) ?? children.breach;
  if (overflow !== undefined && cut === undefined) {
    cut = overflow;
    parser.log.report(cut.code, cut.value);
  }
  if (kind.kind !== "invalid" && FOREIGN_TYPE.test(contentType ?? "")) {
    parser.log.report("content.type-mismatch", contentType);
  }
  const isPartial = parser.partial || isCut || overflow !== undefined;
  return {
    kind,
    isPartial,
    cutBy: isPartial ? (cut ?? damageOf(parser.log))?.code : undefined,
    children: children.declarations,
    robots: parser.robots,
    duplicateCount: parser.duplicateCount,
    pageUrls: parser.pageUrls,
    log: parser.log,
    contentHash: kind.kind === "invalid" || isPartial ? undefined : reading.hash.end(),
    firstUrl,
  };
}

/** The first issue about damage in the document itself. */
function damageOf({ kept }: IssueLog): Cut | undefined {
  const damage = kept.find(({ code }) => /\.(?:truncated|corrupt)$/.test(code));
  return damage && { code: damage.code };
}

/** Whether a limit ended the body. All other codes mean that the server or the network ended it. */
function isOwn({ code }: Cut): boolean {
  return code.startsWith("limit.") || code === "gzip.bomb";
}

/**
 * Returns the real cause of a failure if it is not the issue code of the parser (`code`). This is the case for a body
 * with an unknown content coding: the parser reports `content.binary`, but the cause is `http.bad-content-encoding`. It
 * is also the case for a document that was cut before its format was known: the cause is the reason for the cut
 * (`end`). Returns undefined if `code` is the real cause.
 */
function realCause(
  code: IssueCode,
  isUnknown: boolean,
  end: Cut | undefined,
  { isUnknownCoding }: Body,
): Cut | undefined {
  if (code === "content.binary" && isUnknownCoding) return { code: "http.bad-content-encoding" };
  return isUnknown && end?.code !== "http.partial" ? end : undefined;
}

class Reading {
  /** Whether the compressed data is damaged or ended early. */
  isDamaged = false;
  readonly hash: ContentHash = new ContentHash();
  readonly #resource: Body;
  readonly #options: ReadOptions;
  readonly #parser: DocumentParser;
  readonly #pages: Page[];
  readonly #children: DeclaredChildren;
  readonly #limits: DocumentLimits;
  #hasPages = false;
  #parsed = 0;
  #wire = 0;
  #decoded = 0;
  /**
   * The issue `gzip.truncated`, if it was found. It is reported at the end of the body, and only if no limit ended the
   * body.
   */
  #truncation: Parameters<Report> | undefined;

  constructor(
    resource: Body,
    options: ReadOptions,
    parser: DocumentParser,
    pages: Page[],
    children: DeclaredChildren,
  ) {
    this.#resource = resource;
    this.#options = options;
    this.#parser = parser;
    this.#pages = pages;
    this.#children = children;
    this.#limits = new DocumentLimits(options.budget.limits, resource.usedBytes);
  }

  /** Passes the body to the parser. Returns why the body ended early. Undefined if it is complete. */
  async run(): Promise<Cut | undefined> {
    const { homepage, stopped } = this.#options;
    for await (const chunk of this.#chunks()) {
      for (const piece of this.#limits.pieces(chunk)) {
        const surplus = this.#surplusIndex();
        if (surplus !== undefined) return surplus;
        this.hash.push(piece);
        this.#limits.measure(() => this.#parser.push(piece));
        this.#parsed += piece.length;
        homepage?.push(piece);
        this.#limits.adaptPieces(piece.length, this.#pages);
        const breach = (await this.#giveOut()) ?? this.#children.breach;
        if (breach !== undefined) return breach;
        if (this.#parser.done && (homepage?.done ?? true)) return undefined;
        await this.#limits.rest(piece.length);
        const end = stopped();
        if (end !== undefined) return end;
      }
      this.#count();
      const breach = this.#limits.breach ?? stopped();
      if (breach !== undefined) return breach;
    }
    this.#count();
    return this.#limits.breach ?? this.#cutOff();
  }

  /**
   * Returns the limit `indexes` if this document is an index, and other indexes have already used up the limit. Only
   * the start of such an index is read, because its sitemaps are not followed. Stops a site with 50,000 indexes of 50
   * MB each (sec-S04).
   */
  #surplusIndex(): Breach | undefined {
    const { budget, isRobots } = this.#options;
    const isIndex = !isRobots && !this.#hasPages && this.#children.declarations.length > 0;
    return isIndex && this.#parsed >= SURPLUS_BYTES ? budget.full("indexes") : undefined;
  }

  reportTruncation(): void {
    if (this.#truncation !== undefined) this.#parser.reportFrame(...this.#truncation);
  }

  #chunks(): AsyncGenerator<Uint8Array> {
    const { url, headers, body, codings } = this.#resource;
    // `codings` is the number of compression layers that the client has already decoded. They count toward the limit.
    const { compressionLayers, gzipMembers } = this.#options.budget.limits;
    return decompress(body, {
      report: (...issue) => {
        if (issue[0] === "gzip.truncated") this.#truncation = issue;
        else if (issue[0] === "gzip.unlabelled" && /gzip/i.test(headers["content-encoding"] ?? "")) return;
        else this.#parser.reportFrame(...issue);
      },
      url,
      contentType: headers["content-type"],
      maxLayers: compressionLayers - codings,
      maxMembers: gzipMembers,
      onInput: this.#limits.takeBytes,
      mayInflate: this.#limits.mayInflate,
      onCut: () => {
        this.isDamaged = true;
      },
    });
  }

  async #giveOut(): Promise<Breach | undefined> {
    if (this.#pages.length === 0) return undefined;
    this.#hasPages = true;
    const given = this.#pages.slice();
    this.#pages.length = 0;
    return this.#options.onPages(given);
  }

  /** Adds the bytes since the last call to the byte counts of the walk. */
  #count(): void {
    const wire = this.#resource.bytes();
    const { decoded } = this.#limits;
    this.#options.budget.addBytes(wire - this.#wire, decoded - this.#decoded);
    this.#wire = wire;
    this.#decoded = decoded;
  }

  /** Returns why the server, the network or the fetch layer ended the body early. Undefined if it is complete. */
  #cutOff(): Cut | undefined {
    const code = this.#resource.cut();
    if (code === undefined) return undefined;
    // If a limit of the whole walk ended this body, report that limit.
    const end = this.#options.stopped();
    if (end !== undefined) return end;
    const { limits } = this.#options.budget;
    return code === "limit.bytes" ? breachOf(limits, "wireBytes", this.#resource.bytes()) : { code };
  }
}
