/**
 * The XML scanner. It takes valid UTF-8 bytes, and emits elements and text. It is incremental, synchronous and lenient:
 * it recovers from every error, reports repairs, and never expands or fetches anything.
 *
 * Chunks: a token (a tag, a captured text, a CDATA section) is read completely or not at all. The bytes of an
 * incomplete token wait for the next chunk. Comments, text that no reader needs, and tokens that are too long are
 * skipped and not kept, so that no document needs more than `tokenBytes` of memory. The time is linear: waiting bytes
 * are read again only after they have grown by half.
 *
 * Speed: the markup between two values repeats. It is cached, so that the next time its bytes are compared instead of
 * parsed (`#endText`, markup-cache.ts).
 *
 * This is a state machine with many small states. It is longer than other files because the states share the buffer.
 */

import { utf8Text } from "#platform";
import { FAST, forgetWindow, Separators } from "#shortcuts";
import { isXmlSpace } from "../../decode/xml-space.ts";
import { type FilledLimits, PARSE_LIMITS, type ParseLimits } from "../../model/generated/limits.ts";
import type { Report } from "../../model/issue-log.ts";
import type { IssueCode } from "../../model/issue-severity.ts";
import type { RunStart } from "../fast/entry-run.ts";
import { type ElementName, isLikelyName, isRootName, type NameContext, Scope } from "./element-names.ts";
import { TextValue } from "./element-text.ts";
import { decodeReferences } from "./entities.ts";
import { startsName, startsSection, TagAttributes } from "./tag-attributes.ts";

export interface ScannerOptions {
  /** Whether to use the markup cache. @default true */
  readonly learn?: boolean;
  readonly limits?: FilledLimits<ParseLimits>;
}

/** Receives the events of the scanner. During `open` the attributes of the tag can be read. */
export interface XmlReader {
  open(element: ElementName): void;
  /** Called at the end of an element. `implied`: its end tag is missing, and an outer element ended. */
  close(element: ElementName, implied: boolean): void;
  /** Called for text that is not blank and not captured. Return true to capture it for the innermost open element. */
  looseText(): boolean;
  /** Called when a DOCTYPE was skipped. `name` is in lower case. */
  doctype(name: string): void;
}

/**
 * A shortcut for texts that usually have the same format, such as URLs. A probe accepts only texts that contain neither
 * line breaks nor references, and finds their end.
 */
export interface TextProbe {
  /**
   * Returns the end of the text at `start` if the text has the expected format and a `<` follows before `end`.
   * Otherwise returns -1.
   */
  scan(bytes: Uint8Array, start: number, end: number): number;
  /**
   * Reads entries from the start of a text on, if they have the expected form. Returns the start of the text after them.
   * `lines` is the number of lines that were read.
   */
  readRun(from: RunStart<ElementName>, separators: Separators<ElementName>): number;
  readonly lines: number;
}

/** Maximum length of a DOCTYPE in bytes. Stops a DOCTYPE that never ends. Real ones are a thousand times shorter. */
const MAX_DOCTYPE = 64 * 1024;
/**
 * After a tag that was too long, all tags in the next `tokenBytes` bytes have this maximum length. Stops a document
 * that repeats `<a b="c>" d="`, where the scanner would search 64 KiB for the end of each tag.
 */
const SHORT_TOKEN = 256;
/** Maximum length of a root name, including its prefix. */
const MAX_ROOT_NAME = 64;
/** Number of bytes that are appended to waiting bytes at a time. */
const APPEND_SIZE = 64 * 1024;

const TAB = 0x09;
const LF = 0x0a;
const FORM_FEED = 0x0c;
const CR = 0x0d;
const SPACE = 0x20;
const BANG = 0x21;
const DASH = 0x2d;
const SLASH = 0x2f;
const LT = 0x3c;
const GT = 0x3e;
const QUESTION = 0x3f;
const BRACKET = 0x5b;
const BRACKET_CLOSE = 0x5d;

