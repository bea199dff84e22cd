/**
 * Writes and reads the dates in a block of pages. Nearly every sitemap has dates such as `2024-01-02` or
 * `2024-01-02T03:04:05+00:00`. This file calls them plain dates. A plain date is stored as its difference from the
 * previous plain date, in one to five bytes. Its text and its point in time are computed from the difference. Any other
 * date is stored as its text and its point in time.
 *
 * The text of a plain date has two parts. The head is `2024-01-02T03:04:05.678`, or this text cut after the year,
 * month, day, minute or second. The zone is `Z`, an offset such as `+01:00`, or missing. The form of a date is the
 * length of its head and the kind of its zone. Some dates that parse/fast/iso-date.ts accepts are not plain: dates with
 * a lower-case `t` or `z`, and dates with a fraction of a second that does not have three digits.
 */
import { asciiText } from "#platform";
import { DAY_MS, MINUTE_MS } from "../model/calendar.ts";
import { dateValue } from "../model/date-value.ts";
import type { DatePrecision, DateValue } from "../model/model.ts";
import { canonicalPrecision, parseCanonical } from "../parse/fast/iso-date.ts";
import type { BlockReader, BlockWriter } from "./block.ts";
import { TextReader, TextWriter } from "./front-coding.ts";

/** The modes of a date: how it is stored. The mode takes two bits of the first byte of the page. */
export const NO_DATE = 0;
const SAME_FORM = 1;
const NEW_FORM = 2;
const OTHER_DATE = 3;
export type DateMode = 0 | 1 | 2 | 3;

/**
 * One kind of head (the text of a date without its zone): the number of characters, and the unit of the stored
 * difference.
 */
interface Head {
  readonly length: number;
  readonly unitMs: number;
}

const HEADS: readonly Head[] = [
  { length: 4, unitMs: DAY_MS },
  { length: 7, unitMs: DAY_MS },
  { length: 10, unitMs: DAY_MS },
  { length: 16, unitMs: MINUTE_MS },
  { length: 19, unitMs: 1000 },
  { length: 23, unitMs: 1 },
];
const HEAD_BY_LENGTH: ReadonlyMap<number, number> = new Map(HEADS.map(({ length }, i) => [length, i]));
const HEAD_BITS = 3;
const HEAD_MASK = 7;

const NO_ZONE = 0;
const ZULU = 1;
const AHEAD = 2;
const BEHIND = 3;

const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const LOWER_Z = 0x7a;
const PLUS = 0x2b;
const DASH = 0x2d;
const COLON = 0x3a;
const DOT = 0x2e;
const ZERO = 0x30;

const PRECISIONS: readonly DatePrecision[] = ["year", "month", "day", "time"];
const PRECISION_MASK = 3;
const ZONE_ASSUMED = 4;
const HAS_VALUE = 8;

/**
 * The value of `#form` at the start of a block, before the first plain date. Also the result of `plainForm` for a date
 * that is not plain.
 */
const NO_FORM = -1;

export class DateWriter {
  readonly #texts = new TextWriter("any");
  /**
   * The form of the last plain date, as one number: the index of its head (the text without the zone) in `HEADS`, and
   * the kind of its zone.
   */
  #form = NO_FORM;
  /** UTC offset of the last plain date, without the sign. */
  #offsetMinutes = 0;
  /** Local time of the last plain date. */
  #localMs = 0;

  reset(): void {
    this.#texts.reset();
    this.#form = NO_FORM;
    this.#localMs = 0;
  }

  write(date: DateValue, block: BlockWriter): DateMode {
    const { text } = date;
    const epochMs = plainInstant(date);
    const form = Number.isNaN(epochMs) ? NO_FORM : plainForm(text);
    if (form === NO_FORM) {
      this.#writeOther(date, block);
      return OTHER_DATE;
    }
    const zone = form >> HEAD_BITS;
    const offsetMinutes = zone >= AHEAD ? readOffset(text) : 0;
    const isNewForm = form !== this.#form || offsetMinutes !== this.#offsetMinutes;
    if (isNewForm) {
      block.byte(form);
      if (zone >= AHEAD) block.integer(offsetMinutes);
      this.#form = form;
      this.#offsetMinutes = offsetMinutes;
    }
    const localMs = epochMs + signedOffset(zone, offsetMinutes) * MINUTE_MS;
    const { unitMs } = HEADS[form & HEAD_MASK]!;
    block.signed(localMs / unitMs - Math.floor(this.#localMs / unitMs));
    this.#localMs = localMs;
    return isNewForm ? NEW_FORM : SAME_FORM;
  }

  #writeOther(date: DateValue, block: BlockWriter): void {
    const { text, value, precision = "time", zoneAssumed } = date;
    const flags =
      PRECISIONS.indexOf(precision) |
      (zoneAssumed ? ZONE_ASSUMED : 0) |
      (value === undefined ? 0 : HAS_VALUE);
    block.byte(flags);
    if (value !== undefined) block.float64(value.getTime());
    this.#texts.write(text, block);
  }
}

export class DateReader {
  readonly #texts = new TextReader("any");
  #form = NO_FORM;
  #offsetMinutes = 0;
  #localMs = 0;
  /** The text that was returned for the last plain date. */
  #text = "";

