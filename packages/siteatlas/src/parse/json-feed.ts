/**
 * Reads JSON Feed 1.x (https://www.jsonfeed.org/version/1.1/) as a stream: the scanner knows strings and
 * depth, no more, and cuts each object of the top-level "items" out to be parsed on its own. So a feed of
 * any length takes the memory of one item, and a truncated one gives every item that was complete.
 *
 * A document is a feed by its "version". Where that comes after "items", items wait for it.
 */
import { PARSE_LIMITS } from "../limits.ts";
import type { DateValue, PageMedia } from "../model.ts";
import { readDate } from "./date.ts";
import { given } from "./given.ts";
import type { EntrySink } from "./sink.ts";
import { cutText } from "./text-fields.ts";
import type { UrlReader } from "./url.ts";

/** Stops one endless item from filling the memory. */
const MAX_ITEM_LENGTH = 1024 * 1024;
/** Of a key or a short value at the top level. */
const MAX_TEXT_LENGTH = 4096;
/** Items that wait for the version: stop a document that never says what it is. */
const MAX_WAITING_ITEMS = 1000;
const MAX_WAITING_LENGTH = 4 * 1024 * 1024;

/** `{ "version": …, "items": [ {…}, {…} ] }`: what is expected next. */
type State =
  | "start" // the opening brace
  | "key" // a quote, a comma or the closing brace
  | "colon"
  | "value"
  | "item" // in "items": an item, a comma or the closing bracket
  | "done"; // the document is over, broken, or no feed

/** An item as it stands in the document, or what was kept of one that cannot be read. */
interface RawItem {
  readonly text: string;
  readonly code?: "json.invalid" | "json.item-too-long";
}

export class JsonFeedReader {
  /** It ends too early, or cannot be read on from somewhere. */
  brokeOff = false;
  readonly #sink: EntrySink;
  readonly #urls: UrlReader;
  readonly #textLength: number;
  #state: State = "start";
  #isFeed: boolean | undefined;
  #key = "";
  /** Something other than "version" told that this is a feed. */
  #looksLikeFeed = false;

  /** We are inside of a key, a value or an item, whichever the state is. */
  #isInside = false;
  /** Its open brackets, or 0 for a string or a bare word. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Its text up to #captureLimit, and its whole length. */
  #captured = "";
  #capturedLength = 0;
  #captureLimit = 0;

  #waiting: RawItem[] = [];
  #waitingLength = 0;

  /** `textLength`: longer titles are cut. */
  constructor(sink: EntrySink, urls: UrlReader, textLength: number = PARSE_LIMITS.textLength) {
    this.#textLength = textLength;
    this.#sink = sink;
    this.#urls = urls;
  }

  /** Whether the document is a JSON Feed; undefined while that is open. */
  get isFeed(): boolean | undefined {
    return this.#isFeed;
  }

