import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IssueLog } from "../../../src/model/issue-log.ts";
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import type { Page } from "../../../src/model/model.ts";
import { TextSitemapReader } from "../../../src/parse/formats/url-list.ts";
import { UrlReader } from "../../../src/parse/values/url.ts";
import { runs, seed } from "../../support/runs.ts";

const B = "https://www.example.com";

interface ReadOptions {
  readonly url?: string;
  readonly contentType?: string;
  readonly strict?: boolean;
  readonly cut?: boolean;
}

interface Reading {
  readonly isSitemap: boolean | undefined;
  readonly pages: readonly Page[];
  /** `code@line`, in order. */
  readonly issues: readonly string[];
}

function readChunks(chunks: Iterable<string>, options: ReadOptions): Reading {
  const { url = `${B}/sitemap.txt`, contentType, strict = false, cut = false } = options;
  const log = new IssueLog(url, strict);
  const pages: Page[] = [];
  const sink = { page: (page: Page) => pages.push(page), child: () => {}, report: log.report };
  const urls = new UrlReader(url, log.report, { strict, escapeCode: "url.html-escaped" });
  const reader = new TextSitemapReader(sink, urls, { url, contentType, strict });
  for (const chunk of chunks) reader.push(chunk);
  reader.end(cut);
  const issues = log.kept.map(({ code, line }) => (line === undefined ? code : `${code}@${line}`));
  return { isSitemap: reader.isSitemap, pages, issues };
}

/** Complete, character by character and split in two at every position. */
function read(text: string, options: ReadOptions = {}): Reading {
  const whole = readChunks([text], options);
  expect(readChunks(text.split(""), options)).toEqual(whole);
  for (let at = 0; at <= text.length; at++) {
    expect(readChunks([text.slice(0, at), text.slice(at)], options)).toEqual(whole);
  }
  return whole;
}

const urlsOf = ({ pages }: Reading): string[] => pages.map(({ url }) => url);
const datesOf = ({ pages }: Reading) => pages.map(({ lastModified }) => lastModified?.value?.toISOString());

describe("group T", () => {
  it.each<[string, string, string[], string[], ReadOptions?]>([
    ["T01", `${B}/a\n${B}/b\n`, ["/a", "/b"], []],
    ["T01 without last line end", `${B}/a\n${B}/b`, ["/a", "/b"], []],
    ["T02", `\r\n  ${B}/a  \r\n\r\n\t${B}/b\r\n`, ["/a", "/b"], []],
    ["T03", `${B}/a\r${B}/b\r`, ["/a", "/b"], []],
    ["T04, E13", `\ufeff${B}/a\r\n${B}/b\r\n`, ["/a", "/b"], []],
    ["T05", `# list\n${B}/a\n`, ["/a"], ["text.comment@1"]],
    ["T06", `Sitemap of example\n${B}/a\n${B}/b\n`, ["/a", "/b"], ["text.non-url-line@1"]],
    ["T07", `${B}/a\t2024-01-02\n${B}/b\t2024-01-03\n`, ["/a", "/b"], columns(1, 2)],
    ["T08", `url,lastmod\n${B}/a,2024-01-02\n`, ["/a"], ["text.non-url-line@1", ...columns(2)]],
    ["T09", "/a\n/b\n", ["/a", "/b"], ["url.relative@1", "url.relative@2"], { contentType: "text/plain" }],
    ["T09 after a URL", `/a\n${B}/b\nc.html`, ["/a", "/b", "/c.html"], ["url.relative@1", "url.relative@3"]],
    ["T10", `${B}/a ${B}/b\n`, ["/a", "/b"], ["text.multiple-urls@1"]],
    ["T12", "www.example.com/a\nwww.example.com/b\n", ["/a", "/b"], ["url.schemeless@1", "url.schemeless@2"]],
    ["T13", `${B}/sitemap1.xml\n${B}/sitemap2.xml.gz\n`, ["/sitemap1.xml", "/sitemap2.xml.gz"], []],
    ["T14", `${B}/a\n${B}/b\n`, ["/a", "/b"], ["content.type-mismatch"], { url: `${B}/sitemap.xml` }],
    [
      "T14 by type",
      `${B}/a\n`,
      ["/a"],
      ["content.type-mismatch"],
      { contentType: "application/xml; charset=utf-8" },
    ],
    ["T15", `${B}/é\n${B}/a b\n`, ["/%C3%A9", "/a%20b"], ["url.space@2"]],
  ])("%s", (_, text, paths, issues, options) => {
    const reading = read(text, options);
    expect(reading.isSitemap).toBe(true);
    expect(urlsOf(reading)).toEqual(paths.map((path) => B + path));
    expect(reading.issues).toEqual(issues);
  });

  it("S02: reads 50,001 lines", () => {
    const text = Array.from({ length: 50_001 }, (_, index) => `${B}/${index}`).join("\n");
    const { pages, issues } = readChunks([text], {});
    expect(pages.length).toBe(50_001);
    expect(pages.at(-1)).toEqual({ url: `${B}/50000` });
    expect(issues).toEqual([]);
  });
});

