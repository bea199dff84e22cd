/**
 * One page as a record of a block, and back:
 *
 *     flags  url  [lastModified]  [urlText]  [priority]  [all the rest as JSON]
 *
 * The flags hold the change frequency and say which of the parts in brackets are there. All texts are
 * front-coded, the JSON too: where each page has an image on the same host, most of it is shared.
 *
 * Properties come back in the order in which they were, so that JSON is written the same. A page whose
 * order is not that of a sitemap's pages has all but its URL in the rest.
 */
import type { ChangeFrequency, DateValue, Page } from "../model.ts";
import { createDateValue } from "../parse/date.ts";
import { BlockReader, type BlockWriter } from "./block.ts";
import { TextReader, TextWriter } from "./front-coding.ts";
import { type DateMode, DateReader, DateWriter, NO_DATE } from "./packed-date.ts";

/** Their number in three bits; 0 is absent. */
const FREQUENCIES: readonly (ChangeFrequency | undefined)[] = [
  undefined,
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];

// The flags: two bits for the date, three for the frequency, and these.
const DATE_MASK = 0x03;
const FREQUENCY_SHIFT = 2;
const FREQUENCY_MASK = 0x07;
const HAS_URL_TEXT = 0x20;
const HAS_PRIORITY = 0x40;
const HAS_REST = 0x80;

/** A priority that is no number of hundredths follows in full. */
const FULL_PRIORITY = 0xff;

/** Behind those that have a part of their own. */
const REST_RANK = 5;

export class PageWriter {
  readonly #urls = new TextWriter("url");
  readonly #urlTexts = new TextWriter("any");
  readonly #rests = new TextWriter("any");
  readonly #dates = new DateWriter();

  /** For a new block. */
  reset(): void {
    this.#urls.reset();
    this.#urlTexts.reset();
    this.#rests.reset();
    this.#dates.reset();
  }

  write(page: Page, block: BlockWriter): void {
    const flagsAt = block.startRecord();
    this.#urls.write(page.url, block);
    const shape = shapeOf(page);
    let flags = shape === "unordered" ? 0 : this.#writeParts(page, block);
    if (shape !== "parts") {
      flags |= HAS_REST;
      this.#rests.write(JSON.stringify(shape === "unordered" ? allButUrl(page) : restOf(page)), block);
    }
    block.setByte(flagsAt, flags);
  }

  #writeParts({ lastModified, urlText, changeFrequency, priority }: Page, block: BlockWriter): number {
    // A word that the type does not allow counts as absent, so that no other page can break by it.
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

  open(block: Uint8Array): void {
    this.#block.open(block);
    this.#dates.reset();
  }

  get atEnd(): boolean {
    return this.#block.atEnd;
  }

  /** The next page. */
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
    if ((flags & HAS_REST) !== 0) Object.assign(page, revive(JSON.parse(this.#rests.read(block))));
    return page;
  }
}

function writePriority(priority: number, block: BlockWriter): void {
  const hundredths = Math.abs(Math.round(priority * 100));
  // Object.is tells 0 from -0, and NaN from every number.
  const isShort = hundredths <= 100 && Object.is(hundredths / 100, priority);
  block.byte(isShort ? hundredths : FULL_PRIORITY);
  if (!isShort) block.float64(priority);
}

function readPriority(block: BlockReader): number {
  const hundredths = block.byte();
  return hundredths === FULL_PRIORITY ? block.float64() : hundredths / 100;
}

/** Whether a page has parts only, parts and then a rest, or its properties in another order. */
function shapeOf(page: Page): "parts" | "rest" | "unordered" {
  let last = 0;
  for (const name in page) {
    const rank = rankOf(name);
    if (rank < last) return "unordered";
    last = rank;
  }
  return last === REST_RANK ? "rest" : "parts";
}

function rankOf(name: string): number {
  switch (name) {
    case "url":
      return 0;
    case "lastModified":
      return 1;
    case "urlText":
      return 2;
    case "changeFrequency":
      return 3;
    case "priority":
      return 4;
    default:
      return REST_RANK;
  }
}

function restOf(page: Page): Partial<Page> {
  const { url, lastModified, urlText, changeFrequency, priority, ...rest } = page;
  return rest;
}

function allButUrl(page: Page): Partial<Page> {
  const { url, ...rest } = page;
  return rest;
}

/** Makes dates of what JSON made of them, in place. */
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
  // JSON has it as text: 2024-01-02T03:04:05.000Z.
  const epochMs = value === undefined ? NaN : new Date(value).getTime();
  holder[name] = createDateValue(text, epochMs, precision, zoneAssumed);
}
