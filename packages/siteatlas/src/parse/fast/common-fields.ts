/**
 * Reads the common values of `<changefreq>` and `<priority>` from their bytes, and creates the page object. This is a
 * shortcut: fields.ts parses all values, but slower.
 */

import { CHANGE_FREQUENCIES, type ChangeFrequency } from "../../model/change-frequencies.ts";
import type { DateValue, Page } from "../../model/model.ts";

const encoder = new TextEncoder();
const frequencies: readonly { readonly value: ChangeFrequency; readonly bytes: Uint8Array }[] =
  CHANGE_FREQUENCIES.map((value) => ({ value, bytes: encoder.encode(value) }));

/** Reads a change frequency such as `daily`. The text must be in lower case and trimmed. */
export function usualFrequency(bytes: Uint8Array, start: number, end: number): ChangeFrequency | undefined {
  next: for (const frequency of frequencies) {
    const expected = frequency.bytes;
    if (expected.length !== end - start) continue;
    for (let i = 0; i < expected.length; i++) {
      if (bytes[start + i] !== expected[i]) continue next;
    }
    return frequency.value;
  }
  return undefined;
}

/** The priorities `0.0` to `0.9` as numbers. */
const tenths: readonly number[] = Array.from({ length: 10 }, (_, tenth) => tenth / 10);

/** Reads a priority with one decimal, such as `0.5` or `1.0`. The text must be trimmed. */
export function usualPriority(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start !== 3 || bytes[start + 1] !== 0x2e) return undefined;
  const tenth = bytes[start + 2]! - 0x30;
  if (bytes[start] === 0x30) return tenths[tenth];
  return bytes[start] === 0x31 && tenth === 0 ? 1 : undefined;
}

/**
 * Creates a page. A page with all common fields is one object literal, because adding field by field takes twice as
 * long.
 */
export function createEntry(
  url: string,
  urlText: string | undefined,
  lastModified: DateValue | undefined,
  changeFrequency?: ChangeFrequency,
  priority?: number,
): Page {
  const isWhole = lastModified !== undefined && changeFrequency !== undefined && priority !== undefined;
  if (isWhole && urlText === undefined) return { url, lastModified, changeFrequency, priority };
  const page: { -readonly [K in keyof Page]: Page[K] } =
    lastModified !== undefined ? { url, lastModified } : { url };
  if (urlText !== undefined) page.urlText = urlText;
  if (changeFrequency !== undefined) page.changeFrequency = changeFrequency;
  if (priority !== undefined) page.priority = priority;
  return page;
}
