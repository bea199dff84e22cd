/**
 * A page as one line of a snapshot: its URL, then what can change, by the names of `Page`, with tabs between.
 *
 *     https://www.example.com/a	lastModified=2026-05-01	changeFrequency=daily	images=x8fRt2Qp
 *
 * Dates, frequency and priority stand there as they are; of everything else there is a hash, which is enough
 * to see that it changed. A line is printable ASCII and tabs, so lines sort by their URLs, byte by byte.
 */
import { createHash } from "node:crypto";
import { spellDate } from "../date-text.ts";
import type { DateValue, Page } from "../model.ts";

/** What can change of a page, in the order in which it is written. */
export const PAGE_FIELDS = [
  "lastModified",
  "changeFrequency",
  "priority",
  "published",
  "title",
  "news",
  "images",
  "videos",
  "alternates",
  "media",
  "mobile",
  "pageMap",
] as const;

export type PageField = (typeof PAGE_FIELDS)[number];

/** A page as a snapshot holds it: values where they are short, a hash of each of the rest. */
export interface SnapshotPage {
  readonly url: string;
  readonly lastModified?: string;
  readonly changeFrequency?: string;
  readonly priority?: number;
  readonly published?: string;
  /** Hashes, by the name of the field: news, images, … */
  readonly hashes?: Readonly<Partial<Record<PageField, string>>>;
}

/** Dates that name no instant are kept as written, so long. */
const MAX_DATE_TEXT = 64;
const HASH_LENGTH = 8;

export function pageLine(page: Page): string {
  let line = page.url;
  const { lastModified, changeFrequency, priority } = page;
  if (lastModified !== undefined) line += `\tlastModified=${dateValue(lastModified)}`;
  if (changeFrequency !== undefined) line += `\tchangeFrequency=${changeFrequency}`;
  if (priority !== undefined) line += `\tpriority=${priority}`;
  if (page.published !== undefined) line += `\tpublished=${dateValue(page.published)}`;
  for (const name of HASHED) {
    const value = page[name];
    if (value !== undefined) line += `\t${name}=${hashOf(value)}`;
  }
  return line;
}

const HASHED = PAGE_FIELDS.slice(4) as readonly Exclude<PageField, "lastModified" | "published">[];

/** As precise as it was given; `+00:00` and `Z` are one instant and no change. */
function dateValue(date: DateValue): string {
  const { text, precision } = date;
  if (precision === "time" && text.length === 25 && text.endsWith("+00:00")) return `${text.slice(0, 19)}Z`;
  const spelt = spellDate(date);
  if (spelt !== undefined) return spelt;
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

/** What a line says of a page, by name, as text. */
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
    if (PLAIN.has(name)) page[name] = name === "priority" ? Number(text) : text;
    else hashes[name] = text;
  }
  if (Object.keys(hashes).length > 0) page["hashes"] = hashes;
  return page as unknown as SnapshotPage;
}

const PLAIN: ReadonlySet<PageField> = new Set(["lastModified", "changeFrequency", "priority", "published"]);
