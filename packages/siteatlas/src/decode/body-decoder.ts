/**
 * Decoders that convert a body with a known encoding to valid UTF-8. The result does not depend on how the body is
 * split into chunks. `push` may return its own argument, or memory that the next call overwrites.
 */
import { isAscii, isUtf8 } from "#platform";
import type { Report } from "../model/issue-log.ts";
import { concatBytes } from "./concat-bytes.ts";
import { sequenceLength, unfinishedLength } from "./utf8-sequence.ts";
import { MAX_EXPANSION, windows1252Bytes, windows1252Character } from "./windows-1252.ts";

export interface BodyDecoder {
  push(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

const NONE = new Uint8Array(0);

/** Number of bytes that are decoded at a time. It is a multiple of 4, so that no unit of UTF-16 or UTF-32 is split. */
const BLOCK_SIZE = 4096;

/** Maximum number of characters that an issue quotes from the invalid bytes. */
const MAX_QUOTED = 20;

/**
 * Decodes UTF-8 that may contain single bytes of another encoding. A chunk of valid UTF-8 is returned unchanged.
 *
 * Lenient: each byte that is not part of a valid UTF-8 character is read as windows-1252 (E07, E14, X17, R34).
 * Consecutive invalid bytes are reported as one issue.
 */
export class Utf8Decoder implements BodyDecoder {
  readonly #report: Report;
  /** Called once, at the first valid UTF-8 character outside ASCII. */
  #onMultibyte: (() => void) | undefined;
  /** The first bytes of a character whose other bytes are in the next chunk. */
  #unfinished: Uint8Array | undefined;
  /** The current run of consecutive invalid bytes, as text. The issue for the run quotes this text. */
  #run = "";
  #scratch: Uint8Array = NONE;

  constructor(report: Report, onMultibyte?: () => void) {
    this.#report = report;
    this.#onMultibyte = onMultibyte;
  }

  push(chunk: Uint8Array): Uint8Array {
    const bytes = this.#unfinished === undefined ? chunk : concatBytes([this.#unfinished, chunk]);
    const cut = bytes.length - unfinishedLength(bytes);
    this.#unfinished = cut < bytes.length ? bytes.slice(cut) : undefined;
    return this.#decode(cut < bytes.length ? bytes.subarray(0, cut) : bytes);
  }

  end(): Uint8Array {
    const rest = this.#unfinished === undefined ? NONE : this.#repair(this.#unfinished);
    this.#unfinished = undefined;
    this.#endRun();
    return rest;
  }

  #decode(bytes: Uint8Array): Uint8Array {
    if (!isUtf8(bytes)) return this.#repair(bytes);
    if (bytes.length > 0) this.#endRun();
    if (this.#onMultibyte !== undefined && !isAscii(bytes)) this.#noticeMultibyte();
    return bytes;
  }

  #repair(bytes: Uint8Array): Uint8Array {
    const out = this.#scratchFor(bytes);
    let copied = 0;
    let at = 0;
    for (let i = 0; i < bytes.length; ) {
      const length = sequenceLength(bytes, i);
      if (length > 0) {
        if (this.#run !== "") this.#endRun();
        if (length > 1) this.#noticeMultibyte();
        i += length;
        continue;
      }
      out.set(bytes.subarray(copied, i), at);
      at += i - copied;
      const replacement = windows1252Bytes(bytes[i]!);
      out.set(replacement, at);
      at += replacement.length;
      if (this.#run.length < MAX_QUOTED) this.#run += windows1252Character(bytes[i]!);
      copied = ++i;
    }
    out.set(bytes.subarray(copied), at);
    return out.subarray(0, at + bytes.length - copied);
  }

  #endRun(): void {
    if (this.#run !== "") this.#report("encoding.invalid-utf8", this.#run);
    this.#run = "";
  }

  #noticeMultibyte(): void {
    this.#onMultibyte?.();
    this.#onMultibyte = undefined;
  }

  #scratchFor(bytes: Uint8Array): Uint8Array {
    const size = maxExpandedLength(bytes);
    if (this.#scratch.length < size) this.#scratch = new Uint8Array(size);
    return this.#scratch;
  }
}

/**
 * Decodes UTF-32, and all other encodings that TextDecoder knows. Bytes that cannot be decoded become U+FFFD.
 *
 * Bytes are decoded in blocks of a fixed size, because the streaming decoders of Node 20 and workerd have bugs. Their
 * result depends on how the body is split into chunks. Node's decoder may also throw, although it is not `fatal`. This
 * happens if an incomplete character from the previous chunk makes the decoded text longer than the chunk.
 */
export class TextBodyDecoder implements BodyDecoder {
  readonly #label: string;
  readonly #encoder: TextEncoder = new TextEncoder();
  readonly #block: Uint8Array = new Uint8Array(BLOCK_SIZE);
  #decoder: Pick<TextDecoder, "decode">;
  #filled = 0;
  #atStart = true;

  constructor(label: string) {
    this.#label = label;
    this.#decoder = label.startsWith("utf-32")
      ? utf32Decoder(label.endsWith("le"))
      : new TextDecoder(label, { ignoreBOM: true });
  }

  push(bytes: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + BLOCK_SIZE - this.#filled);
      this.#block.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
      if (this.#filled === BLOCK_SIZE) parts.push(this.#decodeBlock());
    }
    return concatBytes(parts);
  }

  end(): Uint8Array {
    const last = this.#decodeBlock();
    return concatBytes([last, this.#encode(this.#decode(NONE, false))]);
  }

  #decodeBlock(): Uint8Array {
    const block = this.#block.subarray(0, this.#filled);
    this.#filled = 0;
    return this.#encode(this.#decode(block, true));
  }

  #decode(bytes: Uint8Array, stream: boolean): string {
    try {
      return this.#decoder.decode(bytes, { stream });
    } catch {
      this.#decoder = new TextDecoder(this.#label, { ignoreBOM: true });
      return `\ufffd${this.#decoder.decode(bytes, { stream })}`;
    }
  }

  /** Encodes the text as UTF-8. Lenient: removes all byte order marks at the start, not only the first (E10). */
  #encode(text: string): Uint8Array {
    let from = 0;
    if (this.#atStart) while (text.charCodeAt(from) === 0xfeff) from++;
    if (from < text.length) this.#atStart = false;
    return this.#encoder.encode(from === 0 ? text : text.slice(from));
  }
}

/**
 * Decodes UTF-32, which TextDecoder does not know. Each call gets complete characters. Only the last character of a
 * truncated document may be incomplete.
 */
function utf32Decoder(isLittle: boolean): Pick<TextDecoder, "decode"> {
  return {
    decode(bytes: Uint8Array): string {
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      let text = "";
      for (let at = 3; at < bytes.length; at += 4) {
        const code = view.getUint32(at - 3, isLittle);
        text += code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
      }
      return text;
    },
  };
}

/** Maximum length of the UTF-8 result, if every byte outside ASCII is read as windows-1252. */
function maxExpandedLength(bytes: Uint8Array): number {
  let high = 0;
  for (let i = 0; i < bytes.length; i++) high += bytes[i]! >> 7;
  return bytes.length + high * (MAX_EXPANSION - 1);
}
