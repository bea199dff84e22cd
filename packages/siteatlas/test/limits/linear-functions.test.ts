/**
 * Single functions on text that is made to be slow: each stays far below its bound, which a quadratic loop would miss
 * by minutes. linear.test.ts does the same for whole documents, with the factor from one size to twice as much.
 */
import { describe, expect, test } from "vitest";
import { urlGlob } from "../../src/cli/config/glob.ts";
import { Transcoder } from "../../src/decode/encoding.ts";
import { HomepageLinkReader, parseLinkHeader } from "../../src/discover/homepage-links.ts";
import { redactText } from "../../src/escape/redact.ts";
import { HtmlLinkReader } from "../../src/parse/formats/html-links.ts";
import { JsonFeedReader } from "../../src/parse/formats/json-feed.ts";
import { LineSplitter } from "../../src/parse/formats/line-splitter.ts";
import { LlmsTxtReader } from "../../src/parse/formats/llms-txt.ts";
import { TextSitemapReader } from "../../src/parse/formats/url-list.ts";
import { parseRobotsTxt } from "../../src/parse/robots/robots.ts";
import { createRobotsMatcher, matchesRobotsPattern } from "../../src/parse/robots/robots-match.ts";
import {
  normalizeLanguage,
  parseChangeFrequency,
  parseCount,
  parseDecimal,
  parseDuration,
  parsePriority,
  parseYesNo,
  splitList,
  splitWords,
  stripMarkup,
  unescapeOnce,
} from "../../src/parse/values/fields.ts";
import { UrlReader } from "../../src/parse/values/url.ts";
import { inPieces, join, latin1 } from "../decode/byte-chunks.ts";

const SITE = "https://www.example.com";
const ignore = { page: () => undefined, child: () => undefined, report: () => undefined };
const LINKS = { url: SITE, sink: ignore, isOwnHost: () => true, urlLength: 8192, textLength: 4096 };

/** Fails if the call takes longer. */
function within(ms: number, call: () => void): void {
  const from = performance.now();
  call();
  expect(performance.now() - from).toBeLessThan(ms);
}

/** To a length that real documents do not have. */
const fill = (unit: string, length: number): string => unit.repeat(Math.floor(length / unit.length));

const urls = (): UrlReader =>
  new UrlReader(`${SITE}/sitemap.xml`, ignore.report, { strict: false, escapeCode: "url.html-escaped" });

describe("decode", () => {
  test.each<[string, Uint8Array]>([
    ["byte order marks", join(...Array.from({ length: 30_000 }, () => [0xef, 0xbb, 0xbf]))],
    ["white space", latin1(" ".repeat(100_000))],
    ["invalid bytes", latin1("\xe9".repeat(100_000))],
    ["a declaration without end", latin1(`<?xml ${" encoding".repeat(10_000)}`)],
    ["Shift_JIS", latin1(`<?xml version="1.0" encoding="shift_jis"?>${"\x93\xfa".repeat(50_000)}`)],
  ])("single bytes of %s", (_, bytes) => {
    within(5000, () => {
      const transcoder = new Transcoder({ report: () => undefined });
      for (const piece of inPieces(bytes, 1)) transcoder.push(piece);
      transcoder.end();
    });
  });
});

describe("values", () => {
  test.each([
    "https://".repeat(8000),
    '"'.repeat(65_000),
    "<".repeat(65_000),
    ",".repeat(65_000),
    ` ${SITE}/${" \n".repeat(30_000)}a`,
    "&amp;".repeat(13_000),
    `${SITE}/${"../".repeat(20_000)}`,
    "a.".repeat(32_000),
    `${SITE}/${"%".repeat(60_000)}`,
    "\\".repeat(65_000),
    " ".repeat(5_000_000),
  ])("a URL: %.20s…", (text) => {
    within(500, () => urls().resolve(text, "page", 1));
  });

  test.each(["<", "<a", "&", "&amp;", "&#", "<p>", ",", " ", "_", "9"])("fields of %s", (unit) => {
    const text = unit.repeat(200_000);
    within(3000, () => {
      for (const read of [
        ...[parsePriority, parseDecimal, parseCount, parseDuration, parseYesNo, parseChangeFrequency],
        ...[stripMarkup, unescapeOnce, splitList, splitWords, normalizeLanguage],
      ])
        read(text);
    });
  });
});