  push(text: string): void {
    for (let index = 0; index < text.length && this.#state !== "done"; ) {
      if (this.#isInside) index = this.#scan(text, index);
      else this.#between(text.charAt(index++));
    }
  }

  /** Ends the document; `cut` says that it goes on but was not read to its end. */
  end(cut: boolean): void {
    const isComplete = this.#state === "done";
    this.brokeOff ||= !isComplete;
    // Lenient: a document that broke off before its "version" is judged by what came before.
    this.#finish(!isComplete && this.#looksLikeFeed);
    if (this.#isFeed && !isComplete && !cut) this.#sink.report("json.invalid", "The document ends early");
  }

  /** Takes one character between keys, values and items. */
  #between(character: string): void {
    if (BLANKS.includes(character)) return;
    switch (this.#state) {
      case "start":
        if (character === "{") this.#state = "key";
        else this.#decide(false);
        return;
      case "key":
        if (character === '"') this.#open(character, MAX_TEXT_LENGTH);
        else if (character === "}") this.#finish(false);
        else if (character !== ",") this.#break(character);
        return;
      case "colon":
        if (character === ":") this.#state = "value";
        else this.#break(character);
        return;
      case "value":
        if (",:]}".includes(character)) this.#break(character);
        else if (this.#key === "items" && character === "[") this.#state = "item";
        else this.#open(character, TELLING_KEYS.test(this.#key) ? MAX_TEXT_LENGTH : 0);
        return;
      default:
        if (character === "{") this.#open(character, MAX_ITEM_LENGTH);
        else if (character === "]") this.#state = "key";
        // One bracket too many in an item does not cost the next one.
        else if (character === "}" || character === ":")
          this.#take({ text: character, code: "json.invalid" });
        else if (character !== ",") this.#open(character, 0);
    }
  }

  /** Starts a key, a value or an item at its first character. */
  #open(character: string, limit: number): void {
    this.#isInside = true;
    this.#depth = character === "{" || character === "[" ? 1 : 0;
    this.#inString = character === '"';
    this.#isEscaped = false;
    this.#captured = character;
    this.#capturedLength = 1;
    this.#captureLimit = limit;
  }

  /** Goes on to its end, or to the end of the chunk. Every character comes through here. */
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
        // A bare word (`true`, `1.5`) ends before what follows it.
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

  /** A key, a value or an item is complete. */
  #close(): void {
    const text = this.#captured;
    const isWhole = this.#capturedLength <= this.#captureLimit;
    this.#captured = "";
    this.#isInside = false;
    if (this.#state === "item") {
      if (isWhole) this.#take({ text });
      else if (this.#captureLimit > 0) this.#take({ text, code: "json.item-too-long" });
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
    } else if (said !== undefined) this.#looksLikeFeed = true;
  }

  #decide(isFeed: boolean): void {
    const waiting = this.#waiting;
    this.#isFeed = isFeed;
    this.#waiting = [];
    if (!isFeed) this.#state = "done";
    else for (const item of waiting) this.#emit(item);
  }

  /** The document is over or cannot be read on. */
  #finish(isFeedOtherwise: boolean): void {
    this.#state = "done";
    this.#decide(this.#isFeed ?? isFeedOtherwise);
  }

  /** Outside of items nothing tells where to go on: what came before is kept, the rest is not read. */
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
  }

  #page(item: unknown): void {
    const { report } = this.#sink;
    const id = textOf(item, "id");
    const title = this.#text(item, "title");
    const written =
      textOf(item, "url") ??
      textOf(item, "external_url") ??
      (id && /^https?:\/\//i.test(id) ? id : undefined);
    if (written === undefined) {
      report("entry.missing-loc", title);
      return;
    }
    const url = this.#urls.resolve(written, "page");
    if (url === undefined) return;
    const date = (name: string): DateValue | undefined => {
      const text = textOf(item, name);
      return text === undefined ? undefined : readDate(text, "feed", report);
    };
    const published = date("date_published");
    const attachments = own(item, "attachments");
    this.#sink.page(
      given({
        url,
        urlText: url === written ? undefined : written,
        lastModified: date("date_modified") ?? published,
        title,
        published,
        images: this.#assets([
          given({ url: textOf(item, "image") }),
          given({ url: textOf(item, "banner_image") }),
        ]),
        media: this.#assets(
          Array.isArray(attachments) ? attachments.map((attachment) => this.#attachment(attachment)) : [],
        ),
      }),
    );
  }

  #attachment(attachment: unknown): Partial<PageMedia> {
    return given({
      url: textOf(attachment, "url"),
      type: this.#text(attachment, "mime_type"),
      title: this.#text(attachment, "title"),
    });
  }

  #text(value: unknown, key: string): string | undefined {
    return cutText(textOf(value, key) ?? "", this.#textLength, this.#sink.report) || undefined;
  }

  /** Those whose URL can be used, each URL once; undefined if there are none. */
  #assets(assets: readonly Partial<PageMedia>[]): PageMedia[] | undefined {
    const resolved = new Map<string, PageMedia>();
    for (const asset of assets) {
      const url = asset.url && this.#urls.resolve(asset.url, "asset");
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
/** What tells a feed from other JSON. */
const TELLING_KEYS = /^(?:version|feed_url|home_page_url)$/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Own properties only: nothing that a document says is looked up in a prototype. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

function textOf(value: unknown, key: string): string | undefined {
  return asText(own(value, key));
}

/** A text with something in it, trimmed. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value.trim() || undefined : undefined;
}
