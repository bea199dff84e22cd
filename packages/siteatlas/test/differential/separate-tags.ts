/**
 * Ends every tag before the next one begins, as the scanner of siteatlas reads it: a `<` that starts a tag
 * always starts a tag, and a section starts inside a tag if it ends before the next `<`. htmlparser2 swallows
 * one inside a tag, a quoted value, an instruction or a declaration. If it finds a URL in a document but not
 * in the same document with separated tags, it finds it because of the markup that it swallowed.
 *
 * `<link<loc>` ▸ `<link><loc>`, `<a b="c><d>` ▸ `<a b="c"><d>`, `<<loc>` ▸ `<x/><loc>`
 */
export function separateTags(document: string): string {
  let out = "";
  let at = 0;
  while (at < document.length) {
    const start = document.indexOf("<", at);
    if (start < 0) break;
    out += document.slice(at, start);
    const markup = readMarkup(document, start);
    out += markup.text;
    at = markup.end;
  }
  return out + document.slice(at);
}

interface Markup {
  readonly text: string;
  readonly end: number;
}

const TAG_START = /<[a-z_:/\u0080-\uffff]/iy;
/** A section that ends before the next `<`. */
const SHORT_SECTION = /<!(?:--[^<]*?-->|\[CDATA\[[^<]*?\]\]>)/iy;

function startsMarkup(document: string, at: number): boolean {
  TAG_START.lastIndex = at;
  SHORT_SECTION.lastIndex = at;
  return TAG_START.test(document) || SHORT_SECTION.test(document);
}

function readMarkup(document: string, start: number): Markup {
  const head = document.slice(start, start + 9);
  if (head.startsWith("<!--")) return section(document, start, 4, "-->");
  if (/^<!\[CDATA\[/i.test(head)) return section(document, start, 9, "]]>");
  if (head.startsWith("<?")) return instruction(document, start);
  // An empty element means as little as a stray sign.
  if (head.startsWith("<<")) return { text: "<x/>", end: start + 1 };
  return tag(document, start);
}

function section(document: string, start: number, length: number, close: string): Markup {
  const found = document.indexOf(close, start + length);
  const end = found < 0 ? document.length : found + close.length;
  return { text: document.slice(start, end), end };
}

/** `<?xml version="1.0"><urlset>`: the first `>` ends it if a `<` comes before the `?>`. */
function instruction(document: string, start: number): Markup {
  const close = document.indexOf("?>", start + 2);
  const first = document.indexOf(">", start + 2);
  const next = first < 0 ? -1 : document.indexOf("<", first);
  if (next >= 0 && (close < 0 || next < close)) {
    return { text: `${document.slice(start, first)}?>`, end: first + 1 };
  }
  const end = close < 0 ? document.length : close + 2;
  return { text: document.slice(start, end), end };
}

/** A quote followed by `>` and `<` was never closed: the tag ended at the first `>` after it. */
function tag(document: string, start: number): Markup {
  let quote = "";
  let firstEnd = -1;
  for (let at = start + 1; at < document.length; at++) {
    const character = document.charAt(at);
    if (quote !== "") {
      if (character === quote) quote = "";
      else if (character === ">") {
        if (firstEnd < 0) firstEnd = at;
        if (!/^>\s*</.test(document.slice(at, at + 200))) continue;
        return { text: `${document.slice(start, firstEnd)}${quote}>`, end: firstEnd + 1 };
      }
    } else if (character === ">") {
      return { text: document.slice(start, at + 1), end: at + 1 };
    } else if (character === "<" && startsMarkup(document, at)) {
      return { text: `${document.slice(start, at)}>`, end: at };
    } else if ((character === '"' || character === "'") && /=\s*$/.test(document.slice(start, at))) {
      quote = character;
      firstEnd = -1;
    }
  }
  return { text: document.slice(start), end: document.length };
}
