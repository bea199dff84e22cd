/** A tree as JSON, and back. The restored tree must be equal, and an error must name the damaged value. */
import assert from "node:assert";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  allPages,
  allSitemaps,
  type IndexWebsiteSitemap,
  type Sitemap,
  TreeError,
  type TreeErrorCode,
  treeFromJson,
} from "../../../src/index.ts";
import { issueValue } from "../../../src/model/issue-log.ts";
import { modelArbitrary, modelFormats } from "../../support/generate-model.ts";
import { runs, seed } from "../../support/runs.ts";
import { pagesNode, treeOf, walkSampleSite } from "./sample-tree.ts";

describe("JSON.stringify and treeFromJson", () => {
  it("restore the tree of a walk, with dates, precision and shared documents", async () => {
    const tree = await walkSampleSite();
    for (const again of [
      treeFromJson(JSON.stringify(tree)),
      treeFromJson(JSON.parse(JSON.stringify(tree))),
      treeFromJson(tree.toJSON?.()),
    ]) {
      assert.deepStrictEqual(again, tree);
      expect(again).toStrictEqual(tree);
      expect(JSON.stringify(again)).toBe(JSON.stringify(tree));
      expect(sharing(again)).toEqual(sharing(tree));
    }
    expect(sharing(tree).length).toBeGreaterThan(0);
    const [page] = allPages(treeFromJson(JSON.stringify(tree)));
    expect(page?.lastModified).toStrictEqual({
      text: "2024-01-02 03:04:05",
      value: new Date("2024-01-02T03:04:05Z"),
      precision: "time",
      zoneAssumed: true,
    });
  });

  it("take a text that starts with a byte order mark", async () => {
    const tree = await walkSampleSite();
    expect(treeFromJson(`\ufeff${JSON.stringify(tree)}`)).toStrictEqual(tree);
  });

  it("write the pages of a document once, however often it is listed", async () => {
    const tree = await walkSampleSite();
    const places = [...allSitemaps(tree)].filter(({ url }) => url.endsWith("/news.xml")).length;
    expect(places).toBe(3);
    // Once for /news.xml, and once for /copy.xml, which is another document.
    expect(JSON.stringify(tree).match(/"Ex"/g)).toHaveLength(2);
  });

  it("restore one node in several places as one node", () => {
    const shared = pagesNode([{ url: "https://example.com/a" }]);
    const tree = withToJsonOf({ ...treeOf([]), subSitemaps: [shared, shared] });
    const again = treeFromJson(JSON.stringify(tree));
    expect(again.subSitemaps[0]).toBe(again.subSitemaps[1]);
    expect(again.subSitemaps[1]?.pages.toArray()).toEqual([{ url: "https://example.com/a" }]);
  });

  it("work for a part of a tree, if any root is expected", async () => {
    const robots = (await walkSampleSite()).subSitemaps[0]!;
    const text = JSON.stringify(robots);
    const again: Sitemap = treeFromJson(text, { root: "any" });
    expect(again).toStrictEqual(robots);
    expect(() => treeFromJson(text)).toThrow(expect.objectContaining({ code: "not-a-website" }));
  });

  it("accept trees of thousands of levels", () => {
    let value: object = { ...plainNode, subSitemaps: [], pages: [] };
    for (let i = 0; i < 5000; i++) value = { ...plainNode, subSitemaps: [value], pages: [] };
    const tree = treeFromJson({ treeVersion: 1, ...value, format: "website" });
    expect([...allSitemaps(tree)].length).toBe(5000);
  });

  it("write 1,000 levels, and throw for more: too deep for JSON", () => {
    let value: object = { ...plainNode, subSitemaps: [], pages: [] };
    for (let i = 1; i < 1000; i++) value = { ...plainNode, subSitemaps: [value], pages: [] };
    const tree = treeFromJson({ treeVersion: 1, ...value }, { root: "any" });
    expect(treeFromJson(JSON.stringify(tree), { root: "any" })).toEqual(tree);
    const deeper = treeFromJson(
      { treeVersion: 1, ...plainNode, subSitemaps: [value], pages: [] },
      { root: "any" },
    );
    const message = /^The tree has more than 1000 levels, .*: use saveTree$/;
    expect(() => JSON.stringify(deeper)).toThrow(
      expect.objectContaining({
        name: "TreeError",
        code: "too-large",
        message: expect.stringMatching(message),
      }),
    );
  });

  it("do not change the value", () => {
    const value = JSON.parse(JSON.stringify(samplePlain()));
    const before = JSON.stringify(value);
    treeFromJson(value);
    expect(JSON.stringify(value)).toBe(before);
  });

  it.each(modelFormats.filter((format) => format !== "sitemapindex" && format !== "robots"))(
    "keep any pages of %s",
    (format) => {
      fc.assert(
        fc.property(
          modelArbitrary(format).map(({ pages }) => pages),
          (pages) => {
            const tree = withToJsonOf(treeOf(pages));
            expect(treeFromJson(JSON.stringify(tree))).toEqual(tree);
          },
        ),
        { numRuns: runs(30), seed },
      );
    },
  );
});

