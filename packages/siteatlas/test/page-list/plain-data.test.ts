/** A list of pages beside functions that know nothing of it: assertions, clones, console.log. */
import assert from "node:assert";
import { inspect, stripVTControlCharacters } from "node:util";
import { deserialize, serialize } from "node:v8";
import { describe, expect, test } from "vitest";
import type { Page } from "../../src/model/model.ts";
import { PageListBuilder } from "../../src/page-list/page-list.ts";
import { parseSitemap } from "../../src/parse/parse-sitemap.ts";
import { readDate } from "../../src/parse/values/parse-date.ts";

function listOf(...pages: readonly Page[]) {
  const builder = new PageListBuilder();
  for (const page of pages) builder.add(page);
  return builder.finish();
}

const page = (path: string, date = "2024-01-02"): Page => ({
  url: `https://example.com/${path}`,
  lastModified: readDate(date, "sitemap", () => {}),
});

describe("equality", () => {
  test("equal pages are equal, whatever the order of their properties", () => {
    const reordered = { lastModified: page("a").lastModified!, url: page("a").url };
    for (const other of [listOf(page("a"), page("b")), listOf(reordered, page("b"))]) {
      const list = listOf(page("a"), page("b"));
      assert.deepStrictEqual(list, other);
      assert.deepEqual(list, other);
      expect(list).toEqual(other);
      expect(list).toStrictEqual(other);
    }
  });

  test.each([
    ["another URL", listOf(page("a"), page("c"))],
    ["another date", listOf(page("a"), page("b", "2024-01-03"))],
    ["another spelling of the date", listOf(page("a"), page("b", "2024-01-02T00:00:00Z"))],
    ["another order", listOf(page("b"), page("a"))],
    ["one page less", listOf(page("a"))],
    ["one page more", listOf(page("a"), page("b"), page("c"))],
  ])("%s is not equal", (_, other) => {
    const list = listOf(page("a"), page("b"));
    assert.throws(() => assert.deepStrictEqual(list, other), assert.AssertionError);
    assert.throws(() => assert.deepEqual(list, other), assert.AssertionError);
    expect(list).not.toEqual(other);
    expect(list).not.toStrictEqual(other);
  });

  test("a failed assertion shows the pages", () => {
    expect(() => assert.deepStrictEqual(listOf(page("a")), listOf(page("b")))).toThrow(
      /example\.com\/a.*example\.com\/b/s,
    );
    expect(() => expect(listOf(page("a"))).toEqual(listOf(page("b")))).toThrow();
  });
});

describe("clones", () => {
  test("structuredClone and v8.serialize throw with the reason", () => {
    const reason = /list of pages.*JSON\.stringify\(tree\).*treeFromJson.*could not be cloned/;
    expect(() => structuredClone(listOf(page("a")))).toThrow(reason);
    expect(() => structuredClone({ pages: listOf() })).toThrow(reason);
    expect(() => serialize(listOf(page("a")))).toThrow(reason);
  });

  test("pages and parsed sitemaps can be cloned", async () => {
    const [one] = listOf(page("a"));
    expect(structuredClone(one)).toStrictEqual(page("a"));
    expect(deserialize(serialize(one))).toStrictEqual(page("a"));
    const xml = "<urlset><url><loc>https://example.com/a</loc><lastmod>2024-01-02</lastmod></url></urlset>";
    const sitemap = await parseSitemap(xml, { url: "https://example.com/sitemap.xml" });
    expect(sitemap.pages).toStrictEqual([page("a")]);
    expect(structuredClone(sitemap)).toStrictEqual(sitemap);
  });
});

describe("console.log", () => {
  test("shows the first pages and counts the others", () => {
    expect(inspect(listOf())).toBe("PageList(0) []");
    expect(inspect(listOf({ url: "https://example.com/" }))).toBe(
      "PageList(1) [ { url: 'https://example.com/' } ]",
    );
    const many = listOf(...Array.from({ length: 1000 }, (_, i) => ({ url: `https://example.com/${i}` })));
    expect(inspect(many)).toBe(`PageList(1000) [
  { url: 'https://example.com/0' },
  { url: 'https://example.com/1' },
  { url: 'https://example.com/2' },
  ... 997 more pages
]`);
    expect(inspect(listOf(page("1"), page("2"), page("3"), page("4")))).toContain("... 1 more page\n");
  });

  test("respects the depth", () => {
    const nested = { a: { b: { pages: listOf(page("a")) } } };
    expect(inspect(nested, { depth: 1 })).toContain("[Object]");
    expect(inspect(nested, { depth: 2 })).toContain("[PageList(1)]");
    expect(inspect(nested, { depth: 3 })).toContain("https://example.com/a");
    expect(inspect(nested, { depth: null })).toContain("2024-01-02T00:00:00.000Z");
  });

  test("escapes terminal commands", () => {
    const text = inspect(listOf({ url: "https://example.com/", title: "\x1b[31m\x07" }));
    expect(stripVTControlCharacters(text)).toBe(text);
  });
});
