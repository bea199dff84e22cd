/**
 * Converts a document of any encoding to valid UTF-8 without a byte order mark, chunk by chunk.
 *
 * The first of these that is present decides the encoding: a byte order mark, NUL bytes as in UTF-16 or UTF-32, valid
 * UTF-8, the XML declaration, the charset of the Content-Type. A declared encoding other than UTF-8 is checked at the
 * first byte outside ASCII: if the next 1,024 bytes are valid UTF-8, the declaration is wrong. So the decision does not
 * need the whole document, and does not depend on how it is split into chunks. EBCDIC is not supported.
 */

import { isAscii, isUtf8 } from "#platform";
import type { Report } from "../model/issue-log.ts";
import { type BodyDecoder, TextBodyDecoder, Utf8Decoder } from "./body-decoder.ts";
import { concatBytes } from "./concat-bytes.ts";
import { charsetOf, encodingOf, readDeclaration } from "./declared-encoding.ts";
import { isWellFormedUtf8Start } from "./utf8-sequence.ts";
import { isXmlSpace } from "./xml-space.ts";

/** Number of bytes that decide between UTF-8 and the declared encoding. They start at the first byte outside ASCII. */
const EVIDENCE_SIZE = 1024;

const ESC = 0x1b;
const NONE = new Uint8Array(0);

export interface TranscoderOptions {
  readonly report: Report;
  readonly contentType?: string | undefined;
}

export class Transcoder {
  readonly #report: Report;
  readonly #charset: string | undefined;
  #declared: string | undefined;
  /** The declared encoding. If it is not UTF-8, it is checked at the first byte outside ASCII. */
  #claimed: string | undefined;
  #decoder: BodyDecoder | undefined;
  /** Bytes that wait for the decision about the encoding: at most about a kilobyte. */
  #held: Uint8Array | undefined;
  #state: "marks" | "declaration" | "evidence" = "marks";
  #hasMark = false;
  #encoding = "utf-8";

  constructor({ report, contentType }: TranscoderOptions) {
    this.#report = report;
    this.#charset = charsetOf(contentType);
  }

  /** The encoding that was used to decode the bytes read so far. */
  get encoding(): string {
    return this.#encoding;
  }

  /**
   * Returns the bytes whose encoding is decided, as UTF-8 without an incomplete character at the end. The result may
   * share the memory of `chunk`. It is valid until the next call.
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const output = this.#decoder === undefined ? this.#decide(chunk, false) : this.#decoder.push(chunk);
    return output.length > 0 ? output : undefined;
  }

  end(): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    // Copy the result, because the decoder's `end` may overwrite what its `push` returned.
    if (this.#decoder === undefined) parts.push(this.#decide(NONE, true).slice());
    if (this.#decoder !== undefined) parts.push(this.#decoder.end());
    const output = concatBytes(parts);
    return output.length > 0 ? output : undefined;
  }

  #decide(chunk: Uint8Array, final: boolean): Uint8Array {
    const bytes = this.#held === undefined ? chunk : concatBytes([this.#held, chunk]);
    this.#held = undefined;
    if (this.#state === "marks") return this.#readMarks(bytes, final);
    if (this.#state === "declaration") return this.#readDeclaration(bytes, final);
    return this.#weigh(bytes, final);
  }

  /**
   * Removes byte order marks, and recognizes UTF-16 and UTF-32. Lenient: removes all marks, not only the first (E10).
   */
  #readMarks(bytes: Uint8Array, final: boolean): Uint8Array {
    let at = 0;
    while (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
    if (at > 0) this.#hasMark = true;
    const rest = bytes.subarray(at);
    if (rest.length < 4 && !final) return this.#hold(rest);
    const wide = this.#hasMark ? undefined : sniffWide(rest);
    if (wide !== undefined) return this.#settle(wide, rest);
    this.#state = "declaration";
    return this.#readDeclaration(rest, final);
  }

