/** sec-O05, sec-O01, sec-O07: one record is one line, without active characters and passwords. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logLine, logUrl, MAX_MESSAGE_LENGTH } from "../../src/escape/log-line.ts";
import { hostileText, NEVER_SHOWN, settings } from "./hostile-text.ts";

const LINE_BREAK = /[\n\v\f\r\u0085\u2028\u2029]/;

describe("logLine", () => {
  test.each([
    ["ok\r\n2026-01-01 root logged in", "ok\\r\\n2026-01-01 root logged in"],
    ["a\u2028b\u0085c", "a\\u2028b\\u0085c"],
    ["\u001b[31mred", "\\u001b[31mred"],
    ["cannot reach http://me:secret@proxy:3128", "cannot reach http://***@proxy:3128"],
  ])("sec-O05: %j", (text, expected) => {
    expect(logLine(text)).toBe(expected);
  });

  test("has no line break, no control character and at most its length, for any text", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 60 }), (text, maxLength) => {
        for (const line of [logLine(text), logLine(text, { maxLength })]) {
          expect(line).not.toMatch(LINE_BREAK);
          expect(line).not.toMatch(NEVER_SHOWN);
        }
        expect(logLine(text, { maxLength }).length).toBeLessThanOrEqual(maxLength);
      }),
      settings,
    );
  });

  test("marks a shortened line, and splits no character", () => {
    expect(logLine("abcdef", { maxLength: 6 })).toBe("abcdef");
    expect(logLine("abcdefg", { maxLength: 6 })).toBe("abcde…");
    expect(logLine("abcd😀efg", { maxLength: 6 })).toBe("abcd…");
    expect(logLine("abcde😀", { maxLength: 6 })).toBe("abcde…");
    expect(logLine("\u001b".repeat(9), { maxLength: 8 })).toBe("\\u001b\\…");
    expect(logLine("abc", { maxLength: 1 })).toBe("…");
    expect(logLine("abc", { maxLength: 0 })).toBe("");
    expect(logLine("x".repeat(10_000_000))).toHaveLength(8192);
  });

  test("sec-O07: shows no part of a password that is cut off from its @", () => {
    const secret = "s3cr3t".repeat(100);
    const line = logLine(`failed: https://user:${secret}@example.com/`, { maxLength: 60 });
    expect(line).toBe("failed: https://***@example.com/");
  });
});

describe("logUrl", () => {
  test("keeps the host and the file name of a long URL", () => {
    const url = `https://example.com/${"a/".repeat(4000)}sitemap.xml?token=abc`;
    const shown = logUrl(url);
    expect(shown).toHaveLength(150);
    expect(shown).toMatch(/^https:\/\/example\.com\/a.*….*sitemap\.xml\?token=\*\*\*$/);
  });

  test("three of them and the words between fit into a message", () => {
    const url = `https://example.com/${"a".repeat(8000)}`;
    const [a, b, c] = [logUrl(url), logUrl(url), logUrl(url)];
    const message = `${a}, listed by ${b}, redirects to ${c}, which leads to it`;
    expect(logLine(message, { maxLength: MAX_MESSAGE_LENGTH })).toBe(message);
  });

  test("is one line of limited length, for any text", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 0, max: 60 }), (text, maxLength) => {
        const shown = logUrl(text, { maxLength });
        expect(shown).not.toMatch(NEVER_SHOWN);
        expect(shown.length).toBeLessThanOrEqual(maxLength);
      }),
      settings,
    );
  });
});
