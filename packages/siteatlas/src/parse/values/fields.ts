/**
 * Parses the small fields of sitemaps and their extensions: priority, change frequency, numbers and durations of
 * videos, flags, lists, language tags, and text with leftover markup. Each function depends only on the text of the
 * element. If the element is empty, the result has no value.
 *
 * Specifications: https://www.sitemaps.org/protocol.html#xmlTagDefinitions and Google's pages on the extensions. Some
 * ranges matter only to programs that use the value (a rating up to 5, a duration up to 8 hours). They are not checked.
 */
import { FAST } from "#shortcuts";
import { CHANGE_FREQUENCIES, type ChangeFrequency } from "../../model/change-frequencies.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import { decodeReferences } from "../xml/entities.ts";

/** The value of a field, and the code of its issue. Both may be absent. */
export interface FieldReading<T> {
  readonly value?: T;
  readonly code?: IssueCode;
}

/** Maximum length of a number. Stops megabytes of digits in a number field. */
const MAX_NUMBER_LENGTH = 40;

/**
 * Parses a number. `read` returns the value (NaN if there is none), and whether the text follows the specification. An
 * empty element has no value and no issue (P09, P24).
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
/**
 * Matches numbers that are not valid priorities, but whose meaning is clear: `0,8`, `80%`, `1e-1` (P04, P05, P12, P16).
 */
const ODD_NUMBER = /^([+-]?(?:(?:\d+[.,]?\d*|[.,]\d+)(?:e[+-]?\d+)?|Infinity))\s*(%?)$/i;

/** Parses `<priority>`. A number below 0 or above 1 is dropped. */
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

/** Number of characters that are compared. Every change frequency is shorter. */
const MAX_FREQUENCY_LENGTH = 10;

/** Parses `<changefreq>`. Upper and lower case are accepted (P18, P19). */
export function parseChangeFrequency(text: string): FieldReading<ChangeFrequency> {
  const word = text.trim().slice(0, MAX_FREQUENCY_LENGTH).toLowerCase();
  const value = CHANGE_FREQUENCIES.find((frequency) => frequency === word);
  if (value !== undefined) return { value };
  return word === "" ? {} : { code: "changefreq.unknown" };
}

// Numbers and durations of videos

/** Matches numbers with grouped thousands, with or without decimals: `12 345`, `12,345`, `1.234.567`, `1'234.50`. */
const GROUPED = /^([1-9]\d{0,2}(?:([\s'’.,])\d{3})(?:\2\d{3})*)(?:(?!\2)[.,](\d+))?$/;

/**
 * Parses a rating or a price (M12). Accepts a decimal comma and grouped thousands. A negative number has no value.
 * `12,345` also has no value, because the comma could be a decimal comma or group thousands.
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

/** Parses a view count (M12). It is a whole number, so any separator in it groups thousands. */
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

/** Matches durations such as `1:30` and `01:02:03`. */
const CLOCK_DURATION = /^(?:(\d{1,4}):)?(\d{1,4}):(\d\d)$/;
/** Matches durations of ISO 8601 without years and months, whose length varies. Also matches `1h30m` and `90s`. */
const UNIT_DURATION = /^(?:P(?:(\d+)D)?(?:T(?=\d)|$))?(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?$/i;

/** Parses `<video:duration>`. Returns seconds (M13). Accepts other formats than whole seconds. */
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

/** Parses `<video:family_friendly>` and similar flags (M12). Undefined if the text means neither yes nor no. */
export function parseYesNo(text: string): boolean | undefined {
  const word = text.trim().slice(0, 6).toLowerCase();
  const index = ["no", "yes", "false", "true", "0", "1"].indexOf(word);
  return index < 0 ? undefined : index % 2 > 0;
}

/** Splits a list at commas. Drops empty items: `a, b,,c` has three items (M01). */
export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);
}

/** Splits a list at white space and commas, such as the countries `IE GB` in `<video:restriction>` (M12). */
export function splitWords(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

export interface LanguageReading {
  /** The language tag, with upper and lower case as BCP 47 recommends. */
  readonly language: string;
  /** Whether `language` differs from the text in the document. */
  readonly changed: boolean;
  /** The issue code if more than upper and lower case differs. Case has no meaning in a language tag. */
  readonly code?: IssueCode;
}

/** Matches language tags that need no change. Most hreflang attributes match. */
const USUAL_LANGUAGE = /^(?:[a-z]{2,3}(?:-[A-Z]{2})?|x-default)$/;

/**
 * Returns the recommended spelling of an hreflang (M15): `en_US` and `EN-us` become `en-US`, `zh-hans-cn` becomes
 * `zh-Hans-CN`.
 */
export function normalizeLanguage(hreflang: string): LanguageReading {
  if (FAST && USUAL_LANGUAGE.test(hreflang)) return { language: hreflang, changed: false };
  const [first = "", ...others] = hreflang.trim().replaceAll("_", "-").toLowerCase().split("-");
  // The parts after a single letter are an extension or private use. They stay in lower case (RFC 5646 section 2.1.1).
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

/**
 * Matches a reference that is left after decoding, which shows that a text was escaped twice: one of XML's five
 * entities or a numeric reference.
 */
const LEFTOVER_REFERENCE = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][\da-fA-F]{1,6});/;

/** Decodes a text a second time if it still contains references (M06). */
export function unescapeOnce(text: string): string {
  return LEFTOVER_REFERENCE.test(text) ? decodeReferences(text, silent).text : text;
}

/** Matches HTML tags that separate words. They become a space. */
const BLOCK_TAG = /^<\/?(?:br|p|div|li|ul|ol|td|th|tr|h[1-6])(?![a-z\d])/i;

/**
 * The text of a title that contains HTML (M05): tags are removed, references decoded, and white space collapsed. A `<`
 * that does not start a tag (`A <3 B`) is kept. A text without markup is returned unchanged.
 */
export function stripMarkup(text: string): string {
  if (!/[<&]/.test(text)) return text;
  // After the last `>`, no tag can end. Searching there for the end of each `<` would take quadratic time.
  const end = text.lastIndexOf(">") + 1;
  const bare = text.slice(0, end).replace(/<[a-z/!?][^>]*>/gi, (tag) => (BLOCK_TAG.test(tag) ? " " : ""));
  const decoded = decodeReferences(bare + text.slice(end), silent).text;
  return decoded === text ? text : decoded.split(/\s/).filter(Boolean).join(" ");
}