describe("URL lists", () => {
  const read = (text: string, contentType?: string): void => {
    const reader = new TextSitemapReader(ignore, urls(), {
      ...{ url: `${SITE}/sitemap.txt`, contentType, strict: false },
    });
    reader.push(text);
    reader.end(false);
  };

  test.each([
    ...[" ", ",", '"', '\t"', ", ", ` ${SITE}/`, ",daily", " 1", '"a" ', "1a", "2024-01-02,", "\t \t"],
  ])("a line of %j", (unit) => {
    const line = `${SITE}/${fill(unit, 65_000)}\n`;
    within(1000, () => {
      read(line);
      read(`url,lastmod\n${line}`);
    });
  });

  test.each(["<", "a/", "a.", "/", "1/", ":", "a,"])("a first line of %j", (unit) => {
    within(1000, () => read(`${fill(unit, 65_000)}\n${SITE}/a\n`, "text/plain"));
  });

  test("one line of 10 MB", () => {
    within(1000, () => read("x".repeat(10_000_000)));
  });

  test("a long line in single characters", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter({
      maxLength: 1_000_000,
      onLine: (line, number) => lines.push(`${number}:${line}`),
      onTooLong: (number) => lines.push(`${number}!`),
    });
    within(5000, () => {
      for (let count = 0; count < 2_000_000; count++) splitter.push("x");
      splitter.push("\nend");
      splitter.end();
    });
    expect(lines).toEqual(["1!", "2:end"]);
  });
});

describe("JSON Feed", () => {
  const head = '{"version": "https://jsonfeed.org/version/1.1", "items": [';
  test.each([
    ["deep nesting", `${head}{"a": ${"[".repeat(1_000_000)}`],
    ["deep items", head + `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}},`.repeat(3)],
    ["an endless key", `{"${"k".repeat(2_000_000)}`],
    ["an endless string", `${head}{"a": "${"\\".repeat(2_000_000)}`],
    ["items of nothing", head + "{},".repeat(100_000)],
    ["commas", head + ",".repeat(2_000_000)],
    ["a bare word", `{"x": ${"t".repeat(2_000_000)}`],
  ])("%s", (_, document) => {
    within(2500, () => {
      const reader = new JsonFeedReader(ignore, urls());
      for (const chunk of document.match(/[\s\S]{1,4096}/g) ?? []) reader.push(chunk);
      reader.end(false);
    });
  });
});

describe("robots.txt", () => {
  test.each([
    ["line ends alone", "\r".repeat(5_000_000)],
    ["unclosed tags", "<a".repeat(2_500_000)],
    ["unclosed comment", `<!--${"<!-- -- >".repeat(500_000)}`],
    ["unclosed script", `<script>${"</".repeat(2_500_000)}`],
    ["blanks", `<\n${" ".repeat(5_000_000)}`],
    ["agents", "User-agent: a\n".repeat(100_000)],
    ["groups", "User-agent: a\nDisallow: /\n".repeat(60_000)],
    ["sitemaps", `Sitemap: ${SITE}/a\n`.repeat(50_000)],
    ["blank values", `Sitemap${" ".repeat(16_000)}x\n`.repeat(300)],
    ["digits", `User-agent: *\n${`Crawl-delay: ${"1".repeat(16_000)}x\n`.repeat(300)}`],
  ])("%s", (_, text) => {
    within(2500, () => {
      const robots = parseRobotsTxt(text, { url: `${SITE}/robots.txt` });
      robots.isAllowed("/a", "a");
      expect(robots.crawlDelay("a")).toBeUndefined();
    });
  });

  const length = 100_000;
  test.each([
    ["1,000 stars", `/${"*a".repeat(1000)}*b`, `/${"a".repeat(length)}`],
    ["the shape that hangs a RegExp", "/*a*a*a*a*a*a*a*a*b", `/${"a".repeat(length)}`],
    ["16,000 bare stars", `/${"*".repeat(16_000)}b`, `/${"a".repeat(length)}`],
    ["a long piece that fails at its first letter", `/*b${"a".repeat(16_000)}`, `/${"a".repeat(length)}`],
    ["a long piece that fails at its last letter", `/*${"a".repeat(16_000)}b`, `/${"a".repeat(length)}`],
    ["pieces that each fail late", `/${`*${"a".repeat(15)}b`.repeat(900)}`, `/${"a".repeat(length)}`],
    ["long pieces that are found", `/${`*${"ab".repeat(20)}`.repeat(380)}c`, `/${"ab".repeat(length / 2)}`],
  ])("a pattern: %s", (_, pattern, path) => {
    expect(matchesRobotsPattern(pattern, path)).toBe(false);
    within(100, () => matchesRobotsPattern(pattern, path));
  });

  test("40,000 rules with wildcards against one long path", () => {
    const rules = Array.from({ length: 40_000 }, (_, index) => ({
      ...{ allow: false, path: `/*aab${index}`, line: index + 1 },
    }));
    const matcher = createRobotsMatcher([{ userAgents: ["*"], rules }], `${SITE}/robots.txt`);
    const path = `/${"a".repeat(8000)}`;
    expect(matcher.isAllowed(path, "examplebot")).toBe(false);
    within(1000, () => matcher.isAllowed(path, "examplebot"));
  });
});

