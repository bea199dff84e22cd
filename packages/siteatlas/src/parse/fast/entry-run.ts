/**
 * Reads a run of similar entries in one loop. Such an entry has a plain URL (own-origin-url.ts), and at most one common
 * date, change frequency and priority. The markup between its values is cached (markup-cache.ts). Nearly all entries of
 * nearly all sitemaps are like this.
 *
 * This is a shortcut: it stops before an entry of any other form, and scanner.ts and sitemap-xml.ts read that entry.
 * They give the same result for the entries of a run, but slower (a differential test checks this).
 */
import type { ChangeFrequency } from "../../model/change-frequencies.ts";
import { dateValue } from "../../model/date-value.ts";
import type { Page, SubSitemap } from "../../model/model.ts";
import { createEntry, usualFrequency, usualPriority } from "./common-fields.ts";
import { canonicalPrecision, parseCanonicalBytes } from "./iso-date.ts";
import type { Separator, SeparatorOwner, Separators } from "./markup-cache.ts";
import { PlainUrlProbe } from "./own-origin-url.ts";
import type { UrlSet } from "./seen-urls.ts";
import { windowText } from "./string-window.ts";

const LESS_THAN = 0x3c;
/** Maximum length of a value after the URL. The longest is a date with many fraction digits. */
const MAX_VALUE = 40;
const MAX_DOUBT = 64;

/** The kinds of values that follow a separator. The kind is `UNKNOWN` until the separator is used in a run. */
const UNKNOWN = 0;
const OTHER = 1;
const LASTMOD = 2;
const CHANGEFREQ = 3;
const PRIORITY = 4;
const NEXT_ENTRY = 5;

/** The parts of `Element`, `UrlReader` and `SitemapSink` that are used here. */
interface Element extends SeparatorOwner<Element> {
  readonly key: string;
}

interface Urls {
  // Not `URL`: consumers without the types of Node or the DOM do not have it.
  readonly base: { readonly origin: string } | undefined;
  readonly maxLength: number;
  readonly directory: string;
  isInPlace(url: string, line: number): boolean;
}

interface Sink {
  readonly pageUrls: UrlSet;
  readonly childUrls: UrlSet;
  newPage(page: Page): void;
  newChild(child: SubSitemap): void;
}

/** The position of the scanner at the start of a text. */
export interface RunStart<Element> {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  /** The element of the text, and the element around it. */
  readonly owner: Element;
  readonly parent: Element;
}

export class EntryProbe extends PlainUrlProbe {
  /** Set by the reader: whether nothing of the entry was read yet, and the entry fits to the root. */
  isFresh = false;
  /** Number of line breaks in the last run. */
  lines = 0;
  readonly #urls: Urls;
  readonly #sink: Sink;
  readonly #maxUrl: number;
  /** Length of the last value of each kind. The next value usually has the same length. */
  readonly #lengths: number[] = [0, 0, 0, 0, 0, 0];
  /** Grows with each run without entries. */
  #runDoubt = 0;

  constructor(urls: Urls, sink: Sink, maxToken: number) {
    super(urls.base === undefined ? "" : `${urls.base.origin}/`);
    this.#urls = urls;
    this.#sink = sink;
    this.#maxUrl = maxToken < MAX_VALUE ? 0 : Math.min(maxToken, urls.maxLength);
  }

