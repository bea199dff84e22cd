/**
 * Caches strings for short ASCII values that repeat, such as `alternate`, `de` or `application/rss+xml`. It is a small
 * hash table. A new string replaces the string that was in its slot.
 */
import { asciiText } from "#platform";

const SLOTS = 64;
/** Maximum length of a cached value. Longer values rarely repeat. */
const MAX_LENGTH = 32;

const strings: string[] = new Array(SLOTS).fill("");

/** Like `asciiText`, but returns a cached string if there is one. */
export function cachedText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > MAX_LENGTH) return asciiText(bytes, start, end);
  let hash = length;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]!) | 0;
  const slot = (hash ^ (hash >>> 9)) & (SLOTS - 1);
  const known = strings[slot]!;
  if (known.length === length && isSame(known, bytes, start)) return known;
  const text = asciiText(bytes, start, end);
  strings[slot] = text;
  return text;
}

function isSame(text: string, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== bytes[start + i]) return false;
  }
  return true;
}
