/**
 * Reads JSON Feed 1.x (https://www.jsonfeed.org/version/1.1/) as a stream: the scanner knows strings and
 * depth, no more, and cuts each object of the top-level "items" out to be parsed on its own. So a feed of
 * any length takes the memory of one item, and a truncated one gives every item that was complete.
 *
 * A document is a feed by its "version". Where that comes after "items", items wait for it.
 */
import type { DateValue, Page, PageImage, PageMedia } from "../model.ts";
import { readDate } from "./date.ts";
import type { EntrySink } from "./sink.ts";
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
  | "key-text" // inside the quotes of a key
  | "colon"
  | "value" // the first character of a value
  | "value-rest" // the rest of it
  | "item" // in "items": the first character of an item, a comma or the closing bracket
  | "item-rest"
  | "done"; // the document is over, broken, or no feed

/** An item reduced to what a page is made of. */
interface FeedItem {
  readonly url?: string;
  readonly title?: string;
  readonly published?: string;
  readonly modified?: string;
  readonly images: readonly string[];
  readonly attachments: readonly PageMedia[];
}

/** An item that cannot be read: why, and how it starts. */
interface BadItem {
  readonly code: "json.invalid" | "json.item-too-long";
  readonly text: string;
}

export class JsonFeedReader {
  readonly #sink: EntrySink;
  readonly #urls: UrlReader;
  #state: State = "start";
  #isFeed: boolean | undefined;
  #key = "";
  /** Something other than "version" told that this is a feed. */
  #looksLikeFeed = false;

  /** The value being scanned: open brackets, or 0 for a string or a bare word. */
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  /** Its text up to #captureLimit, and its whole length. */
  #captured = "";
  #capturedLength = 0;
  #captureLimit = 0;

  #waiting: (FeedItem | BadItem)[] = [];
  #waitingLength = 0;

  constructor(sink: EntrySink, urls: UrlReader) {
    this.#sink = sink;
    this.#urls = urls;
  }

  /** Whether the document is a JSON Feed; undefined while that is open. */
  get isFeed(): boolean | undefined {
    return this.#isFeed;
  }

  push(text: string): void {
    let index = 0;
    while (index < text.length && this.#state !== "done") index = this.#step(text, index);
  }

  /** Ends the document; `cut` says that it goes on but was not read to its end. */
  end(cut: boolean): void {
    const isComplete = this.#state === "done";
    this.#state = "done";
    // Lenient: a document that broke off before its "version" is judged by what came before.
    this.#decide(this.#isFeed ?? (!isComplete && this.#looksLikeFeed));
    if (this.#isFeed && !isComplete && !cut) this.#sink.report("json.invalid", "The document ends early");
  }

  /** Takes what the state expects from `index` on, at least one character, and says how far it came. */
  #step(text: string, index: number): number {
    switch (this.#state) {
      case "key-text":
      case "value-rest":
      case "item-rest":
        return this.#scan(text, index);
      default:
        if (!isBlank(text.charCodeAt(index))) return this.#token(text, index);
        return index + 1;
    }
  }

  /** One character that is no white space, between values. */
  #token(text: string, index: number): number {
    const character = text.charAt(index);
    switch (this.#state) {
      case "start":
        if (character === "{") this.#state = "key";
        else this.#decide(false);
        return index + 1;
      case "key":
        if (character === '"') return this.#open("key-text", text, index, MAX_TEXT_LENGTH);
        if (character === "}") this.#finish();
        else if (character !== ",") this.#break(text, index);
        return index + 1;
      case "colon":
        if (character === ":") this.#state = "value";
        else this.#break(text, index);
        return index + 1;
      case "value":
        return this.#value(character, text, index);
      default:
        return this.#item(character, text, index);
    }
  }

