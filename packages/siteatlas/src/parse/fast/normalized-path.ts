/**
 * Recognizes URLs that need no repair and no normalization, by their characters. Such a URL is called plain. This is a
 * shortcut: url.ts gives the same result with the URL parser, ten times slower.
 */

import type { TextSlice } from "./text-slice.ts";
import { escapeLength } from "./unescape-ascii.ts";

/**
 * Characters in the path and the query of a URL that normalization never changes. `'` is not one of them, because
 * normalization changes it in a query.
 */
const SAFE = /[\w.~!$()*+,;=:@?-]/;
/** Characters that normalization may change, depending on the characters after them. */
const WATCHED = /[/%&]/;

/**
 * The kind of each byte after the host of a URL. 1: always safe. 2: depends on the next bytes (`isPlainPathBytes`). 0:
 * normalization may change it, or it must be reported.
 */
export const URL_SAFE: Uint8Array = new Uint8Array(256).map((_, byte) => {
  const character = String.fromCharCode(byte);
  return SAFE.test(character) ? 1 : WATCHED.test(character) ? 2 : 0;
});

const encoder = new TextEncoder();
/** Maximum length of a plain URL. Longer URLs must be reported. */
const MAX_LENGTH = 2048;
const scratch = new Uint8Array(MAX_LENGTH);

/**
 * Whether the part of a URL from the slash after its host is normalized and has no issue. If it is, `new URL(text).href
 * === text`. This function may reject a good URL, but never accepts a bad one. It replaces `new URL`, which is too slow
 * for long sitemaps.
 *
 * @internal exported for tests
 */
export function isPlainPath(text: string, slash: number): boolean {
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length && isPlainPathBytes(scratch, slash, written);
}

/**
 * Returns `own` or `other`: the origin whose prefix, such as `https://www.example.com/`, the URL starts with. Undefined
 * if the URL starts with neither prefix, or is not plain.
 */
export function plainOrigin<Origin extends { readonly prefix: string }>(
  text: string,
  own: Origin | undefined,
  other: Origin | undefined,
): Origin | undefined {
  const origin = own !== undefined && text.startsWith(own.prefix) ? own : other;
  if (origin === undefined || (origin !== own && !text.startsWith(origin.prefix))) return undefined;
  return isPlainPath(text, origin.prefix.length - 1) ? origin : undefined;
}

/**
 * Like `isPlainPath`, for bytes. Rejects a segment that starts with a dot, a percent sign without an escape, a
 * reference such as `&amp;`, and a comma at the end. Rejects two slashes at the start: url.ts repairs
 * `https://http//www.example.com/a`.
 */
function isPlainPathBytes(bytes: Uint8Array, slash: number, end: number): boolean {
  if (slash + 1 < end && bytes[slash + 1] === 0x2f) return false;
  for (let at = slash; at < end; at++) {
    const byte = bytes[at]!;
    const kind = URL_SAFE[byte];
    if (kind === 1) continue;
    if (kind === 0) return false;
    const next = bytes[at + 1]!;
    if (byte === 0x2f) {
      if (at + 1 < end && (next === 0x2e || (next === 0x25 && isEscapedDot(bytes, at + 1)))) return false;
    } else if (byte === 0x25) {
      if (at + 2 >= end || !isHex(next) || !isHex(bytes[at + 2]!)) return false;
    } else if (escapeLength(bytes, at, end) > 0) {
      return false;
    }
  }
  return bytes[end - 1] !== 0x2c;
}

/** Whether `%2e`, an escaped dot, is at this position. */
function isEscapedDot(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x32 && (bytes[at + 2]! | 0x20) === 0x65;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** Maximum number of cached hosts of images and videos. */
const MAX_PREFIXES = 4;

/** Recognizes plain URLs of images and videos. They are often on a few other hosts, which this class caches. */
export class PlainAssets {
  /**
   * The cached hosts as prefixes of URLs, such as `https://www.example.com/`. The first one is the host of the
   * document.
   */
  readonly #prefixes: Uint8Array[];
  readonly #own: string;
  #last = "";

  constructor(ownPrefix = "") {
    this.#own = ownPrefix;
    this.#prefixes = [encoder.encode(ownPrefix)];
  }

  /** Whether the text is a plain URL on a cached host. */
  accepts({ bytes, start, end, high }: TextSlice): boolean {
    if (high || end - start > MAX_LENGTH) return false;
    for (const prefix of this.#prefixes) {
      if (startsWith(bytes, start, end, prefix))
        return isPlainPathBytes(bytes, start + prefix.length - 1, end);
    }
    return false;
  }

  /** Caches the host of a normalized URL. */
  remember(url: string): void {
    const prefix = url.slice(0, url.indexOf("/", "https://".length) + 1);
    if (prefix === this.#last || prefix === this.#own) return;
    this.#last = prefix;
    if (this.#prefixes.length === MAX_PREFIXES) this.#prefixes.splice(1, 1);
    this.#prefixes.push(encoder.encode(prefix));
  }
}

function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
  const { length } = prefix;
  if (length === 0 || end - start < length) return false;
  for (let i = 0; i < length; i++) {
    if (bytes[start + i] !== prefix[i]) return false;
  }
  return true;
}
