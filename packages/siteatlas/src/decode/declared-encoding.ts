/**
 * Reads the encoding that a document or its server declares: in the XML declaration (XML 1.0 section 4.3.3) or in the
 * charset of the Content-Type. Knows the labels of the WHATWG Encoding Standard, and ignores other labels.
 */

/** Maximum length of an XML declaration, in bytes. Leading white space does not count. */
const DECLARATION_WINDOW = 256;

const DECLARATION_START = "<?xml";

/** Returns the standard name for a label: "windows-1252" for "latin1". Undefined if the label is unknown. */
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
 * Reads the XML declaration at position `at`. Returns the label of the encoding as written, or "" if no encoding is
 * declared. Returns undefined if more bytes are needed. If `final` is true, no more bytes follow.
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

/** Returns the label in `<?xml version="1.0" encoding="ISO-8859-1"?>`. The quotes may be missing. */
function parseDeclaration(text: string): string {
  return /^<\?xml(?=\s).*?\sencoding\s{0,8}=\s{0,8}["']?\s{0,8}([\w.:-]{1,40})/is.exec(text)?.[1] ?? "";
}
