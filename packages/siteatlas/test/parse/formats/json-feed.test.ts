import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntrySink } from "../../../src/parse/formats/entry-sink.ts";
import { JsonFeedReader } from "../../../src/parse/formats/json-feed.ts";
import { parseSitemap } from "../../../src/parse/parse-sitemap.ts";
import { UrlReader } from "../../../src/parse/values/url.ts";
import { runs, seed } from "../../support/runs.ts";
import { feed, read, readEachWay, site, urlsOf, version } from "./read-json-feed.ts";

describe("detection", () => {
  test("F22: JSON Feed 1.1", () => {
    const reading = readEachWay(`{"version": "${version}", "items": [{"id": "1", "url": "${site}/a"}]}`);
    expect(reading).toEqual({ isFeed: true, pages: [{ url: `${site}/a` }], codes: [] });
  });

  test.each([
    ["X42: JSON of another kind", `{"urls": ["${site}/a"]}`],
    ["items, but no version", `{"title": "T", "items": [{"url": "${site}/a"}]}`],
    ["another version", `{"version": "1.0", "items": [{"url": "${site}/a"}]}`],
    ["a version that is no text", `{"version": 1, "items": [{"url": "${site}/a"}]}`],
    ["a version further down", `{"a": {"version": "${version}"}, "items": [{"url": "${site}/a"}]}`],
    ["an array", `[{"version": "${version}", "items": []}]`],
    ["an empty object", "{}"],
    ["nothing", " \n"],
    ["broken from the start", `{version: "${version}"}`],
    ["truncated before anything was said", `{"items": [{"url": "${site}/a"}, {`],
  ])("not a JSON Feed: %s", (_, document) => {
    expect(readEachWay(document)).toEqual({ isFeed: false, pages: [], codes: [] });
  });

  test("is undecided until the version", () => {
    const sink: EntrySink = { page: () => {}, child: () => {}, report: () => {} };
    const urls = new UrlReader("", sink.report, { strict: false, escapeCode: "url.html-escaped" });
    const reader = new JsonFeedReader(sink, urls);
    reader.push('{"title": "T", "version": "');
    expect(reader.isFeed).toBeUndefined();
    reader.push(`${version}"`);
    expect(reader.isFeed).toBe(true);
  });

  test("version 1, slashes escaped as in PHP, byte order mark and blanks before", () => {
    const document = `\ufeff\r\n\t {"version" : "https:\\/\\/jsonfeed.org\\/version\\/1" , "items" : [ ] }`;
    expect(readEachWay(document)).toEqual({ isFeed: true, pages: [], codes: [] });
  });

  test("items wait for a version that comes after them", () => {
    const document = `{"items": [{"url": "/a"}, {"url": bad}, {"url": "${site}/b"}], "version": "${version}"}`;
    const reading = readEachWay(document);
    expect(urlsOf(reading)).toEqual([`${site}/a`, `${site}/b`]);
    expect(reading.codes).toEqual(["url.relative", "json.invalid"]);
  });

  test("too many waiting items: the keys before them decide", () => {
    const items = JSON.stringify(Array.from({ length: 1500 }, (_, index) => ({ url: `${site}/${index}` })));
    const said = read([`{"feed_url": "${site}/feed.json", "items": ${items}, "version": "${version}"}`]);
    expect(said.pages).toHaveLength(1500);
    const silent = read([`{"items": ${items}, "version": "${version}"}`]);
    expect(silent).toEqual({ isFeed: false, pages: [], codes: [] });
  });

  test("too long waiting items: the keys before them decide", () => {
    const item = `{"content_text": "${"x".repeat(1_000_000)}", "url": "${site}/a"}`;
    const document = (count: number) =>
      `{"items": [${Array(count).fill(item).join()}], "version": "${version}"}`;
    expect(read([document(4)]).pages).toHaveLength(4);
    expect(read([document(5)]).isFeed).toBe(false);
  });
});

