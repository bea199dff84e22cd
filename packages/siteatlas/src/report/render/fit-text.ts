/** Estimates the width of text, because the font is not known when a report is written. The estimate is rather too wide. */

/** Characters that are as wide as they are high. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Extended_Pictographic}/u;
const NARROW = /[iljtfrI.,:;'|!/ ()-]/;
const BROAD = /[mwMWA-Z%@\u2026]/;

export function textWidth(text: string, size: number): number {
  let width = 0;
  for (const character of text) {
    if (WIDE.test(character)) width += 1.08;
    else if (NARROW.test(character)) width += 0.4;
    else width += BROAD.test(character) ? 0.92 : 0.65;
  }
  return width * size;
}

const SEGMENTER = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Shortens a text to a width. Returns an empty text if fewer than three characters have room. */
export function fitText(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  let fitted = "";
  let count = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    if (textWidth(`${fitted}${segment}…`, size) > width) break;
    fitted += segment;
    count++;
  }
  return count < 3 ? "" : `${fitted}…`;
}