// Classes of bytes in text. Each class is one bit, so that OR collects the classes of several bytes.
const IS_LT = 1;
const IS_AMP = 2;
const IS_CONTROL = 4;
const IS_NEWLINE = 8;
const IS_HIGH = 16;
const TEXT_CLASS = new Uint8Array(256).map((_, byte) => {
  if (byte === LT) return IS_LT;
  if (byte === 0x26) return IS_AMP;
  if (byte === LF) return IS_NEWLINE;
  if (byte < SPACE && byte !== TAB && byte !== CR) return IS_CONTROL;
  return byte >= 0x80 ? IS_HIGH : 0;
});

/** For each byte: 1 if it ends a name in a tag. These are white space, `/`, `>` and `<`. */
const ENDS_NAME = new Uint8Array(256);
for (const byte of [TAB, LF, FORM_FEED, CR, SPACE, SLASH, GT, LT]) ENDS_NAME[byte] = 1;

type Mode = "content" | "comment" | "cdata" | "tag" | "text";

/** Stands for the innermost open element if none is open. */
const OUTSIDE: ElementName = {
  key: "",
  fold: "",
  namespace: "",
  bytes: new Uint8Array(0),
  hash: 0,
  separators: [],
  misses: 0,
  note: undefined,
};

export class XmlScanner {
  /** Receives the events. It may be replaced between two events. */
  reader: XmlReader;
  /** Attributes of the current start tag. */
  readonly attributes: TagAttributes;
  /** The text that was captured last. */
  readonly text: TextValue = new TextValue();
  /** Line of the current token. The first line is 1. */
  line = 1;
  /** Number of open elements. */
  depth = 0;
  readonly limits: FilledLimits<ParseLimits>;
  /** Whether the scan stopped because the DOCTYPE does not end. */
  endlessDoctype = false;

  readonly #report: Report;
  readonly #learn: boolean;
  /**
   * Maximum number of open elements. Stops endlessly nested `<a>`: a gzip file of 98 bytes can contain 20,000 levels.
   */
  readonly #maxDepth: number;
  /**
   * Maximum length of a token in bytes. Stops a tag, a text or a CDATA section that never ends, with 100 MB of one
   * name, attribute or text.
   */
  readonly #maxToken: number;
  readonly #maxName: number;
  readonly #names: NameContext;
  readonly #outerScope: Scope;
  #scope: Scope;

  // The unread bytes start at #pos and end before #end.
  #bytes: Uint8Array = new Uint8Array(0);
  #pos = 0;
  #end = 0;
  /** Position of #bytes in the document: #origin + #pos is the current position. */
  #origin = 0;
  /** Position in the document up to which tags are limited to SHORT_TOKEN bytes. */
  #shortUntil = 0;
  /** Memory for bytes that wait for the next chunk. #bytes is either this or the caller's chunk. */
  #store: Uint8Array = new Uint8Array(4096);
  /** Waiting bytes are read again when this number of bytes is waiting. */
  #wakeAt = 0;

  #mode: Mode = "content";
  #capturing = false;
  #probe: TextProbe | undefined;
  #stopped = false;
  /** Whether there was anything but white space before the current position. */
  #begun = false;
  #blankFirst = false;
  /** Whether `looseText` was already called for the text that is being skipped. It is called once per text. */
  #looseTold = false;
  /**
   * Number of dashes or closing brackets just before the current position, while a comment or CDATA section is skipped.
   */
  #closing = 0;
  #skipFresh = false;

  readonly #stack: ElementName[] = [];
  #top: ElementName = OUTSIDE;
  /**
   * Depths of the open elements that have namespace declarations, the innermost last. #scopeDepth is the last of them,
   * or -1.
   */
  #scopeDepths: number[] = [];
  #scopeDepth = -1;

  readonly #separators = new Separators<ElementName>();

  constructor(reader: XmlReader, report: Report, options: ScannerOptions = {}) {
    const { limits = PARSE_LIMITS } = options;
    this.limits = limits;
    this.#maxDepth = limits.elementDepth;
    this.#maxToken = limits.tokenBytes;
    this.#maxName = limits.nameBytes;
    this.reader = reader;
    this.#report = report;
    this.#learn = options.learn ?? true;
    this.attributes = new TagAttributes(report, limits);
    this.#names = { report, home: undefined, line: 1, folds: new Set() };
    this.#outerScope = new Scope(this.#names);
    this.#scope = this.#outerScope;
  }

