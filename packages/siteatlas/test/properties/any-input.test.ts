/**
 * Properties of any input: nothing throws, every URL is valid, issues are bounded and counted, and the chunks
 * make no difference.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Sitemap } from "../../src/parse/index.ts";
import { parseDate, parseEntries, parseRobotsTxt, parseSitemap } from "../../src/parse/index.ts";
import { type AnyInput, anyInput, anyText, chunksArbitrary } from "../support/generate-any.ts";
import { inLayers, urlsOf } from "../support/sitemap-facts.ts";
import { streamOf } from "../support/splits.ts";
import { limits } from "./limits.ts";

const WEB_URL = /^https?:\/\/[\x21-\x7e]+$/;

test("parseSitemap never throws, and returns valid URLs and at most 100 issues", async () => {
  await fc.assert(
    fc.asyncProperty(anyInput, async (input) => {
      const sitemap = await parseSitemap(input.bytes, optionsOf(input));
      for (const url of urlsOf(sitemap)) expect(url).toMatch(WEB_URL);
      expect(sitemap.issues.length).toBeLessThanOrEqual(100);
      expect(sitemap.issueCount).toBeGreaterThanOrEqual(sitemap.issues.length);
      expect(() => JSON.stringify(sitemap)).not.toThrow();
    }),
    limits(2000),
  );
});

test("parseSitemap gives the same for any chunks", async () => {
  const inputAndChunks = anyInput.chain((input) =>
    fc.tuple(fc.constant(input), chunksArbitrary(input.bytes)),
  );
  await fc.assert(
    fc.asyncProperty(inputAndChunks, async ([input, chunks]) => {
      const whole = await parseSitemap(input.bytes, optionsOf(input));
      const cut = await parseSitemap(streamOf(chunks), optionsOf(input));
      // Strict mode ends at the first fault, and the chunks decide which one is found first.
      if (input.strict && whole.kind === "invalid") expect(cut.kind).toBe("invalid");
      else expectSame(cut, whole);
    }),
    limits(1500),
  );
});

test("parseSitemap gives the same for a text, complete and in pieces", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.integer({ min: 1, max: 50 }), async (text, size) => {
      const url = "https://www.example.com/sitemap.xml";
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      expectSame(
        await parseSitemap(streamOf(pieces), { url }),
        await parseSitemap(streamOf([text]), { url }),
      );
    }),
    limits(500),
  );
});

test("parseEntries gives what parseSitemap gives", async () => {
  await fc.assert(
    fc.asyncProperty(anyInput, async (input) => {
      const sitemap = await parseSitemap(input.bytes, optionsOf(input));
      const entries = [];
      for await (const entry of parseEntries(input.bytes, optionsOf(input))) entries.push(entry);
      expect(entries.flatMap((entry) => (entry.kind === "issue" ? [entry.issue] : []))).toEqual(
        sitemap.issues,
      );
      if (sitemap.kind === "invalid") return;
      const pages = entries.flatMap((entry) => (entry.kind === "page" ? [entry.page] : []));
      const children = entries.flatMap((entry) => (entry.kind === "sitemap" ? [entry.sitemap.url] : []));
      expect(plain(pages)).toEqual(plain([...sitemap.pages]));
      expect(children).toEqual(sitemap.subSitemaps.map(({ url }) => url));
    }),
    limits(500),
  );
});

test("parseRobotsTxt and its methods never throw", () => {
  fc.assert(
    fc.property(anyText, anyText, anyText, (text, path, userAgent) => {
      const robots = parseRobotsTxt(text, { url: "https://www.example.com/robots.txt" });
      for (const url of robots.sitemaps) expect(url).toMatch(WEB_URL);
      // An invalid URL throws.
      if (URL.canParse(path, "https://www.example.com/")) {
        expect(typeof robots.isAllowed(path, userAgent)).toBe("boolean");
      }
      expect(typeof robots.isAllowed(`https://www.example.com/${path}`, "Googlebot")).toBe("boolean");
      expect(robots.crawlDelay(userAgent) ?? 0).toBeGreaterThanOrEqual(0);
      expect(robots.issues.length).toBeLessThanOrEqual(100);
    }),
    limits(1000),
  );
});

test("parseDate never throws, and gives a valid instant or none", () => {
  const dateLike = fc
    .array(
      fc.constantFrom(
        "2024",
        "-",
        "01",
        "02",
        "T",
        "25",
        ":",
        "+",
        "Z",
        " ",
        ".",
        "/",
        "Jan",
        "Tue,",
        "GMT",
        "0",
      ),
      {
        maxLength: 14,
      },
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(dateLike, anyText), fc.constantFrom("sitemap", "feed"), (text, context) => {
      const date = parseDate(text, { context });
      expect(date.text).toBe(text.trim());
      if (date.value === undefined) expect(date.precision).toBeUndefined();
      else expect(Number.isNaN(date.value.getTime())).toBe(false);
    }),
    limits(5000),
  );
});

test("issues beyond 100, and beyond ten of one code, are counted", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(400), async (count) => {
      // Two issues each: a bare ampersand, and a relative URL.
      const entries = Array.from({ length: count }, (_, n) => `<url><loc>/${n}?a&b</loc></url>`);
      const xml = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`;
      const sitemap = await parseSitemap(xml, { url: "https://www.example.com/sitemap.xml" });
      expect(sitemap.pages.length).toBe(count);
      expect(sitemap.issueCount).toBe(2 * count);
      expect(sitemap.issues.length).toBe(2 * Math.min(10, count));
    }),
    limits(30),
  );
});

function optionsOf({ url, contentType, strict }: AnyInput): Parameters<typeof parseSitemap>[1] {
  return { url, strict, ...(contentType !== undefined && { contentType }) };
}

/** The comparison of vitest is slow, so it is used only for differences. */
function expectSame(cut: Sitemap, whole: Sitemap): void {
  const [a, b] = [inLayers(cut), inLayers(whole)];
  if (JSON.stringify(a) !== JSON.stringify(b)) expect(plain(a)).toEqual(plain(b));
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
