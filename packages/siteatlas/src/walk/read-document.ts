/**
 * One document of a walk, from the first byte of its body to what it was: feeds the parser, gives pages out
 * on the way, and ends where a limit does. What a server or a limit cut off is told, and the rest is kept.
 */
import { decompress } from "../decode/inflate.ts";
import type { Resource } from "../fetch/fetch-resource.ts";
import type { IssueLog, Report } from "../issue-log.ts";
import type { IssueCode } from "../issues.ts";
import type { HttpFacts, Page } from "../model.ts";
import { type DocumentKind, DocumentParser } from "../parse/document.ts";
import type { RobotsContent } from "../parse/robots.ts";
import type { UrlSet } from "../parse/url-set.ts";
import { type Breach, type Budget, breachOf } from "./budget.ts";
import { ContentHash } from "./content-hash.ts";
import { DeclaredChildren } from "./declared-children.ts";
import { reasonOf } from "./describe.ts";
import { DocumentMeter } from "./document-meter.ts";
import type { HomepageBytes } from "./homepage-bytes.ts";
import type { Place } from "./record.ts";

export type Body = Extract<Resource, { kind: "body" }>;

export interface ReadOptions {
  readonly budget: Budget;
  readonly strict: boolean;
  /** It was asked for as robots.txt. */
  readonly isRobots: boolean;
  /** The pages that an earlier reading gave out. */
  readonly pageUrls: UrlSet | undefined;
  /** Reads along. */
  readonly homepage: HomepageBytes | undefined;
  /** Gives pages out; says if there was no room for all of them. */
  readonly onPages: (pages: readonly Page[]) => Promise<Breach | undefined>;
  /** The walk is over. */
  readonly stopped: () => Breach | undefined;
}

export interface ReadDocument {
  readonly kind: DocumentKind;
  readonly isPartial: boolean;
  /** Why it is. */
  readonly cutBy: IssueCode | undefined;
  /** The children that are held. */
  readonly places: readonly Place[];
  readonly robots: RobotsContent | undefined;
  readonly duplicateCount: number;
  readonly pageUrls: UrlSet;
  readonly log: IssueLog;
  /** Of one that was read to its end. */
  readonly contentHash: string | undefined;
  /** The first URL that it declares and that was not given out before. */
  readonly firstUrl: string | undefined;
}

/** Why a body ended early. */
interface Cut {
  readonly code: IssueCode;
  readonly value?: string;
}

/** No sitemap has these media types. */
const FOREIGN_TYPE = /^\s*(?:image|audio|video|font)\/|^\s*application\/pdf\b/i;

/** A longer ETag or Last-Modified is left out (sec-H17). */
const MAX_HEADER_LENGTH = 1024;

export function httpFacts(
  { status, headers, bytes }: Body,
  times: Pick<HttpFacts, "ms" | "waitMs">,
): HttpFacts {
  const { etag = "", "last-modified": lastModified = "" } = headers;
  const isShort = (text: string): boolean => text !== "" && text.length <= MAX_HEADER_LENGTH;
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
  const reading = new Reading(resource, options, parser, pages, children);
  let cut: Cut | undefined = await reading.run();
  const isCut = reading.isDamaged || cut !== undefined;
  // That we left it is no fault of the document's, nor of its compression.
  const isLeft = cut !== undefined && isOwn(cut);
  if (!isLeft) reading.reportTruncation();
  if (cut !== undefined && cut.code !== "http.partial") parser.log.report(cut.code, cut.value);
  const kind = parser.end(isCut, isLeft);
  const overflow = (await onPages(pages)) ?? children.breach;
  if (overflow !== undefined && cut === undefined) {
    cut = overflow;
    parser.log.report(cut.code, cut.value);
  }
  if (kind.kind !== "invalid" && FOREIGN_TYPE.test(contentType ?? "")) {
    parser.log.report("content.type-mismatch", contentType);
  }
  const cause = kind.kind === "invalid" ? realCause(kind.code, cut, resource) : undefined;
  const isPartial = parser.partial || isCut || overflow !== undefined;
  return {
    kind: cause === undefined ? kind : { kind: "invalid", code: cause.code, reason: reasonOf(cause) },
    isPartial,
    cutBy: isPartial ? (cut?.code ?? parser.log.kept.find(({ code }) => DAMAGE.test(code))?.code) : undefined,
    places: children.places,
    robots: parser.robots,
    duplicateCount: parser.duplicateCount,
    pageUrls: parser.pageUrls,
    log: parser.log,
    contentHash: kind.kind === "invalid" || isPartial ? undefined : reading.hash.end(),
    firstUrl,
  };
}

