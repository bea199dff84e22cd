/**
 * The bytes of a generated document: in one of several encodings, with or without byte order mark, and
 * under up to three layers of gzip.
 */
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { writeDocument } from "./generate-document.ts";
import { type ModelFormat, modelArbitrary, modelUrl, type SitemapModel } from "./generate-model.ts";
import { type XmlStyle, xmlStyle } from "./generate-xml.ts";

const modelEncodings = [
  "utf-8",
  "utf-8 with mark",
  "utf-16le with mark",
  "utf-16be with mark",
  "utf-16le",
  "utf-16be",
  "windows-1252",
  "windows-1251",
] as const;

type ModelEncoding = (typeof modelEncodings)[number];

export interface GeneratedDocument {
  readonly model: SitemapModel;
  readonly url: string;
  readonly contentType: string | undefined;
  readonly encoding: ModelEncoding;
  readonly gzipLayers: number;
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Any document of a format, as bytes. */
export function documentArbitrary(format: ModelFormat): fc.Arbitrary<GeneratedDocument> {
  return fc
    .record({
      model: modelArbitrary(format),
      style: xmlStyle,
      encoding: fc.constantFrom(...modelEncodings),
      gzipLayers: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
    })
    .map(({ model, style, encoding, gzipLayers }) => generateDocument(model, style, encoding, gzipLayers));
}

function generateDocument(
  model: SitemapModel,
  style: XmlStyle,
  wanted: ModelEncoding,
  gzipLayers: number,
): GeneratedDocument {
  const { encoding, text, bytes } = encodeModel(model, style, wanted);
  let packed = bytes;
  for (let layer = 0; layer < gzipLayers; layer++) packed = new Uint8Array(gzipSync(packed));
  return {
    model,
    url: modelUrl(model.format),
    contentType: contentTypeOf(model.format, encoding),
    encoding,
    gzipLayers,
    text,
    bytes: packed,
  };
}

function encodeModel(
  model: SitemapModel,
  style: XmlStyle,
  encoding: ModelEncoding,
): { encoding: ModelEncoding; text: string; bytes: Uint8Array } {
  const codec = codecs[encoding];
  const text = writeDocument(model, style, { encoding: codec.label, canWrite: codec.canWrite });
  const bytes = codec.encode(text);
  // The bytes may happen to be valid UTF-8, and are then read as such. A reference to a control character that
  // the encoding does not have is read as in HTML: &#128; is €.
  const isAmbiguous = encoding.startsWith("windows") && (looksLikeUtf8(bytes) || refersToControl(text));
  return isAmbiguous ? encodeModel(model, style, "utf-8") : { encoding, text, bytes };
}

/** Only XML can declare its own encoding. */
function contentTypeOf(format: ModelFormat, encoding: ModelEncoding): string | undefined {
  const type = format === "json" ? "application/feed+json" : "text/plain";
  const isXml = format !== "json" && format !== "text" && format !== "robots";
  return isXml || !encoding.startsWith("windows") ? undefined : `${type}; charset=${encoding}`;
}

interface Codec {
  /** For the XML declaration; undefined if none is needed. */
  readonly label: string | undefined;
  readonly canWrite: (character: string) => boolean;
  readonly encode: (text: string) => Uint8Array;
}

const everything = (): boolean => true;

const codecs: Readonly<Record<ModelEncoding, Codec>> = {
  "utf-8": { label: undefined, canWrite: everything, encode: encodeUtf8 },
  "utf-8 with mark": { label: "UTF-8", canWrite: everything, encode: (text) => encodeUtf8(`\ufeff${text}`) },
  "utf-16le with mark": {
    label: "UTF-16",
    canWrite: everything,
    encode: (text) => encodeUtf16(`\ufeff${text}`, true),
  },
  "utf-16be with mark": {
    label: "UTF-16",
    canWrite: everything,
    encode: (text) => encodeUtf16(`\ufeff${text}`, false),
  },
  "utf-16le": { label: "UTF-16LE", canWrite: everything, encode: (text) => encodeUtf16(text, true) },
  "utf-16be": { label: undefined, canWrite: everything, encode: (text) => encodeUtf16(text, false) },
  "windows-1252": singleByteCodec("windows-1252", "ISO-8859-1"),
  "windows-1251": singleByteCodec("windows-1251", "windows-1251"),
};

function singleByteCodec(encoding: string, label: string): Codec {
  const decoder = new TextDecoder(encoding);
  const codes = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const character = decoder.decode(new Uint8Array([byte]));
    // Node 20 and 22 decode windows-1252 as ISO-8859-1, which has control characters there.
    if (character < "\x80" || character > "\x9f") codes.set(character, byte);
  }
  return {
    label,
    canWrite: (character) => codes.has(character),
    encode: (text) => Uint8Array.from(text, (character) => codes.get(character)!),
  };
}

function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function encodeUtf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), littleEndian);
  return new Uint8Array(view.buffer);
}

function refersToControl(text: string): boolean {
  for (const [, digits = ""] of text.matchAll(/&#(x[0-9a-f]+|\d+);/gi)) {
    const code = digits.startsWith("x") ? Number.parseInt(digits.slice(1), 16) : Number(digits);
    if (code >= 0x80 && code < 0xa0) return true;
  }
  return false;
}

/** Bytes after the first non-ASCII byte that a reader checks to recognize the encoding. */
const EVIDENCE_SIZE = 1024;

/** Whether the bytes look like UTF-8, as far as a reader checks. */
function looksLikeUtf8(bytes: Uint8Array): boolean {
  const start = bytes.findIndex((byte) => byte >= 0x80);
  if (start < 0) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(start, start + EVIDENCE_SIZE), {
      stream: true,
    });
    return true;
  } catch {
    return false;
  }
}
