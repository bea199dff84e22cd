import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { dateValue } from "../../src/model/date-value.ts";
import type { DateValue, Page } from "../../src/model/model.ts";
import { type CompactPageList, PageListBuilder } from "../../src/page-list/page-list.ts";
import { parseSitemap } from "../../src/parse/parse-sitemap.ts";
import { parseDate, readDate } from "../../src/parse/values/parse-date.ts";
import { modelArbitrary, modelFormats } from "../support/generate-model.ts";
import { runs, seed } from "../support/runs.ts";
import { seededRandom } from "../support/splits.ts";

function listOf(pages: Iterable<Page>): CompactPageList {
  const builder = new PageListBuilder();
  for (const page of pages) builder.add(page);
  return builder.finish();
}

/** Iterates twice, because each iteration unpacks the pages again. */
function expectSame(pages: readonly Page[]): CompactPageList {
  const list = listOf(pages);
  expect(list.length).toBe(pages.length);
  expect([...list]).toEqual(pages);
  expect([...list]).toEqual(pages);
  expect(JSON.stringify(list)).toBe(JSON.stringify(pages));
  return list;
}

const page = (fields: Partial<Page> = {}): Page => ({ url: "https://example.com/", ...fields });
const read = (text: string): DateValue => readDate(text, "sitemap", () => {});

describe("pages come back as they went in", () => {
  test("an empty list", () => {
    expect([...expectSame([])]).toEqual([]);
  });

  test("all fields of a sitemap's page", () => {
    expectSame([
      page(),
      page({
        lastModified: read("2024-01-02"),
        urlText: "https://EXAMPLE.com/ü",
        changeFrequency: "weekly",
        priority: 0.8,
        mobile: true,
        news: {
          title: "ü 🌞",
          published: read("2024-01-02T03:04:05Z"),
          genres: ["a"],
          keywords: [],
          stockTickers: [],
        },
        images: [{ url: "https://example.com/a.jpg", caption: '"\\\n' }],
        videos: [{ published: read("2024"), expires: read("no date"), rating: 4.2, live: false, tags: [] }],
        alternates: [{ url: "https://example.com/de", language: "de" }],
        pageMap: [{ attributes: [{ name: "a", value: "b" }] }],
      }),
      page(),
    ]);
  });

  test("all fields of a feed's entry", () => {
    const published = readDate("Thu, 01 Jan 2026 00:00:00 GMT", "feed", () => {});
    expectSame([
      page({
        lastModified: published,
        title: "t",
        published,
        feedUrl: "https://feeds.example.com/1",
        media: [{ url: "https://example.com/a.mp3", type: "audio/mpeg" }],
      }),
    ]);
  });

  test.each(["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"] as const)(
    "changeFrequency %s",
    (changeFrequency) => {
      expectSame([page({ changeFrequency }), page()]);
    },
  );

  test("a changeFrequency outside of its type counts as absent", () => {
    const odd = page({ changeFrequency: "sometimes" as never, priority: 0.5 });
    expect([...listOf([odd, page({ title: "t" })])]).toEqual([page({ priority: 0.5 }), page({ title: "t" })]);
  });

  test("every priority", () => {
    const hundredths = Array.from({ length: 101 }, (_, i) => i / 100);
    const others = [-0, 0.80000001, 1 / 3, Number.MIN_VALUE, 0.1 + 0.2, 1.01, 2.55, -0.5];
    expectSame([...hundredths, ...others].map((priority) => page({ priority })));
  });

  test("URLs of every kind, each after every other", () => {
    const urls = [
      "https://example.com/",
      "https://example.com/a",
      "https://example.com/aa",
      "https://example.com/aaa",
      "https://example.com/aaa?b=c&d=%C3%BC~!$'()*+,;:@_-.",
      `https://example.com/${"x".repeat(8000)}`,
      "http://xn--bcher-kva.example:8080/ABCDEFGHIJKLMNOPQRSTUVWXYZ/0123456789",
      "",
      "ünicode 🌞 \0\x7f",
      "\ud800 lone \udc00",
      '\ud800"\\',
    ];
    expectSame(
      urls.flatMap((first) => urls.flatMap((second) => [page({ url: first }), page({ url: second })])),
    );
  });

  test("a page larger than a block", () => {
    const images = Array.from({ length: 1000 }, (_, i) => ({
      url: `https://example.com/${i}/${"ü".repeat(100)}.jpg`,
    }));
    expectSame([page(), page({ images }), page({ title: "t" }), page({ images }), page()]);
  });

  test("properties in any order after the URL", () => {
    const rest: readonly (readonly [keyof Page, unknown])[] = [
      ["priority", 0.5],
      ["title", "t"],
      ["lastModified", read("2024-01-02T03:04:05Z")],
      ["changeFrequency", "daily"],
      ["urlText", "https://example.com"],
    ];
    const orders = rest.flatMap((_, i) => [
      [...rest.slice(i), ...rest.slice(0, i)],
      [...rest.slice(i), ...rest.slice(0, i)].reverse(),
    ]);
    expectSame(orders.map((fields) => page(Object.fromEntries(fields))));
  });

  test("a property with the value undefined counts as absent", () => {
    const odd = { url: "https://example.com/", lastModified: undefined, title: undefined } as unknown as Page;
    expect(JSON.stringify(listOf([odd]))).toBe(JSON.stringify([odd]));
  });
});

