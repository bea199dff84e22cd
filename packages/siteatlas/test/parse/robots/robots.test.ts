import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IssueCode } from "../../../src/model/issue-severity.ts";
import { parseRobotsTxt, type RobotsTxt, readRobots } from "../../../src/parse/robots/robots.ts";
import { runs, seed } from "../../support/runs.ts";

const site = "https://www.example.com";
const url = `${site}/robots.txt`;

const read = (text: string, strict = false): RobotsTxt => parseRobotsTxt(text, { url, strict });
const codesOf = (robots: RobotsTxt): IssueCode[] => robots.issues.map((issue) => issue.code);

/** Id and title, text, sitemaps (paths on the same site), and all codes. */
type Case = readonly [name: string, text: string, sitemaps: readonly string[], codes?: readonly IssueCode[]];

const cases: readonly Case[] = [
  ["R01 baseline", `User-agent: *\nDisallow:\nSitemap: ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R02 key in any case", `SITEMAP: ${site}/s1.xml\nsitemap: ${site}/s2.xml\n`, ["/s1.xml", "/s2.xml"]],
  ["R03 Site-map", `Site-map: ${site}/s1.xml\n`, ["/s1.xml"], ["robots.key-typo"]],
  ["R04 Sitemaps", `Sitemaps: ${site}/s1.xml\n`, ["/s1.xml"], ["robots.key-typo"]],
  ["R05 space before the colon", `Sitemap : ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R06 no colon", `Sitemap ${site}/s1.xml\n`, ["/s1.xml"], ["robots.missing-colon"]],
  ["R06 no colon, no absolute URL", "Sitemap /s1.xml\n", [], ["robots.missing-colon"]],
  ["R07 no space after the colon", `Sitemap:${site}/s1.xml\n`, ["/s1.xml"]],
  ["R08 blanks around", `\t Sitemap:\t${site}/s1.xml  \t\n`, ["/s1.xml"]],
  ["R09 comment after the value", `Sitemap: ${site}/s1.xml # main one\n`, ["/s1.xml"]],
  ["R10 fragment is a comment", `Sitemap: ${site}/s1.xml#top\n`, ["/s1.xml"]],
  ["R11 root-relative", "Sitemap: /s1.xml\n", ["/s1.xml"], ["robots.relative-sitemap"]],
  ["R12 relative", "Sitemap: s1.xml\n", ["/s1.xml"], ["robots.relative-sitemap"]],
  [
    "R13 scheme-relative",
    "Sitemap: //cdn.example.net/s1.xml\n",
    ["https://cdn.example.net/s1.xml"],
    ["robots.relative-sitemap"],
  ],
  ["R14 no scheme", "Sitemap: www.example.com/s1.xml\n", ["/s1.xml"], ["robots.schemeless"]],
  ["R15 quotes", `Sitemap: "${site}/s1.xml"\n`, ["/s1.xml"], ["robots.decorated-value"]],
  ["R16 angle brackets", `Sitemap: <${site}/s1.xml>\n`, ["/s1.xml"], ["robots.decorated-value"]],
  [
    "R17 two URLs, blank between",
    `Sitemap: ${site}/s1.xml ${site}/s2.xml\n`,
    ["/s1.xml", "/s2.xml"],
    ["robots.multiple-values"],
  ],
  [
    "R18 two URLs, comma between",
    `Sitemap: ${site}/s1.xml, ${site}/s2.xml\n`,
    ["/s1.xml", "/s2.xml"],
    ["robots.multiple-values"],
  ],
  ["R18 a comma inside one URL", `Sitemap: ${site}/a,b.xml\n`, ["/a,b.xml"]],
  ["R19 duplicates", `Sitemap: ${site}/s1.xml\nSitemap: ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R20 other host", "Sitemap: https://cdn.other.net/s1.xml\n", ["https://cdn.other.net/s1.xml"]],
  ["R21 ftp", "Sitemap: ftp://ftp.example.com/s1.xml\n", [], ["url.unsupported-scheme"]],
  ["R22 byte order mark", `\ufeffSitemap: ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R23 what UTF-16 decodes to", `\ufeffSitemap: ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R24 CR alone", `User-agent: *\rDisallow: /x\rSitemap: ${site}/s1.xml\r`, ["/s1.xml"]],
  ["R25 U+2028", `User-agent: *\u2028Sitemap: ${site}/s1.xml\u2028`, ["/s1.xml"]],
  ["R25 U+2029 and U+0085", `User-agent: *\u2029Sitemap: ${site}/s1.xml\u0085`, ["/s1.xml"]],
  ["R26 inside a group", `User-agent: foo\nSitemap: ${site}/s1.xml\nDisallow: /a\n`, ["/s1.xml"]],
  ["R27 commented out", `#Sitemap: ${site}/s1.xml\n`, []],
  ["R28 bare URL", `${site}/sitemap1.xml\n`, ["/sitemap1.xml"], ["robots.bare-url"]],
  ["R28 bare URL of something else", `${site}/about\n`, []],
  ["R28 sitemap in the host alone", "https://sitemap.example.com/about\n", []],
  [
    "R29 HTML instead",
    `<!DOCTYPE html><html><head></head><body>Not found. <a href='/sitemap.xml'>Sitemap: ${site}/s1.xml</a></body></html>`,
    [],
    ["robots.html"],
  ],
  [
    "R29 with a line break in the tag",
    `<html><body>Not found. <a\nhref='/sitemap.xml'\n>Sitemap: ${site}/s1.xml</a></body></html>`,
    [],
    ["robots.html"],
  ],
  [
    "R29 with footer, script and comment",
    `<html>\n<script>\nSitemap: ${site}/s1.xml\n</script>\n<!--\nSitemap: ${site}/s2.xml\n-->\n<STYLE>\n` +
      `Sitemap: ${site}/s3.xml\n</STYLE >\n<li>Sitemap</li>\n<li>Sitemap: see below</li>\nHost: x\nSitemap ${site}/\n`,
    [],
    ["robots.html"],
  ],
  [
    "R30 robots.txt in HTML",
    `<html><body><pre>\nUser-agent: *<br>\nDisallow: /a<br>\nSitemap: ${site}/s1.xml<br>\n</pre></body></html>`,
    ["/s1.xml"],
    ["robots.html"],
  ],
  [
    "R30 on one line, with a stray < and an unclosed end",
    `<pre>User-agent: *<br/>Disallow: /a < b<BR>Sitemap: <a href="x">${site}/s1.xml</a><br><b>Sitemap: ${site}/s2.xml<br`,
    ["/s1.xml", "/s2.xml"],
    ["robots.html"],
  ],
  [
    "R31 line too long",
    `Sitemap: ${site}/${"a".repeat(17_000)}.xml\nSitemap: ${site}/s1.xml\n`,
    ["/s1.xml"],
    ["robots.line-too-long"],
  ],
  [
    "R32 over 500 KiB",
    `User-agent: *\n${`Disallow: /${"x".repeat(90)}\n`.repeat(6000)}Sitemap: ${site}/s1.xml\n`,
    ["/s1.xml"],
    ["robots.truncated"],
  ],
  ["R53 a rule before the first User-agent", "Disallow: /a\nUser-agent: *\n", [], ["robots.ignored-line"]],
  ["R53 a misspelled one", "Dissallow: /a\n", [], ["robots.key-typo", "robots.ignored-line"]],
  ["R53 a Crawl-delay before it", "Crawl-delay: 5\nUser-agent: *\n", [], ["robots.ignored-line"]],
  ["R53 a Crawl-delay that is not a number", "User-agent: *\nCrawl-delay: 5s\n", [], ["robots.ignored-line"]],
  ["R53 empty values", "User-agent:\nHost:\nClean-param:\n", [], Array(3).fill("robots.ignored-line")],
  ["R53 an empty rule has a meaning", "User-agent: *\nDisallow:\nCrawl-delay: .5\n", []],
  ["R33 not ASCII", `Sitemap: ${site}/карта.xml\n`, ["/%D0%BA%D0%B0%D1%80%D1%82%D0%B0.xml"]],
  [
    "R34 what Latin-1 decodes to",
    `Sitemap: ${site}/café.xml\nSitemap: ${site}/s1.xml\n`,
    ["/caf%C3%A9.xml", "/s1.xml"],
  ],
  ["R35 space in the path", `Sitemap: ${site}/site map.xml\n`, ["/site%20map.xml"], ["url.space"]],
  ["R36 empty value", `Sitemap:\nSitemap: ${site}/s1.xml\n`, ["/s1.xml"], ["robots.empty-value"]],
  ["R36 nothing but a comment", "Sitemap: # soon\n", [], ["robots.empty-value"]],
  ["R37 &amp;", `Sitemap: ${site}/s1.xml?a=1&amp;b=2\n`, ["/s1.xml?a=1&b=2"], ["url.html-escaped"]],
  ["R38 scheme twice", `Sitemap: https://${site}/s1.xml\n`, ["/s1.xml"], ["url.double-scheme"]],
  ["R39 NUL", `User-agent: *\0\nSite\0map: ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R40 no-break space before the key", `\u00a0Sitemap: ${site}/s1.xml\n`, ["/s1.xml"]],
  ["R41 no-break space after the colon", `Sitemap:\u00a0${site}/s1.xml\n`, ["/s1.xml"]],
  ["R42 wildcard", `Sitemap: ${site}/sitemap-*.xml\n`, [], ["robots.wildcard-sitemap"]],
  ["R43 crawl-delay", `User-agent: *\nCrawl-delay: 3600\nSitemap: ${site}/s1.xml\n`, ["/s1.xml"]],
  [
    "R44 suffix and prefix",
    `Google-Sitemap: ${site}/s1.xml\nSitemap-news: ${site}/s2.xml\n`,
    ["/s1.xml", "/s2.xml"],
    ["robots.key-typo", "robots.key-typo"],
  ],
  ["R44 suffix, but no URL", "Sitemap-count: 5\nSitemap_index: /s1.xml\n", []],
  [
    "R47 key ends in sitemap",
    `Video Sitemap: ${site}/s1.xml\nNEWS-SITEMAP : ${site}/s2.xml\nGoogle News Sitemap: ${site}/s3.xml\n`,
    ["/s1.xml", "/s2.xml", "/s3.xml"],
    ["robots.key-typo", "robots.key-typo", "robots.key-typo"],
  ],
  [
    "R47 but no URL",
    `Video Sitemap: soon\nUser-agent: *\nNosnippet: ${site}/sitemap.xml\nDisallow: /sitemap\n`,
    [],
  ],
  [
    "R47 behind 60 KB",
    `${"# a\n".repeat(20_000)}Video Sitemap: ${site}/s1.xml\nZ News-Sitemaps : ${site}/s2.xml\n`,
    ["/s1.xml", "/s2.xml"],
    ["robots.key-typo", "robots.key-typo"],
  ],
  [
    "R48 host is missing",
    "Sitemap: https:///s1.xml\nSitemap: http://sitemap.xml\nSitemap: http:///blog/s2.xml?a=1\n",
    ["/s1.xml", "/sitemap.xml", "/blog/s2.xml?a=1"],
    Array(3).fill("robots.relative-sitemap"),
  ],
  [
    "R48 host is there",
    `Sitemap: https://example.net\nSitemap: https://localhost/s.xml\nSitemap: https:///www.example.com/s1.xml\n`,
    ["https://example.net/", "https://localhost/s.xml", "/s1.xml"],
    ["url.private-host", "url.missing-slash"],
  ],
  [
    "R51 HTML comments before the rules",
    `<!-- a -->\n<!--\nSitemap: ${site}/s2.xml\n-->User-agent: *\nDisallow: /a\nSitemap: ${site}/s1.xml\n`,
    ["/s1.xml"],
  ],
  ["R51 HTML comments before a page", `<!-- a --><!-- b -->\n<html>Sitemap</html>`, [], ["robots.html"]],
  ["R45 upper case", "Sitemap: HTTPS://WWW.EXAMPLE.COM/s1.xml\n", ["/s1.xml"]],
];

describe("Sitemap lines", () => {
  test.each(cases.map(([name, text, sitemaps, codes = []]) => ({ name, text, sitemaps, codes })))(
    "$name",
    ({ text, sitemaps, codes }) => {
      const robots = read(text);
      expect(robots.sitemaps).toEqual(sitemaps.map((sitemap) => new URL(sitemap, url).href));
      expect(codesOf(robots)).toEqual(codes);
    },
  );

  test("R25 strict: only CR and LF end lines", () => {
    expect(read(`User-agent: *\u2028Sitemap: ${site}/s1.xml\u2028`, true).sitemaps).toEqual([]);
  });

  test("R28 strict: a bare URL is ignored", () => {
    const robots = read(`${site}/sitemap1.xml\n`, true);
    expect(robots.sitemaps).toEqual([]);
    expect(robots.issueCount).toBe(0);
  });

  test("strict allows other hosts in robots.txt and only reports relative URLs", () => {
    const robots = read("Sitemap: https://cdn.other.net/s1.xml\nSitemap: /s2.xml\n", true);
    expect(robots.sitemaps).toEqual(["https://cdn.other.net/s1.xml", `${site}/s2.xml`]);
    expect(codesOf(robots)).toEqual(["robots.relative-sitemap"]);
  });

  test("strict drops URLs that need repair", () => {
    const robots = read(`Sitemap: https://${site}/s1.xml\nSitemap: ${site}/s2.xml\n`, true);
    expect(robots.sitemaps).toEqual([`${site}/s2.xml`]);
    expect(codesOf(robots)).toEqual(["url.double-scheme"]);
  });

  test("without its own URL, only absolute values count", () => {
    const robots = parseRobotsTxt(`Sitemap: /s1.xml\nSitemap: ${site}/s2.xml\n`);
    expect(robots.url).toBe("");
    expect(robots.sitemaps).toEqual([`${site}/s2.xml`]);
  });

  test("issues have a line and a value", () => {
    expect(read(`\r\n# x\r\nSitemaps: ${site}/s1.xml`).issues).toEqual([
      { code: "robots.key-typo", severity: "warning", url, line: 3, value: `Sitemaps: ${site}/s1.xml` },
    ]);
    expect(read(`<p>\nx\n</p>\nSitemap: /s 1.xml`).issues.at(-1)?.line).toBe(4);
  });

  test("lines without a colon are reported, records with other names are not", () => {
    const text = "Noindex: /x\n# a b\nFoo bar\nUser-agent: *\n<Disallow /a\nDisallow /b\n";
    const { issues, groups } = read(text);
    expect(issues.map(({ code, line, value }) => [code, line, value])).toEqual([
      ["robots.missing-colon", 3, "Foo bar"],
      ["robots.missing-colon", 5, "<Disallow /a"],
      ["robots.missing-colon", 6, "Disallow /b"],
    ]);
    expect(groups[0]?.rules).toEqual([{ allow: false, path: "/b", line: 6 }]);
  });

  test("an incomplete text loses its last line, which may be half a URL", () => {
    const source = { url, strict: false, report: () => {} };
    const text = `Sitemap: ${site}/s1.xml\nSitemap: ${site}/s2.x`;
    expect(readRobots(text, source).sitemaps).toHaveLength(2);
    expect(readRobots(text, { ...source, cut: true }).sitemaps).toEqual([{ url: `${site}/s1.xml` }]);
    expect(readRobots(`${text}\n`, { ...source, cut: true }).sitemaps).toHaveLength(2);
    expect(readRobots("Sitemap: /s", { ...source, cut: true }).sitemaps).toEqual([]);
  });

  test("readRobots keeps repeated sitemaps and the text as written", () => {
    const text = `Sitemap: ${site}/s1.xml\nSitemap: /s1.xml\n`;
    expect(readRobots(text, { url, strict: false, report: () => {} }).sitemaps).toEqual([
      { url: `${site}/s1.xml` },
      { url: `${site}/s1.xml`, urlText: "/s1.xml" },
    ]);
  });
});

describe("limits", () => {
  test("R31: a line of 16,664 bytes is read, a longer one is not, a long comment is not an issue", () => {
    const exact = `Disallow: /${"é".repeat((16_664 - 11) >> 1)}x`;
    expect(new TextEncoder().encode(exact).length).toBe(16_664);
    expect(read(`User-agent: *\n${exact}\n`).groups[0]?.rules).toHaveLength(1);
    const robots = read(`User-agent: *\n${exact}x\n#${exact}x\n`);
    expect(robots.groups[0]?.rules).toHaveLength(0);
    expect(codesOf(robots)).toEqual(["robots.line-too-long"]);
  });

  test("R32: rules end at 512,000 bytes of UTF-8, without the line at the boundary", () => {
    const head = "User-agent: *\n";
    const rule = "Disallow: /x";
    for (const filler of ["#", "é", "ツ", "😀"]) {
      const unit = new TextEncoder().encode(filler).length;
      // Many comment lines, because a single one would be too long.
      const line = `#${filler.repeat(Math.floor(998 / unit))}`.padEnd(999, "#");
      const bytes = new TextEncoder().encode(`${line}\n`).length;
      const count = Math.floor((512_000 - head.length - rule.length) / bytes);
      const rest = 512_000 - head.length - rule.length - count * bytes;
      const text = `${head}${`${line}\n`.repeat(count)}${" ".repeat(rest)}${rule}`;
      expect(new TextEncoder().encode(text).length).toBe(512_000);
      expect(read(text).groups[0]?.rules).toHaveLength(1);
      expect(codesOf(read(text))).toEqual([]);
      expect(read(` ${text}`).groups[0]?.rules).toHaveLength(0);
      expect(codesOf(read(` ${text}`))).toEqual(["robots.truncated"]);
    }
  });

  test("R32: without rules nothing is truncated", () => {
    expect(codesOf(read(`${"# a\n".repeat(200_000)}Sitemap: /s1.xml`))).toEqual(["robots.relative-sitemap"]);
  });

  test("sec-T01: 10,000 Sitemap lines are read, and the rules after them", () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, i) => `Sitemap: ${site}/${i}\n`).join("");
    const rules = "User-agent: *\nDisallow: /x\n";
    const all = read(lines(10_000) + rules);
    expect(all.sitemaps).toHaveLength(10_000);
    expect(codesOf(all)).toEqual([]);
    const more = read(lines(10_001) + rules);
    expect(more.sitemaps).toHaveLength(10_000);
    expect(codesOf(more)).toEqual(["robots.truncated"]);
    expect(more.isAllowed("/x", "a")).toBe(false);
  });

  test("Sitemap lines are read to 5 MiB and no further", () => {
    const filler = `${"#".repeat(99)}\n`.repeat(52_428);
    const near = read(`${filler}Sitemap: ${site}/a\nSitemap: ${site}/${"b".repeat(500)}\nSitemap: ${site}/c`);
    expect(near.sitemaps).toEqual([`${site}/a`]);
    expect(codesOf(near)).toEqual(["robots.truncated"]);
    const far = read(`${"\n".repeat(6 * 1024 * 1024)}Sitemap: ${site}/a`);
    expect(far.sitemaps).toEqual([]);
    expect(codesOf(far)).toEqual(["robots.truncated"]);
  });
});

