/**
 * The small fields of sitemaps and their extensions: priority, change frequency, numbers and durations
 * of videos, yes or no, lists, language tags, text with leftover markup. Each reader is pure, takes the
 * text of the element and says what it means; absent stays absent, nothing is made up.
 *
 * Specifications: https://www.sitemaps.org/protocol.html#xmlTagDefinitions and Google's pages on the
 * extensions. Ranges that only a consumer cares about (a rating up to 5, a duration up to 8 hours) are
 * not checked here.
 */
import type { IssueCode } from "../issues.ts";
import type { ChangeFrequency } from "../model.ts";
import { decodeReferences } from "./entities.ts";

/** What a field means, if anything, and what is wrong with it, if anything. */
export interface FieldReading<T> {
  readonly value?: T;
  readonly code?: IssueCode;
}

/** An empty element: nothing said, nothing wrong (P09, P24). */
const BLANK: FieldReading<never> = Object.freeze({});

/** Longer text is no number; stops megabytes of digits in a number field. */
const MAX_NUMBER_LENGTH = 40;

// Priority

/** `0.0` to `0.9`, made once: a sitemap repeats them 50,000 times. */
const tenths: readonly FieldReading<number>[] = Array.from({ length: 10 }, (_, tenth) =>
  Object.freeze({ value: tenth / 10 }),
);
const WHOLE: FieldReading<number> = Object.freeze({ value: 1 });
const BAD_PRIORITY: FieldReading<number> = Object.freeze({ code: "priority.format" });
const PRIORITY_OUT_OF_RANGE: FieldReading<number> = Object.freeze({ code: "priority.range" });

