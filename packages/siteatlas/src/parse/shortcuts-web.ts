/**
 * What shortcuts-node.ts exports, for browsers, where a page loads this to read a few documents: small before
 * fast. What is only a way around something else says here that it found nothing.
 */
import { utf8Text } from "#platform";
import { given } from "./given.ts";
import type { ElementName } from "./names.ts";
import type * as node from "./shortcuts-node.ts";

export { asciiText as cachedText, asciiText as windowText } from "#platform";
export { dateValue as createDateValue } from "./date-value.ts";

export const FAST: boolean = false;

// Only reached where FAST is true.
export const PlainAssets: typeof node.PlainAssets = class {} as never;
export const PlainUrlProbe: typeof node.PlainUrlProbe = class {} as never;
export const Separators: typeof node.Separators = class {} as never;

export const readCanonical: typeof node.readCanonical = () => undefined;
export const readPlainDate: typeof node.readPlainDate = () => undefined;
export const forgetWindow: typeof node.forgetWindow = () => {};
export const decodeEscaped: typeof node.decodeEscaped = () => -1;
export const createEntry: typeof node.createEntry = (url, urlText, lastModified, changeFrequency, priority) =>
  given({ url, lastModified, urlText, changeFrequency, priority });
export const usualFrequency: typeof node.usualFrequency = () => undefined;
export const usualPriority: typeof node.usualPriority = () => undefined;
export const plainPlace: typeof node.plainPlace = () => undefined;

/** As many names are remembered. */
const MAX_NAMES = 128;

export class NameTable implements Pick<node.NameTable, "find" | "add"> {
  readonly #names: Map<string, ElementName> = new Map();

  find(bytes: Uint8Array, start: number, end: number): ElementName | undefined {
    return this.#names.get(utf8Text(bytes, start, end));
  }

  add(name: ElementName): void {
    const { bytes } = name;
    if (this.#names.size < MAX_NAMES) this.#names.set(utf8Text(bytes, 0, bytes.length), name);
  }
}

/** What is remembered of a document, in characters. Stops one that goes on for ever. */
const MAX_REMEMBERED = 32 * 1024 * 1024;

export class UrlSet implements Pick<node.UrlSet, "add" | "duplicates"> {
  duplicates = 0;
  readonly #urls: Set<string> = new Set();
  #room = MAX_REMEMBERED;

  add(url: string): boolean {
    const text = url.replace(/%[\da-f]{2}/gi, (hex) => hex.toUpperCase());
    if (this.#urls.has(text)) {
      this.duplicates++;
      return false;
    }
    this.#room -= text.length;
    if (this.#room > 0) this.#urls.add(text);
    return true;
  }
}