describe("groups (RFC 9309, 2.2)", () => {
  test("consecutive User-agent lines share a group", () => {
    const { groups } = read(
      "User-agent: a\nUser-agent: b\nDisallow: /x\nAllow: /x/y # yes\nUser-agent: c\nDisallow:\n",
    );
    expect(groups).toEqual([
      {
        userAgents: ["a", "b"],
        rules: [
          { allow: false, path: "/x", line: 3 },
          { allow: true, path: "/x/y", line: 4 },
        ],
      },
      { userAgents: ["c"], rules: [{ allow: false, path: "", line: 6 }] },
    ]);
  });

  test("2.2.4, R26: other records do not end a group or a run of User-agent lines", () => {
    const robots = read(
      "User-agent: a\nSitemap: /s.xml\n\nUnknown: x\nCrawl-delay: 5\nUser-agent: b\n\nDisallow: /x\nSitemap: /t.xml\nDisallow: /y\n",
    );
    expect(robots.groups[0]?.userAgents).toEqual(["a", "b"]);
    for (const agent of ["a", "b"]) {
      expect(robots.isAllowed("/x", agent)).toBe(false);
      expect(robots.isAllowed("/y", agent)).toBe(false);
    }
  });

  test("R49: a Crawl-delay belongs to the agents named before it, the rules to all", () => {
    const robots = read("User-agent: Baiduspider\nCrawl-delay: 500\n\nUser-agent: *\nDisallow: /a\n");
    expect(robots.crawlDelay("Baiduspider")).toBe(500);
    expect(robots.crawlDelay("examplebot")).toBeUndefined();
    for (const agent of ["Baiduspider", "examplebot"]) expect(robots.isAllowed("/a", agent)).toBe(false);
    expect(robots.groups).toEqual([
      { userAgents: ["Baiduspider", "*"], rules: [{ allow: false, path: "/a", line: 5 }] },
      { userAgents: ["Baiduspider"], rules: [], crawlDelay: 500 },
    ]);
  });

  test("R49: each Crawl-delay of a run of agents counts back to the last one", () => {
    const { crawlDelay, isAllowed } = read(
      "User-agent: a\nUser-agent: b\nCrawl-delay: 1\nUser-agent: c\nUser-agent: d\nCrawl-delay: 2\n" +
        "Crawl-delay: 3\nUser-agent: e\nDisallow: /x\nUser-agent: f\nDisallow: /y\nCrawl-delay: 4\n",
    );
    expect([..."abcdef"].map(crawlDelay)).toEqual([1, 1, 3, 3, undefined, 4]);
    expect([..."abcdef"].map((agent) => isAllowed("/x", agent))).toEqual([...Array(5).fill(false), true]);
  });

  test("R49: many Crawl-delays between agents take linear space", () => {
    const lines = Array.from({ length: 5000 }, (_, n) => `User-agent: a${n}\nCrawl-delay: ${n}\n`);
    const { groups, crawlDelay } = read(`${lines.join("")}Disallow: /x\n`);
    expect(groups.reduce((sum, { userAgents }) => sum + userAgents.length, 0)).toBe(10_000);
    // A product token has letters only.
    expect(crawlDelay("a")).toBe(4999);
  });

  test("5.1: the simple example", () => {
    const robots = read(
      [
        "User-Agent: *",
        "Disallow: *.gif$",
        "Disallow: /example/",
        "Allow: /publications/",
        "",
        "User-Agent: foobot",
        "Disallow:/",
        "Allow:/example/page.html",
        "Allow:/example/allowed.gif",
        "",
        "User-Agent: barbot",
        "User-Agent: bazbot",
        "Disallow: /example/page.html",
        "",
        "User-Agent: quxbot",
        "",
        "EOF",
      ].join("\n"),
    );
    expect(robots.isAllowed(`${site}/a.gif`, "anybot")).toBe(false);
    expect(robots.isAllowed(`${site}/a.gif?x`, "anybot")).toBe(true);
    expect(robots.isAllowed(`${site}/publications/x`, "anybot")).toBe(true);
    expect(robots.isAllowed(`${site}/example/page.html`, "foobot")).toBe(true);
    expect(robots.isAllowed(`${site}/example/other.html`, "foobot")).toBe(false);
    expect(robots.isAllowed(`${site}/example/page.html`, "bazbot")).toBe(false);
    expect(robots.isAllowed(`${site}/a.gif`, "barbot")).toBe(true);
    expect(robots.isAllowed(`${site}/example/page.html`, "quxbot")).toBe(true);
  });

  test("5.2: the longest match", () => {
    const robots = read(
      "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n",
    );
    expect(robots.isAllowed(`${site}/example/page/disallow.gif`, "foobot")).toBe(true);
    expect(robots.isAllowed(`${site}/example/page/disallowed.gif`, "foobot")).toBe(false);
  });

  test("rules before any User-agent line are ignored", () => {
    const robots = read("Disallow: /\nCrawl-delay: 5\nUser-agent: *\nDisallow: /x\n");
    expect(robots.isAllowed("/y", "a")).toBe(true);
    expect(robots.crawlDelay("a")).toBeUndefined();
  });

  test.each([
    "Dissallow: /x",
    "Dissalow: /x",
    "Disalow: /x",
    "Diasllow: /x",
    "Disallaw: /x",
    "Desallow: /x",
    "Dssalow: /x",
    "Dsallow: /x",
    "DISALLOW : /x",
    "Disallow /x",
    "disallow\t/x",
  ])("Lenient: %s", (line) => {
    expect(read(`User-agent: *\n${line}`).isAllowed("/x", "a")).toBe(false);
  });

  test.each([
    "Useragent: a",
    "User agent: a",
    "Useg-agent: a",
    "Ser-agent: a",
    "USER-AGENT:a",
    "User-agent a",
  ])("Lenient: %s", (line) => {
    expect(read(`${line}\nDisallow: /x`).isAllowed("/x", "a")).toBe(false);
  });

  test.each(["Disallow /x y", "Disallowed: /x", "Disallow", "No-Disallow: /x"])(
    "not understood: %s",
    (line) => {
      expect(read(`User-agent: *\n${line}`).isAllowed("/x", "a")).toBe(true);
    },
  );

  test("R50: misspelled keys are reported, other spellings of the case are not", () => {
    const text =
      "Useg-agent: a\nDesallow: /x\nDisallow: /y\nDISALLOW: /z\nCrawl delay: 5\nUser-Agent : b\nDissallow /y\n";
    expect(read(text).issues.map(({ code, line }) => [code, line])).toEqual([
      ["robots.key-typo", 1],
      ["robots.key-typo", 2],
      ["robots.key-typo", 5],
      ["robots.missing-colon", 7],
      ["robots.key-typo", 7],
    ]);
  });

  test("R43: crawl-delay is returned as written", () => {
    const delayOf = (value: string) => read(`User-agent: *\nCrawl-delay: ${value}\n`).crawlDelay("a");
    expect(delayOf("3600")).toBe(3600);
    expect(delayOf("0.5")).toBe(0.5);
    expect(delayOf(".5")).toBe(0.5);
    expect(delayOf("5 # c")).toBe(5);
    for (const value of ["", "-1", "1e9", "NaN", "Infinity", "ten", "5s", "9".repeat(400)]) {
      expect(delayOf(value)).toBeUndefined();
    }
    expect(read("User-agent: *\nCrawldelay: 7\n").crawlDelay("a")).toBe(7);
    expect(read("User-agent: *\nCrawl-delay: 3\nCrawl-delay: 7\nCrawl-delay: 5\n").crawlDelay("a")).toBe(7);
  });

  test("R30: the rules of a robots.txt in HTML apply", () => {
    const robots = read("<html><body><pre>\nUser-agent: *<br>\nDisallow: /a<br>\n</pre></body></html>");
    expect(robots.groups).toEqual([{ userAgents: ["*"], rules: [{ allow: false, path: "/a", line: 3 }] }]);
  });

  test("Yandex: Host and Clean-param", () => {
    const robots = read(
      "User-agent: Yandex\nHost: https://www.example.com\nHost: other\nClean-param: ref&sid /shop/\nClean-param: utm\nClean-param:\nDisallow: /x\n",
    );
    expect(robots.host).toBe("https://www.example.com");
    expect(robots.cleanParams).toEqual([
      { parameters: ["ref", "sid"], path: "/shop/" },
      { parameters: ["utm"] },
    ]);
    expect(robots.isAllowed("/x", "yandex")).toBe(false);
    expect(read("User-agent: *")).not.toHaveProperty("host");
    expect(read("User-agent: *")).not.toHaveProperty("cleanParams");
  });
});

describe("any text", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("\n", "\r", "\0", ":", "#", "<", ">", "<br>", "*", "$", "%", "\u2028", "\ud800", " "),
    fc.constantFrom("Sitemap", "User-agent: *", "User-agent: a", "Disallow: /", "Crawl-delay: 1", "Host: "),
    fc.constantFrom("http://", "https://a.example/sitemap", "//", "&amp;", "Clean-param: "),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

  test("never throws, and returns absolute URLs, each once", () => {
    fc.assert(
      fc.property(text, fc.boolean(), (document, strict) => {
        const robots = read(document, strict);
        for (const sitemap of robots.sitemaps) expect(sitemap).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
        expect(new Set(robots.sitemaps).size).toBe(robots.sitemaps.length);
        expect(robots.isAllowed("/robots.txt", "a")).toBe(true);
        expect(typeof robots.isAllowed("/a?b", "a")).toBe("boolean");
      }),
      { numRuns: runs(1000), seed },
    );
  });

  test("anything but a text throws", () => {
    expect(() => parseRobotsTxt(undefined as unknown as string)).toThrow(TypeError);
  });
});
