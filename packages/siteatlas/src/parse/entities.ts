/**
 * Character references. XML knows five named ones; pages written by hand use HTML's as well, so the
 * 252 names of HTML 4 are understood with an issue (X18, U38). Nothing that a DTD declares is ever
 * expanded (X21, X22).
 */
import type { Report } from "../issue-log.ts";

const XML_ENTITIES: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

/** HTML 4's names for U+00A0 to U+00FF, in order. */
const LATIN1_NAMES =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 " +
  "acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml " +
  "Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde " +
  "Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig " +
  "ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide " +
  "oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** HTML 4's other names, each with its code point in hexadecimal. */
const SYMBOL_NAMES =
  "OElig 152 oelig 153 Scaron 160 scaron 161 Yuml 178 fnof 192 circ 2c6 tilde 2dc " +
  "Alpha 391 Beta 392 Gamma 393 Delta 394 Epsilon 395 Zeta 396 Eta 397 Theta 398 Iota 399 Kappa 39a Lambda 39b " +
  "Mu 39c Nu 39d Xi 39e Omicron 39f Pi 3a0 Rho 3a1 Sigma 3a3 Tau 3a4 Upsilon 3a5 Phi 3a6 Chi 3a7 Psi 3a8 " +
  "Omega 3a9 alpha 3b1 beta 3b2 gamma 3b3 delta 3b4 epsilon 3b5 zeta 3b6 eta 3b7 theta 3b8 iota 3b9 kappa 3ba " +
  "lambda 3bb mu 3bc nu 3bd xi 3be omicron 3bf pi 3c0 rho 3c1 sigmaf 3c2 sigma 3c3 tau 3c4 upsilon 3c5 phi 3c6 " +
  "chi 3c7 psi 3c8 omega 3c9 thetasym 3d1 upsih 3d2 piv 3d6 ensp 2002 emsp 2003 thinsp 2009 zwnj 200c zwj 200d " +
  "lrm 200e rlm 200f ndash 2013 mdash 2014 lsquo 2018 rsquo 2019 sbquo 201a ldquo 201c rdquo 201d bdquo 201e " +
  "dagger 2020 Dagger 2021 bull 2022 hellip 2026 permil 2030 prime 2032 Prime 2033 lsaquo 2039 rsaquo 203a " +
  "oline 203e frasl 2044 euro 20ac image 2111 weierp 2118 real 211c trade 2122 alefsym 2135 larr 2190 uarr 2191 " +
  "rarr 2192 darr 2193 harr 2194 crarr 21b5 lArr 21d0 uArr 21d1 rArr 21d2 dArr 21d3 hArr 21d4 forall 2200 " +
  "part 2202 exist 2203 empty 2205 nabla 2207 isin 2208 notin 2209 ni 220b prod 220f sum 2211 minus 2212 " +
  "lowast 2217 radic 221a prop 221d infin 221e ang 2220 and 2227 or 2228 cap 2229 cup 222a int 222b there4 2234 " +
  "sim 223c cong 2245 asymp 2248 ne 2260 equiv 2261 le 2264 ge 2265 sub 2282 sup 2283 nsub 2284 sube 2286 " +
  "supe 2287 oplus 2295 otimes 2297 perp 22a5 sdot 22c5 lceil 2308 rceil 2309 lfloor 230a rfloor 230b lang 2329 " +
  "rang 232a loz 25ca spades 2660 clubs 2663 hearts 2665 diams 2666";

let htmlEntities: Map<string, string> | undefined;

/** The table is built when the first such entity turns up: most documents have none. */
function htmlEntity(name: string): string | undefined {
  if (htmlEntities === undefined) {
    htmlEntities = new Map(LATIN1_NAMES.split(" ").map((n, i) => [n, String.fromCharCode(0xa0 + i)]));
    const symbols = SYMBOL_NAMES.split(" ");
    for (let i = 0; i < symbols.length; i += 2) {
      htmlEntities.set(symbols[i]!, String.fromCharCode(Number.parseInt(symbols[i + 1]!, 16)));
    }
  }
  return htmlEntities.get(name);
}

/** No reference is longer: `&thetasym;`, `&#x0010ffff;`. What runs on beyond it is text. */
const MAX_REFERENCE_LENGTH = 32;
const REFERENCE = /^&(#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);/;

export interface DecodedText {
  readonly text: string;
  /** An entity was left as written because nobody knows what it stands for. */
  readonly tainted: boolean;
}

/**
 * Replaces the character references of `text`, reporting what XML would not accept. Linear: each `&`
 * looks at no more than 32 characters.
 */
export function decodeReferences(text: string, report: Report, line?: number): DecodedText {
  let out = "";
  let tainted = false;
  let from = 0;
  let highSurrogate = 0;
  for (let at = text.indexOf("&"); at >= 0; at = text.indexOf("&", from)) {
    if (at > from) highSurrogate = 0;
    out += text.slice(from, at);
    const match = REFERENCE.exec(text.slice(at, at + MAX_REFERENCE_LENGTH));
    if (match === null) {
      // Lenient: an ampersand that starts no reference is itself (U09).
      report("xml.bare-ampersand", text.slice(at, at + MAX_REFERENCE_LENGTH), line);
      out += "&";
      from = at + 1;
      continue;
    }
    const name = match[1]!;
    from = at + match[0].length;
    if (name.startsWith("#")) {
      const code = referencedCode(name);
      if (code >= 0xd800 && code <= 0xdfff) {
        // Lenient: a pair of surrogates written as two references is one character (U42).
        report("xml.surrogate-ref", match[0], line);
        if (code < 0xdc00) highSurrogate = code;
        else if (highSurrogate !== 0) out += String.fromCharCode(highSurrogate, code);
        if (code >= 0xdc00) highSurrogate = 0;
        continue;
      }
      if (isXmlCharacter(code)) out += String.fromCodePoint(code);
      else report("xml.bad-char-ref", match[0], line);
    } else {
      const known = XML_ENTITIES.get(name);
      const text = known ?? htmlEntity(name);
      if (known === undefined) report("xml.undefined-entity", match[0], line);
      if (text === undefined) tainted = true;
      out += text ?? match[0];
    }
    highSurrogate = 0;
  }
  return { text: out + text.slice(from), tainted };
}

function referencedCode(name: string): number {
  return name[1] === "x" || name[1] === "X"
    ? Number.parseInt(name.slice(2), 16)
    : Number.parseInt(name.slice(1), 10);
}

/** https://www.w3.org/TR/xml/#charsets */
function isXmlCharacter(code: number): boolean {
  return (
    code === 0x9 ||
    code === 0xa ||
    code === 0xd ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    (code >= 0x10000 && code <= 0x10ffff)
  );
}
