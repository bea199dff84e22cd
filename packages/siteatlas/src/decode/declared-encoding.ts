/**
 * What a document and its server say about the encoding: the XML declaration (XML 1.0 section 4.3.3) and the
 * charset of the Content-Type. Labels are those of the WHATWG Encoding Standard; one that it does not know
 * says nothing.
 */

/** How far the declaration is looked for, after leading white space. */
const DECLARATION_WINDOW = 256;

const DECLARATION_START = "<?xml";

/** The standard's name for a label ("latin1" is "windows-1252"), undefined for an unknown one. */
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

export interface Declaration {
  /** As written. */
  readonly label?: string;
}

/**
 * Reads the XML declaration at `at`. Undefined means that more bytes are needed, which `final` excludes;
 * a document without declaration gives an empty one.
 */
export function readDeclaration(bytes: Uint8Array, at: number, final: boolean): Declaration | undefined {
  let text = "";
  for (let i = at; i < at + DECLARATION_WINDOW; i++) {
    const byte = bytes[i];
    if (byte === undefined) return final ? parseDeclaration(text) : undefined;
    text += String.fromCharCode(byte);
    const isStart = text.length <= DECLARATION_START.length;
    if (isStart && !DECLARATION_START.startsWith(text.toLowerCase())) return {};
    if (byte === 0x3e) break;
  }
  return parseDeclaration(text);
}

/** `<?xml version="1.0" encoding="ISO-8859-1"?>`; also without quotes. */
function parseDeclaration(text: string): Declaration {
  const label = /^<\?xml(?=\s).*?\sencoding\s{0,8}=\s{0,8}["']?\s{0,8}([\w.:-]{1,40})/is.exec(text)?.[1];
  return label === undefined ? {} : { label };
}