function columns(...lines: number[]): string[] {
  return lines.map((line) => `text.extra-columns@${line}`);
}

describe("texts that are not sitemaps", () => {
  it.each<[string, string, ReadOptions?]>([
    ["nothing", ""],
    ["blank lines", "\n \n\t\n"],
    ["comments", "# a\n# b\n", { contentType: "text/plain" }],
    ["prose", "Not Found\n", { contentType: "text/plain" }],
    ["prose with a URL in it", `See ${B}/a for more\n`, { contentType: "text/plain" }],
    ["a word", "ok", { contentType: "text/plain" }],
    ["T09 under another type", "/a\n/b\n", { contentType: "text/html" }],
    ["T09 under another name", "/a\n/b\n", { contentType: "text/plain", url: `${B}/list` }],
    ["T09 without type", "/a\n/b\n"],
    ["T09 with prose", "/a\nand more\n", { contentType: "text/plain" }],
    ["a list of domains", "example.com\nexample.net\n", { contentType: "text/plain" }],
    ["T12 in part", "www.example.com/a\nHello\n"],
    ["T12 in strict mode", "www.example.com/a\n", { strict: true }],
    ["T09 in strict mode", "/a\n", { contentType: "text/plain", strict: true }],
    ["a script", "var a = 1;\n// www.example.com/a\n"],
  ])("%s", (_, text, options) => {
    expect(read(text, options)).toEqual({ isSitemap: false, pages: [], issues: [] });
  });

  it("no URL in the first 100 lines", () => {
    const lines = (count: number) => `${"word\n\n".repeat(count)}${B}/a\n`;
    expect(readChunks([lines(99)], {}).isSitemap).toBe(true);
    expect(readChunks([lines(99)], {}).pages).toEqual([{ url: `${B}/a` }]);
    expect(readChunks([lines(100)], {})).toEqual({ isSitemap: false, pages: [], issues: [] });
  });

  it("no URL in the first 64 KiB, decided before the end", () => {
    const states: (boolean | undefined)[] = [];
    const log = new IssueLog("", false);
    const sink = { page: () => {}, child: () => {}, report: log.report };
    const urls = new UrlReader("", log.report, { strict: false, escapeCode: "url.html-escaped" });
    const reader = new TextSitemapReader(sink, urls, { url: "", contentType: undefined, strict: false });
    for (const text of ["word\n", `${"x".repeat(60_000)}\n`, `${"x".repeat(6_000)}\n`, `${B}/a\n`]) {
      reader.push(text);
      states.push(reader.isSitemap);
    }
    expect(states).toEqual([undefined, undefined, false, false]);
  });

  it("decides at the first URL", () => {
    expect(readChunks(["word\n", `${B}/a\n`], { cut: true }).isSitemap).toBe(true);
  });
});

describe("an incomplete document", () => {
  it("loses a last line without line end", () => {
    expect(urlsOf(read(`${B}/a\n${B}/b`, { cut: true }))).toEqual([`${B}/a`]);
    expect(urlsOf(read(`${B}/a\n${B}/b\r`, { cut: true }))).toEqual([`${B}/a`, `${B}/b`]);
    expect(read(`${B}/a`, { cut: true })).toEqual({ isSitemap: false, pages: [], issues: [] });
  });
});