const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
/** `0,8`, `80%`, `1e-1` and all that is a number but no priority (P04, P05, P12, P16). */
const ODD_NUMBER = /^([+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?|[+-]?Infinity)\s*(%?)$/i;

/** Reads `<priority>`; a number outside 0 to 1 is not squeezed into the range. */
export function parsePriority(text: string): FieldReading<number> {
  if (text.length === 3 && text.charCodeAt(1) === 0x2e) {
    const tenth = text.charCodeAt(2) - 0x30;
    if (text.charCodeAt(0) === 0x30 && tenth >= 0 && tenth <= 9) return tenths[tenth]!;
    if (text === "1.0") return WHOLE;
  }
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  if (trimmed.length > MAX_NUMBER_LENGTH) return BAD_PRIORITY;
  if (PLAIN_NUMBER.test(trimmed)) return priorityInRange(Number(trimmed), false);
  const match = ODD_NUMBER.exec(trimmed);
  if (match === null) return BAD_PRIORITY;
  const number = match[1]!.endsWith("nfinity") ? Number.POSITIVE_INFINITY : decimalPoint(match[1]!);
  return priorityInRange(match[2] === "%" ? number / 100 : number, true);
}

function priorityInRange(number: number, odd: boolean): FieldReading<number> {
  if (!(number >= 0 && number <= 1)) return PRIORITY_OUT_OF_RANGE;
  // Adding zero turns -0, which JSON writes as 0 but equality tells apart, into 0.
  const value = number + 0;
  return odd ? { value, code: "priority.format" } : { value };
}

// Change frequency

/** By their first letters, which are all different. */
const frequencies: ReadonlyMap<number, FieldReading<ChangeFrequency>> = new Map(
  (["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"] as const).map((value) => [
    value.charCodeAt(0),
    Object.freeze({ value }),
  ]),
);
const UNKNOWN_FREQUENCY: FieldReading<ChangeFrequency> = Object.freeze({ code: "changefreq.unknown" });
const MAX_FREQUENCY_LENGTH = 7;

/** Reads `<changefreq>`, in any case (P18, P19). The readings are made once, so nothing is allocated. */
export function parseChangeFrequency(text: string): FieldReading<ChangeFrequency> {
  const reading = frequencies.get(text.charCodeAt(0));
  if (reading !== undefined && reading.value === text) return reading;
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  if (trimmed.length > MAX_FREQUENCY_LENGTH) return UNKNOWN_FREQUENCY;
  const lower = trimmed.toLowerCase();
  const found = frequencies.get(lower.charCodeAt(0));
  return found !== undefined && found.value === lower ? found : UNKNOWN_FREQUENCY;
}

// Numbers and durations of videos

const BAD_NUMBER: FieldReading<number> = Object.freeze({ code: "video.number-format" });
const BAD_DURATION: FieldReading<number> = Object.freeze({ code: "video.duration-format" });

/** `12 345`, `12,345`, `1.234.567`, `1'234.50`: thousands apart, perhaps with decimals. */
const GROUPED = /^([1-9]\d{0,2})(([\s'’.,])\d{3}(?:\3\d{3})*)(?:([.,])(\d+))?$/;
const DECIMAL_COMMA = /^(?:\d+,\d+|,\d+)$/;

/**
 * Reads a rating or a price (M12). A decimal comma and separated thousands are understood; `12,345` alone
 * could be either, a thousandfold apart, and stays undefined. So does a negative number.
 */
export function parseDecimal(text: string): FieldReading<number> {
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  if (trimmed.length > MAX_NUMBER_LENGTH) return BAD_NUMBER;
  if (PLAIN_NUMBER.test(trimmed) && !trimmed.startsWith("-")) return { value: Number(trimmed) };
  const grouped = readGrouped(trimmed);
  if (grouped !== undefined) {
    const { groups, separator, fraction } = grouped;
    if (separator === "," && groups === 1 && fraction === "") return BAD_NUMBER;
    return { value: Number(`${grouped.whole}.${fraction}`), code: "video.number-format" };
  }
  if (!DECIMAL_COMMA.test(trimmed)) return BAD_NUMBER;
  return { value: decimalPoint(trimmed), code: "video.number-format" };
}

/** Reads a view count (M12): a whole number, in which any separator can only part the thousands. */
export function parseCount(text: string): FieldReading<number> {
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  if (trimmed.length > MAX_NUMBER_LENGTH) return BAD_NUMBER;
  if (/^\d+$/.test(trimmed)) return { value: Number(trimmed) };
  const grouped = readGrouped(trimmed) ?? /^(?<whole>\d+)[.,](?<fraction>0*)$/.exec(trimmed)?.groups;
  if (grouped === undefined || !/^0*$/.test(grouped["fraction"]!)) return BAD_NUMBER;
  return { value: Number(grouped["whole"]), code: "video.number-format" };
}

interface GroupedNumber {
  readonly whole: string;
  readonly groups: number;
  readonly separator: string;
  readonly fraction: string;
}

function readGrouped(text: string): GroupedNumber | undefined {
  const match = GROUPED.exec(text);
  if (match === null) return undefined;
  const [, first = "", others = "", separator = "", decimal, fraction = ""] = match;
  if (decimal === separator) return undefined;
  const whole = first + others.replaceAll(separator, "");
  return { whole, groups: others.length / 4, separator, fraction };
}

function decimalPoint(text: string): number {
  return Number(text.replace(",", "."));
}

/** `1:30`, `01:02:03` */
const CLOCK_DURATION = /^(?:(\d{1,4}):)?(\d{1,4}):(\d\d)$/;
/** ISO 8601 without years and months, which have no fixed length; `1h30m` and `90s` as well. */
const UNIT_DURATION =
  /^(?:P(?:(?<days>\d+)D)?(?:T(?=\d)|$))?(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+(?:[.,]\d+)?)S)?$/i;

/** Reads `<video:duration>` in seconds (M13): whole seconds as specified, or a time written otherwise. */
export function parseDuration(text: string): FieldReading<number> {
  const trimmed = text.trim();
  if (trimmed === "") return BLANK;
  if (trimmed.length > MAX_NUMBER_LENGTH) return BAD_DURATION;
  if (/^\d+$/.test(trimmed)) return wholeSeconds(Number(trimmed));
  const value = clockSeconds(trimmed) ?? unitSeconds(trimmed);
  if (value === undefined || value > Number.MAX_SAFE_INTEGER) return BAD_DURATION;
  return { value, code: "video.duration-format" };
}

function wholeSeconds(value: number): FieldReading<number> {
  return value > Number.MAX_SAFE_INTEGER ? BAD_DURATION : { value };
}

function clockSeconds(text: string): number | undefined {
  const match = CLOCK_DURATION.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds] = [Number(match[1] ?? 0), Number(match[2]), Number(match[3])];
  if (seconds > 59 || (match[1] !== undefined && minutes > 59)) return undefined;
  return (hours * 60 + minutes) * 60 + seconds;
}

function unitSeconds(text: string): number | undefined {
  if (/^\+?\d+\.\d+$/.test(text)) return Number(text);
  const groups = UNIT_DURATION.exec(text)?.groups;
  if (groups === undefined || !/\d/.test(text)) return undefined;
  const { days = "0", hours = "0", minutes = "0", seconds = "0" } = groups;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + decimalPoint(seconds);
}

// Flags, lists and languages

/** Reads `<video:family_friendly>` and the like (M12); undefined when it is neither yes nor no. */
export function parseYesNo(text: string): boolean | undefined {
  switch (text.trim().slice(0, 6).toLowerCase()) {
    case "yes":
    case "true":
    case "1":
      return true;
    case "no":
    case "false":
    case "0":
      return false;
    default:
      return undefined;
  }
}

/** The items between commas, without the empty ones (M01: `a, b,,c`). */
export function splitList(text: string): string[] {
  return trimmedItems(text.split(","));
}

/** The items between white space or commas, as `<video:restriction>` lists countries (M12: `IE GB`). */
export function splitWords(text: string): string[] {
  return trimmedItems(text.split(/[\s,]/));
}

function trimmedItems(items: readonly string[]): string[] {
  const kept: string[] = [];
  for (const item of items) {
    const trimmed = item.trim();
    if (trimmed !== "") kept.push(trimmed);
  }
  return kept;
}

export interface LanguageReading {
  /** In the usual spelling of BCP 47. */
  readonly language: string;
  /** It is spelt otherwise than it was written. */
  readonly changed: boolean;
  /** Set when more than upper and lower case was changed, which mean nothing in a language tag. */
  readonly code?: IssueCode;
}

/** What most hreflang attributes hold: nothing to change. */
const USUAL_LANGUAGE = /^(?:[a-z]{2,3}(?:-[A-Z]{2})?|x-default)$/;

/** Respells an hreflang (M15): `en_US` and `EN-us` are `en-US`, `zh-hans-cn` is `zh-Hans-CN`. */
export function normalizeLanguage(hreflang: string): LanguageReading {
  if (USUAL_LANGUAGE.test(hreflang)) return { language: hreflang, changed: false };
  const dashed = hreflang.trim().replaceAll("_", "-");
  // RFC 5646 section 2.1.1. What follows a single letter (an extension, private use) stays lower case.
  let afterSingleton = false;
  const language = dashed
    .toLowerCase()
    .split("-")
    .map((part, index) => {
      if (part.length === 1) afterSingleton = true;
      if (index === 0 || afterSingleton) return part;
      if (part.length === 4) return part.charAt(0).toUpperCase() + part.slice(1);
      return part.length === 2 ? part.toUpperCase() : part;
    })
    .join("-");
  const changed = language !== hreflang;
  return hreflang.includes("_") ? { language, changed, code: "hreflang.format" } : { language, changed };
}

// Text

const silent = (): void => {};

/** What a text holds that was escaped once too often: XML's five entities or a numeric reference. */
const LEFTOVER_REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});/;

