/** Both sides of `#shortcuts`: the fast code of Node and the small code of browsers. */
import { describe, expect, test } from "vitest";
import { MAX_SEEN_URLS } from "../../../src/parse/fast/seen-urls.ts";
import * as node from "../../../src/parse/fast/shortcuts-node.ts";
import * as web from "../../../src/parse/fast/shortcuts-web.ts";
import { type NameContext, Scope } from "../../../src/parse/xml/element-names.ts";

const encoder = new TextEncoder();

test("both export the same names", () => {
  expect(Object.keys(web).sort()).toEqual(Object.keys(node).sort());
  expect([node.FAST, web.FAST]).toEqual([true, false]);
});

test("UrlSet in Node remembers MAX_SEEN_URLS URLs", () => {
  const urls = new node.UrlSet("https://www.example.com/");
  for (let i = 0; i < MAX_SEEN_URLS + 1; i++) urls.add(`https://www.example.com/${i}`);
  const isNew = (i: number): boolean => urls.add(`https://www.example.com/${i}`);
  expect([isNew(MAX_SEEN_URLS - 1), isNew(MAX_SEEN_URLS)]).toEqual([false, true]);
});

describe.each([
  ["node", node],
  ["web", web],
])("%s", (_, { createEntry, NameTable, UrlSet }) => {
  test("UrlSet: a URL is new once, in any case of its percent escapes (U20)", () => {
    const urls = new UrlSet("https://www.example.com/");
    expect(urls.add("https://www.example.com/a%c3%a9")).toBe(true);
    expect(urls.add("https://www.example.com/a%C3%A9")).toBe(false);
    expect(urls.add("https://www.example.com/A%C3%A9")).toBe(true);
    expect(urls.add("https://www.example.org/a%C3%A9")).toBe(true);
    expect(urls.duplicates).toBe(1);
  });

  test("UrlSet: URLs beyond its memory are not detected as repeated", () => {
    const urls = new UrlSet("https://www.example.com/");
    const url = (i: number): string => `https://www.example.com/${i}/${"a".repeat(100)}`;
    for (let i = 0; i < 450_000; i++) urls.add(url(i));
    expect([urls.add(url(0)), urls.add(url(449_999)), urls.add(url(449_999))]).toEqual([false, true, true]);
  });

  test("NameTable: finds up to 128 names", () => {
    const names: NameContext = { report: () => {}, home: undefined, line: 1, folds: new Set() };
    const scope = new Scope(names);
    const table = new NameTable();
    const hash = (bytes: Uint8Array): number =>
      bytes.reduce((sum, byte) => (Math.imul(sum, 31) + byte) | 0, 0);
    const find = (name: string) => {
      const bytes = encoder.encode(`<${name}>`);
      return table.find(bytes, 1, bytes.length - 1, hash(bytes.subarray(1, -1)));
    };
    const elements = Array.from({ length: 130 }, (_, i) => {
      const bytes = encoder.encode(`é${i}`);
      return scope.find(bytes, 0, bytes.length, hash(bytes));
    });
    expect(find("é0")).toBeUndefined();
    for (const element of elements) table.add(element);
    expect(elements.slice(0, 128).every((element, i) => find(`é${i}`) === element)).toBe(true);
    expect([find("é128"), find("é"), find("é00")]).toEqual([undefined, undefined, undefined]);
  });

  test("createEntry: undefined fields are absent", () => {
    const date = { text: "2024" };
    expect(createEntry("u", undefined, undefined)).toStrictEqual({ url: "u" });
    expect(createEntry("u", "U", date)).toStrictEqual({ url: "u", lastModified: date, urlText: "U" });
    expect(createEntry("u", undefined, date, "daily", 0)).toStrictEqual({
      url: "u",
      lastModified: date,
      changeFrequency: "daily",
      priority: 0,
    });
    expect(createEntry("u", undefined, undefined, undefined, 0.5)).toStrictEqual({ url: "u", priority: 0.5 });
  });
});