  #value(character: string, text: string, index: number): number {
    if (character === "," || character === "}" || character === "]" || character === ":") {
      this.#break(text, index);
      return index + 1;
    }
    if (this.#key === "items" && character === "[") {
      this.#state = "item";
      return index + 1;
    }
    const isTold = this.#key === "version" || this.#key === "feed_url" || this.#key === "home_page_url";
    return this.#open("value-rest", text, index, isTold ? MAX_TEXT_LENGTH : 0);
  }

  #item(character: string, text: string, index: number): number {
    if (character === "{") return this.#open("item-rest", text, index, MAX_ITEM_LENGTH);
    if (character === "]") this.#state = "key";
    // One bracket too many in an item does not cost the next one.
    else if (character === "}" || character === ":") this.#take(badItem("json.invalid", character), 1);
    else if (character !== ",") return this.#open("item-rest", text, index, 0);
    return index + 1;
  }

  /** Starts a value at its first character. */
  #open(state: "key-text" | "value-rest" | "item-rest", text: string, index: number, limit: number): number {
    const code = text.charCodeAt(index);
    this.#state = state;
    this.#depth = code === OPEN_BRACE || code === OPEN_BRACKET ? 1 : 0;
    this.#inString = code === QUOTE;
    this.#isEscaped = false;
    this.#captured = limit > 0 ? text.charAt(index) : "";
    this.#capturedLength = 1;
    this.#captureLimit = limit;
    return index + 1;
  }

  /**
   * Goes on in a value: to its end, or to the end of the chunk. Every character comes through here, so the
   * state is held in variables meanwhile.
   */
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
      } else if (isBlank(code) || code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET) {
        // A bare word (`true`, `1.5`) ends before what follows it.
        isOver = true;
        break;
      }
      index++;
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#isEscaped = isEscaped;
    this.#capture(text, from, index);
    if (isOver) this.#close();
    return index;
  }

  #capture(text: string, from: number, to: number): void {
    const room = this.#captureLimit - this.#captured.length;
    if (room > 0) this.#captured += text.slice(from, Math.min(to, from + room));
    this.#capturedLength += to - from;
  }

  /** A value is complete. */
  #close(): void {
    const text = this.#captured;
    this.#captured = "";
    const isWhole = this.#capturedLength <= this.#captureLimit;
    switch (this.#state) {
      case "key-text":
        this.#key = isWhole ? (asText(parseJson(text)) ?? "") : "";
        this.#state = "colon";
        return;
      case "value-rest":
        this.#state = "key";
        if (this.#captureLimit > 0) this.#told(isWhole ? asText(parseJson(text)) : undefined);
        return;
      default:
        this.#state = "item";
        if (isWhole) this.#take(readItem(text), text.length);
        else if (this.#captureLimit > 0) this.#take(badItem("json.item-too-long", text), text.length);
    }
  }

  /** "version", "feed_url" or "home_page_url" has this value; undefined when it is no text. */
  #told(value: string | undefined): void {
    if (this.#key !== "version") this.#looksLikeFeed ||= value !== undefined;
    else if (this.#isFeed === undefined) this.#decide(value?.includes("jsonfeed.org/version/") ?? false);
  }

  #decide(isFeed: boolean): void {
    const waiting = this.#waiting;
    this.#isFeed = isFeed;
    this.#waiting = [];
    if (!isFeed) this.#state = "done";
    else for (const item of waiting) this.#emit(item);
  }

  #take(item: FeedItem | BadItem, length: number): void {
    if (this.#isFeed) {
      this.#emit(item);
      return;
    }
    this.#waiting.push(item);
    this.#waitingLength += length;
    if (this.#waiting.length > MAX_WAITING_ITEMS || this.#waitingLength > MAX_WAITING_LENGTH) {
      this.#decide(this.#looksLikeFeed);
    }
  }

  #emit(item: FeedItem | BadItem): void {
    if ("code" in item) {
      this.#sink.report(item.code, item.text);
      return;
    }
    const page = toPage(item, this.#sink, this.#urls);
    if (page) this.#sink.page(page);
  }

  /** The closing brace of the document; what follows is not read. */
  #finish(): void {
    this.#state = "done";
    this.#decide(this.#isFeed ?? false);
  }

  /** Outside of items nothing tells where to go on: what came before is kept, the rest is not read. */
  #break(text: string, index: number): void {
    this.#state = "done";
    this.#decide(this.#isFeed ?? this.#looksLikeFeed);
    if (this.#isFeed) this.#sink.report("json.invalid", text.slice(index, index + 200));
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** White space of JSON, and a byte order mark. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09 || code === 0xfeff;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function badItem(code: BadItem["code"], text: string): BadItem {
  return { code, text: text.slice(0, 200) };
}

function readItem(text: string): FeedItem | BadItem {
  const item = parseJson(text);
  if (item === undefined) return badItem("json.invalid", text);
  const id = asText(own(item, "id"));
  const url =
    asText(own(item, "url")) ??
    asText(own(item, "external_url")) ??
    (id !== undefined && /^https?:\/\//i.test(id) ? id : undefined);
  const title = asText(own(item, "title"));
  const published = asText(own(item, "date_published"));
  const modified = asText(own(item, "date_modified"));
  const images = [asText(own(item, "image")), asText(own(item, "banner_image"))];
  return {
    ...(url !== undefined && { url }),
    ...(title !== undefined && { title }),
    ...(published !== undefined && { published }),
    ...(modified !== undefined && { modified }),
    images: images.filter((image) => image !== undefined),
    attachments: readAttachments(own(item, "attachments")),
  };
}

function readAttachments(value: unknown): PageMedia[] {
  const media: PageMedia[] = [];
  for (const attachment of Array.isArray(value) ? value : []) {
    const url = asText(own(attachment, "url"));
    if (url === undefined) continue;
    const type = asText(own(attachment, "mime_type"));
    const title = asText(own(attachment, "title"));
    media.push({ url, ...(type !== undefined && { type }), ...(title !== undefined && { title }) });
  }
  return media;
}

function toPage(item: FeedItem, sink: EntrySink, urls: UrlReader): Page | undefined {
  if (item.url === undefined) {
    sink.report("entry.missing-loc", item.title);
    return undefined;
  }
  const url = urls.resolve(item.url, "page");
  if (url === undefined) return undefined;
  const readOne = (text: string | undefined): DateValue | undefined =>
    text === undefined ? undefined : readDate(text, "feed", sink.report);
  const published = readOne(item.published);
  const lastModified = readOne(item.modified) ?? published;
  const images = resolveAll(
    item.images.map((image): PageImage => ({ url: image })),
    urls,
  );
  const media = resolveAll(item.attachments, urls);
  return {
    url,
    ...(url !== item.url && { urlText: item.url }),
    ...(lastModified && { lastModified }),
    ...(item.title !== undefined && { title: item.title }),
    ...(published && { published }),
    ...(images.length > 0 && { images }),
    ...(media.length > 0 && { media }),
  };
}

/** Those whose URL can be used, each URL once. */
function resolveAll<Asset extends { readonly url: string }>(
  assets: readonly Asset[],
  urls: UrlReader,
): Asset[] {
  const resolved = new Map<string, Asset>();
  for (const asset of assets) {
    const url = urls.resolve(asset.url, "asset");
    if (url !== undefined && !resolved.has(url)) resolved.set(url, { ...asset, url });
  }
  return [...resolved.values()];
}

/** Own properties only: nothing that a document says is looked up in a prototype. */
function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** A text with something in it, trimmed. */
function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value.trim() || undefined : undefined;
}