/** Decodes a text once more if it still holds references (M06); otherwise gives the very same text. */
export function unescapeOnce(text: string): string {
  return LEFTOVER_REFERENCE.test(text) ? decodeReferences(text, silent).text : text;
}

/** Tags that part what stands before and behind them. */
const BLOCK_TAG = /^<\/?(?:br|p|div|li|ul|ol|td|th|tr|h[1-6])(?![a-z\d])/i;
const TAG_START = /^<[a-z/!?]/i;
/** As much of a tag as the two patterns above look at. */
const TAG_HEAD_LENGTH = 6;

/**
 * The text of a title that holds HTML (M05): without tags, references decoded, white space joined.
 * A `<` that starts no tag (`A <3 B`) stays. Without markup the very same text comes back. Linear: once
 * no `>` is left, none is looked for again.
 */
export function stripMarkup(text: string): string {
  if (!text.includes("<") && !text.includes("&")) return text;
  let out = "";
  let from = 0;
  for (let open = text.indexOf("<"); open >= 0; open = text.indexOf("<", open + 1)) {
    const head = text.slice(open, open + TAG_HEAD_LENGTH);
    if (!TAG_START.test(head)) continue;
    const close = text.indexOf(">", open);
    if (close < 0) break;
    out += text.slice(from, open);
    if (BLOCK_TAG.test(head)) out += " ";
    from = close + 1;
    open = close;
  }
  out += text.slice(from);
  const decoded = decodeReferences(out, silent).text;
  return decoded === text ? text : decoded.split(/\s/).filter(Boolean).join(" ");
}