describe("items", () => {
  test("maps each field", () => {
    const item = {
      id: "1",
      url: `${site}/a?b=1`,
      external_url: "https://other.example/x",
      title: " A title ",
      date_published: "2024-01-02T03:04:05Z",
      date_modified: "2024-02-03T04:05:06+01:00",
      image: "/i.png",
      banner_image: `${site}/b.png`,
      attachments: [
        { url: `${site}/a.mp3`, mime_type: "audio/mpeg", title: "Sound", size_in_bytes: 5 },
        { url: "a.ogg" },
        { mime_type: "audio/none" },
        null,
      ],
    };
    const { pages, codes } = readEachWay(feed([item]));
    expect(pages).toHaveLength(1);
    const { published, lastModified, ...rest } = pages[0]!;
    expect(rest).toEqual({
      url: `${site}/a?b=1`,
      title: "A title",
      images: [{ url: `${site}/i.png` }, { url: `${site}/b.png` }],
      media: [{ url: `${site}/a.mp3`, type: "audio/mpeg", title: "Sound" }, { url: `${site}/a.ogg` }],
    });
    expect(published?.text).toBe("2024-01-02T03:04:05Z");
    expect(published?.value?.toISOString()).toBe("2024-01-02T03:04:05.000Z");
    expect(lastModified?.value?.toISOString()).toBe("2024-02-03T03:05:06.000Z");
    expect(codes).toEqual(["url.relative", "url.relative"]);
  });

  test("without date_modified, date_published is the last modification, and is parsed once", () => {
    const { pages, codes } = read([feed([{ url: `${site}/a`, date_published: "no date" }])]);
    expect(pages[0]?.published?.text).toBe("no date");
    expect(pages[0]?.lastModified).toEqual(pages[0]?.published);
    expect(codes).toEqual(["date.invalid"]);
  });

  test("the URL is url, then external_url, then an id that is a URL", () => {
    const items = [
      { url: "", external_url: `${site}/a`, id: `${site}/x` },
      { url: 5, id: `${site}/b` },
      { id: "tag:example.com,2024:c" },
      { id: 4, title: "no URL" },
      { url: "/d e" },
      { url: "mailto:x@example.com", external_url: `${site}/y` },
    ];
    const reading = readEachWay(feed(items));
    expect(urlsOf(reading)).toEqual([`${site}/a`, `${site}/b`, `${site}/d%20e`]);
    expect(reading.pages[2]?.urlText).toBe("/d e");
    expect(reading.codes.filter((code) => code === "entry.missing-loc")).toHaveLength(2);
    expect(reading.codes).toContain("url.unsupported-scheme");
  });

  test("one broken item does not lose others", () => {
    const broken = [
      `{"url": "${site}/x", }`,
      `{"url": "${site}/x" "title": "y"}`,
      `{"url": "raw\nnewline"}`,
      '{"url": "bad \\x escape"}',
      "{[}]",
      `{"url": "${site}/x"]}`.slice(0, -1),
      "}",
      ":",
    ];
    for (const item of broken) {
      const document = `{"version": "${version}", "items": [{"url": "${site}/a"}, ${item}, {"url": "${site}/b"}]}`;
      const reading = readEachWay(document);
      expect(urlsOf(reading)).toEqual([`${site}/a`, `${site}/b`]);
      expect(reading.codes).toEqual(["json.invalid"]);
    }
  });

  test("strings may contain structural characters", () => {
    const item = { content_html: '}]{["\\', title: '"}],"version":"\u2028😀', url: `${site}/a` };
    const reading = readEachWay(feed([item, item], { description: '"items":[{\\"}' }));
    expect(urlsOf(reading)).toEqual([`${site}/a`, `${site}/a`]);
    expect(reading.pages[0]?.title).toBe('"}],"version":"\u2028😀');
  });

  test("values in items that are not objects are skipped and reported", () => {
    const document = `{"version": "${version}", "items": [1, "a,]", null, [{"url": "/x"}], true,{"url": "${site}/a"},-1.5e3,word]}`;
    const codes = [...Array(6).fill("entry.missing-loc"), "json.invalid"];
    expect(readEachWay(document)).toEqual({ isFeed: true, pages: [{ url: `${site}/a` }], codes });
  });

  test("only the items of the top level count", () => {
    const document = feed([{ url: `${site}/a`, items: [{ url: `${site}/x` }] }], {
      nested: { items: [{ url: `${site}/y` }] },
    });
    expect(urlsOf(readEachWay(document))).toEqual([`${site}/a`]);
  });

  test("never reads from or writes to a prototype", () => {
    const document = `{"version": "${version}", "__proto__": {"x": 1}, "items": [
      {"__proto__": {"url": "${site}/x", "title": "polluted"}, "constructor": {"prototype": {"title": "p"}}, "url": "${site}/a"},
      {"__proto__": {"url": "${site}/y"}}]}`;
    const reading = readEachWay(document);
    expect(reading.pages).toEqual([{ url: `${site}/a` }]);
    expect(reading.codes).toEqual(["entry.missing-loc"]);
    expect(({} as Record<string, unknown>)["title"]).toBeUndefined();
  });

  test("an item over 1 MiB is skipped, the next is read", () => {
    const long = { url: `${site}/x`, content_text: "x".repeat(1024 * 1024) };
    const reading = read([feed([{ url: `${site}/a` }, long, { url: `${site}/b` }])]);
    expect(urlsOf(reading)).toEqual([`${site}/a`, `${site}/b`]);
    expect(reading.codes).toEqual(["json.item-too-long"]);
  });
});

