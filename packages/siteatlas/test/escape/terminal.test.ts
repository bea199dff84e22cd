/** sec-O01: no characters that control a terminal or disguise a text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { terminalText } from "../../src/escape/terminal.ts";
import { FRAGMENTS, hostileText, NEVER_SHOWN, settings } from "./hostile-text.ts";

describe("terminalText", () => {
  test.each([
    ["a\u001b[2Jb", "a\\u001b[2Jb"],
    ["\u001b]0;title\u0007", "\\u001b]0;title\\u0007"],
    ["\u009b31mred", "\\u009b31mred"],
    ["a\u007f\b", "a\\u007f\\u0008"],
    ["one\r\ntwo\tthree", "one\\r\\ntwo\\tthree"],
    ["invoice\u202egpj.exe", "invoice\\u202egpj.exe"],
    ["pay\u200bpal\ufeff\u2028", "pay\\u200bpal\\ufeff\\u2028"],
    ["\u{e0041}", "\\u{e0041}"],
    ["\ud800 and \udfff", "\\ud800 and \\udfff"],
  ])("sec-O01: escapes %j", (text, expected) => {
    expect(terminalText(text)).toBe(expected);
  });

  test("keeps text of any script", () => {
    const text = "Grüße, 漢字, العربية, עברית, हिन्दी, é (e\u0301), 😀, \\n, C:\\dir\u00a0→";
    expect(terminalText(text)).toBe(text);
  });

  test("sec-O01: contains no character that must not be shown, for any text", () => {
    for (const fragment of FRAGMENTS) expect(terminalText(fragment)).not.toMatch(NEVER_SHOWN);
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(terminalText(text)).not.toMatch(NEVER_SHOWN);
      }),
      settings,
    );
  });

  test("is idempotent, and keeps every visible character", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const shown = terminalText(text);
        expect(terminalText(shown)).toBe(shown);
        if (!/[^\x20-\x7e]/.test(text)) expect(shown).toBe(text);
      }),
      settings,
    );
  });
});
