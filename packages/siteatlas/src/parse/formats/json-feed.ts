/**
 * Reads JSON Feed 1.x (https://www.jsonfeed.org/version/1.1/) as a stream. The reader tracks only strings and nesting
 * depth. It parses each object of the top-level "items" separately, with `JSON.parse`. So a feed of any length needs
 * the memory of one item, and a truncated feed yields every complete item.
 *
 * A document is a feed if it has a "version". Items before the version are kept until the version is read.
 *
 * Values of the wrong type and text after the document are reported only in Node, because the parser for browsers has
 * to be small.
 */

import { FAST } from "#shortcuts";
import { writtenText } from "../../escape/userinfo.ts";
import { PARSE_LIMITS } from "../../model/generated/limits.ts";
import type { Report } from "../../model/issue-log.ts";
import type { DateValue, PageMedia } from "../../model/model.ts";
import { omitUndefined } from "../../model/omit-undefined.ts";
import { MAX_PAGE_LENGTH } from "../values/item-length.ts";
import { readDate } from "../values/parse-date.ts";
import type { UrlReader } from "../values/url.ts";
import type { EntrySink } from "./entry-sink.ts";
import { cutText } from "./xml-text-fields.ts";

/** Maximum length of an item in characters. Stops an endless item that fills memory. */
const MAX_ITEM_LENGTH = 1024 * 1024;
/** Maximum length of a key or a short value at the top level, in characters. */
const MAX_TEXT_LENGTH = 4096;
/** Maximum number of attachments that are kept per item. Stops an item with 80,000 attachments. */
const MAX_MEDIA = 1000;
/** Maximum number of items that wait for the version, and of characters in them. Stops a document without a version. */
const MAX_WAITING_ITEMS = 1000;
const MAX_WAITING_LENGTH = 4 * 1024 * 1024;
/**
 * Maximum number of invalid items, which `JSON.parse` rejects. After that, the rest of the feed is not read. Each rejected item
 * costs 16 µs for the error, so `a,a,a,…` would take a second per 128 KiB. Only checked in Node.
 */
const MAX_BROKEN_ITEMS = 10_000;

/** The token that is expected next in `{ "version": …, "items": [ {…}, {…} ] }`. */
type State =
  | "start" // the opening brace
  | "key" // a quote, a comma or the closing brace
  | "colon"
  | "value"
  | "item" // in "items": an item, a comma or the closing bracket
  | "after" // the end: only white space
  | "done"; // the document is unreadable or not a feed

/** The text of an item, or the start of its text if the item is unreadable. */
interface RawItem {
  readonly text: string;
  readonly code?: "json.invalid" | "json.item-too-long";
}

export class JsonFeedReader {
  /** Whether the document is truncated, or unreadable from some point on. */
  brokeOff = false;
  /** Set by `end`: whether the document is truncated. Only set in Node. */
  declare isTruncated: boolean | undefined;
  readonly #sink: EntrySink;
  readonly #urls: UrlReader;
  readonly #textLength: number;
  #state: State = "start";
  #isFeed: boolean | undefined;
  #hasItems: boolean | undefined;
  #key = "";
  /** Whether a key other than `version` suggests that this is a feed. */
  #looksLikeFeed = false;

  /** Whether the reader is inside a key, a value or an item. `#state` says inside which of them. */
  #isInside = false;
  /** Number of open brackets in the current value or item. 0 for a string or a bare word. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /**
   * The text of the current key, value or item, up to `#captureLimit` characters. `#capturedLength` is its full length.
   */
  #captured = "";
  #capturedLength = 0;
  #captureLimit = 0;

  #brokenItems = 0;
  #waiting: RawItem[] = [];
  #waitingLength = 0;

  /** `textLength`: maximum length of titles and media types. Longer texts are shortened. */
  constructor(sink: EntrySink, urls: UrlReader, textLength: number = PARSE_LIMITS.textLength) {
    this.#textLength = textLength;
    this.#sink = sink;
    this.#urls = urls;
    urls.directory = "/";
  }

  /** Whether the document is a feed. Undefined until this is decided. */
  get isFeed(): boolean | undefined {
    return this.#isFeed;
  }