  #readDeclaration(bytes: Uint8Array, final: boolean): Uint8Array {
    let at = 0;
    while (isXmlSpace(bytes[at])) at++;
    const declaration = readDeclaration(bytes, at, final);
    if (declaration === undefined) {
      this.#hold(bytes.subarray(at));
      return bytes.subarray(0, at);
    }
    this.#declared = declaration;
    const declared = encodingOf(declaration);
    if (isUtf16(declared)) this.#report("encoding.wrong-declaration", declaration);
    const claims = [declared, encodingOf(this.#charset)];
    this.#claimed = claims.find((claim) => claim !== undefined && !isUtf16(claim));
    if (this.#hasMark || this.#claimed === undefined || this.#claimed === "utf-8") {
      return this.#settle("utf-8", bytes);
    }
    this.#state = "evidence";
    return this.#weigh(bytes, final);
  }

  #weigh(bytes: Uint8Array, final: boolean): Uint8Array {
    const claimed = this.#claimed!;
    const at = firstUndecided(bytes, claimed);
    if (at === -1) return bytes;
    const evidence = bytes.subarray(at, at + EVIDENCE_SIZE);
    if (evidence.length < EVIDENCE_SIZE && !final) {
      this.#hold(bytes.subarray(at));
      return bytes.subarray(0, at);
    }
    const whole = evidence.length < EVIDENCE_SIZE;
    const valid = evidence[0] !== ESC && (whole ? isUtf8(evidence) : isWellFormedUtf8Start(evidence));
    // Do not decode the ASCII bytes before `at`, because the Shift_JIS decoder of ICU would map 0x7F to U+001A.
    return concatBytes([bytes.slice(0, at), this.#settle(valid ? "utf-8" : claimed, bytes.subarray(at))]);
  }

  /** Called when the encoding is decided. Reports declarations of another encoding, and decodes the first bytes. */
  #settle(encoding: string, bytes: Uint8Array): Uint8Array {
    this.#encoding = encoding;
    if (encoding === "utf-8") {
      const wrong = this.#contradictions();
      this.#decoder = new Utf8Decoder(this.#report, wrong);
    } else {
      this.#report("encoding.not-utf8", encoding);
      this.#contradictions()?.();
      this.#decoder = new TextBodyDecoder(encoding);
    }
    return this.#decoder.push(bytes);
  }

  /** Returns a function that reports declarations of another encoding. Undefined if all declarations are correct. */
  #contradictions(): (() => void) | undefined {
    const declared = encodingOf(this.#declared);
    const wrongDeclaration =
      this.#encoding === "utf-8" && declared !== undefined && declared !== "utf-8" && !isUtf16(declared);
    const charset = encodingOf(this.#charset);
    const wrongCharset =
      charset !== undefined && charset !== this.#encoding && !(isUtf16(charset) && isUtf16(this.#encoding));
    if (!wrongDeclaration && !wrongCharset) return undefined;
    return () => {
      if (wrongDeclaration) this.#report("encoding.wrong-declaration", this.#declared);
      if (wrongCharset) this.#report("encoding.http-mismatch", this.#charset);
    };
  }

  /** Keeps a copy of the bytes for the next call. The caller may reuse the memory of its chunk. */
  #hold(bytes: Uint8Array): Uint8Array {
    this.#held = bytes.slice();
    return NONE;
  }
}

/**
 * Recognizes UTF-16 and UTF-32 by their byte order mark, or by NUL bytes between ASCII bytes, such as `00 3C 00 3F` or
 * `68 00 74 00`.
 */
function sniffWide(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (c === 0 && d === 0 && ((a === 0xff && b === 0xfe) || (b === 0 && isTextByte(a)))) return "utf-32le";
  if (a === 0 && b === 0 && ((c === 0xfe && d === 0xff) || (c === 0 && isTextByte(d)))) return "utf-32be";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0 && c === 0 && isTextByte(b) && isTextByte(d)) return "utf-16be";
  if (b === 0 && d === 0 && isTextByte(a) && isTextByte(c)) return "utf-16le";
  return undefined;
}

/** Index of the first byte that UTF-8 and the claimed encoding may read differently. -1 if no byte is undecided. */
function firstUndecided(bytes: Uint8Array, claimed: string): number {
  // In ISO-2022-JP, look for ESC: this encoding writes Japanese as ASCII bytes between escape sequences.
  const shift = claimed === "iso-2022-jp" ? ESC : 0x80;
  if (shift !== ESC && isAscii(bytes)) return -1;
  return bytes.findIndex((byte) => byte >= 0x80 || byte === shift);
}

function isUtf16(encoding: string | undefined): boolean {
  return /^utf-(16|32)/.test(encoding ?? "");
}

function isTextByte(byte: number | undefined): boolean {
  return isXmlSpace(byte) || (byte !== undefined && byte > 0x20 && byte < 0x7f);
}
