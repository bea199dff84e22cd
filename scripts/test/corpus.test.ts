/** `npm run corpus` on documents that show each outcome: equal, a difference with a class, an unexplained one. */
import { gzipSync } from "node:zlib";
import { parseDate, parseRobotsTxt, parseSitemap } from "siteatlas/parse";
import { describe, expect, test } from "vitest";
import { Comparison, type Kind } from "../corpus/compare.mjs";
import { reportLines } from "../corpus/report.mjs";
import { createVerdict, readRobots, rulesFor } from "../corpus/second-robots.mjs";

const library = { parseSitemap, parseRobotsTxt, parseDate };

const sitemap = (...entries: string[]) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`;
const page = (url: string, rest = "") => `<url><loc>${url}</loc>${rest}</url>`;

async function compare(kind: Kind, name: string, content: string | Uint8Array, used = library) {
  const comparison = new Comparison(used);
  await comparison.add(kind, name, typeof content === "string" ? new TextEncoder().encode(content) : content);
  return comparison;
}

describe("sitemaps", () => {
  test("equal, compressed as well, with dates", async () => {
    const text = sitemap(page("https://www.example.com/a?b&amp;c", "<lastmod>2024-01-02</lastmod>"));
    for (const content of [text, gzipSync(text)]) {
      const { tables, dates } = await compare("sitemaps", "a.xml", content);
      expect(tables["sitemaps: htmlparser2"]).toMatchObject({ equal: 1, different: 0 });
      expect(tables["sitemaps: regular expression"]).toMatchObject({ equal: 1, different: 0 });
      expect(dates).toMatchObject({ parsed: 1, unparsed: 0 });
    }
  });

  test("a comment, and a space behind the host", async () => {
    const text = sitemap(`<!--${page("https://www.example.com/old")}-->`, page("https://www.example.com /a"));
    const { tables, issues } = await compare("sitemaps", "a.xml", text);
    expect(tables["sitemaps: regular expression"]).toMatchObject({
      different: 1,
      classes: { "inside a comment": 1, "a space in the URL": 1 },
      unexplained: 0,
    });
    expect(issues).toMatchObject({ "sitemaps url.space": 1 });
  });

  test("a page that siteatlas would lose is unexplained", async () => {
    const losing = {
      ...library,
      parseSitemap: (async (_: unknown, options) =>
        parseSitemap(sitemap(page("https://www.example.com/a")), options)) as typeof parseSitemap,
    };
    const text = sitemap(page("https://www.example.com/a"), page("https://www.example.com/b"));
    const comparison = await compare("sitemaps", "a.xml", text, losing);
    expect(comparison.tables["sitemaps: htmlparser2"].unexplained).toBe(1);
    expect(reportLines(comparison).join("\n")).toContain(
      "only the other reader has https://www.example.com/b",
    );
  });
});

test("feeds: nested xml:base is equal, the id of an entry is a class, dates that do not parse have a shape", async () => {
  const text = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://www.example.com/blog/">
    <entry xml:base="2024/"><link href="a"/><updated>{{ date }}</updated></entry>
    <entry><id>https://www.example.com/id</id><updated>2024-01-02T03:04:05Z</updated></entry></feed>`;
  const { tables, dates } = await compare("feeds", "a.xml", text);
  expect(tables["feeds: htmlparser2"]).toMatchObject({
    classes: { "the id of an Atom entry without a link": 1 },
    unexplained: 0,
  });
  expect(dates).toEqual({ parsed: 1, unparsed: 1, rest: { "date.invalid {{ aaaa }}": 1 } });
});

test("robots.txt: lines and verdicts", async () => {
  const text = "User Agent: *\nDisallow: /a\nVideo Sitemap: https://www.example.com/v.xml\n";
  const { tables } = await compare("robots", "www.example.com", text);
  expect(tables["robots.txt: Sitemap lines"]).toMatchObject({
    classes: { "a misspelled key": 1 },
    unexplained: 0,
  });
  expect(tables["robots.txt: verdicts"]).toMatchObject({
    equal: 0,
    different: 2,
    classes: { "a misspelled key": 2 },
    unexplained: 0,
  });
});

describe("the second matcher", () => {
  // RFC 9309, sections 2.2.1 to 2.2.3 and 5.2; Google's table of order of precedence.
  test.each([
    ["Allow: /p\nDisallow: /", "/page", true],
    ["Allow: /folder\nDisallow: /folder", "/folder/page", true],
    ["Allow: /page\nDisallow: /*.htm", "/page.htm", false],
    ["Allow: /page\nDisallow: /*.ph", "/page.php5", true],
    ["Allow: /$\nDisallow: /", "/", true],
    ["Allow: /$\nDisallow: /", "/page.htm", false],
    ["Disallow: /fish*.php", "/fishheads/catfish.php?parameters", false],
    ["Disallow: /*.php$", "/filename.php?parameters", true],
    ["Disallow: /foo/bar/\u30c4", "/foo/bar/%E3%83%84", false],
    ["Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", false],
    ["Disallow:", "/a", true],
    ["Disallow: /", "/robots.txt", true],
  ])("%j: %s", (rules, path, isAllowed) => {
    const robots = readRobots(`User-agent: *\n${rules}\n`);
    const verdict = createVerdict(rulesFor(robots, "examplebot"));
    expect(verdict(new URL(path, "https://www.example.com"))).toBe(isAllowed);
  });

  test("groups of the same agent merge, others do not count", () => {
    const robots = readRobots(
      "User-agent: a\nDisallow: /1\nUser-agent: *\nDisallow: /\nUser-agent: A\nDisallow: /2\n",
    );
    expect(rulesFor(robots, "a").map(({ path }) => path)).toEqual(["/1", "/2"]);
    expect(rulesFor(robots, "b").map(({ path }) => path)).toEqual(["/"]);
  });
});
