/**
 * URLs that need no repair and no normalisation, told from their characters. A shortcut: url.ts gives the same
 * for them by the URL parser, at ten times the price.
 */
import { escapeLength } from "./escaped-text.ts";
import type { TextValue } from "./text-value.ts";

/** Stand for themselves in the path and the query of a normalised URL. `'` does so in a path only. */
const SAFE = /[\w.~!$()*+,;=:@?-]/;
/** So do these, but what follows may give them another meaning. */
const WATCHED = /[/%&]/;

/**
 * For each byte after the host of a URL: 1 is safe, 2 is safe or not by what follows (as in
 * `isPlainPathBytes`), 0 may be changed by normalisation or has to be reported.
 */
export const URL_SAFE: Uint8Array = new Uint8Array(256).map((_, byte) => {
  const character = String.fromCharCode(byte);
  return SAFE.test(character) ? 1 : WATCHED.test(character) ? 2 : 0;
});

const encoder = new TextEncoder();
/** Longer ones are to be reported. */
const MAX_LENGTH = 2048;
const scratch = new Uint8Array(MAX_LENGTH);

/**
 * Whether the rest of a URL, from the slash after its host, is normalised and without fault, so that
 * `new URL(text).href === text` and nothing is to be reported. May say no to one that is, never yes to
 * one that is not. In place of `new URL` it is what makes long sitemaps fast.
 */
export function isPlainPath(text: string, slash: number): boolean {
  const { read, written } = encoder.encodeInto(text, scratch);
  return read === text.length && isPlainPathBytes(scratch, slash, written);
}

/** The place, told by its prefix (`https://www.example.com/`), that the text is a plain URL of. */
export function plainPlace<Place extends { readonly prefix: string }>(
  text: string,
  own: Place | undefined,
  other: Place | undefined,
): Place | undefined {
  const place = own !== undefined && text.startsWith(own.prefix) ? own : other;
  if (place === undefined || (place !== own && !text.startsWith(place.prefix))) return undefined;
  return isPlainPath(text, place.prefix.length - 1) ? place : undefined;
}

/** `isPlainPath` for bytes. A dot segment, a percent sign that starts no escape, an `&amp;` and a comma at the end are faults. */
export function isPlainPathBytes(bytes: Uint8Array, slash: number, end: number): boolean {
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

/** `%2e` */
function isEscapedDot(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === 0x32 && (bytes[at + 2]! | 0x20) === 0x65;
}

function isHex(byte: number): boolean {
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** Hosts of images and videos that are remembered. */
const MAX_PREFIXES = 4;

/** Images and videos come from a few hosts of their own. */
export class PlainAssets {
  /** `https://www.example.com/`, the document's own first. */
  readonly #prefixes: Uint8Array[];
  readonly #own: string;
  #last = "";

  constructor(ownPrefix = "") {
    this.#own = ownPrefix;
    this.#prefixes = [encoder.encode(ownPrefix)];
  }

  /** Whether the text is a URL of a host that is remembered, and plain. */
  accepts({ bytes, start, end, high }: TextValue): boolean {
    if (high || end - start > MAX_LENGTH) return false;
    for (const prefix of this.#prefixes) {
      if (startsWith(bytes, start, end, prefix))
        return isPlainPathBytes(bytes, start + prefix.length - 1, end);
    }
    return false;
  }

  /** Remembers the host of a normalised URL. */
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