describe("dates come back as they were written", () => {
  const texts = [
    "2024",
    "2024-02",
    "2024-02-29",
    "2024-02-29T23:59Z",
    "2024-02-29T23:59:58Z",
    "2024-02-29T23:59:58.123Z",
    "2024-02-29T23:59:58+00:00",
    "2024-02-29T23:59:58-00:00",
    "2024-02-29T23:59:58+05:45",
    "2024-02-29T00:00:58-11:30",
    "2024-02-29T23:59+01:00",
    "2024-02-29T23:59:58.123-23:59",
    "2024-02-29t23:59:58Z",
    "2024-02-29T23:59:58z",
    "2024-02-29T23:59:58.1z",
    "2024-02-29T23:59:58.1Z",
    "2024-02-29T23:59:58.123456Z",
    "0002-01-01",
    "0099-12-31T23:59:59Z",
    "1969-12-31T09:59:59.999Z",
    "1970-01-01",
    "9999-12-31T23:59:59.999Z",
    "2024-02-29 23:59:58",
    "2024-02-29T24:00:00Z",
    "29.02.2024",
    "Thu, 29 Feb 2024 23:59:58 GMT",
    "0000-00-00",
    "today",
    "ü \ud800",
    "",
  ];

  test("every form, each after every other", () => {
    const dates = texts.flatMap((first) => texts.flatMap((second) => [read(first), read(second)]));
    expectSame(dates.map((lastModified) => page({ lastModified })));
  });

  test("with text, instant, precision and assumed zone", () => {
    const [date] = [...listOf([page({ lastModified: read("2024-02-29 23:59:58") })])].map(
      (p) => p.lastModified,
    );
    expect(date?.text).toBe("2024-02-29 23:59:58");
    expect(date?.value).toEqual(new Date("2024-02-29T23:59:58Z"));
    expect(date?.precision).toBe("time");
    expect(date?.zoneAssumed).toBe(true);
  });

  test("parsed by a caller, as plain objects", () => {
    const { codes, ...date } = parseDate("2024-02-29T23:59:58+01:00");
    expect(codes).toEqual([]);
    expectSame([page({ lastModified: date, published: date })]);
  });

  test("with an instant that differs from the text", () => {
    expectSame([
      page({ lastModified: dateValue("2024-02-29", 12345, "day") }),
      page({ lastModified: dateValue("2024-02-29", Date.UTC(2024, 1, 29), "time") }),
      page({ lastModified: dateValue("2024-02-29", Date.UTC(2024, 1, 29), "day", true) }),
      page({ lastModified: { text: "2024-02-29" } }),
    ]);
  });
});

describe("properties", () => {
  test.each(modelFormats.filter((format) => format !== "sitemapindex" && format !== "robots"))(
    "any pages of %s",
    (format) => {
      const pages = modelArbitrary(format).map((model) => model.pages);
      fc.assert(
        fc.property(pages, (some) => {
          expectSame(some);
        }),
        { numRuns: runs(100), seed },
      );
    },
  );

  test("any texts and dates", () => {
    const text = fc.oneof(
      fc.webUrl(),
      fc.string({ unit: "grapheme" }),
      fc.string({ unit: "binary" }),
      fc.array(fc.integer({ min: 0xd700, max: 0xe000 })).map((codes) => String.fromCharCode(...codes)),
    );
    const epochMs = fc.oneof(fc.date({ noInvalidDate: true }).map(Number), fc.constant(NaN));
    const precision = fc.constantFrom("year", "month", "day", "time");
    const anyDate = fc.tuple(text, epochMs, precision, fc.boolean()).map((parts) => dateValue(...parts));
    const isoDate = fc
      .date({ noInvalidDate: true, min: new Date("0001-01-01"), max: new Date("9999-12-31") })
      .chain((date) =>
        fc.constantFrom(4, 7, 10, 16, 19, 23).map((length) => date.toISOString().slice(0, length)),
      )
      .chain((head) =>
        fc.constantFrom("", "Z", "+00:00", "-08:00", "+14:00").map((zone) => read(head + zone)),
      );
    const anyPage = fc.record(
      {
        url: text,
        lastModified: fc.oneof(anyDate, isoDate),
        urlText: text,
        priority: fc.double(),
        title: text,
      },
      { requiredKeys: ["url"], noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.array(anyPage.map((fields): Page => ({ ...fields }))), (pages) => {
        expectSame(pages);
      }),
      { numRuns: runs(300), seed },
    );
  });
});

