import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { knownUrl, readHomepageUrl } from "../../src/discover/homepage-url.ts";
import { runs, seed } from "../support/runs.ts";

describe("readHomepageUrl", () => {
  test.each([
    ["https://example.com", "https://example.com/", "https://example.com/"],
    ["https://example.com/", "https://example.com/", "https://example.com/"],
    [" HTTPS://Example.COM/ ", "https://example.com/", "https://example.com/"],
    ["http://example.com:8080/a/b?c=d#e", "http://example.com:8080/", "http://example.com:8080/a/b?c=d"],
    ["https://example.com/blog/", "https://example.com/", "https://example.com/blog/"],
    ["https://user:secret@example.com/a", "https://example.com/", "https://example.com/a"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"],
    ["http://[::1]:3000/x", "http://[::1]:3000/", "http://[::1]:3000/x"],
  ])("%s", (text, normalized, asGiven) => {
    expect(readHomepageUrl(text, { normalize: true }).href).toBe(normalized);
    expect(readHomepageUrl(text, { normalize: false }).href).toBe(asGiven);
  });

  // URL.canParse of Node 20 refuses hosts with Latin-1 letters as soon as V8 has optimized its caller.
  test("a host with Latin-1 letters is read at every call", () => {
    const hosts = Array.from(
      { length: 20_000 },
      () => readHomepageUrl("https://bücher.example/", { normalize: false }).host,
    );
    expect(new Set(hosts)).toEqual(new Set(["xn--bcher-kva.example"]));
  });

  test.each([
    ["example.com", 'it has no scheme, did you mean "https://example.com/"?'],
    ["www.example.com/a b", 'it has no scheme, did you mean "https://www.example.com/a%20b"?'],
    ["//example.com/", 'it has no scheme, did you mean "https://example.com/"?'],
    ["localhost:8080", 'it has no scheme, did you mean "https://localhost:8080/"?'],
    ["example.com:8080/a", 'it has no scheme, did you mean "https://example.com:8080/a"?'],
    ["ftp://example.com/", 'its scheme is "ftp", not http or https'],
    ["file:///etc/passwd", 'its scheme is "file", not http or https'],
    ["javascript:alert(1)", 'its scheme is "javascript", not http or https'],
    ["mailto:me", 'its scheme is "mailto", not http or https'],
    ["https://", "it is not a URL"],
    ["https://exa mple.com/", "it is not a URL"],
    ["http://example.com:99999/", "it is not a URL"],
    ["not a host", "it is not a URL"],
    ["", "it is empty"],
    ["  ", "it is empty"],
  ])("%j is a TypeError", (text, reason) => {
    // The text after a colon may be a password: `user:password`.
    const shown = text.replace(/^(javascript|mailto):.*/, "$1:***");
    for (const normalize of [true, false]) {
      expect(() => readHomepageUrl(text, { normalize })).toThrow(
        new TypeError(`Cannot read homepage URL ${JSON.stringify(shown)}: ${reason}`),
      );
    }
  });

  test("the password of a URL with a mistake is not repeated as a suggestion", () => {
    expect(() => readHomepageUrl("http//user:S3CRET@example.com", { normalize: true })).toThrow(
      'Cannot read homepage URL "***@example.com": it is not a URL',
    );
  });

  test("anything but a string is a TypeError", () => {
    expect(() => readHomepageUrl(undefined as never, { normalize: true })).toThrow(
      new TypeError("Cannot read homepage URL: it must be a string or a URL object, not undefined"),
    );
  });

  test("a long text is shortened in the message", () => {
    const text = `x://${"a ".repeat(5000)}`;
    expect(() => readHomepageUrl(text, { normalize: true })).toThrow(/^.{200,300}$/);
  });

  test("any text gives an http(s) URL or a TypeError", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.webUrl(), fc.domain());
    fc.assert(
      fc.property(text, fc.boolean(), (input, normalize) => {
        try {
          const { protocol, username, hash } = readHomepageUrl(input, { normalize });
          expect(protocol).toMatch(/^https?:$/);
          expect(username + hash).toBe("");
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          expect(String(error)).toContain("Cannot read homepage URL");
        }
      }),
      { numRuns: runs(500), seed },
    );
  });
});

describe("knownUrl", () => {
  test.each([
    ["https://example.com/", "sitemap.xml", "https://example.com/sitemap.xml"],
    ["https://example.com/", "/sitemap.xml", "https://example.com/sitemap.xml"],
    ["https://example.com/blog/", "sitemap.xml", "https://example.com/blog/sitemap.xml"],
    ["https://example.com/blog", "robots.txt", "https://example.com/blog/robots.txt"],
    ["https://example.com/blog", "/sitemap.xml", "https://example.com/blog/sitemap.xml"],
    ["https://example.com/blog?a=b", "?type=1533906435", "https://example.com/blog/?type=1533906435"],
    ["http://example.com:8080/", "index.php?route=a/b", "http://example.com:8080/index.php?route=a/b"],
  ])("%s and %s", (homepage, path, url) => {
    expect(knownUrl(new URL(homepage), path)).toBe(url);
  });

  test("no path gives another origin", () => {
    const homepage = new URL("https://example.com/");
    const hostile = [
      "//evil.example/",
      "https://evil.example/",
      "\\\\evil.example/",
      "@evil.example/",
      ":80/a",
    ];
    const path = fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(path, (any) => new URL(knownUrl(homepage, any)).origin === homepage.origin),
      { numRuns: runs(500), seed },
    );
  });
});