  push(text: string): void {
    for (let index = 0; index < text.length && this.#state !== "done"; ) {
      if (this.#isInside) index = this.#scan(text, index);
      else this.#between(text.charAt(index++));
    }
  }

  /** `cut`: the document is incomplete. */
  end(cut: boolean): void {
    const isComplete = this.#state === "done" || (FAST && this.#state === "after");
    this.brokeOff ||= !isComplete;
    if (FAST) this.isTruncated = !isComplete;
    // Lenient: if a document is truncated before its "version", its other keys decide whether it is a feed.
    this.#finish(!isComplete && this.#looksLikeFeed);
    if (this.#isFeed && !isComplete && !cut)
      this.#sink.report("json.invalid", FAST ? "The document ends early" : "");
    if (FAST && this.#isFeed && !this.brokeOff && !this.#hasItems)
      this.#sink.report("json.invalid", "items is missing");
  }

  /** Handles one character between keys, values and items. */
  #between(character: string): void {
    if (BLANKS.includes(character)) return;
    switch (this.#state) {
      case "start":
        if (character === "{") this.#state = "key";
        else this.#decide(false);
        return;
      case "key":
        if (character === '"') this.#open(character, MAX_TEXT_LENGTH);
        else if (character === "}") {
          this.#finish(false);
          if (FAST && this.#isFeed) this.#state = "after";
        } else if (character !== ",") this.#break(character);
        return;
      case "colon":
        if (character === ":") this.#state = "value";
        else this.#break(character);
        return;
      case "value":
        if (FAST && this.#key === "items") this.#hasItems = true;
        if (",:]}".includes(character)) this.#break(character);
        else if (this.#key === "items" && character === "[") this.#state = "item";
        else this.#open(character, isCaptured(this.#key) ? MAX_TEXT_LENGTH : 0);
        return;
      default:
        if (FAST && this.#state === "after") {
          this.#sink.report("json.invalid", "There is text after the end");
          this.#state = "done";
        } else if (character === "]") this.#state = "key";
        // Report a surplus `}` or `:` after an item as a separate item, so that the next item is not lost.
        else if (character === "}" || character === ":")
          this.#take({ text: character, code: "json.invalid" });
        else if (character !== ",") this.#open(character, MAX_ITEM_LENGTH);
    }
  }

  #open(character: string, limit: number): void {
    this.#isInside = true;
    this.#depth = character === "{" || character === "[" ? 1 : 0;
    this.#inString = character === '"';
    this.#isEscaped = false;
    this.#captured = character;
    this.#capturedLength = 1;
    this.#captureLimit = limit;
  }

  /** Reads to the end of the key, value or item, or to the end of the chunk. Runs for every character. */
  #scan(text: string, from: number): number {
    let depth = this.#depth;
    let inString = this.#inString;
    let isEscaped = this.#isEscaped;
    let isOver = false;
    let index = from;
    while (index < text.length && !isOver) {
      const code = text.charCodeAt(index);
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (code === BACKSLASH) isEscaped = true;
        else if (code === QUOTE) inString = false;
        isOver = depth === 0 && !inString;
      } else if (depth > 0) {
        if (code === QUOTE) inString = true;
        else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
        else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) isOver = --depth === 0;
      } else if (",]}".includes(text.charAt(index)) || BLANKS.includes(text.charAt(index))) {
        // A bare word (`true`, `1.5`) ends before the next token.
        isOver = true;
        break;
      }
      index++;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    const room = this.#captureLimit - this.#captured.length;
    if (room > 0) this.#captured += text.slice(from, Math.min(index, from + room));
    this.#capturedLength += index - from;
    if (isOver) this.#close();
    return index;
  }

  #close(): void {
    const text = this.#captured;
    const isWhole = this.#capturedLength <= this.#captureLimit;
    this.#captured = "";
    this.#isInside = false;
    if (this.#state === "item") {
      this.#take(isWhole ? { text } : { text, code: "json.item-too-long" });
      return;
    }
    const said = isWhole ? asText(parseJson(text)) : undefined;
    if (this.#state === "key") {
      this.#key = said ?? "";
      this.#state = "colon";
      return;
    }
    this.#state = "key";
    if (this.#key === "version") {
      if (this.#isFeed === undefined) this.#decide(said?.includes("jsonfeed.org/version/") ?? false);
    } else if (FAST && this.#key === "items") {
      this.#take({ text: `items: ${text}`, code: "json.invalid" });
    } else if (said !== undefined) this.#looksLikeFeed = true;
  }

  #decide(isFeed: boolean): void {
    const waiting = this.#waiting;
    this.#isFeed = isFeed;
    this.#waiting = [];
    if (!isFeed) this.#state = "done";
    else for (const item of waiting) this.#emit(item);
  }

  /** Ends the parse, because the document has ended, or is unreadable from this position on. */
  #finish(isFeedOtherwise: boolean): void {
    this.#state = "done";
    this.#decide(this.#isFeed ?? isFeedOtherwise);
  }

  /** Ends the parse at a syntax error outside of items. Items before it are kept. */
  #break(character: string): void {
    this.brokeOff = true;
    this.#finish(this.#looksLikeFeed);
    if (this.#isFeed) this.#sink.report("json.invalid", character);
  }

