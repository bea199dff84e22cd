/**
 * Exports the names of shortcuts-node.ts for browsers, where size matters more than speed. Functions that are only for
 * speed return undefined or do nothing in this file, so the ordinary code runs.
 */
import { utf8Text } from "#platform";
import { omitUndefined } from "../../model/omit-undefined.ts";
import type { HashedName } from "./name-table.ts";
import type * as node from "./shortcuts-node.ts";

export { asciiText as cachedText, asciiText as windowText } from "#platform";

export const FAST: boolean = false;

// Never used in browsers, because `FAST` is false.
export const PlainAssets: typeof node.PlainAssets = class {} as never;
export const EntryProbe: typeof node.EntryProbe = class {} as never;
export const Separators: typeof node.Separators = class {} as never;

export const mayBeRecord: typeof node.mayBeRecord = () => true;
export const lineEnd: typeof node.lineEnd = (text, from, isLenient) => {
  const end = isLenient ? /[\n\r\x85\u2028\u2029]|$/g : /[\n\r]|$/g;
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
};
export const utf8Length: typeof node.utf8Length = (text, from, to) =>
  new TextEncoder().encode(text.slice(from, to)).length;
export const endOf: typeof node.endOf = (piece, path, from) => {
  const at = path.indexOf(piece, from);
  return at < 0 ? at : at + piece.length;
};
export const readCanonical: typeof node.readCanonical = () => undefined;
export const RARE_LETTERS: string = "";
export const RARE_SYMBOLS: string = "";
export const foreignMonth: typeof node.foreignMonth = () => -1;
export const isForeignWeekday: typeof node.isForeignWeekday = () => false;
export const readPlainDate: typeof node.readPlainDate = () => undefined;
export const forgetWindow: typeof node.forgetWindow = () => {};
export const decodeEscaped: typeof node.decodeEscaped = () => -1;
export const keepSpecimens: typeof node.keepSpecimens = () => {};
export const createEntry: typeof node.createEntry = (url, urlText, lastModified, changeFrequency, priority) =>
  omitUndefined({ url, lastModified, urlText, changeFrequency, priority });
export const usualFrequency: typeof node.usualFrequency = () => undefined;
export const usualPriority: typeof node.usualPriority = () => undefined;
export const plainOrigin: typeof node.plainOrigin = () => undefined;

const MAX_NAMES = 128;

export class NameTable<Name extends HashedName> implements Pick<node.NameTable<Name>, "find" | "add"> {
  readonly #names: Map<string, Name> = new Map();

  find(bytes: Uint8Array, start: number, end: number): Name | undefined {
    return this.#names.get(utf8Text(bytes, start, end));
  }

  add(name: Name): void {
    const { bytes } = name;
    if (this.#names.size < MAX_NAMES) this.#names.set(utf8Text(bytes, 0, bytes.length), name);
  }
}

/** Maximum number of characters of URLs that are kept per document. Stops a document that never ends. */
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