/** A typical page of a large site: six random words, a date to the second, frequency and priority. */
function* typicalPages(count: number): Generator<Page> {
  const random = seededRandom(1);
  const words =
    "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november".split(" ");
  const word = (): string => words[Math.floor(random() * words.length)]!;
  for (let i = 0; i < count; i++) {
    const slug = `${word()}/${word()}-${word()}-${word()}-${Math.floor(random() * 1e6)}-${word()}-${word()}`;
    const date = new Date(Date.UTC(2018, 0, 1) + Math.floor(random() * 7 * 365 * 86_400) * 1000);
    yield {
      url: `https://www.example.com/${slug}`,
      lastModified: read(`${date.toISOString().slice(0, 19)}+00:00`),
      changeFrequency: "daily",
      priority: 0.8,
    };
  }
}

describe("size", () => {
  test("typical pages take less than 45 bytes each, over many blocks", () => {
    const pages = [...typicalPages(6000)];
    expect(pages.reduce((sum, { url }) => sum + url.length, 0) / pages.length).toBeGreaterThan(60);
    const list = expectSame(pages);
    expect(list.byteLength / list.length).toBeLessThan(45);
  });

  test("numbered pages take a few bytes each", () => {
    const lastModified = read("2024-01-02T03:04:05+00:00");
    const list = listOf(
      Array.from({ length: 10_000 }, (_, i) =>
        page({ url: `https://example.com/item-${i}.html`, lastModified }),
      ),
    );
    expect(list.byteLength / list.length).toBeLessThan(8);
  });

  test("a small list takes little", () => {
    expect(listOf([page()]).byteLength).toBeLessThan(30);
  });
});

describe("the list", () => {
  test("creates new pages on each iteration, and concurrent iterations are independent", () => {
    const pages = [...typicalPages(3000)];
    const list = listOf(pages);
    const inner = [];
    for (const outer of list) {
      if (inner.length === 0) for (const one of list) inner.push(one.url);
      expect(outer.url).toBe(pages.shift()?.url);
    }
    expect(inner).toHaveLength(3000);
    const [first] = list;
    const [again] = list;
    expect(first).not.toBe(again);
  });

  test("can be iterated in part", () => {
    const urls = [];
    for (const { url } of listOf(typicalPages(5000))) {
      urls.push(url);
      if (urls.length === 3) break;
    }
    expect(urls).toHaveLength(3);
  });

  test("keeps parsed pages unchanged", async () => {
    const sitemap = await parseSitemap(
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc>https://example.com/a b</loc><lastmod>2024-01-02T03:04:05+01:00</lastmod><priority>0.64</priority></url>
        <url><loc>https://example.com/c</loc><changefreq>daily</changefreq></url>
      </urlset>`,
      { url: "https://example.com/sitemap.xml" },
    );
    const pages = [...sitemap.pages];
    expect(pages).toHaveLength(2);
    expectSame(pages);
  });

  test("rejects pages after it is finished", () => {
    const builder = new PageListBuilder();
    builder.add(page());
    expect(builder.length).toBe(1);
    const list = builder.finish();
    expect(() => builder.add(page())).toThrow(new TypeError("Cannot add a page: the list is finished"));
    expect(list.length).toBe(1);
  });
});

describe("pages of one entry share their images", () => {
  const images = Array.from({ length: 5000 }, (_, index) => ({
    url: `https://example.com/image-${index}.jpg`,
  }));
  const shared = Array.from({ length: 300 }, (_, index) =>
    page({ url: `https://example.com/${index}`, images }),
  );

  test("they are packed and parsed once, not once per page", () => {
    const stringify = vi.spyOn(JSON, "stringify");
    const list = listOf(shared);
    expect(stringify).toHaveBeenCalledTimes(1);
    stringify.mockRestore();
    expect(list.byteLength).toBeLessThan(2 * JSON.stringify(images).length);
    const parse = vi.spyOn(JSON, "parse");
    const read = [...list];
    expect(parse).toHaveBeenCalledTimes(1);
    parse.mockRestore();
    expect(read).toEqual(shared);
    expect(list.at(299)).toEqual(shared[299]);
  });

  test("more pages than a block holds, and other pages between them", () => {
    const few = images.slice(0, 200);
    const pages = Array.from({ length: 20_000 }, (_, index) =>
      page({
        url: `https://example.com/${(index * 7919) % 20_000}/${index}`,
        ...(index % 100 !== 0 && { images: index % 1000 < 900 ? few : images.slice(0, 3) }),
      }),
    );
    const list = listOf(pages);
    expect([...list]).toEqual(pages);
    for (const index of [0, 1, 99, 100, 899, 900, 19_999]) expect(list.at(index)).toEqual(pages[index]);
  });

  test("short values are not shared by the pages that are read", () => {
    const [first, second] = listOf(shared.map((each) => ({ ...each, images: images.slice(0, 2) })));
    expect(first!.images).toEqual(second!.images);
    expect(first!.images).not.toBe(second!.images);
  });
});
