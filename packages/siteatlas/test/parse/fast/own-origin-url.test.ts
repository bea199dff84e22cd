import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PlainUrlProbe } from "../../../src/parse/fast/own-origin-url.ts";
import { UrlSet } from "../../../src/parse/fast/seen-urls.ts";
import { UrlReader } from "../../../src/parse/values/url.ts";
import { TextValue } from "../../../src/parse/xml/element-text.ts";
import { runs, seed } from "../../support/runs.ts";

const ORIGIN = "https://www.example.com/";
const encoder = new TextEncoder();

/** Paths of critical parts: dots, escapes, ampersands, and bytes that are never plain. */
const path = fc
  .array(
    fc.constantFrom(
      ..."ab1/?=-_.~,;:@!$()*+&%'\"<> é|#\\".split(""),
      "%41",
      "%c3",
      "%2E",
      "%2e",
      "&amp;",
      "/.",
      "//",
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(""));

function scan(text: string): string | undefined {
  const bytes = encoder.encode(`${text}</loc>`);
  const end = new PlainUrlProbe(ORIGIN).scan(bytes, 0, bytes.length);
  return end < 0 ? undefined : new TextDecoder().decode(bytes.subarray(0, end));
}

function textValue(text: string): TextValue {
  const value = new TextValue();
  const bytes = encoder.encode(text);
  value.add(
    bytes,
    0,
    bytes.length,
    bytes.some((byte) => byte >= 0x80),
  );
  return value;
}

/** The result of url.ts, and its issues. */
function resolve(text: string): { url: string | undefined; said: string[] } {
  const said: string[] = [];
  const reader = new UrlReader(`${ORIGIN}sitemap.xml`, (code) => said.push(code), {
    strict: false,
    escapeCode: "url.double-escaped",
  });
  return { url: reader.resolve(text, "page"), said };
}

describe("PlainUrlProbe", () => {
  test.each([
    ["https://www.example.com/", "https://www.example.com/"],
    ["https://www.example.com/a/b-c_d~e?x=1", "https://www.example.com/a/b-c_d~e?x=1"],
    ["https://www.example.com/a.html", "https://www.example.com/a.html"],
    ["https://www.example.com/caf%C3%A9", "https://www.example.com/caf%C3%A9"],
    ["https://www.example.com/a,b", "https://www.example.com/a,b"],
    ["https://www.example.com/a,", undefined],
    ["https://www.example.com/./a", undefined],
    ["https://www.example.com/%2E/a", undefined],
    ["https://www.example.com/%c3", undefined],
    ["https://www.example.com/100%", undefined],
    ["https://www.example.com/a b", undefined],
    ["https://www.example.com/a?x=1&y=2", undefined],
    ["https://www.example.org/a", undefined],
    ["http://www.example.com/a", undefined],
    [" https://www.example.com/a", undefined],
    [`https://www.example.com/${"a".repeat(2048)}`, undefined],
  ])("reads %s", (text, expected) => {
    expect(scan(text)).toBe(expected);
  });

  test("finds nothing if no < follows", () => {
    const bytes = encoder.encode("https://www.example.com/abcdefgh");
    expect(new PlainUrlProbe(ORIGIN).scan(bytes, 0, bytes.length)).toBe(-1);
  });

  test("accepts an ampersand in decoded text", () => {
    expect(new PlainUrlProbe(ORIGIN).accepts(textValue("https://www.example.com/a?x=1&y=2"))).toBe(true);
    expect(new PlainUrlProbe(ORIGIN).accepts(textValue("https://www.example.com/a?x=1&amp;y=2"))).toBe(false);
  });

  test("url.ts returns every accepted URL unchanged and without issues", () => {
    fc.assert(
      fc.property(path, (rest) => {
        const text = ORIGIN + rest;
        const raw = scan(text);
        if (raw !== undefined) expect(resolve(raw)).toEqual({ url: raw, said: [] });
        if (new PlainUrlProbe(ORIGIN).accepts(textValue(text))) {
          expect(resolve(text)).toEqual({ url: text, said: [] });
        }
      }),
      { numRuns: runs(5000), seed },
    );
  });

  test("hashes like the set", () => {
    fc.assert(
      fc.property(path, (rest) => {
        const text = ORIGIN + rest;
        const probe = new PlainUrlProbe(ORIGIN);
        if (!probe.accepts(textValue(text))) return;
        const urls = new UrlSet(ORIGIN);
        expect(urls.add(text)).toBe(true);
        expect(urls.addHashed(probe)).toBe(false);
        expect(urls.add(`${text}a`)).toBe(true);
      }),
      { numRuns: runs(2000), seed },
    );
  });

  test("checks occasionally if most URLs are not plain", () => {
    const probe = new PlainUrlProbe(ORIGIN);
    const bad = encoder.encode("https://www.example.com/a b<");
    for (let i = 0; i < 1000; i++) expect(probe.scan(bad, 0, bad.length)).toBe(-1);
    const good = encoder.encode("https://www.example.com/a<");
    let found = 0;
    for (let i = 0; i < 200; i++) if (probe.scan(good, 0, good.length) >= 0) found++;
    expect(found).toBeGreaterThan(runs(100));
  });
});

describe("UrlSet", () => {
  test("distinguishes URLs of other origins (U43)", () => {
    const urls = new UrlSet(ORIGIN);
    expect(urls.add("https://www.example.com/a")).toBe(true);
    expect(urls.add("https://other.example.com/a")).toBe(true);
    expect(urls.add("a")).toBe(true);
    expect(urls.add("https://www.example.com/a")).toBe(false);
    expect(urls.duplicates).toBe(1);
  });

  test("compares percent escapes without case (U20)", () => {
    const urls = new UrlSet(ORIGIN);
    expect(urls.add("https://www.example.com/%c3%a9")).toBe(true);
    expect(urls.add("https://www.example.com/%C3%A9")).toBe(false);
    expect(urls.add("https://www.example.com/C3A9")).toBe(true);
  });

  test("remembers 100,000 URLs", () => {
    const urls = new UrlSet(ORIGIN);
    for (let i = 0; i < 100_000; i++) expect(urls.add(`${ORIGIN}page/${i}`)).toBe(true);
    for (let i = 0; i < 100_000; i++) expect(urls.add(`${ORIGIN}page/${i}`)).toBe(false);
    expect(urls.duplicates).toBe(100_000);
  });
});
