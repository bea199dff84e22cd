/**
 * Encodings declared by a document and its server: in the XML declaration (XML 1.0 section 4.3.3) and in the
 * charset of the Content-Type. Labels are those of the WHATWG Encoding Standard. Unknown labels are ignored.
 */

/** After leading white space, the declaration must end within this many bytes. */
const DECLARATION_WINDOW = 256;

const DECLARATION_START = "<?xml";

/** Returns the standard's name for a label ("windows-1252" for "latin1"), undefined for an unknown label. */
export function encodingOf(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s?charset\s?=\s?["']?([\w.:-]{1,40})/i.exec(contentType ?? "")?.[1];
}

/**
 * Reads the XML declaration at `at`. Returns the label of the encoding as written, an empty string if there is
 * none, and undefined if more bytes are needed (never if `final` is true).
 */
export function readDeclaration(bytes: Uint8Array, at: number, final: boolean): string | undefined {
  let text = "";
  for (let i = at; i < at + DECLARATION_WINDOW; i++) {
    const byte = bytes[i];
    if (byte === undefined) return final ? parseDeclaration(text) : undefined;
    text += String.fromCharCode(byte);
    const isStart = text.length <= DECLARATION_START.length;
    if (isStart && !DECLARATION_START.startsWith(text.toLowerCase())) return "";
    if (byte === 0x3e) break;
  }
  return parseDeclaration(text);
}

/** Parses `<?xml version="1.0" encoding="ISO-8859-1"?>`, with or without the quotes. */
function parseDeclaration(text: string): string {
  return /^<\?xml(?=\s).*?\sencoding\s{0,8}=\s{0,8}["']?\s{0,8}([\w.:-]{1,40})/is.exec(text)?.[1] ?? "";
}
