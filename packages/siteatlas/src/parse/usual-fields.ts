/**
 * The entry of a sitemap as nearly every one is: `<changefreq>` and `<priority>` told from their bytes, no
 * string made, and the page that they give. A shortcut: fields.ts reads every spelling.
 */
import type { ChangeFrequency, DateValue, Page } from "../model.ts";
import { FREQUENCIES } from "./frequencies.ts";
import type { TextValue } from "./text-value.ts";

const encoder = new TextEncoder();
const frequencies: readonly { readonly value: ChangeFrequency; readonly bytes: Uint8Array }[] =
  FREQUENCIES.map((value) => ({ value, bytes: encoder.encode(value) }));

/** `daily`: in lower case and trimmed. */
export function usualFrequency({ bytes, start, end }: TextValue): ChangeFrequency | undefined {
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

/** `0.0` to `0.9` */
const tenths: readonly number[] = Array.from({ length: 10 }, (_, tenth) => tenth / 10);

/** `0.5`, `1.0`: one decimal, trimmed. */
export function usualPriority({ bytes, start, end }: TextValue): number | undefined {
  if (end - start !== 3 || bytes[start + 1] !== 0x2e) return undefined;
  const tenth = bytes[start + 2]! - 0x30;
  if (bytes[start] === 0x30) return tenths[tenth];
  return bytes[start] === 0x31 && tenth === 0 ? 1 : undefined;
}

/** What was given of these. One literal for the usual page: one that grows field by field costs twice as much. */
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
