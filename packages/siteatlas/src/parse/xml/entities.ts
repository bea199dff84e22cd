/**
 * Decodes character references. XML has five named references. Documents that people write also use the names of HTML,
 * so the 252 names of HTML 4 are also decoded, but reported (X18, U38). In browsers, only the usual names of HTML 4 are
 * decoded. Entities that a DTD declares are never expanded (X21, X22).
 */
import { RARE_LETTERS, RARE_SYMBOLS } from "#shortcuts";
import type { Report } from "../../model/issue-log.ts";

export const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/**
 * Usual names of HTML 4 entities. A hexadecimal number is the code point of the name after it. Each further name is one
 * higher. RARE_SYMBOLS has the other names. The parser for browsers does not contain them, because it has to be small.
 */
const SYMBOLS: string =
  "0a0 nbsp iexcl cent pound 0a5 yen 0a7 sect 0a9 copy 0ab laquo not shy reg 0b0 deg 0b7 middot 0bb raquo " +
  "frac14 frac12 frac34 iquest 0c6 AElig 0d0 ETH 0d7 times 0de THORN szlig 0e6 aelig 0f0 eth 0f7 divide 0fe " +
  "thorn yuml 152 OElig oelig 160 Scaron scaron 2013 ndash mdash 2018 lsquo rsquo sbquo 201c ldquo rdquo bdquo " +
  `2022 bull 2026 hellip 20ac euro 2122 trade${RARE_SYMBOLS}`;

/**
 * Lowercase letters, in the same format as SYMBOLS. The code point of a capital letter (`Agrave`, `Alpha`) is 32 lower.
 */
const LETTERS: string =
  "0e0 agrave aacute acirc atilde auml aring 0e7 ccedil egrave eacute ecirc euml igrave iacute icirc iuml " +
  `0f1 ntilde ograve oacute ocirc otilde ouml 0f8 oslash ugrave uacute ucirc uuml yacute${RARE_LETTERS}`;

let htmlEntities: Map<string, string> | undefined;

/**
 * Returns the character of an HTML entity. The table is built at the first call, because most documents have no such
 * entity.
 */
function htmlEntity(name: string): string | undefined {
  if (htmlEntities === undefined) {
    htmlEntities = new Map();
    for (const [name, code] of namedRuns(SYMBOLS)) htmlEntities.set(name, String.fromCharCode(code));
    for (const [name, code] of namedRuns(LETTERS)) {
      htmlEntities.set(name, String.fromCharCode(code));
      htmlEntities.set(name.charAt(0).toUpperCase() + name.slice(1), String.fromCharCode(code - 32));
    }
  }
  return htmlEntities.get(name);
}

function* namedRuns(list: string): Generator<[name: string, code: number]> {
  let code = 0;
  for (const word of list.split(" ")) {
    if (/^\d/.test(word)) code = Number.parseInt(word, 16);
    else yield [word, code++];
  }
}

/**
 * Matches an ampersand, and the reference that it starts, if any. No reference is longer than 32 characters
 * (`&thetasym;`, `&#x0010ffff;`), so the search at each ampersand is short.
 */
const REFERENCE = /&(?:(#\d{1,29}|#x[\da-f]{1,28}|[a-z][a-z\d]{0,29});)?/gi;
const MAX_REFERENCE_LENGTH = 32;

/** Matches the characters that XML allows (https://www.w3.org/TR/xml/#charsets). */
const XML_CHARACTER = /[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const MAX_CODE_POINT = 0x10ffff;

export interface DecodedText {
  readonly text: string;
  /** Whether the text contains an unknown entity. The entity is kept as text. */
  readonly tainted: boolean;
}

/** Replaces character references and reports those that are invalid in XML. */
export function decodeReferences(text: string, report: Report, line?: number): DecodedText {
  let tainted = false;
  let hasSurrogates = false;
  const decoded = text.replace(REFERENCE, (written: string, name: string | undefined, at: number) => {
    if (name === undefined) {
      // Lenient: an ampersand that does not start a reference is kept (U09).
      report("xml.bare-ampersand", text.slice(at, at + MAX_REFERENCE_LENGTH), line);
      return written;
    }
    if (!name.startsWith("#")) {
      const xml = XML_ENTITIES.get(name);
      if (xml !== undefined) return xml;
      report("xml.undefined-entity", written, line);
      const html = htmlEntity(name);
      if (html === undefined) tainted = true;
      return html ?? written;
    }
    // `#38` becomes `038` and `#x26` becomes `0x26`. `Number` reads them as decimal and hexadecimal.
    const code = Number(name.replace("#", "0"));
    const character = code <= MAX_CODE_POINT ? String.fromCodePoint(code) : "";
    if (XML_CHARACTER.test(character)) return character;
    // Lenient: two references to the halves of a surrogate pair become one character (U42).
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    hasSurrogates ||= isSurrogate;
    report(isSurrogate ? "xml.surrogate-ref" : "xml.bad-char-ref", written, line);
    return isSurrogate ? character : "";
  });
  // Halves of a surrogate pair that are still alone are removed.
  return { text: hasSurrogates ? decoded.replace(/\p{Surrogate}/gu, "") : decoded, tainted };
}