describe("truncated and broken documents", () => {
  const paths = ["/a", "/b", "/c"];
  const items = paths.map((path) => ({ id: path, url: site + path, title: 'q"}' }));

  test("every complete item is kept, wherever the document ends", () => {
    const document = feed(items, { home_page_url: site });
    const ends = items.map((item) => document.indexOf(JSON.stringify(item)) + JSON.stringify(item).length);
    for (let at = 0; at < document.length; at++) {
      const head = document.slice(0, at);
      const complete = paths.filter((_, index) => (ends[index] ?? 0) <= at).map((path) => site + path);
      expect(urlsOf(read([head]))).toEqual(complete);
      expect(read(head.split(""))).toEqual(read([head]));
      expect(read([head], true).codes).toEqual([]);
      expect(read([head]).codes).toEqual(read([head]).isFeed ? ["json.invalid"] : []);
    }
  });

  test("truncated before the version: decided by feed_url and home_page_url", () => {
    const start = `"items": [{"url": "${site}/a"}, {"url": "${site}/b`;
    expect(urlsOf(read([`{"home_page_url": "${site}", ${start}`]))).toEqual([`${site}/a`]);
    expect(urlsOf(read([`{"feed_url": "${site}", ${start}`], true))).toEqual([`${site}/a`]);
    expect(read([`{"title": "T", ${start}`]).isFeed).toBe(false);
  });

  test("a truncated feed is partial, wherever it ends, and a complete one is not", async () => {
    const document = feed(items);
    expect(await parseSitemap(document)).not.toHaveProperty("partial");
    for (let at = document.indexOf("items"); at < document.length; at++) {
      expect(await parseSitemap(document.slice(0, at))).toMatchObject({ kind: "pages", partial: true });
    }
  });

  test("an unreadable feed is partial", async () => {
    const broken = `{"version": "${version}" ; "items": [{"url": "${site}/a"}]}`;
    expect(await parseSitemap(broken)).toMatchObject({ kind: "pages", partial: true });
  });

  test.each([
    ["between members", `{"version": "${version}", "items": [{"url": "${site}/a"}] ; "x": 1}`],
    ["without colon", `{"version": "${version}", "items": [{"url": "${site}/a"}], "x" 1}`],
    ["without value", `{"version": "${version}", "items": [{"url": "${site}/a"}], "x": }`],
  ])("broken outside of items, %s: keeps the items before", (_, document) => {
    const reading = readEachWay(document);
    expect(urlsOf(reading)).toEqual([`${site}/a`]);
    expect(reading.codes).toEqual(["json.invalid"]);
  });
});

describe("properties", () => {
  const item = fc.record(
    {
      url: fc.oneof(fc.webUrl(), fc.string(), fc.integer()),
      title: fc.oneof(fc.string({ unit: "binary" }), fc.constant(null)),
      date_published: fc.string(),
      attachments: fc.oneof(fc.array(fc.object({ maxDepth: 1 }), { maxLength: 2 }), fc.string()),
      extra: fc.json(),
    },
    { requiredKeys: [] },
  );

  test("does not depend on chunks or white space", () => {
    fc.assert(
      fc.property(
        fc.array(item, { maxLength: 5 }),
        fc.array(fc.nat(400), { maxLength: 6 }),
        fc.constantFrom(0, 2),
        (items, cuts, indent) => {
          const document = JSON.stringify({ version, items }, null, indent);
          const places = [0, ...cuts.sort((a, b) => a - b), document.length];
          const chunks = places.slice(1).map((end, index) => document.slice(places[index], end));
          expect(read(chunks)).toEqual(read([JSON.stringify({ version, items })]));
        },
      ),
      { numRuns: runs(300), seed },
    );
  });

  test("never throws for any text", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      '"',
      "\\",
      ",",
      ":",
      `"version":"${version}"`,
      '"items":',
      " ",
      "x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expect(read(pieces)).toEqual(read([pieces.join("")]));
      }),
      { numRuns: runs(1000), seed },
    );
  });
});
