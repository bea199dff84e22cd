/**
 * The attributes of one start tag. They are stored as positions in the scanner's buffer, and decoded when they are
 * read. Lenient: accepts values without quotes (X34), quotes of the wrong kind (X45), a repeated name (X35) and an
 * unclosed quote (`xml.unclosed-quote`).
 */
import { utf8Text } from "#platform";
import { cachedText, FAST } from "#shortcuts";
import type { FilledLimits, ParseLimits } from "../../model/generated/limits.ts";
import type { Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { TextValue } from "./element-text.ts";
import { decodeReferences } from "./entities.ts";

/** Up to this number of attributes, repeated names are found by comparing all pairs. */
const FEW = 8;

const SLASH = 0x2f;
const LT = 0x3c;
const EQUALS = 0x3d;
const GT = 0x3e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;

const BLANK = 1;
const ENDS_NAME = 2;
const KINDS = new Uint8Array(256);
// Lenient: a form feed counts as white space, although XML does not allow it.
for (const byte of [0x20, 0x09, 0x0a, 0x0c, 0x0d]) KINDS[byte] = BLANK;
for (const byte of [SLASH, LT, EQUALS, GT]) KINDS[byte] = ENDS_NAME;

export class TagAttributes {
  selfClosing = false;
  /** Number of line breaks in the tag. */
  lines = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #count = 0;
  // The positions of all attributes. Each has four numbers: name start, name end, value start, value end.
  readonly #ranges: number[] = [];
  #repair: IssueCode | undefined;
  readonly #report: Report;
  readonly #limits: FilledLimits<ParseLimits>;
  #line = 0;

  constructor(report: Report, limits: FilledLimits<ParseLimits>) {
    this.#report = report;
    this.#limits = limits;
  }

  clear(): void {
    this.#count = 0;
    this.selfClosing = false;
    this.lines = 0;
  }

  /**
   * Reads the attributes, from the end of the element name to the end of the tag. Returns the index of the `>`. If the
   * `>` is missing, returns the index of the next `<`. Returns -1 if more bytes are needed.
   */
  scan(bytes: Uint8Array, from: number, end: number, line: number): number {
    this.clear();
    this.#bytes = bytes;
    this.#repair = undefined;
    this.#line = line;
    let at = from;
    for (;;) {
      at = this.#skipBlank(at, end);
      if (at >= end) return -1;
      const byte = bytes[at]!;
      if (byte === GT) return at;
      if (byte === LT) {
        const tagStart = startsTag(bytes, at, end);
        if (tagStart === undefined) return -1;
        if (tagStart) return at;
        this.#repair ??= "xml.stray-lt";
        at++;
        continue;
      }
      if (byte === SLASH || byte === EQUALS) {
        // Lenient: `<a/ >` and `<a/ <b>` are self-closing like `<a/>`.
        this.selfClosing = byte === SLASH;
        at++;
        continue;
      }
      this.selfClosing = false;
      const nameStart = at;
      while (at < end && KINDS[bytes[at]!] === 0) at++;
      const nameEnd = at;
      at = this.#skipBlank(at, end);
      if (at >= end) return -1;
      if (bytes[at] !== EQUALS) {
        this.#add(nameStart, nameEnd, nameEnd, nameEnd);
        continue;
      }
      at = this.#skipBlank(at + 1, end);
      if (at >= end) return -1;
      const quote = bytes[at]!;
      if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) {
        const valueStart = at;
        while (at < end && KINDS[bytes[at]!] !== BLANK && bytes[at] !== GT) at++;
        if (at >= end) return -1;
        this.#repair ??= "xml.unquoted-attribute";
        this.#add(nameStart, nameEnd, valueStart, at);
        if (bytes[at] === GT) return at;
        continue;
      }
      const valueStart = at + 1;
      const close = this.#closingQuote(valueStart, end, quote);
      if (close < 0) return -1;
      this.#add(nameStart, nameEnd, valueStart, close);
      if (bytes[close] === GT) return close;
      at = close + 1;
    }
  }

  /** Reports the repairs of this tag. Call this when it is certain that this is a tag. */
  reportRepairs(line: number): void {
    if (this.#repair !== undefined) this.#report(this.#repair, undefined, line);
    if (FAST && this.#count <= FEW && !areRepeated(this.#bytes, this.#ranges, this.#count)) return;
    const names = new Set<string>();
    for (let i = 0; i < this.#count; i++) {
      const name = this.#name(i);
      if (names.has(name)) this.#report("xml.duplicate-attribute", name, line);
      names.add(name);
    }
  }

  /**
   * Returns the value of an attribute. `name` must be in lower case. If the name is repeated, the first attribute
   * counts.
   */
  get(name: string): string | undefined {
    const at = this.#find(name);
    return at < 0 ? undefined : this.#value(at);
  }

  /**
   * Puts the URL of an attribute into `text`, trimmed. Returns false if the attribute is missing or blank. Line breaks
   * are kept, because url.ts removes them (U37).
   */
  load(name: string, text: TextValue): boolean {
    const at = this.#find(name);
    if (at < 0) return false;
    text.clear();
    const start = this.#ranges[4 * at + 2]!;
    const end = this.#ranges[4 * at + 3]!;
    if (FAST && isPlainAscii(this.#bytes, start, end)) text.add(this.#bytes, start, end, false);
    else text.addString(this.#decode(utf8Text(this.#bytes, start, end)));
    text.trim();
    return text.end > text.start;
  }

  /**
   * The namespace declarations of this tag, `xmlns` and `xmlns:…`. Keys are prefixes. Undefined if the tag has none.
   */
  namespaceDeclarations(): Map<string, string> | undefined {
    let found: Map<string, string> | undefined;
    for (let i = 0; i < this.#count; i++) {
      if ((this.#bytes[this.#ranges[4 * i]!]! | 0x20) !== 0x78) continue;
      const name = this.#name(i);
      if (!/^xmlns(:|$)/i.test(name)) continue;
      found ??= new Map();
      if (found.size >= this.#limits.namespaces) {
        this.#repair = "xml.too-many-attributes";
        break;
      }
      const prefix = name.slice(6);
      if (!found.has(prefix)) found.set(prefix, this.#value(i));
    }
    return found;
  }

  /** All attributes with their decoded values. */
  entries(): [name: string, value: string][] {
    return Array.from({ length: this.#count }, (_, i) => [this.#name(i), this.#value(i)]);
  }

  #skipBlank(from: number, end: number): number {
    let at = from;
    for (; at < end && KINDS[this.#bytes[at]!] === BLANK; at++) {
      if (this.#bytes[at] === 0x0a) this.lines++;
    }
    return at;
  }

  /**
   * Finds the closing quote. Lenient: it may be missing, as in `href="https://example.com/>⏎</url>`. The quote counts
   * as missing if a `<` follows a `>` in the value. Then the tag ends at the first `>`. XML does not allow a `<` in an
   * attribute value, so no valid tag is misread.
   */
  #closingQuote(from: number, end: number, quote: number): number {
    const bytes = this.#bytes;
    let firstEnd = -1;
    let justEnded = false;
    let lines = 0;
    for (let at = from; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.lines += lines;
        return at;
      }
      if (byte === GT) {
        if (firstEnd < 0) firstEnd = at;
        justEnded = true;
      } else if (byte === LT) {
        if (justEnded) {
          this.#repair = "xml.unclosed-quote";
          // Only a slash after a space closes the tag. Otherwise the slash may belong to the URL.
          this.selfClosing = bytes[firstEnd - 1] === SLASH && KINDS[bytes[firstEnd - 2]!] === BLANK;
          return firstEnd;
        }
      } else if (byte === 0x0a) lines++;
      else if (KINDS[byte] !== BLANK) justEnded = false;
    }
    return -1;
  }

  #add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    if (nameEnd - nameStart > this.#limits.nameBytes) {
      this.#repair = "xml.too-long";
      return;
    }
    // Skip all further attributes. Stops a tag with 100,000 attributes.
    if (this.#count >= this.#limits.attributes) {
      this.#repair = "xml.too-many-attributes";
      return;
    }
    const at = 4 * this.#count++;
    this.#ranges[at] = nameStart;
    this.#ranges[at + 1] = nameEnd;
    this.#ranges[at + 2] = valueStart;
    this.#ranges[at + 3] = valueEnd;
  }

  #find(name: string): number {
    if (FAST) return findName(this.#bytes, this.#ranges, this.#count, name);
    for (let i = 0; i < this.#count; i++) if (this.#name(i).toLowerCase() === name) return i;
    return -1;
  }

  #name(i: number): string {
    return utf8Text(this.#bytes, this.#ranges[4 * i]!, this.#ranges[4 * i + 1]!);
  }

  #value(i: number): string {
    const start = this.#ranges[4 * i + 2]!;
    const end = this.#ranges[4 * i + 3]!;
    if (FAST && isPlainAscii(this.#bytes, start, end)) return cachedText(this.#bytes, start, end);
    const raw = utf8Text(this.#bytes, start, end);
    // Line breaks and tabs become spaces, but references to them do not (https://www.w3.org/TR/xml/#AVNormalize).
    return this.#decode(raw.replace(/[\t\n\r]/g, " "));
  }

  #decode(text: string): string {
    return text.includes("&") ? decodeReferences(text, this.#report, this.#line).text : text;
  }
}

/**
 * Whether this byte after a `<` starts `<!` or `<?`. Lenient: these are ignored inside a tag. The tag ends at its `>`.
 */
export function startsSection(byte: number): boolean {
  return byte === 0x21 || byte === 0x3f;
}

export function startsName(byte: number): boolean {
  const lower = byte | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}

/**
 * Whether a `<` inside a tag starts the next tag, because the `>` is missing. Undefined if more bytes are needed.
 * Lenient: in `<link r<el="alternate" type<"text/html" href="…"/>` both inner `<` are stray (Z21). The search ends at
 * the next `<`, to take linear time.
 */
function startsTag(bytes: Uint8Array, at: number, end: number): boolean | undefined {
  const isEnd = bytes[at + 1] === SLASH;
  let next = isEnd ? at + 2 : at + 1;
  if (next >= end) return undefined;
  if (!isEnd && !startsName(bytes[next]!)) return false;
  while (next < end && KINDS[bytes[next]!] === 0) next++;
  if (next >= end) return undefined;
  return bytes[next] !== EQUALS && (isEnd || bytes[next] !== LT);
}

/** Whether a value can be used as it is: it is ASCII, and has no references and no white space except spaces. */
function isPlainAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === 0x26 || byte < 0x20 || byte > 0x7e) return false;
  }
  return true;
}

/** Index of the first attribute with this name, in upper or lower case. -1 if it is missing. */
function findName(bytes: Uint8Array, ranges: readonly number[], count: number, name: string): number {
  const { length } = name;
  next: for (let i = 0; i < count; i++) {
    const start = ranges[4 * i]!;
    if (ranges[4 * i + 1]! - start !== length) continue;
    for (let k = 0; k < length; k++) {
      const byte = bytes[start + k]!;
      if (byte !== name.charCodeAt(k) && (byte | 0x20) !== name.charCodeAt(k)) continue next;
    }
    return i;
  }
  return -1;
}

/** Whether an attribute name occurs twice. For few attributes this is faster than creating strings. */
function areRepeated(bytes: Uint8Array, ranges: readonly number[], count: number): boolean {
  for (let i = 1; i < count; i++) {
    const start = ranges[4 * i]!;
    const length = ranges[4 * i + 1]! - start;
    next: for (let k = 0; k < i; k++) {
      const other = ranges[4 * k]!;
      if (ranges[4 * k + 1]! - other !== length) continue;
      for (let at = 0; at < length; at++) {
        if (bytes[start + at] !== bytes[other + at]) continue next;
      }
      return true;
    }
  }
  return false;
}
