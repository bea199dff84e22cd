/**
 * A page as one line of a snapshot: its URL, then its fields by their names in `Page`, separated by tabs.
 *
 *     https://www.example.com/a	lastModified=2026-05-01	changeFrequency=daily	images=x8fRt2Qp
 *
 * Dates, frequency and priority are stored as they are. For other fields a hash is enough to detect a change. A
 * line is printable ASCII and tabs, so lines sort by their URLs, byte by byte.
 */
import { createHash } from "node:crypto";
import { CHANGE_FREQUENCIES } from "../../model/change-frequencies.ts";
import { spellDate } from "../../model/format-date.ts";
import type { DateValue, Page } from "../../model/model.ts";

const PLAIN = ["lastModified", "changeFrequency", "priority", "published"] as const;
const HASHED = [
  "title",
  "news",
  "images",
  "videos",
  "alternates",
  "media",
  "mobile",
  "pageMap",
  "section",
] as const;

/** The fields that are compared, in the order in which they are written. */
export const PAGE_FIELDS: readonly ((typeof PLAIN)[number] | (typeof HASHED)[number])[] = [
  ...PLAIN,
  ...HASHED,
];

/** The name of a field that is compared between two syncs. */
export type PageField = (typeof PAGE_FIELDS)[number];

/** A page as stored in a snapshot: short values, and hashes of the other fields. */
export interface SnapshotPage {
  /** URL of the page. */
  readonly url: string;
  /** The date, as precise as declared. */
  readonly lastModified?: string;
  /** The declared change frequency. */
  readonly changeFrequency?: string;
  /** The declared priority, from 0 to 1. */
  readonly priority?: number;
  /** The publication date, as precise as declared. */
  readonly published?: string;
  /** Hashes, by the name of the field: news, images, … */
  readonly hashes?: Readonly<Partial<Record<PageField, string>>>;
}

/** A date that cannot be parsed is stored as written, up to this length. */
const MAX_DATE_TEXT = 64;
const HASH_LENGTH = 8;

const DATE = `[!-~]{0,${MAX_DATE_TEXT * "%ffff".length}}`;
const PATTERNS: Readonly<Record<(typeof PLAIN)[number], string>> = {
  lastModified: DATE,
  changeFrequency: `(?:${CHANGE_FREQUENCIES.join("|")})`,
  priority: String.raw`(?:[01]|0\.\d{1,25}|\d(?:\.\d{1,25})?e-\d{1,3})`,
  published: DATE,
};

/**
 * Matches a line that `pageLines` wrote, but without the origin of its URL (`https://www.example.com/`) at the start of
 * the line. The line feed is included.
 */
export const LINE_AFTER_ORIGIN: RegExp = new RegExp(
  [
    '[!"$-~]*',
    ...PLAIN.map((name) => String.raw`(?:\t${name}=${PATTERNS[name]})?`),
    ...HASHED.map((name) => String.raw`(?:\t${name}=[\w-]{${HASH_LENGTH}})?`),
    String.raw`\n`,
  ].join(""),
  "y",
);

/** The lines of pages, joined by line feeds. */
export function pageLines(pages: readonly Page[]): string {
  // If an entry has several URLs, its pages share one array of images, videos and so on. Hashing 1,000 images once per
  // URL would take seconds.
  const last = new Map<string, { readonly value: unknown; readonly hash: string }>();
  const hash = (value: unknown, name: string): string => {
    const known = last.get(name);
    if (known?.value === value) return known!.hash;
    const made = { value, hash: hashOf(value) };
    last.set(name, made);
    return made.hash;
  };
  return pages.map((page) => pageLine(page, hash)).join("\n");
}

/** @internal exported for tests */
export function pageLine(page: Page, hash: (value: unknown, name: string) => string = hashOf): string {
  let line = page.url;
  const { lastModified, changeFrequency, priority } = page;
  if (lastModified !== undefined) line += `\tlastModified=${dateValue(lastModified)}`;
  if (changeFrequency !== undefined) line += `\tchangeFrequency=${changeFrequency}`;
  if (priority !== undefined) line += `\tpriority=${priority}`;
  if (page.published !== undefined) line += `\tpublished=${dateValue(page.published)}`;
  for (const name of HASHED) {
    const value = page[name];
    if (value !== undefined) line += `\t${name}=${hash(value, name)}`;
  }
  return line;
}

/**
 * Formats a date as precisely as it was declared. `+00:00` becomes `Z`, so that a different spelling is not a change.
 */
function dateValue(date: DateValue): string {
  const { text, precision } = date;
  if (precision === "time" && text.length === 25 && text.endsWith("+00:00")) return `${text.slice(0, 19)}Z`;
  const spelled = spellDate(date);
  if (spelled !== undefined) return spelled;
  return text
    .slice(0, MAX_DATE_TEXT)
    .replace(/[^\x21-\x7e]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
}

function hashOf(value: unknown): string {
  return createHash("sha1").update(JSON.stringify(value)).digest("base64url").slice(0, HASH_LENGTH);
}

export function urlOfLine(line: string): string {
  const tab = line.indexOf("\t");
  return tab < 0 ? line : line.slice(0, tab);
}

/** The line without lastModified. */
export function withoutDate(line: string): string {
  const at = line.indexOf("\tlastModified=");
  if (at < 0) return line;
  const end = line.indexOf("\t", at + 1);
  return end < 0 ? line.slice(0, at) : line.slice(0, at) + line.slice(end);
}

export function fieldsOfLine(line: string): Map<PageField, string> {
  const fields = new Map<PageField, string>();
  const [, ...parts] = line.split("\t");
  for (const part of parts) {
    const equals = part.indexOf("=");
    fields.set(part.slice(0, equals) as PageField, part.slice(equals + 1));
  }
  return fields;
}

export function readPageLine(line: string): SnapshotPage {
  const hashes: Partial<Record<PageField, string>> = {};
  const page: Record<string, unknown> = { url: urlOfLine(line) };
  for (const [name, text] of fieldsOfLine(line)) {
    if ((PLAIN as readonly string[]).includes(name)) page[name] = name === "priority" ? Number(text) : text;
    else hashes[name] = text;
  }
  if (Object.keys(hashes).length > 0) page["hashes"] = hashes;
  return page as unknown as SnapshotPage;
}
