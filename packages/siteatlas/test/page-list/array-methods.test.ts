/** The methods of a page list, against those of an array with the same pages. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Page, PageList } from "../../src/model/model.ts";
import { pageArray } from "../../src/model/page-array.ts";
import { PageListBuilder } from "../../src/page-list/page-list.ts";
import { runs, seed } from "../support/runs.ts";

const numbers = (count: number): Page[] =>
  Array.from({ length: count }, (_, i) => ({ url: `https://example.com/${i}`, title: `${i}`.repeat(20) }));

function compact(pages: readonly Page[]): PageList {
  const builder = new PageListBuilder();
  for (const page of pages) builder.add(page);
  return builder.finish();
}

/** Enough pages for several blocks. */
const MANY = 8000;
const many = numbers(MANY);
const lists = [0, 1, 2, 50, MANY].map((length) => {
  const pages = many.slice(0, length);
  return { pages, list: compact(pages) };
});

/** Any number that a caller may pass, most of them near the ends of the lists. */
const index = fc.oneof(
  fc.integer({ min: -60, max: 60 }),
  fc.integer({ min: -MANY - 5, max: MANY + 5 }),
  fc.double(),
  fc.constantFrom(NaN, Infinity, -Infinity, -0, 0.5, -0.5, 2 ** 53, -(2 ** 53)),
);
const bound = fc.option(index, { nil: undefined });

describe.each(lists)("a list of $pages.length pages", ({ pages, list }) => {
  test("at", () => {
    fc.assert(
      fc.property(index, (i) => {
        expect(list.at(i)).toEqual(pages.at(i));
      }),
      { numRuns: runs(200), seed },
    );
  });

  test("slice", () => {
    fc.assert(
      fc.property(bound, bound, (start, end) => {
        expect(JSON.stringify(list.slice(start, end))).toBe(JSON.stringify(pages.slice(start, end)));
      }),
      { numRuns: runs(50), seed },
    );
  });

  test("map, filter and toArray", () => {
    const label = (page: Page, i: number) => `${i} ${page.url}`;
    const isThird = (_: Page, i: number) => i % 3 === 0;
    expect(list.map(label)).toEqual(pages.map(label));
    expect(list.filter(isThird)).toEqual(pages.filter(isThird));
    expect(list.toArray()).toEqual(pages);
    expect(list.slice()).toEqual(pages);
  });
});

test("at: loops over two lists at the same time, forward and backward", () => {
  const a = compact(many);
  const b = compact(many.slice(0, 300));
  for (let i = 0; i < 300; i++) {
    expect(a.at(MANY - 300 + i)?.url).toBe(many[MANY - 300 + i]?.url);
    expect(b.at(-1 - i)?.url).toBe(many[299 - i]?.url);
    expect(b.at(-1 - i)?.url).toBe(many[299 - i]?.url);
  }
});

test("filter keeps the type that its callback proves", () => {
  const dated = compact([
    { url: "https://example.com/" },
    { url: "https://example.com/a", title: "A" },
  ]).filter((page): page is Page & { readonly title: string } => page.title !== undefined);
  const titles: string[] = dated.map(({ title }) => title);
  expect(titles).toEqual(["A"]);
});

test("an array of pages has the same methods, and is a copy", () => {
  const pages = numbers(3);
  const list = pageArray(numbers(3));
  expect(list).toStrictEqual(pages);
  expect(list.toArray()).toStrictEqual(pages);
  expect(list.toArray()).not.toBe(list);
  expect(list.at(-1)).toEqual(pages[2]);
});