/** What ends a document that nobody cut. */
const DAMAGE = /\.(?:truncated|corrupt)$/;

/** Whether it is a limit of ours that ended the body, and not the server. */
function isOwn({ code }: Cut): boolean {
  return code.startsWith("limit.") || code === "gzip.bomb";
}

/** What was cut off before it said anything is not empty, and what nobody can decode is not just binary. */
function realCause(code: IssueCode, cut: Cut | undefined, { isUnknownCoding }: Body): Cut | undefined {
  if (code === "content.binary" && isUnknownCoding) return { code: "http.bad-content-encoding" };
  return /^content\.(?:empty|no-urls)$/.test(code) && cut?.code !== "http.partial" ? cut : undefined;
}

class Reading {
  /** The compressed data ended early or broke. */
  isDamaged = false;
  readonly hash: ContentHash = new ContentHash();
  readonly #resource: Body;
  readonly #options: ReadOptions;
  readonly #parser: DocumentParser;
  readonly #pages: Page[];
  readonly #children: DeclaredChildren;
  readonly #meter: DocumentMeter;
  #wire = 0;
  #decoded = 0;
  /** The compressed data ended early: told once it is known that it was not we who ended it. */
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
    this.#meter = new DocumentMeter(options.budget.limits, resource.usedBytes);
  }

  /** Feeds the body to the parser, as far as it goes; says what ended it before its end. */
  async run(): Promise<Cut | undefined> {
    const { homepage, stopped } = this.#options;
    for await (const chunk of this.#chunks()) {
      for (const piece of this.#meter.pieces(chunk)) {
        this.hash.push(piece);
        this.#meter.measure(() => this.#parser.push(piece));
        homepage?.push(piece);
        const breach = (await this.#giveOut()) ?? this.#children.breach;
        if (breach !== undefined) return breach;
        if (this.#parser.done && (homepage?.done ?? true)) return undefined;
        await this.#meter.rest(piece.length);
        const end = stopped();
        if (end !== undefined) return end;
      }
      this.#count();
      const breach = this.#meter.breach ?? stopped();
      if (breach !== undefined) return breach;
    }
    this.#count();
    return this.#meter.breach ?? this.#cutOff();
  }

  reportTruncation(): void {
    if (this.#truncation !== undefined) this.#parser.reportFrame(...this.#truncation);
  }

  #chunks(): AsyncGenerator<Uint8Array> {
    const { url, headers, body, codings } = this.#resource;
    // The client undid some layers already.
    const { compressionLayers, gzipMembers } = this.#options.budget.limits;
    return decompress(body, {
      report: (...issue) => {
        if (issue[0] === "gzip.truncated") this.#truncation = issue;
        else this.#parser.reportFrame(...issue);
      },
      url,
      contentType: headers["content-type"],
      maxLayers: compressionLayers - codings,
      maxMembers: gzipMembers,
      onInput: this.#meter.takeBytes,
      mayInflate: this.#meter.mayInflate,
      onCut: () => {
        this.isDamaged = true;
      },
    });
  }

  async #giveOut(): Promise<Breach | undefined> {
    if (this.#pages.length === 0) return undefined;
    const given = this.#pages.slice();
    this.#pages.length = 0;
    return this.#options.onPages(given);
  }

  /** What came since the last time counts for the walk. */
  #count(): void {
    const wire = this.#resource.bytes();
    const { decoded } = this.#meter;
    this.#options.budget.addBytes(wire - this.#wire, decoded - this.#decoded);
    this.#wire = wire;
    this.#decoded = decoded;
  }

  /** What the server or the fetch layer did to the body. */
  #cutOff(): Cut | undefined {
    const code = this.#resource.cut();
    if (code === undefined) return undefined;
    // A limit that ends the walk ends the bodies, too.
    const end = this.#options.stopped();
    if (end !== undefined) return end;
    const { limits } = this.#options.budget;
    return code === "limit.bytes" ? breachOf(limits, "wireBytes", this.#resource.bytes()) : { code };
  }
}
