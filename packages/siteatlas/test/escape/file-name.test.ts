/** sec-O04: file names for every file system, one per text. */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { safeFileName } from "../../src/escape/file-name.ts";
import { sha256Hex } from "../../src/escape/sha256.ts";
import { hostileText, settings } from "./hostile-text.ts";

const SAFE = /^(?:[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?-)?[0-9a-f]{32}$/;
/** Devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

describe("safeFileName", () => {
  test.each([
    ["example.com", "example-com-a379a6f6eeafb9a55e378c118034e275"],
    ["../../etc/x", "etc-x-"],
    ["con", "con-"],
    ["nul.example", "nul-example-"],
    ["-rf", "rf-"],
    [".htaccess", "htaccess-"],
    ["...", ""],
    ["", "e3b0c44298fc1c149afbf4c8996fb924"],
    ["a\0b:c|d\\e", "a-b-c-d-e-"],
    ["EXAMPLE.com", "example-com-"],
    ["münchen.example", "m-nchen-example-"],
  ])("sec-O04: %j", (text, start) => {
    const name = safeFileName(text);
    expect(name).toMatch(SAFE);
    expect(name).not.toMatch(DEVICE);
    expect(name.startsWith(start)).toBe(true);
  });

  test("sec-O04: 300 characters, and two texts that differ after them", () => {
    const long = "a".repeat(300);
    expect(safeFileName(long)).toHaveLength(48 + 1 + 32);
    expect(safeFileName(`${long}b`)).not.toBe(safeFileName(`${long}c`));
  });

  test("accepts an extension, and rejects anything else", () => {
    expect(safeFileName("example.com", "json")).toMatch(/275\.json$/);
    expect(safeFileName("example.com", "ndjson.gz")).toMatch(/275\.ndjson\.gz$/);
    for (const extension of ["", "../x", ".json", "JSON", "a/b", "a.b.c.d", "x".repeat(9)]) {
      expect(() => safeFileName("example.com", extension)).toThrow(TypeError);
    }
  });

  test("is safe and unique, also on file systems without case", () => {
    fc.assert(
      fc.property(hostileText, hostileText, (one, other) => {
        for (const text of [one, other]) {
          expect(safeFileName(text)).toMatch(SAFE);
          expect(safeFileName(text)).not.toMatch(DEVICE);
        }
        for (const text of [other, one.toUpperCase(), one.toLowerCase(), `${one}.`, one.normalize("NFD")]) {
          const names = [one, text].map((host) => safeFileName(host).toLowerCase().normalize("NFC"));
          expect(names[0] === names[1]).toBe(one === text);
        }
      }),
      settings,
    );
  });
});

describe("sha256Hex", () => {
  test("equals the digest of Node, for every length of the last block", () => {
    for (let length = 0; length < 200; length++) {
      const text = "aé漢😀".repeat(50).slice(0, length);
      if (/[\ud800-\udbff]$/.test(text)) continue;
      expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
    }
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        expect(sha256Hex(text)).toBe(createHash("sha256").update(text).digest("hex"));
      }),
      settings,
    );
  });

  test("distinguishes lone surrogates", () => {
    const digests = ["\ud800", "\ud801", "\udc00", "\ufffd", "a\ud800", "\ud800a"].map(sha256Hex);
    expect(new Set(digests).size).toBe(digests.length);
  });
});