  /**
   * Reads entries while they are similar. The current entry must have no values yet. Returns the position where the
   * text of the next `<loc>` starts: `start` if there was no such entry.
   */
  readRun(from: RunStart<Element>, separators: Separators<Element>): number {
    const { bytes, start, end, line, owner: loc, parent: entry } = from;
    if (!this.isFresh) return start;
    // If most entries have another form, trying costs more than it saves. In that case, try only at every 16th entry.
    if (this.#runDoubt > MAX_DOUBT && this.#runDoubt++ % 16 !== 0) return start;
    const isPage = entry.key === "url";
    const sink = this.#sink;
    const seen = isPage ? sink.pageUrls : sink.childUrls;
    const hasDirectory = isPage && this.#urls.directory !== "/";
    let lines = 0;
    let next = start;
    entries: for (;;) {
      const urlEnd = this.scan(bytes, next, end);
      if (urlEnd < 0 || urlEnd - next > this.#maxUrl) break;
      const { hashA, hashB } = this;
      let owner = loc;
      let at = urlEnd;
      let passed = 0;
      let dateStart = 0;
      let dateEnd = 0;
      let epochMs = 0;
      let frequency: ChangeFrequency | undefined;
      let priority: number | undefined;
      for (;;) {
        const separator = separators.find(owner, at, end);
        if (separator === undefined) break entries;
        const kind = separator.leadsTo === UNKNOWN ? learn(separator, owner) : separator.leadsTo;
        at += separator.length;
        passed += separator.lines;
        if (kind === NEXT_ENTRY) {
          if (separator.tags[2]!.element !== entry || separator.tags[3]!.element !== loc) break entries;
          break;
        }
        if (kind === OTHER) break entries;
        const close = this.#valueEnd(bytes, at, end, kind);
        if (close < 0) break entries;
        if (kind === LASTMOD) {
          if (dateEnd !== 0) break entries;
          epochMs = parseCanonicalBytes(bytes, at, close);
          if (Number.isNaN(epochMs)) break entries;
          dateStart = at;
          dateEnd = close;
        } else if (!isPage) {
          break entries;
        } else if (kind === CHANGEFREQ) {
          if (frequency !== undefined) break entries;
          frequency = usualFrequency(bytes, at, close);
          if (frequency === undefined) break entries;
        } else {
          if (priority !== undefined) break entries;
          priority = usualPriority(bytes, at, close);
          if (priority === undefined) break entries;
        }
        at = close;
        owner = separator.tags[1]!.element;
      }
      const url = windowText(bytes, next, urlEnd);
      const isInPlace = !hasDirectory || this.#urls.isInPlace(url, line + lines);
      if (isInPlace && seen.addHash(hashA, hashB)) {
        const lastModified =
          dateEnd === 0
            ? undefined
            : dateValue(
                windowText(bytes, dateStart, dateEnd),
                epochMs,
                canonicalPrecision(dateEnd - dateStart),
              );
        if (isPage) sink.newPage(createEntry(url, undefined, lastModified, frequency, priority));
        else sink.newChild(createEntry(url, undefined, lastModified));
      }
      lines += passed;
      next = at;
    }
    this.lines = lines;
    if (next === start) this.#runDoubt += 2;
    else this.#runDoubt = 0;
    return next;
  }

  /** Index of the `<` after the value at `from`, or -1. */
  #valueEnd(bytes: Uint8Array, from: number, end: number, kind: number): number {
    const likely = from + this.#lengths[kind]!;
    // The value has no `<` before: parsing the value checks each of its bytes.
    if (likely < end && bytes[likely] === LESS_THAN) return likely;
    const limit = Math.min(end, from + MAX_VALUE);
    let at = from;
    while (at < limit && bytes[at] !== LESS_THAN) at++;
    if (at === limit) return -1;
    this.#lengths[kind] = at - from;
    return at;
  }
}

/** Decides once what a separator leads to, from its tags. */
function learn(separator: Separator<Element>, owner: Element): number {
  separator.leadsTo = target(separator, owner);
  return separator.leadsTo;
}

function target({ tags }: Separator<Element>, owner: Element): number {
  const [first, second, third, fourth] = tags;
  if (first === undefined || first.opens || first.element !== owner || second === undefined) return OTHER;
  if (tags.length === 2 && second.opens) {
    const { key } = second.element;
    if (key === "lastmod") return LASTMOD;
    if (key === "changefreq") return CHANGEFREQ;
    return key === "priority" ? PRIORITY : OTHER;
  }
  const isNextEntry =
    tags.length === 4 && !second.opens && third!.opens && third!.element === second.element && fourth!.opens;
  return isNextEntry ? NEXT_ENTRY : OTHER;
}
