/**
 * Turns a document of any encoding into valid UTF-8 without byte order mark, chunk by chunk.
 *
 * The bytes are believed before the labels: byte order mark, UTF-16 by its NULs, valid UTF-8, then the XML
 * declaration, then the charset of the Content-Type. A label other than UTF-8 is weighed at the first byte
 * outside ASCII, on the next 1,024 bytes: if those are UTF-8 the label is wrong. So nothing depends on the
 * whole document or on where the chunks are cut. UTF-32 and EBCDIC are not known.
 */

import { isAscii, isUtf8 } from "#platform";
import type { Report } from "../issue-log.ts";
import { type BodyDecoder, TextBodyDecoder, Utf8Decoder } from "./body-decoder.ts";
import { concatBytes } from "./concat-bytes.ts";
import { charsetOf, encodingOf, readDeclaration } from "./declared-encoding.ts";
import { isWellFormedUtf8Start } from "./utf8-sequence.ts";

/** Bytes from the first one outside ASCII on that tell UTF-8 from the declared encoding. */
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
  /** The declaration as written, once it was read. */
  #declared: string | undefined;
  /** The encoding that a label claims against UTF-8, to be weighed at the first byte outside ASCII. */
  #claimed: string | undefined;
  #decoder: BodyDecoder | undefined;
  /** Bytes that are not decided about yet; at most about a kilobyte. */
  #held: Uint8Array | undefined;
  #state: "marks" | "declaration" | "evidence" = "marks";
  #hasMark = false;
  #encoding = "utf-8";

  constructor({ report, contentType }: TranscoderOptions) {
    this.#report = report;
    this.#charset = charsetOf(contentType);
  }

  /** The encoding that the bytes so far are read in. */
  get encoding(): string {
    return this.#encoding;
  }

  /**
   * Takes the next bytes and gives those that are decided as UTF-8, no sequence cut. The result may be the
   * same memory as `chunk`, and holds until the next call.
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const output = this.#decoder === undefined ? this.#decide(chunk, false) : this.#decoder.push(chunk);
    return output.length > 0 ? output : undefined;
  }

  /** Gives what was held back. */
  end(): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    // A copy, since the decoder's end may write over what its push gave.
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

  /** Lenient: every byte order mark at the start goes, not only the first (E10). */
  #readMarks(bytes: Uint8Array, final: boolean): Uint8Array {
    let at = 0;
    while (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
    if (at > 0) this.#hasMark = true;
    const rest = bytes.subarray(at);
    if (rest.length < 4 && !final) return this.#hold(rest);
    const utf16 = this.#hasMark ? undefined : sniffUtf16(rest);
    if (utf16 !== undefined) return this.#settle(utf16, rest);
    this.#state = "declaration";
    return this.#readDeclaration(rest, final);
  }

  #readDeclaration(bytes: Uint8Array, final: boolean): Uint8Array {
    let at = 0;
    while (isWhiteSpace(bytes[at])) at++;
    const declaration = readDeclaration(bytes, at, final);
    if (declaration === undefined) {
      this.#hold(bytes.subarray(at));
      return bytes.subarray(0, at);
    }
    this.#declared = declaration.label;
    const declared = encodingOf(declaration.label);
    if (isUtf16(declared)) this.#report("encoding.wrong-declaration", declaration.label);
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
    return this.#settle(valid ? "utf-8" : claimed, bytes);
  }

  /** The encoding is known: reports what it contradicts and decodes from here on. */
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

  /** Reports the labels that name another encoding; undefined when none does. */
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

  /** Keeps a copy, since the caller may use its chunk again. */
  #hold(bytes: Uint8Array): Uint8Array {
    this.#held = bytes.slice();
    return NONE;
  }
}

/** By byte order mark, or without one by the NULs around two ASCII characters: `00 3C 00 3F`, `68 00 74 00`. */
function sniffUtf16(bytes: Uint8Array): string | undefined {
  const [a, b, c, d] = bytes;
  if (a === 0xff && b === 0xfe) return "utf-16le";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  if (a === 0 && c === 0 && isTextByte(b) && isTextByte(d)) return "utf-16be";
  if (b === 0 && d === 0 && isTextByte(a) && isTextByte(c)) return "utf-16le";
  return undefined;
}

/** Where the bytes stop to mean the same in UTF-8 and in the claimed encoding, -1 for nowhere. */
function firstUndecided(bytes: Uint8Array, claimed: string): number {
  // ISO-2022-JP writes Japanese in ASCII bytes, between escapes.
  const shift = claimed === "iso-2022-jp" ? ESC : 0x80;
  if (shift !== ESC && isAscii(bytes)) return -1;
  return bytes.findIndex((byte) => byte >= 0x80 || byte === shift);
}

function isUtf16(encoding: string | undefined): boolean {
  return encoding === "utf-16le" || encoding === "utf-16be";
}

function isTextByte(byte: number | undefined): boolean {
  return isWhiteSpace(byte) || (byte !== undefined && byte > 0x20 && byte < 0x7f);
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
