/**
 * Writes a page as a record of a block, and reads it back:
 *
 *     flags  url  [lastModified]  [urlText]  [priority]  [all other properties as JSON]
 *
 * The flags contain the change frequency, and which of the properties in brackets are present. All texts are stored
 * with front-coding.ts, also the JSON. If each page has an image on the same host, most of the JSON is shared.
 *
 * Properties keep their order, so that JSON output does not change. If a page does not have the usual order of pages
 * from a sitemap, all properties except the URL are stored as JSON.
 */
import { CHANGE_FREQUENCIES, type ChangeFrequency } from "../model/change-frequencies.ts";
import { dateValue } from "../model/date-value.ts";
import type { DateValue, Page } from "../model/model.ts";
import { BlockReader, type BlockWriter } from "./block.ts";
import { TextReader, TextWriter } from "./front-coding.ts";
import { type DateMode, DateReader, DateWriter, NO_DATE } from "./packed-date.ts";

/** A change frequency is stored as its index in this list, in three bits. Index 0 means no change frequency. */
const FREQUENCIES: readonly (ChangeFrequency | undefined)[] = [undefined, ...CHANGE_FREQUENCIES];

// The flags: two bits for the date, three bits for the change frequency, and one bit for each other optional property.
const DATE_MASK = 0x03;
const FREQUENCY_SHIFT = 2;
const FREQUENCY_MASK = 0x07;
const HAS_URL_TEXT = 0x20;
const HAS_PRIORITY = 0x40;
const HAS_REST = 0x80;

/** Marks a priority that is not a multiple of 0.01. The full number follows. */
const FULL_PRIORITY = 0xff;

/** The properties that are not stored as JSON, in the usual order of pages from a sitemap. */
const PARTS = ["url", "lastModified", "urlText", "changeFrequency", "priority"];

/**
 * Consecutive pages with the same JSON of at least this length share the parsed objects. One entry of a sitemap may
 * have 20,000 URLs and 1,000 images. Without sharing, 20 million images would be parsed.
 */
const SHARED_LENGTH = 4096;

export class PageWriter {
  readonly #urls = new TextWriter("url");
  readonly #urlTexts = new TextWriter("any");
  readonly #rests = new TextWriter("any");
  readonly #dates = new DateWriter();
  /** The last properties that were stored as JSON. `#restText` is their JSON. */
  #rest: Partial<Page> = {};
  #restText = "{}";

  reset(): void {
    this.#urls.reset();
    this.#urlTexts.reset();
    this.#rests.reset();
    this.#dates.reset();
  }

  /** Writes a page. Returns whether it has the same JSON as the previous page, so that its record is short. */
  write(page: Page, block: BlockWriter): boolean {
    const flagsAt = block.startRecord();
    this.#urls.write(page.url, block);
    const shape = shapeOf(page);
    let flags = shape === "unordered" ? 0 : this.#writeParts(page, block);
    let isShared = false;
    if (shape !== "parts") {
      flags |= HAS_REST;
      const rest = shape === "unordered" ? allButUrl(page) : restOf(page);
      // All pages of one sitemap entry have the same objects.
      isShared = hasSameValues(rest, this.#rest);
      if (!isShared) this.#restText = JSON.stringify(rest);
      this.#rest = rest;
      if (isShared) this.#rests.repeat(this.#restText, block);
      else this.#rests.write(this.#restText, block);
    }
    block.setByte(flagsAt, flags);
    return isShared;
  }

  #writeParts({ lastModified, urlText, changeFrequency, priority }: Page, block: BlockWriter): number {
    // For an unknown value, the index is -1, which would corrupt the flags. Store 0 instead: no change frequency.
    let flags = Math.max(FREQUENCIES.indexOf(changeFrequency), 0) << FREQUENCY_SHIFT;
    if (lastModified !== undefined) flags |= this.#dates.write(lastModified, block);
    if (urlText !== undefined) {
      flags |= HAS_URL_TEXT;
      this.#urlTexts.write(urlText, block);
    }
    if (priority !== undefined) {
      flags |= HAS_PRIORITY;
      writePriority(priority, block);
    }
    return flags;
  }
}