  #take(item: RawItem): void {
    if (this.#isFeed) {
      this.#emit(item);
      return;
    }
    this.#waiting.push(item);
    this.#waitingLength += item.text.length;
    if (this.#waiting.length > MAX_WAITING_ITEMS || this.#waitingLength > MAX_WAITING_LENGTH) {
      this.#decide(this.#looksLikeFeed);
    }
  }

  #emit({ text, code }: RawItem): void {
    const item = code === undefined ? parseJson(text) : undefined;
    if (item === undefined) this.#sink.report(code ?? "json.invalid", text);
    else this.#page(item);
    if (FAST && item === undefined && code === undefined && ++this.#brokenItems === MAX_BROKEN_ITEMS) {
      this.brokeOff = true;
      this.#sink.report("json.invalid", "Too many broken items: the rest of the feed is not read");
      this.#state = "done";
    }
  }

  #page(item: unknown): void {
    const { report } = this.#sink;
    // Do not report an `id` that is not a string, because it may be a number.
    const id = asText(own(item, "id"));
    const title = this.#text(item, "title");
    const written =
      this.#string(item, "url") ??
      this.#string(item, "external_url") ??
      (id && /^https?:\/\//i.test(id) ? id : undefined);
    if (written === undefined) {
      report("entry.missing-loc", title);
      return;
    }
    const url = this.#urls.resolve(written, "page");
    if (url === undefined) return;
    const date = (name: string): DateValue | undefined => {
      const text = this.#string(item, name);
      return text === undefined ? undefined : readDate(text, "feed", report);
    };
    const published = date("date_published");
    const attachments = own(item, "attachments");
    if (FAST && !Array.isArray(attachments ?? [])) reportType(report, "attachments", attachments);
    this.#sink.page(
      omitUndefined({
        url,
        urlText: writtenText(url, written),
        lastModified: date("date_modified") ?? published,
        title,
        published,
        images: this.#assets([
          omitUndefined({ url: this.#string(item, "image") }),
          omitUndefined({ url: this.#string(item, "banner_image") }),
        ]),
        media: this.#assets(
          Array.isArray(attachments) ? attachments.map((attachment) => this.#attachment(attachment)) : [],
        ),
      }),
    );
  }

  #attachment(attachment: unknown): Partial<PageMedia> {
    return omitUndefined({
      url: this.#string(attachment, "url"),
      type: this.#text(attachment, "mime_type"),
      title: this.#text(attachment, "title"),
    });
  }

  #text(value: unknown, key: string): string | undefined {
    return cutText(this.#string(value, key) ?? "", this.#textLength, this.#sink.report) || undefined;
  }

  /** Returns the text of a property. Reports a value that is not a string. `null` counts as missing. */
  #string(value: unknown, key: string): string | undefined {
    const found = own(value, key);
    if (FAST && typeof (found ?? "") !== "string") reportType(this.#sink.report, key, found);
    return asText(found);
  }

  /** Assets with a valid URL, each URL once. Undefined if there are none. */
  #assets(assets: readonly Partial<PageMedia>[]): PageMedia[] | undefined {
    const resolved = new Map<string, PageMedia>();
    let length = 0;
    for (const asset of assets) {
      const url = asset.url && this.#urls.resolve(asset.url, "asset");
      // The number and length of the URLs are limited only in Node, because the parser for browsers has to be small.
      if (FAST && url) {
        length += url.length;
        if (resolved.size >= MAX_MEDIA || length > MAX_PAGE_LENGTH) {
          this.#sink.report("entry.too-many-items");
          break;
        }
      }
      if (url && !resolved.has(url)) resolved.set(url, { ...asset, url });
    }
    return resolved.size > 0 ? [...resolved.values()] : undefined;
  }
}

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** White space of JSON, and a byte order mark. */
const BLANKS = " \t\n\r\ufeff";
/** Keys that distinguish a feed from other JSON. */
const TELLING_KEYS = /^(?:version|feed_url|home_page_url)$/;

/**
 * Whether the value of this top-level key is needed. The value of "items" is quoted in an issue if it is not an array.
 */
function isCaptured(key: string): boolean {
  return TELLING_KEYS.test(key) || (FAST && key === "items");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns an own property of an object. Properties of its prototype must not be read, because the keys come from an
 * untrusted document.
 */
function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

function reportType(report: Report, key: string, value: unknown): void {
  report("json.invalid", `${key}: ${JSON.stringify(value)}`);
}

/** Returns the trimmed text. Undefined if the value is not a string, or is blank. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value.trim() || undefined : undefined;
}
