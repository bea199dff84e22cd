/**
 * Parsers for the small fields of sitemaps and their extensions: priority, change frequency, numbers and
 * durations of videos, flags, lists, language tags, text with leftover markup. Each is a pure function of the
 * element's text. An absent value stays absent.
 *
 * Specifications: https://www.sitemaps.org/protocol.html#xmlTagDefinitions and Google's pages on the
 * extensions. Ranges that only a consumer cares about (a rating up to 5, a duration up to 8 hours) are not
 * checked.
 */
import { FAST } from "#shortcuts";
import { CHANGE_FREQUENCIES, type ChangeFrequency } from "../../model/change-frequencies.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { decodeReferences } from "../xml/entities.ts";

/** The value of a field and its issue, if any. */
export interface FieldReading<T> {
  readonly value?: T;
  readonly code?: IssueCode;
}

/** Longer text is not a number. Stops megabytes of digits in a number field. */
const MAX_NUMBER_LENGTH = 40;

/**
 * `read` returns the value (NaN for none) and whether the text follows the specification. An empty element has no
 * value and no issue (P09, P24).
 */
function readNumber(
  text: string,
  code: IssueCode,
  read: (trimmed: string) => readonly [value: number, isPlain?: boolean],
): FieldReading<number> {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  const [value, isPlain] = trimmed.length > MAX_NUMBER_LENGTH ? [NaN] : read(trimmed);
  if (Number.isNaN(value)) return { code };
  return isPlain ? { value } : { value, code };
}

function decimalPoint(text: string): number {
  return Number(text.replace(",", "."));
}

// Priority

