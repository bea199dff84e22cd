/** Measures text in terminal cells. A character takes no cell (accents), one cell, or two cells (Chinese, emoji). */
import { terminalText } from "../../escape/terminal.ts";

/** Matches characters that take two cells: https://www.unicode.org/reports/tr11/ (W and F), without rare ranges. */
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/u;
const PLAIN = /^[\x20-\x7e]*$/;
const ZERO = /^\p{M}$/u;

export function cellWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Shortens a text to this width, with an ellipsis at the end. */
export function fit(text: string, width: number, ellipsis: string): string {
  if (cellWidth(text) <= width) return text;
  if (width < 1) return "";
  let cut = "";
  let rest = width - 1;
  for (const character of text) {
    rest -= characterWidth(character);
    if (rest < 0) break;
    cut += character;
  }
  return cut + ellipsis;
}

/** Shortens a URL to this width. Removes its middle, because its end is the most important part. */
export function fitMiddle(text: string, width: number, ellipsis: string): string {
  if (cellWidth(text) <= width) return text;
  if (width < 4) return fit(text, width, ellipsis);
  const tail = lastCells(text, Math.floor((width - 1) / 2));
  return fit(text, width - cellWidth(tail), ellipsis) + tail;
}

function lastCells(text: string, width: number): string {
  const characters = [...text];
  let from = characters.length;
  for (let rest = width; from > 0; from--) {
    rest -= characterWidth(characters[from - 1]!);
    if (rest < 0) break;
  }
  return characters.slice(from).join("");
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - cellWidth(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - cellWidth(text))) + text;
}

/** A path that people can read: `%C3%BC` becomes `ü`, unless the terminal has only ASCII. Disables escape sequences. */
export function readablePath(path: string, ascii = false): string {
  if (ascii) return terminalText(path);
  try {
    return terminalText(decodeURI(path));
  } catch {
    return terminalText(path);
  }
}

/** A URL without its origin, if this is the origin of the site. */
export function shortUrl(url: string, origin: string | undefined, ascii = false): string {
  const isOwn = origin !== undefined && url.startsWith(`${origin}/`);
  return readablePath(isOwn ? url.slice(origin.length) : url, ascii);
}

/** Replaces characters outside ASCII by `?`, with the same width. */
export function asciiOnly(text: string): string {
  return text.replace(/[^\x00-\x7f]/gu, (character) => "?".repeat(characterWidth(character)));
}