  reset(): void {
    this.#form = NO_FORM;
    this.#localMs = 0;
  }

  read(mode: DateMode, block: BlockReader): DateValue {
    if (mode === OTHER_DATE) return this.#readOther(block);
    if (mode === NEW_FORM) {
      this.#form = block.byte();
      this.#offsetMinutes = this.#form >> HEAD_BITS >= AHEAD ? block.integer() : 0;
    }
    const zone = this.#form >> HEAD_BITS;
    const head = HEADS[this.#form & HEAD_MASK]!;
    const change = block.signed();
    const localMs = (Math.floor(this.#localMs / head.unitMs) + change) * head.unitMs;
    if (mode === NEW_FORM || change !== 0) this.#text = writeText(localMs, head, zone, this.#offsetMinutes);
    this.#localMs = localMs;
    const epochMs = localMs - signedOffset(zone, this.#offsetMinutes) * MINUTE_MS;
    return dateValue(this.#text, epochMs, canonicalPrecision(this.#text.length));
  }

  #readOther(block: BlockReader): DateValue {
    const flags = block.byte();
    const epochMs = (flags & HAS_VALUE) === 0 ? NaN : block.float64();
    const text = this.#texts.read(block);
    const precision = PRECISIONS[flags & PRECISION_MASK]!;
    return dateValue(text, epochMs, precision, (flags & ZONE_ASSUMED) !== 0);
  }
}

/** Returns the point in time if all properties of the date can be computed from its text. Otherwise returns NaN. */
function plainInstant({ text, value, precision, zoneAssumed }: DateValue): number {
  const epochMs = parseCanonical(text);
  const follows =
    value?.getTime() === epochMs && precision === canonicalPrecision(text.length) && !zoneAssumed;
  return follows ? epochMs : NaN;
}

/**
 * Returns the form of a date that `parseCanonical` accepted, as one number: the index of its head (the text without the
 * zone) in `HEADS`, and the kind of its zone. Returns `NO_FORM` if the date is not plain.
 */
function plainForm(text: string): number {
  const { length } = text;
  let zone = NO_ZONE;
  let headLength = length;
  if (length > 10) {
    if (text.charCodeAt(10) !== UPPER_T) return NO_FORM;
    const last = text.charCodeAt(length - 1);
    if (last === LOWER_Z) return NO_FORM;
    headLength = length - (last === UPPER_Z ? 1 : 6);
    zone = last === UPPER_Z ? ZULU : text.charCodeAt(headLength) === PLUS ? AHEAD : BEHIND;
  }
  const head = HEAD_BY_LENGTH.get(headLength);
  return head === undefined ? NO_FORM : head | (zone << HEAD_BITS);
}

/** Returns the UTC offset at the end of a text (`01:00`), in minutes. */
function readOffset(text: string): number {
  const { length } = text;
  const digit = (fromEnd: number): number => text.charCodeAt(length - fromEnd) - ZERO;
  return (digit(5) * 10 + digit(4)) * 60 + digit(2) * 10 + digit(1);
}

function signedOffset(zone: number, minutes: number): number {
  return zone === BEHIND ? -minutes : minutes;
}

// All readers share one buffer and one Date, because reading is synchronous.
const scratch = new Uint8Array(32);
const clock = new Date(0);

/**
 * Returns the text of a date. Builds it from bytes, because a concatenated string keeps its parts alive and takes three
 * times the memory.
 */
function writeText(localMs: number, { length }: Head, zone: number, offsetMinutes: number): string {
  clock.setTime(localMs);
  const year = clock.getUTCFullYear();
  twoDigits(0, Math.floor(year / 100));
  twoDigits(2, year % 100);
  scratch[4] = DASH;
  twoDigits(5, clock.getUTCMonth() + 1);
  scratch[7] = DASH;
  twoDigits(8, clock.getUTCDate());
  if (length > 10) {
    scratch[10] = UPPER_T;
    twoDigits(11, clock.getUTCHours());
    scratch[13] = COLON;
    twoDigits(14, clock.getUTCMinutes());
    scratch[16] = COLON;
    twoDigits(17, clock.getUTCSeconds());
    scratch[19] = DOT;
    const ms = clock.getUTCMilliseconds();
    twoDigits(20, Math.floor(ms / 10));
    scratch[22] = ZERO + (ms % 10);
  }
  return asciiText(scratch, 0, writeZone(length, zone, offsetMinutes));
}

/** Writes the zone and returns the position after it. */
function writeZone(at: number, zone: number, offsetMinutes: number): number {
  if (zone === NO_ZONE) return at;
  if (zone === ZULU) {
    scratch[at] = UPPER_Z;
    return at + 1;
  }
  scratch[at] = zone === AHEAD ? PLUS : DASH;
  twoDigits(at + 1, Math.floor(offsetMinutes / 60));
  scratch[at + 3] = COLON;
  twoDigits(at + 4, offsetMinutes % 60);
  return at + 6;
}

function twoDigits(at: number, value: number): void {
  const tens = Math.floor(value / 10);
  scratch[at] = ZERO + tens;
  scratch[at + 1] = ZERO + value - 10 * tens;
}