describe("a damaged value", () => {
  const date = { text: "2024", value: "2024-01-01T00:00:00.000Z", precision: "year" };
  const issue = { code: "url.relative", severity: "warning", url: "" };
  const cases: readonly [name: string, code: TreeErrorCode, message: RegExp, value: unknown][] = [
    ["no JSON", "not-a-tree", /not JSON/, "{"],
    ["a text", "not-a-tree", /treeVersion/, '"a"'],
    ["null", "not-a-tree", /treeVersion/, null],
    ["an array", "not-a-tree", /treeVersion/, []],
    ["the JSON of something else", "not-a-tree", /treeVersion/, { kind: "index" }],
    ["a later version", "unsupported-version", /is 2,.*version 1/, { ...samplePlain(), treeVersion: 2 }],
    ["a version that is a text", "unsupported-version", /string/, { ...samplePlain(), treeVersion: "1" }],
    ["no kind", "invalid", /^\$\.kind must be one of/, change({ kind: undefined })],
    ["another kind", "invalid", /^\$\.kind must be one of.*"other"/, change({ kind: "other" })],
    ["another format", "invalid", /^\$\.format/, change({ format: "rss" })],
    [
      "a missing list",
      "invalid",
      /^\$\.subSitemaps must be an array, but is missing/,
      change({ subSitemaps: undefined }),
    ],
    ["missing pages", "invalid", /^\$\.pages must be/, change({ pages: undefined })],
    ["an unknown property", "invalid", /^\$\.color must be absent/, change({ color: "red" })],
    [
      "a prototype",
      "invalid",
      /__proto__/,
      JSON.parse(JSON.stringify(change({})).replace('"url"', '"__proto__":{},"url"')),
    ],
    ["a negative count", "invalid", /^\$\.issueCount must be a count, but is -1/, change({ issueCount: -1 })],
    [
      "an unknown issue",
      "invalid",
      /^\$\.issues\[0\]\.code/,
      change({ issues: [{ code: "constructor", severity: "error", url: "" }] }),
    ],
    [
      "an issue with a script as URL",
      "invalid",
      /^\$\.issues\[0\]\.url must be an http/,
      change({ issues: [{ ...issue, url: "javascript:alert(1)" }] }),
    ],
    ...["\x1b]0;title\x07", "\u202ea", "see http://user:secret@example.com/", "a".repeat(513)].flatMap(
      (text): typeof cases => [
        [
          `an issue with the value ${JSON.stringify(text.slice(0, 40))}`,
          "invalid",
          /^\$\.issues\[0\]\.value must be a text of at most 512/,
          change({ issues: [{ ...issue, value: text }] }),
        ],
        [
          `a reason ${JSON.stringify(text.slice(0, 40))}`,
          "invalid",
          /^\$\.reason must be a text of at most 512/,
          change({ kind: "invalid", format: undefined, code: "content.html", reason: text }),
        ],
      ],
    ),
    [
      "a header with a line break",
      "invalid",
      /^\$\.http\.etag/,
      change({ http: { status: 200, bytes: 1, ms: 1, etag: "a\nb" } }),
    ],
    ["a URL of another scheme", "invalid", /^\$\.url/, change({ url: "file:///etc/passwd" })],
    ["a hash that is none", "invalid", /contentHash/, change({ contentHash: "abc" })],
    [
      "a node that is a text",
      "invalid",
      /^\$\.subSitemaps\[0\] must be an object/,
      change({ subSitemaps: ["a"] }),
    ],
    [
      "a reference to nothing",
      "invalid",
      /earlier sitemap, but is 7/,
      change({ subSitemaps: [{ sameAs: 7 }] }),
    ],
    [
      "a reference to an ancestor",
      "invalid",
      /not above it, but is 0/,
      change({ subSitemaps: [{ sameAs: 0 }] }),
    ],
    [
      "a reference with more",
      "invalid",
      /url must be absent/,
      change({ subSitemaps: [{ sameAs: 0, url: "a" }] }),
    ],
    ["pages of nothing", "invalid", /^\$\.pages.*earlier sitemap/, change({ pages: { sameAs: 3 } })],
    ["pages of itself", "invalid", /^\$\.pages.*earlier sitemap/, change({ pages: { sameAs: 0 } })],
    [
      "a page without a URL",
      "invalid",
      /^\$\.pages\[0\]\.url must be .* but is missing/,
      change({ pages: [{}] }),
    ],
    ["a script as URL", "invalid", /pages\[0\]\.url/, withPage({ url: "javascript:alert(1)" })],
    [
      "credentials in a URL",
      "invalid",
      /pages\[0\]\.url/,
      withPage({ url: "https://user:secret@example.com/" }),
    ],
    [
      "a control character in a URL",
      "invalid",
      /pages\[0\]\.url/,
      withPage({ url: "https://example.com/\n" }),
    ],
    ["a priority above 1", "invalid", /priority must be a number from 0 to 1/, withPage({ priority: 1.5 })],
    [
      "a frequency",
      "invalid",
      /changeFrequency must be one of always/,
      withPage({ changeFrequency: "often" }),
    ],
    [
      "a date as text",
      "invalid",
      /lastModified must be an object, but is "2024"/,
      withPage({ lastModified: "2024" }),
    ],
    [
      "a date without a text",
      "invalid",
      /lastModified\.text/,
      withPage({ lastModified: { ...date, text: undefined } }),
    ],
    [
      "an instant in words",
      "invalid",
      /lastModified\.value/,
      withPage({ lastModified: { ...date, value: "2024" } }),
    ],
    [
      "an impossible instant",
      "invalid",
      /lastModified\.value/,
      withPage({ lastModified: { ...date, value: "2024-02-30T00:00:00.000Z" } }),
    ],
    [
      "a date without a precision",
      "invalid",
      /has value and precision, or neither/,
      withPage({ lastModified: { ...date, precision: undefined } }),
    ],
    [
      "an image without a URL",
      "invalid",
      /pages\[0\]\.images\[1\]\.url/,
      withPage({ images: [{ url: "https://example.com/" }, {}] }),
    ],
    ["a video without tags", "invalid", /videos\[0\]\.tags must be an array/, withPage({ videos: [{}] })],
  ];

  it.each(cases)("%s: %s", (_, code, message, value) => {
    for (const form of typeof value === "string" ? [value] : [value, JSON.stringify(value)]) {
      const error = errorOf(() => treeFromJson(form));
      expect(error).toBeInstanceOf(TreeError);
      expect(error).toMatchObject({ code, name: "TreeError", message: expect.stringMatching(message) });
    }
  });

  it("accepts every issue value that a document can cause", () => {
    const part = fc.constantFrom(
      "/",
      "\\\\",
      "//",
      "@",
      ":",
      "***",
      "a",
      "\x1b",
      "\u202e",
      "\n",
      " ",
      "\ud83c",
      "é",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 250 }), (parts) => {
        const value = issueValue(parts.join(""));
        expect(treeFromJson(change({ issues: [{ ...issue, value }] })).issues[0]?.value).toBe(value);
      }),
      { numRuns: runs(1000), seed },
    );
  });

  it("does not repeat long or dangerous text in the message", () => {
    const error = errorOf(() =>
      treeFromJson(withPage({ url: `https://u:secret@e.com/\x1b[31m${"a".repeat(10_000)}` })),
    );
    expect((error as Error).message).not.toMatch(/secret|\x1b/);
    expect((error as Error).message.length).toBeLessThan(600);
  });

  it("in any place throws a TreeError or returns a tree", async () => {
    const text = JSON.stringify(await walkSampleSite());
    const change = fc.tuple(
      fc.nat(text.length),
      fc.nat(5),
      fc.constantFrom("", "0", '"', "{", "}", ",", "-1", "null", "[]"),
    );
    fc.assert(
      fc.property(change, ([at, length, inserted]) => {
        const damaged = text.slice(0, at) + inserted + text.slice(at + length);
        const error = errorOf(() => treeFromJson(damaged));
        if (error !== undefined) expect(error).toBeInstanceOf(TreeError);
      }),
      { numRuns: runs(500), seed },
    );
  });
});

const plainNode = {
  kind: "index",
  format: "xml",
  url: "https://example.com/",
  issues: [],
  issueCount: 0,
  duplicateCount: 0,
};

function samplePlain() {
  return { treeVersion: 1, ...plainNode, format: "website", subSitemaps: [], pages: [] };
}

function change(fields: object): object {
  return { ...samplePlain(), ...fields };
}

function withPage(fields: object): object {
  return change({ pages: [{ url: "https://example.com/a", ...fields }] });
}

function errorOf(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Groups of places that share their pages, as numbers of nodes. */
function sharing(tree: Sitemap): number[][] {
  const places = new Map<unknown, number[]>();
  [...allSitemaps(tree)].forEach(({ pages }, i) => {
    if (pages.length > 0) places.set(pages, [...(places.get(pages) ?? []), i]);
  });
  return [...places.values()].filter((numbers) => numbers.length > 1);
}

/** The same tree with the `toJSON` that trees of a walk have. */
function withToJsonOf(tree: IndexWebsiteSitemap): IndexWebsiteSitemap {
  const empty = treeFromJson(samplePlain());
  return Object.defineProperty({ ...tree }, "toJSON", { value: empty.toJSON });
}
