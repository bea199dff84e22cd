import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Platform } from "../../src/decode/platform.ts";
import * as node from "../../src/decode/platform-node.ts";
import * as web from "../../src/decode/platform-web.ts";
import { bytesOf, latin1 } from "./byte-chunks.ts";

const platforms: Record<string, Platform> = { node, web };

describe.each(Object.entries(platforms))("%s platform", (_, platform) => {
  it.each<[string, boolean]>([
    ["", true],
    ["plain", true],
    ["\xc3\xa9", true],
    ["\xef\xbb\xbf", true],
    ["\xf4\x8f\xbf\xbf", true],
    ["\xc3", false],
    ["\xc0\xaf", false],
    ["\xed\xa0\x80", false],
    ["\xf4\x90\x80\x80", false],
    ["\xe9", false],
  ])("isUtf8 %j is %j", (text, expected) => {
    expect(platform.isUtf8(latin1(text))).toBe(expected);
  });

  it("isAscii", () => {
    expect(platform.isAscii(latin1("a\x7f\0"))).toBe(true);
    expect(platform.isAscii(latin1("a\x80"))).toBe(false);
  });

  it("asciiText decodes a part of a plain Uint8Array with an offset", () => {
    const bytes = new Uint8Array(bytesOf("--https://www.example.com/--").buffer, 1);
    expect(platform.asciiText(bytes, 1, 25)).toBe("https://www.example.com/");
    expect(platform.asciiText(bytes, 3, 3)).toBe("");
    const long = "x".repeat(300_000);
    expect(platform.asciiText(bytesOf(long), 0, long.length)).toBe(long);
  });

  it("utf8Text keeps U+FEFF and decodes any well-formed text", () => {
    expect(platform.utf8Text(bytesOf("\ufeffé"), 0, 5)).toBe("\ufeffé");
    const text = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(text, text, (before, value) => {
        const start = bytesOf(before).length;
        const bytes = bytesOf(before + value + before);
        expect(platform.utf8Text(bytes, start, start + bytesOf(value).length)).toBe(value);
      }),
    );
  });

  it("exports exactly the names of the interface", () => {
    expect(Object.keys(platform).sort()).toEqual(["asciiText", "inflate", "isAscii", "isUtf8", "utf8Text"]);
  });
});