describe("columns (T07, T08)", () => {
  const day = "2024-01-02T00:00:00.000Z";

  it.each<[string, string, string | undefined]>([
    [`${B}/a\t2024-01-02`, "/a", day],
    [`${B}/a\t2024-01-02T03:04:05Z\tdaily\t0.8`, "/a", "2024-01-02T03:04:05.000Z"],
    [`${B}/a\tSome title, with a comma`, "/a", undefined],
    [`${B}/a\t2024`, "/a", undefined],
    [`${B}/a,2024-01-02`, "/a", day],
    [`${B}/a;2024-01-02`, "/a", day],
    [`${B}/a|2024-01-02`, "/a", day],
    [`${B}/a 2024-01-02`, "/a", day],
    [`${B}/a 2024-01-02 03:04:05`, "/a", "2024-01-02T03:04:05.000Z"],
    [`${B}/a 2024-01-02 03:04:05 +0100 daily 0.8`, "/a", "2024-01-02T02:04:05.000Z"],
    [`${B}/a, 2024-01-02`, "/a", day],
    [`${B}/a | Title`, "/a", undefined],
    [`${B}/a,daily,0.8`, "/a", undefined],
    [`${B}/a,2024-01-02,5`, "/a", day],
    [`${B}/a,0.8,daily`, "/a", undefined],
    [`${B}/a,2024-01-02,daily,0.8`, "/a", day],
    [`${B}/a,daily,0.8,2024-01-02`, "/a", day],
    [`${B}/title,12345,2024-01-02`, "/title,12345", day],
    [`${B}/a,b.html,2024-01-02`, "/a,b.html", day],
    [`"${B}/a","2024-01-02"`, "/a", day],
    [`"${B}/a,b.html",Title`, "/a,b.html", undefined],
    [`"${B}/a b","2024-01-02"`, "/a%20b", day],
  ])("%s", (line, path, date) => {
    const reading = read(`${line}\n`);
    expect(urlsOf(reading)).toEqual([B + path]);
    expect(datesOf(reading)).toEqual([date]);
    expect(reading.issues).toContain("text.extra-columns@1");
    expect(read(line, { strict: true })).toMatchObject({ isSitemap: true, pages: [] });
  });

  it.each([
    "/a,b.html",
    "/title,12345",
    "/a,1,2",
    "/a;jsessionid=1F",
    "/a;b=2024-01-02",
    "/a,2024-01-02.html",
    "/a,2024-01-02,title",
    "/a,2024-01-02/b",
    "/a,2024,01",
    "/v,1.0",
    "/a|b",
    "/a,b,c",
    "/a?x=1,2;y=3|4",
    "/a;",
    "/a,weekly-news",
    "/2024-01-02",
  ])("does not split %s", (path) => {
    const reading = read(B + path);
    expect(urlsOf(reading)).toEqual([new URL(B + path).href]);
    expect(reading.issues).toEqual([]);
  });

  it("reports a date like any other", () => {
    const { pages, issues } = read(`${B}/a\t2024/01/02\n`);
    expect(pages[0]?.lastModified?.text).toBe("2024/01/02");
    expect(issues).toEqual(["text.extra-columns@1", "date.format@1"]);
  });

  it("follows a header", () => {
    const text = `loc;title;lastmod\n${B}/a;A title;2024-01-02\n${B}/b;c;B;2024-01-02\n${B}/d\n"${B}/e;f";;\n`;
    const reading = read(text);
    expect(urlsOf(reading)).toEqual(["/a", "/b;c", "/d", "/e;f"].map((path) => B + path));
    expect(datesOf(reading)).toEqual([day, day, undefined, undefined]);
    expect(reading.issues).toEqual(["text.non-url-line@1", ...columns(2, 3, 5)]);
  });

  it("does not read URLs of other columns under a header as pages", () => {
    expect(urlsOf(read(`url,image\n${B}/a,${B}/a.jpg\n`))).toEqual([`${B}/a`]);
  });

  it("keeps a quoted URL and reports the comma after it (U40)", () => {
    const { pages, issues } = read(`"${B}/a",\n`);
    expect(pages).toEqual([{ url: `${B}/a`, urlText: `"${B}/a",` }]);
    expect(issues).toEqual(["url.decorated@1"]);
  });
});

describe("several URLs on a line (T10)", () => {
  it.each([
    `${B}/a ${B}/b`,
    `${B}/a\t${B}/b`,
    `${B}/a,${B}/b`,
    `${B}/a, ${B}/b`,
    `${B}/a;${B}/b`,
    `${B}/a|${B}/b`,
    `"${B}/a" "${B}/b"`,
    `<${B}/a>, <${B}/b>`,
  ])("%s", (line) => {
    const reading = read(line);
    expect(urlsOf(reading)).toEqual([`${B}/a`, `${B}/b`]);
    expect(reading.issues[0]).toBe("text.multiple-urls@1");
    expect(urlsOf(read(line, { strict: true }))).toEqual([]);
  });

  it("gives each URL its own date", () => {
    const reading = read(`${B}/a\t2024-01-02\t${B}/b\t${B}/c\t2024-01-03\n`);
    expect(urlsOf(reading)).toEqual([`${B}/a`, `${B}/b`, `${B}/c`]);
    expect(datesOf(reading)).toEqual(["2024-01-02T00:00:00.000Z", undefined, "2024-01-03T00:00:00.000Z"]);
  });
});

