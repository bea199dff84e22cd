import { describe, expect, it, test } from "vitest";
import { decodeReferences } from "../../../src/parse/xml/entities.ts";

function decode(text: string): {
  readonly text: string;
  readonly tainted: boolean;
  readonly codes: string[];
} {
  const codes: string[] = [];
  return { ...decodeReferences(text, (code) => codes.push(code)), codes };
}

describe("HTML's names (X18, U38)", () => {
  it.each([
    ["nbsp", 0xa0],
    ["iquest", 0xbf],
    ["Agrave", 0xc0],
    ["AElig", 0xc6],
    ["Ccedil", 0xc7],
    ["ETH", 0xd0],
    ["times", 0xd7],
    ["Oslash", 0xd8],
    ["Yacute", 0xdd],
    ["THORN", 0xde],
    ["szlig", 0xdf],
    ["agrave", 0xe0],
    ["aelig", 0xe6],
    ["divide", 0xf7],
    ["yuml", 0xff],
    ["OElig", 0x152],
    ["scaron", 0x161],
    ["sbquo", 0x201a],
    ["bdquo", 0x201e],
    ["euro", 0x20ac],
  ])("&%s;", (name, code) => {
    const expected = { text: String.fromCharCode(code), tainted: false, codes: ["xml.undefined-entity"] };
    expect(decode(`&${name};`)).toEqual(expected);
  });

  it.each(["Nbsp", "Times", "Divide", "Aelig", "Eth", "Thorn", "Sigmaf", "AGRAVE", "constructor"])(
    "&%s; is not an HTML name",
    (name) => {
      const text = `&${name};`;
      expect(decode(text)).toEqual({ text, tainted: true, codes: ["xml.undefined-entity"] });
    },
  );
});

test.each([
  ["XML's own", "&amp;&lt;&gt;&quot;&apos;", `&<>"'`, []],
  ["by number", "&#65;&#x41;&#X1f600;", "AA😀", []],
  ["U09 a bare ampersand", "a&b & c&", "a&b & c&", Array(3).fill("xml.bare-ampersand")],
  ["U42 a pair of surrogates", "&#xD83D;&#xDE00;", "😀", Array(2).fill("xml.surrogate-ref")],
  ["surrogates alone", "a&#xD83D;b&#xDE00;c", "abc", Array(2).fill("xml.surrogate-ref")],
  [
    "no character",
    "a&#0;&#xFFFF;&#x110000;&#99999999999999999999;b",
    "ab",
    Array(4).fill("xml.bad-char-ref"),
  ],
  ["too long for one", `&${"a".repeat(31)};`, `&${"a".repeat(31)};`, ["xml.bare-ampersand"]],
])("%s", (_, text, expected, codes) => {
  expect(decode(text)).toEqual({ text: expected, tainted: false, codes });
});