const PLAIN_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
/** `0,8`, `80%`, `1e-1` and other numbers that are not a valid priority (P04, P05, P12, P16). */
const ODD_NUMBER = /^([+-]?(?:(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?|Infinity))\s*(%?)$/i;

/** `<priority>`. A number outside 0 to 1 is not clamped. */
export function parsePriority(text: string): FieldReading<number> {
  const reading = readNumber(text, "priority.format", (trimmed) => {
    const [, number, percent] = ODD_NUMBER.exec(trimmed) ?? [];
    if (number === undefined) return [NaN];
    // `+ 0` turns -0 into 0.
    return [decimalPoint(number) / (percent ? 100 : 1) + 0, PLAIN_NUMBER.test(trimmed)];
  });
  const { value = 0 } = reading;
  return value >= 0 && value <= 1 ? reading : { code: "priority.range" };
}

// Change frequency

/** Longer than any frequency. */
const MAX_FREQUENCY_LENGTH = 10;

/** `<changefreq>` in any case (P18, P19). */
export function parseChangeFrequency(text: string): FieldReading<ChangeFrequency> {
  const word = text.trim().slice(0, MAX_FREQUENCY_LENGTH).toLowerCase();
  const value = CHANGE_FREQUENCIES.find((frequency) => frequency === word);
  if (value !== undefined) return { value };
  return word === "" ? {} : { code: "changefreq.unknown" };
}

// Numbers and durations of videos

/** `12 345`, `12,345`, `1.234.567`, `1'234.50`: grouped thousands, with or without decimals. */
const GROUPED = /^([1-9]\d{0,2}(?:([\s'’.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/**
 * A rating or a price (M12). Accepts a decimal comma and grouped thousands. Undefined for a negative number and for
 * `12,345`, where the comma could mean either.
 */
export function parseDecimal(text: string): FieldReading<number> {
  return readNumber(text, "video.number-format", (trimmed) => {
    if (PLAIN_NUMBER.test(trimmed)) return trimmed.startsWith("-") ? [NaN] : [Number(trimmed), true];
    if (/^[1-9]\d{0,2},\d{3}$/.test(trimmed)) return [NaN];
    const [, whole, , fraction = ""] = GROUPED.exec(trimmed) ?? [];
    if (whole !== undefined) return [Number(`${digitsOf(whole)}.${fraction}`)];
    return [/^\d*,\d+$/.test(trimmed) ? decimalPoint(trimmed) : NaN];
  });
}

/** A view count (M12): a whole number, in which any separator groups thousands. */
export function parseCount(text: string): FieldReading<number> {
  return readNumber(text, "video.number-format", (trimmed) => {
    if (/^\d+$/.test(trimmed)) return [Number(trimmed), true];
    const [, whole, , fraction = ""] = GROUPED.exec(trimmed) ?? /^(\d+)()[.,](0*)$/.exec(trimmed) ?? [];
    return [whole === undefined || /[^0]/.test(fraction) ? NaN : Number(digitsOf(whole))];
  });
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, "");
}

/** `1:30`, `01:02:03` */
const CLOCK_DURATION = /^(?:(\d{1,4}):)?(\d{1,4}):(\d\d)$/;
/** ISO 8601 without years and months, which have no fixed length. Also `1h30m` and `90s`. */
const UNIT_DURATION = /^(?:P(?:(\d+)D)?(?:T(?=\d)|$))?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?$/i;

/** `<video:duration>` in seconds (M13), also in other formats than whole seconds. */
export function parseDuration(text: string): FieldReading<number> {
  return readNumber(text, "video.duration-format", (trimmed) => {
    const isPlain = /^\d+$/.test(trimmed);
    const isNumber = isPlain || /^\+?\d+\.\d+$/.test(trimmed);
    const value = isNumber ? Number(trimmed) : (clockSeconds(trimmed) ?? unitSeconds(trimmed));
    return [value > Number.MAX_SAFE_INTEGER ? NaN : value, isPlain];
  });
}

function clockSeconds(text: string): number | undefined {
  const match = CLOCK_DURATION.exec(text);
  if (match === null) return undefined;
  const [hours, minutes, seconds] = [Number(match[1] ?? 0), Number(match[2]), Number(match[3])];
  if (seconds > 59 || (match[1] !== undefined && minutes > 59)) return undefined;
  return (hours * 60 + minutes) * 60 + seconds;
}

function unitSeconds(text: string): number {
  const match = /\d/.test(text) ? UNIT_DURATION.exec(text) : null;
  const [, days = 0, hours = 0, minutes = 0, seconds = "0"] = match ?? [];
  if (match === null) return NaN;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + decimalPoint(seconds);
}

// Flags, lists and languages

/** `<video:family_friendly>` and similar flags (M12). Undefined for anything but yes or no. */
export function parseYesNo(text: string): boolean | undefined {
  const word = text.trim().slice(0, 6).toLowerCase();
  const index = ["no", "yes", "false", "true", "0", "1"].indexOf(word);
  return index < 0 ? undefined : index % 2 > 0;
}

/** Items separated by commas, without empty ones (M01: `a, b,,c`). */
export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/**
 * Items separated by white space or commas, such as the countries of `<video:restriction>` (M12: `IE GB`).
 */
export function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export interface LanguageReading {
  /** The language tag in the canonical case of BCP 47. */
  readonly language: string;
  /** Whether `language` differs from the text. */
  readonly changed: boolean;
  /** Set if `language` differs from the text in more than case. Case has no meaning in a language tag. */
  readonly code?: IssueCode;
}

/** Language tags that need no change: most hreflang attributes. */
const USUAL_LANGUAGE = /^(?:[a-z]{2,3}(?:-[A-Z]{2})?|x-default)$/;

/**
 * The canonical spelling of an hreflang (M15): `en_US` and `EN-us` become `en-US`, `zh-hans-cn` becomes
 * `zh-Hans-CN`.
 */
export function normalizeLanguage(hreflang: string): LanguageReading {
  if (FAST && USUAL_LANGUAGE.test(hreflang)) return { language: hreflang, changed: false };
  const [first = "", ...others] = hreflang.trim().replaceAll("_", "-").toLowerCase().split("-");
  // RFC 5646 section 2.1.1: subtags after a single letter (an extension, private use) stay in lower case.
  let afterSingleton = first.length === 1;
  const respelt = others.map((part) => {
    afterSingleton ||= part.length === 1;
    if (afterSingleton) return part;
    if (part.length === 4) return part.charAt(0).toUpperCase() + part.slice(1);
    return part.length === 2 ? part.toUpperCase() : part;
  });
  const language = [first, ...respelt].join("-");
  const changed = language !== hreflang;
  return hreflang.includes("_") ? { language, changed, code: "hreflang.format" } : { language, changed };
}

// Text

const silent = (): void => {};

/** A sign that a text was escaped twice: one of XML's five entities or a numeric reference. */
const LEFTOVER_REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});/;

/** Decodes a text again if it still contains references (M06). */
export function unescapeOnce(text: string): string {
  return LEFTOVER_REFERENCE.test(text) ? decodeReferences(text, silent).text : text;
}

/** Tags that separate words. */
const BLOCK_TAG = /^<\/?(?:br|p|div|li|ul|ol|td|th|tr|h[1-6])(?![a-z\d])/i;

/**
 * The text of a title with HTML (M05): tags removed, references decoded, white space collapsed. A `<` that
 * does not start a tag (`A <3 B`) is kept. A text without markup is returned unchanged.
 */
export function stripMarkup(text: string): string {
  if (!/[<&]/.test(text)) return text;
  // No tag ends after the last `>`. Searching there at each `<` would not be linear.
  const end = text.lastIndexOf(">") + 1;
  const bare = text.slice(0, end).replace(/<[a-z/!?][^>]*>/gi, (tag) => (BLOCK_TAG.test(tag) ? " " : ""));
  const decoded = decodeReferences(bare + text.slice(end), silent).text;
  return decoded === text ? text : decoded.split(/\s/).filter(Boolean).join(" ");
}