describe("single lines", () => {
  const issuesOf = (line: string, options?: ReadOptions) => read(`${B}/first\n${line}\n`, options).issues;

  it.each<[string, IssueCode]>([
    ["Some words", "text.non-url-line"],
    ["word", "text.non-url-line"],
    ["N/A", "text.non-url-line"],
    ["01/02/2024", "text.non-url-line"],
    ["</pre>", "text.non-url-line"],
    ["Updated: 2024-01-02", "text.non-url-line"],
    ["//comment", "text.non-url-line"],
    ["example.net", "text.non-url-line"],
    ["ftp://ftp.example.com/a", "url.unsupported-scheme"],
    ["mailto:x@example.com", "url.unsupported-scheme"],
    ["https://", "url.invalid"],
    ["#", "text.comment"],
  ])("%s gives no page", (line, code) => {
    const reading = read(`${B}/first\n${line}\n`);
    expect(urlsOf(reading)).toEqual([`${B}/first`]);
    expect(reading.issues).toContain(`${code}@2`);
  });

  it.each<[string, string, IssueCode]>([
    ["/a", "/a", "url.relative"],
    ["../a", "/a", "url.relative"],
    ["?id=1", "/sitemap.txt?id=1", "url.relative"],
    ["a.html", "/a.html", "url.relative"],
    ["blog/a", "/blog/a", "url.relative"],
    ["//www.example.com/a", "/a", "url.relative"],
    ["www.example.com/a", "/a", "url.schemeless"],
    [`${B}/a?x=1&amp;y=2`, "/a?x=1&y=2", "url.html-escaped"],
    [`${B}/a#b`, "/a", "url.fragment"],
  ])("%s gives a page", (line, path, code) => {
    const reading = read(`${B}/first\n${line}\n`);
    expect(reading.pages[1]).toEqual({ url: B + path, urlText: line });
    expect(reading.issues).toContain(`${code}@2`);
  });

  it("drops URLs that need repair in strict mode", () => {
    for (const line of ["/a", "www.example.com/a", `"${B}/a"`, "https:/www.example.com/a"]) {
      expect(urlsOf(read(`${B}/first\n${line}\n`, { strict: true }))).toEqual([`${B}/first`]);
    }
  });

  it("ends lines at U+2028 unless strict (R25)", () => {
    expect(urlsOf(read(`${B}/a\u2028${B}/b`))).toEqual([`${B}/a`, `${B}/b`]);
    expect(urlsOf(read(`${B}/a\u2028${B}/b`, { strict: true }))).toEqual([]);
  });

  it("skips a line over the limit and keeps the next", () => {
    const text = `${B}/a\n${"x".repeat(70_000)}\n${B}/b\n`;
    expect(readChunks([text], {})).toEqual({
      isSitemap: true,
      pages: [{ url: `${B}/a` }, { url: `${B}/b` }],
      issues: ["text.line-too-long@2"],
    });
    expect(issuesOf("plain words")).toEqual(["text.non-url-line@2"]);
  });
});

describe("for any text", () => {
  const pieces = fc.constantFrom(
    ...[`${B}/a`, B, "http://", "/a", "www.example.com/b", "url,lastmod", "2024-01-02", "daily", "0.8", "12"],
    ...[
      "\n",
      "\r",
      "\r\n",
      "\t",
      ",",
      ";",
      "|",
      " ",
      '"',
      "'",
      "<",
      ">",
      "#",
      "&amp;",
      "word",
      "é",
      "\u2028",
      "\ufeff",
    ],
  );
  const document = fc.oneof(
    fc.array(pieces, { maxLength: 40 }).map((list) => list.join("")),
    fc.string({ unit: "binary", maxLength: 60 }),
  );

  it("never throws, and does not depend on the chunks", () => {
    fc.assert(
      fc.property(document, fc.array(fc.nat(80)), fc.boolean(), fc.boolean(), (text, cuts, strict, cut) => {
        const options = { contentType: "text/plain", strict, cut };
        const positions = [...new Set(cuts), 0, text.length].sort((a, b) => a - b);
        const chunks = positions.map((from, index) => text.slice(from, positions[index + 1]));
        const whole = readChunks([text], options);
        expect(readChunks(chunks, options)).toEqual(whole);
        for (const { url } of whole.pages) expect(url).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
      }),
      { numRuns: runs(2000), seed },
    );
  });

  it("returns a list of normalized URLs unchanged", () => {
    const path = fc
      .stringMatching(/^[a-z0-9,;|/_-]{0,20}[a-z]$/)
      .filter((tail) => !/,(?:daily|never)$/.test(tail));
    fc.assert(
      fc.property(fc.array(path, { minLength: 1 }), (tails) => {
        const urls = tails.map((tail) => new URL(`${B}/${tail}`).href);
        expect(readChunks([urls.join("\n")], {})).toEqual({
          isSitemap: true,
          pages: urls.map((url) => ({ url })),
          issues: [],
        });
      }),
      { numRuns: runs(500), seed },
    );
  });
});