export class PageReader {
  readonly #block = new BlockReader();
  readonly #urls = new TextReader("url");
  readonly #urlTexts = new TextReader("any");
  readonly #rests = new TextReader("any");
  readonly #dates = new DateReader();
  #rest: Partial<Page> | undefined;
  #restText: string | undefined;

  open(block: Uint8Array): void {
    this.#block.open(block);
    this.#restText = undefined;
    this.#dates.reset();
  }

  get atEnd(): boolean {
    return this.#block.atEnd;
  }

  read(): Page {
    const block = this.#block;
    const flags = block.byte();
    const page: { -readonly [K in keyof Page]: Page[K] } = { url: this.#urls.read(block) };
    const dateMode = (flags & DATE_MASK) as DateMode;
    if (dateMode !== NO_DATE) page.lastModified = this.#dates.read(dateMode, block);
    if ((flags & HAS_URL_TEXT) !== 0) page.urlText = this.#urlTexts.read(block);
    const changeFrequency = FREQUENCIES[(flags >> FREQUENCY_SHIFT) & FREQUENCY_MASK];
    if (changeFrequency !== undefined) page.changeFrequency = changeFrequency;
    if ((flags & HAS_PRIORITY) !== 0) page.priority = readPriority(block);
    if ((flags & HAS_REST) !== 0) Object.assign(page, this.#parseRest(this.#rests.read(block)));
    return page;
  }

  #parseRest(text: string): Partial<Page> | undefined {
    if (text.length < SHARED_LENGTH) return revive(JSON.parse(text));
    if (text !== this.#restText) {
      this.#rest = revive(JSON.parse(text));
      this.#restText = text;
    }
    return this.#rest;
  }
}

function writePriority(priority: number, block: BlockWriter): void {
  const hundredths = Math.abs(Math.round(priority * 100));
  // Use Object.is, because it distinguishes 0 from -0.
  const isShort = hundredths <= 100 && Object.is(hundredths / 100, priority);
  block.byte(isShort ? hundredths : FULL_PRIORITY);
  if (!isShort) block.float64(priority);
}

function readPriority(block: BlockReader): number {
  const hundredths = block.byte();
  return hundredths === FULL_PRIORITY ? block.float64() : hundredths / 100;
}

/**
 * Which properties must be stored as JSON. `parts`: none. `rest`: the properties that are not in `PARTS`. `unordered`:
 * all except the URL.
 */
function shapeOf(page: Page): "parts" | "rest" | "unordered" {
  let last = 0;
  for (const name in page) {
    const found = PARTS.indexOf(name);
    const rank = found < 0 ? PARTS.length : found;
    if (rank < last) return "unordered";
    last = rank;
  }
  return last === PARTS.length ? "rest" : "parts";
}

function restOf(page: Page): Partial<Page> {
  const { url, lastModified, urlText, changeFrequency, priority, ...rest } = page;
  return rest;
}

function allButUrl(page: Page): Partial<Page> {
  const { url, ...rest } = page;
  return rest;
}

/** Whether two objects have the same properties in the same order, with identical values. */
function hasSameValues(left: object, right: object): boolean {
  const entries = Object.entries(left);
  const others = Object.entries(right);
  return (
    entries.length === others.length &&
    entries.every(([name, value], index) => others[index]![0] === name && others[index]![1] === value)
  );
}

/** Restores the date values of a page in place, because JSON.parse returns dates as strings. */
function revive(rest: Partial<Page>): Partial<Page> {
  reviveDate(rest, "lastModified");
  reviveDate(rest, "published");
  if (rest.news !== undefined) reviveDate(rest.news, "published");
  for (const video of rest.videos ?? []) {
    reviveDate(video, "published");
    reviveDate(video, "expires");
  }
  return rest;
}

function reviveDate<Name extends string>(holder: { [N in Name]?: DateValue }, name: Name): void {
  const date = holder[name];
  if (date === undefined) return;
  const { text, value, precision = "time", zoneAssumed = false } = date;
  // After JSON.parse, the value is a string such as 2024-01-02T03:04:05.000Z.
  const epochMs = value === undefined ? NaN : new Date(value).getTime();
  holder[name] = dateValue(text, epochMs, precision, zoneAssumed);
}