describe("homepage", () => {
  const parts = [
    ...["<", "<!--", "<link ", "<script></scr", "<a x='", "</", ">", "-", "<link rel=sitemap href=a "],
  ];
  test.each(parts)("%s repeated, in small pieces", (part) => {
    const html = part.repeat(Math.ceil((512 * 1024) / part.length));
    const reader = new HomepageLinkReader(SITE);
    within(2000, () => {
      for (let at = 0; at < html.length; at += 16) reader.push(html.slice(at, at + 16));
    });
    expect(reader.done).toBe(true);
  });

  test.each(["<a href='", "<a href=/a>t", "<a ", "<", "&", "<!--", "b=c ", "</scrip", "<p><a"])(
    "%s repeated in an HTML sitemap, in pieces",
    (part) => {
      const html = `<a href=/a>${part.repeat(Math.ceil((512 * 1024) / part.length))}`;
      const reader = new HtmlLinkReader(LINKS, false);
      within(2000, () => {
        for (let at = 0; at < html.length; at += 64) reader.push(html.slice(at, at + 64));
        reader.end(false);
      });
      expect(reader.hasPages).toBe(true);
    },
  );

  test.each([
    "[",
    "[](",
    "![",
    "`",
    "``a`[",
    "## [](",
    "](<",
    "https://a) ",
    '[](a "',
    "\\",
    "[a](b (",
    "[a](\\(",
    "[a](b  ",
    "<!-- `",
  ])("lines of %s in llms.txt", (part) => {
    const line = `${part.repeat(Math.ceil(60_000 / part.length))}\n`;
    const reader = new LlmsTxtReader(LINKS, 65_536);
    within(2000, () => {
      reader.push(line.repeat(8));
      reader.push("-->\n[A](/a)\n");
      reader.end(false);
    });
    expect(reader.isLlmsTxt).toBe(true);
  });

  test.each(["<", '<a>;rel="', "<a>;rel=sitemap,", ";", '"\\', "<>"])("%s in a Link header", (part) => {
    within(2000, () => parseLinkHeader(part.repeat(200_000), SITE));
  });
});

test.each([
  ...[
    "/",
    "//",
    "//a",
    "?",
    "?a",
    "%26",
    "%26a",
    "%2f%2f",
    "%2f%2fa",
    "https:",
    "cookie ",
    "x-",
    "bearer ",
    "a;",
    "@",
  ],
])("redactText: %j over and over", (unit) => {
  const text = fill(unit, 1_000_000);
  within(5000, () => redactText(text));
});

test("a glob of many stars", () => {
  const matches = urlGlob(`*${"a*".repeat(4000)}b*`, "--include");
  within(1000, () => expect(matches(`https://example.com/${"a".repeat(8000)}`)).toBe(false));
});