  /** Parses a chunk. Afterwards the caller may reuse the memory of the chunk. */
  feed(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length && !this.#stopped) {
      if (this.#pos === this.#end) {
        this.#origin += this.#end;
        this.#use(from === 0 ? chunk : chunk.subarray(from));
        this.#pos = 0;
        this.#end = this.#bytes.length;
        from = chunk.length;
      } else {
        const step =
          chunk.length - from > APPEND_SIZE ? chunk.subarray(from, from + APPEND_SIZE) : chunk.subarray(from);
        this.#append(step);
        from += step.length;
      }
      if (this.#end - this.#pos >= this.#wakeAt) this.#run();
    }
    this.#keepRest();
  }

  /** Call this at the end of the document. Returns whether it ended inside an element or a token. */
  end(): boolean {
    if (!this.#stopped) this.#run();
    return this.#end > this.#pos || this.depth > 0 || this.#mode !== "content";
  }

  /** Ignores the rest of the document. */
  stop(): void {
    this.#stopped = true;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /**
   * Captures the text of the current element, until `stopText` is called.
   *
   * @param probe a shortcut for the expected format
   */
  startText(probe?: TextProbe): void {
    this.#capturing = true;
    if (FAST) this.#probe = probe;
    this.text.clear();
  }

  stopText(): void {
    this.#capturing = false;
  }

  /** Call this before the first chunk, if white space with this number of line breaks was removed before it. */
  skipLeadingBlank(lines: number): void {
    this.#blankFirst = true;
    this.line += lines;
  }

  /** Makes the innermost open element the root, and forgets the elements around it. */
  adoptRoot(root: ElementName): void {
    const declares = this.#scopeDepth === this.depth - 1;
    this.#scopeDepths.length = 0;
    this.#scopeDepth = -1;
    if (declares) this.#enterScope(this.#scope, 0);
    this.#stack[0] = root;
    this.depth = 1;
    this.#scope.adoptHome(root.namespace);
  }

  // ---------------------------------------------------------------- memory

  #append(step: Uint8Array): void {
    const rest = this.#end - this.#pos;
    if (this.#end + step.length > this.#store.length) {
      if (rest + step.length > this.#store.length) {
        const larger = new Uint8Array(Math.max(2 * this.#store.length, rest + step.length));
        larger.set(this.#store.subarray(this.#pos, this.#end));
        this.#store = larger;
        this.#use(larger);
      } else {
        this.#store.copyWithin(0, this.#pos, this.#end);
      }
      this.#origin += this.#pos;
      this.#pos = 0;
      this.#end = rest;
    }
    this.#store.set(step, this.#end);
    this.#end += step.length;
  }

  #use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    if (FAST) this.#separators.use(bytes);
  }

  /** Copies waiting bytes out of the caller's memory. */
  #keepRest(): void {
    if (this.#stopped) this.#pos = this.#end;
    const rest = this.#end - this.#pos;
    if (this.#bytes === this.#store && rest > 0) return;
    this.#origin += this.#pos;
    if (rest > this.#store.length) this.#store = new Uint8Array(2 * rest);
    this.#store.set(this.#bytes.subarray(this.#pos, this.#end));
    this.#use(this.#store);
    this.#pos = 0;
    this.#end = rest;
  }

  // ---------------------------------------------------------------- the loop

  #run(): void {
    this.#wakeAt = 0;
    while (this.#pos < this.#end && !this.#stopped) {
      if (this.#step()) continue;
      const rest = this.#end - this.#pos;
      this.#wakeAt = rest + Math.max(1, rest >> 1);
      break;
    }
    // The buffer may change before the next call, so nothing may refer to it.
    this.text.detach();
    if (FAST) this.#separators.stop();
    forgetWindow();
  }

  /** Reads one token. Returns false if more bytes are needed. */
  #step(): boolean {
    switch (this.#mode) {
      case "content":
        if (this.#bytes[this.#pos] !== LT) {
          return this.#capturing ? this.#captureText() : this.#passText();
        }
        return this.#markup();
      case "comment":
        return this.#passComment();
      case "cdata":
        return this.#passSection();
      case "tag":
        return this.#passOverlong(GT);
      case "text":
        return this.#passOverlong(LT);
    }
  }

  // ---------------------------------------------------------------- text

  /**
   * Captures the text between two tags, such as `https://example.com/` in `<loc>https://example.com/</loc>`. The text
   * must be complete.
   */
  #captureText(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    const start = this.#pos;
    if (FAST && this.#probe !== undefined && this.text.end === this.text.start) {
      if (this.#learn) {
        const parent = this.#stack[this.depth - 2]!;
        const from = { bytes, start, end, line: this.line, owner: this.#top, parent };
        this.#pos = this.#probe.readRun(from, this.#separators);
        if (this.#pos > start) {
          this.line += this.#probe.lines;
          return true;
        }
      }
      const close = this.#probe.scan(bytes, start, end);
      if (close >= 0 && close - start <= this.#maxToken) {
        this.text.add(bytes, start, close, false);
        this.text.probed = true;
        return this.#endText(close);
      }
    }
    let flags = 0;
    let at = start;
    let lines = 0;
    for (; at < end; at++) {
      const kind = TEXT_CLASS[bytes[at]!]!;
      if (kind === 0) continue;
      if (kind === IS_LT) break;
      if (kind === IS_NEWLINE) lines++;
      if (FAST && kind === IS_AMP && flags === 0) {
        const close = this.text.addEscaped(bytes, start, Math.min(end, start + this.#maxToken + 1));
        if (close >= 0) return this.#endText(close);
      }
      flags |= kind;
    }
    if (at - start > this.#maxToken) {
      this.#tell("xml.too-long");
      this.text.spoil();
      this.#mode = "text";
      return true;
    }
    if (at === end) return false;
    if ((flags & (IS_AMP | IS_CONTROL)) === 0) this.text.add(bytes, start, at, (flags & IS_HIGH) !== 0);
    else this.#addRepaired(start, at, flags);
    this.line += lines;
    return this.#endText(at);
  }

  /**
   * Ends a text, or a part of it, at this `<`. If the markup after it is cached, emits the events of this markup
   * without parsing it.
   */
  #endText(at: number): true {
    this.#boundText();
    this.#pos = at;
    if (!FAST || !this.#learn) return true;
    const separator = this.#separators.find(this.#top, at, this.#end);
    if (separator === undefined) {
      this.#separators.begin(this.#top, at, this.line);
      return true;
    }
    this.#looseTold = false;
    this.#pos = at + separator.length;
    this.attributes.clear();
    const { line } = this;
    const { tags } = separator;
    for (let i = 0; i < tags.length; i++) {
      const tag = tags[i]!;
      this.line = line + tag.lines;
      if (tag.opens) this.#open(tag.element);
      else this.#close(tag.element);
    }
    this.line = line + separator.lines;
    return true;
  }

  /** Drops a text that is too long. It may consist of many short pieces, with CDATA or comments in between. */
  #boundText(): void {
    if (this.text.end - this.text.start <= this.#maxToken) return;
    this.#tell("xml.too-long");
    this.text.spoil();
  }

  /** Decodes references in a text, removes its control characters, and adds the text. */
  #addRepaired(start: number, end: number, flags: number): void {
    let raw = utf8Text(this.#bytes, start, end);
    if ((flags & IS_CONTROL) !== 0) {
      raw = raw.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f]/g, () => {
        this.#tell("xml.control-char");
        return "";
      });
    }
    const { text, tainted } = decodeReferences(raw, this.#report, this.line);
    this.text.addString(text);
    if (tainted) this.text.tainted = true;
  }

  /** Skips text that is not captured. */
  #passText(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    let at = this.#pos;
    for (; at < end && isXmlSpace(bytes[at]!); at++) {
      if (bytes[at] === LF) this.line++;
      if (FAST) at = this.#separators.skipSpaces(at + 1, end) - 1;
    }
    if (!this.#begun && at > this.#pos) this.#blankFirst = true;
    this.#pos = at;
    if (at === end || bytes[at] === LT) return true;
    this.#begun = true;
    if (!this.#looseTold) {
      this.#looseTold = true;
      if (this.reader.looseText()) {
        this.startText();
        return true;
      }
    }
    for (; at < end; at++) {
      const kind = TEXT_CLASS[bytes[at]!]!;
      if (kind === IS_LT) break;
      if (kind === IS_NEWLINE) this.line++;
      else if (kind === IS_CONTROL) this.#tell("xml.control-char");
    }
    this.#pos = at;
    return true;
  }

  /** Skips the rest of a tag or text that is too long, up to the byte that ends it. */
  #passOverlong(last: number): boolean {
    const bytes = this.#bytes;
    let at = this.#pos;
    for (; at < this.#end && bytes[at] !== last; at++) {
      if (bytes[at] === LF) this.line++;
    }
    if (at < this.#end) {
      this.#mode = "content";
      if (last === GT) at++;
    }
    this.#pos = at;
    return true;
  }

  // ---------------------------------------------------------------- markup

  /** Reads what starts with `<`: a tag, a comment, a section, or a stray `<`. */
  #markup(): boolean {
    const next = this.#pos + 1;
    if (next >= this.#end) return false;
    this.#looseTold = false;
    const byte = this.#bytes[next]!;
    if (byte === SLASH) return this.#endTag();
    if (startsName(byte)) return this.#startTag();
    if (byte === BANG) return this.#declaration();
    if (byte === QUESTION) return this.#instruction();
    // Lenient: a `<` that does not start markup is text (X43).
    return this.#strayLessThan();
  }

  #strayLessThan(): boolean {
    this.#tell("xml.stray-lt");
    // Lenient: two stray `<` in a row count as one (Z22).
    if (this.#capturing && this.#bytes[this.#pos + 1] !== LT) this.text.addStray(this.#bytes, this.#pos);
    this.#begun = true;
    this.#pos++;
    return true;
  }

  /** Reads a start tag: `<loc>`, `<urlset xmlns="…">`, `<lastmod/>`. */
  #startTag(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    const start = this.#pos;
    let at = start + 1;
    let hash = 0;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (ENDS_NAME[byte] === 1) break;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const limit = this.#tagLimit();
    if (at - start > limit) return this.#overlongTag();
    if (at - start > this.#maxName + 1) return this.#passTag();
    if (at === end) return false;
    this.#begun = true;
    this.#names.line = this.line;
    const nameEnd = at;
    if (bytes[at] === GT) {
      const element = this.#scope.find(bytes, start + 1, nameEnd, hash);
      this.attributes.clear();
      this.#pos = at + 1;
      if (FAST) this.#separators.add(element, true, start, this.#pos, this.line);
      this.#open(element);
      if (FAST && this.#capturing) this.#separators.end(this.#pos, this.line);
      return true;
    }
    const close = this.attributes.scan(bytes, nameEnd, Math.min(end, start + limit + 1), this.line);
    if (close < 0) return end - start > limit ? this.#overlongTag() : false;
    return this.#openWithAttributes(start, nameEnd, hash, close);
  }

  #openWithAttributes(start: number, nameEnd: number, hash: number, close: number): boolean {
    const { attributes } = this;
    const missingEnd = this.#bytes[close] === LT;
    let scope = this.#scope;
    const declarations = attributes.namespaceDeclarations();
    if (declarations !== undefined) scope = scope.derive(declarations);
    const element = scope.find(this.#bytes, start + 1, nameEnd, hash);
    if (missingEnd && !isLikelyName(element.key)) return this.#strayLessThan();
    attributes.reportRepairs(this.line);
    if (missingEnd) this.#tell("xml.stray-lt");
    const outer = this.#scope;
    this.#pos = missingEnd ? close : close + 1;
    if (this.depth < this.#maxDepth || this.#forgetOuter()) {
      if (scope !== outer) this.#enterScope(scope, this.depth);
      this.#open(element);
      if (attributes.selfClosing) this.#pop(false);
    }
    this.line += attributes.lines;
    return true;
  }

  /** Reads an end tag. Lenient: `</loc >`, `</ loc>` and `</loc<` are also end tags. */
  #endTag(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    const start = this.#pos;
    let at = start + 2;
    while (at < end && isXmlSpace(bytes[at]!)) at++;
    const nameStart = at;
    let hash = 0;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (ENDS_NAME[byte] === 1) break;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    const nameEnd = at;
    while (at < end && bytes[at] !== GT) {
      if (bytes[at] === LT && (at + 1 === end || !startsSection(bytes[at + 1]!))) break;
      at++;
    }
    if (at + 1 >= end && bytes[at] === LT) return false;
    if (at - start > this.#tagLimit()) return this.#overlongTag();
    if (nameEnd - nameStart > this.#maxName) return this.#passTag();
    if (at === end) return false;
    this.#begun = true;
    const exact = nameStart === start + 2 && nameEnd === at && bytes[at] === GT;
    if (!exact) this.#countLines(start, at);
    this.#names.line = this.line;
    this.#pos = bytes[at] === GT ? at + 1 : at;
    if (nameEnd === nameStart) {
      this.#tell("xml.stray-end-tag");
      return true;
    }
    const element = this.#scope.find(bytes, nameStart, nameEnd, hash);
    if (FAST && exact) this.#separators.add(element, false, start, this.#pos, this.line);
    this.#close(element);
    return true;
  }

  #tagLimit(): number {
    const isShort = this.#origin + this.#pos < this.#shortUntil;
    return isShort ? Math.min(SHORT_TOKEN, this.#maxToken) : this.#maxToken;
  }

  #overlongTag(): boolean {
    const at = this.#origin + this.#pos;
    if (at >= this.#shortUntil) this.#shortUntil = at + this.#maxToken;
    return this.#passTag();
  }

  /** Reports that a tag is too long, and skips it. */
  #passTag(): boolean {
    this.#tell("xml.too-long");
    this.#mode = "tag";
    this.#pos++;
    return true;
  }

  // ---------------------------------------------------------------- elements

  #open(element: ElementName): void {
    if (this.depth >= this.#maxDepth && !this.#forgetOuter()) return;
    this.#stack[this.depth++] = element;
    this.#top = element;
    this.reader.open(element);
  }

  /**
   * Makes room if too many elements are open. Lenient: a document that closes nothing (`<url><loc>…</loc><url>…`) nests
   * without end, but is parsed. The outer half of the open elements, except the root, is forgotten, and their end tags
   * are ignored. Returns false if only the root is open.
   */
  #forgetOuter(): boolean {
    this.#tell("xml.too-deep");
    const gone = Math.min(this.depth - 1, Math.max(1, this.#maxDepth >> 1));
    if (gone < 1) return false;
    this.#stack.splice(1, gone);
    this.depth -= gone;
    if (this.#scopeDepth > 0) {
      const kept = this.#scopeDepths.filter((depth) => depth === 0 || depth > gone);
      this.#scopeDepths = kept.map((depth) => Math.max(0, depth - gone));
    }
    this.#scopeDepth = this.#scopeDepths.at(-1) ?? -1;
    return true;
  }

  #close(element: ElementName): void {
    if (this.#top === element || this.#top.fold === element.fold) this.#pop(false);
    else this.#closeMismatched(element);
  }

  /**
   * Handles an end tag that does not match the innermost open element. Lenient: the tag ends its own element and all
   * open elements inside it (X12, X13). If its own element is not open, the tag is ignored.
   */
  #closeMismatched(element: ElementName): void {
    let at = this.depth - 1;
    while (at >= 0 && this.#stack[at]!.fold !== element.fold) at--;
    if (at < 0) {
      this.#tell("xml.stray-end-tag", element.fold);
      return;
    }
    if (FAST) this.#separators.stop();
    while (this.depth > at + 1) this.#pop(true);
    this.#pop(false);
  }

  #pop(implied: boolean): void {
    const element = this.#stack[--this.depth]!;
    this.#top = this.depth > 0 ? this.#stack[this.depth - 1]! : OUTSIDE;
    if (this.#scopeDepth === this.depth) this.#leaveScope();
    if (this.depth === 0) this.#scope = this.#outerScope;
    this.reader.close(element, implied);
  }

  #enterScope(scope: Scope, depth: number): void {
    this.#scope = scope;
    this.#scopeDepths.push(depth);
    this.#scopeDepth = depth;
  }

  #leaveScope(): void {
    this.#scope = this.#scope.parent ?? this.#scope;
    this.#scopeDepths.pop();
    this.#scopeDepth = this.#scopeDepths.at(-1) ?? -1;
    // The markup cache is valid only within one scope of namespaces. So stop recording.
    if (FAST) this.#separators.stop();
  }

  // ---------------------------------------------------------------- everything else in angle brackets

  /** Reads what starts with `<!`: a comment, a CDATA section, a DOCTYPE, or another declaration. */
  #declaration(): boolean {
    const start = this.#pos;
    const bytes = this.#bytes;
    const have = this.#end - start;
    if (have < 3) return false;
    const third = bytes[start + 2]!;
    if (third === DASH) {
      if (have < 4) return false;
      if (bytes[start + 3] === DASH) {
        this.#begun = true;
        this.#mode = "comment";
        this.#pos = start + 4;
        this.#closing = 2;
        this.#skipFresh = true;
        return true;
      }
    } else if (third === BRACKET) {
      if (have < 9) return false;
      if (utf8Text(bytes, start + 3, start + 9).toUpperCase() === "CDATA[") return this.#section(start + 9);
    } else {
      if (have < 9) return false;
      if (utf8Text(bytes, start + 2, start + 9).toUpperCase() === "DOCTYPE") return this.#doctype();
    }
    this.#begun = true;
    this.#tell("xml.bad-comment");
    this.#mode = "tag";
    this.#pos = start + 2;
    return true;
  }

  #passComment(): boolean {
    const bytes = this.#bytes;
    let at = this.#pos;
    while (at < this.#end) {
      const byte = bytes[at++]!;
      if (byte === DASH) {
        this.#closing++;
        continue;
      }
      if (this.#closing >= 2) {
        if (byte === GT) {
          this.#mode = "content";
          break;
        }
        // Lenient: two dashes without a `>` do not end a comment, but are reported (X44).
        if (!this.#skipFresh || this.#closing > 2) this.#tell("xml.bad-comment");
      }
      this.#skipFresh = false;
      this.#closing = 0;
      if (byte === LF) this.line++;
    }
    this.#pos = at;
    return true;
  }

  /** Reads a CDATA section, up to its `]]>`. Its content starts at `content`. */
  #section(content: number): boolean {
    this.#begun = true;
    if (!this.#capturing && !this.#looseTold) {
      this.#looseTold = true;
      if (this.reader.looseText()) this.startText();
    }
    if (!this.#capturing) {
      this.#mode = "cdata";
      this.#pos = content;
      this.#closing = 0;
      return true;
    }
    const bytes = this.#bytes;
    let brackets = 0;
    let high = 0;
    for (let at = content; at < this.#end; at++) {
      const byte = bytes[at]!;
      if (byte === BRACKET_CLOSE) brackets++;
      else if (byte === GT && brackets >= 2) {
        if (at - this.#pos > this.#maxToken) break;
        this.text.add(bytes, content, at - 2, high >= 0x80);
        this.#boundText();
        this.#countLines(content, at);
        this.#pos = at + 1;
        return true;
      } else brackets = 0;
      high |= byte;
    }
    if (this.#end - this.#pos <= this.#maxToken) return false;
    this.#tell("xml.too-long");
    this.text.spoil();
    this.#mode = "cdata";
    this.#closing = 0;
    this.#pos = content;
    return true;
  }

  #passSection(): boolean {
    const bytes = this.#bytes;
    let at = this.#pos;
    while (at < this.#end) {
      const byte = bytes[at++]!;
      if (byte === BRACKET_CLOSE) {
        this.#closing++;
        continue;
      }
      if (byte === GT && this.#closing >= 2) {
        this.#mode = "content";
        break;
      }
      this.#closing = 0;
      // Lenient: text before the root is invalid, but the whole document may be in a CDATA section (Z24). If a root
      // starts in the section, parse the content of the section.
      if (byte === LT && this.#names.home === undefined) {
        const end = this.#nameEnd(at);
        if (end + 1 >= this.#end) {
          this.#pos = at - 1;
          return false;
        }
        const isAlone = bytes[end + 1] === BRACKET_CLOSE;
        if (!isAlone && end - at > 2 && isRootName(utf8Text(bytes, at, end))) {
          this.#mode = "content";
          at--;
          break;
        }
      }
      if (byte === LF) this.line++;
    }
    this.#pos = at;
    return true;
  }

  /** Index after the name at `from`. At most MAX_ROOT_NAME bytes are searched. */
  #nameEnd(from: number): number {
    const limit = Math.min(this.#end, from + MAX_ROOT_NAME);
    let at = from;
    while (at < limit && ENDS_NAME[this.#bytes[at]!] === 0) at++;
    return at;
  }

  /** Skips an instruction such as `<?xml version="1.0"?>`. Lenient: the final question mark may be missing. */
  #instruction(): boolean {
    const bytes = this.#bytes;
    const start = this.#pos;
    const limit = this.#tagLimit();
    const stop = Math.min(this.#end, start + limit + 1);
    let firstEnd = -1;
    let close = -1;
    for (let at = start + 2; at < stop && close < 0; at++) {
      const byte = bytes[at];
      if (byte === GT) {
        if (bytes[at - 1] === QUESTION && at > start + 2) close = at;
        else if (firstEnd < 0) firstEnd = at;
      } else if (byte === LT && firstEnd >= 0) {
        close = firstEnd;
      }
    }
    if (close < 0) return this.#end - start > limit ? this.#overlongTag() : false;
    const isDeclaration = /^<\?xml\s/i.test(utf8Text(bytes, start, Math.min(start + 6, close)));
    if (isDeclaration && this.#begun) this.#tell("xml.decl-not-first");
    if (isDeclaration && !this.#begun && this.#blankFirst) {
      this.#tell("xml.leading-whitespace");
    }
    this.#begun = true;
    this.#countLines(start, close);
    this.#pos = close + 1;
    return true;
  }

  /**
   * Skips a DOCTYPE such as `<!DOCTYPE urlset [ … ]>`. The declarations in its brackets, the internal subset, are not
   * read.
   */
  #doctype(): boolean {
    const bytes = this.#bytes;
    const start = this.#pos;
    const limit = Math.min(this.#end, start + MAX_DOCTYPE);
    const close = doctypeEnd(bytes, start + 9, limit);
    if (close < 0 && this.#end - start <= MAX_DOCTYPE) return false;
    this.#begun = true;
    this.#tell("xml.doctype");
    if (close < 0) {
      // The DOCTYPE does not end, so the root cannot be found.
      this.endlessDoctype = true;
      this.#pos = this.#end;
      this.stop();
      return true;
    }
    const name = /^\s*([^\s>[]*)/.exec(utf8Text(bytes, start + 9, Math.min(close, start + 64)))![1]!;
    this.#countLines(start, close);
    this.#pos = close + 1;
    this.reader.doctype(name.toLowerCase());
    return true;
  }

  #tell(code: IssueCode, value?: string): void {
    this.#report(code, value, this.line);
  }

  #countLines(from: number, to: number): void {
    for (let at = from; at < to; at++) {
      if (this.#bytes[at] === LF) this.line++;
    }
  }
}

/**
 * Index of the `>` that ends a DOCTYPE, or -1. A `>` in its brackets does not end it. Quotes count only in the
 * brackets.
 */
function doctypeEnd(bytes: Uint8Array, from: number, limit: number): number {
  let inSubset = false;
  let quote = 0;
  for (let at = from; at < limit; at++) {
    const byte = bytes[at]!;
    if (quote !== 0) {
      if (byte === quote) quote = 0;
    } else if (inSubset && (byte === 0x22 || byte === 0x27)) quote = byte;
    else if (byte === BRACKET) inSubset = true;
    else if (byte === BRACKET_CLOSE) inSubset = false;
    else if (byte === GT && !inSubset) return at;
  }
  return -1;
}
