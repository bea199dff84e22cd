/**
 * Worst-case documents: each puts the largest load for its size on some loop, table or buffer of the parser.
 * The first twelve groups are attacks on XML parsers. Then follow the other formats.
 */
import { parseRobotsTxt } from "../../src/parse/index.ts";

export interface LinearShape {
  /** The document of size n. */
  readonly text: (n: number) => string;
  /** Size of the chunks in bytes. */
  readonly chunk?: number;
  readonly url?: string;
  /**
   * Measured at this n and at twice as much, repeated until it is measurable, instead of at larger sizes: above
   * a limit the parser stops, and its behavior below the limit would not be measured.
   */
  readonly at?: number;
  /** Runs instead of the parser. */
  readonly run?: (text: string) => void;
}

const urlset = (content: string): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${content}</urlset>`;
const loc = (content: string): string => urlset(`<url><loc>https://www.example.com/${content}</loc></url>`);
const inUrlset = (unit: string) => (n: number) => urlset(unit.repeat(n));
const inLoc = (unit: string) => (n: number) => loc(unit.repeat(n));
/** The unit n times, `{n}` counting. */
const counted = (unit: string, n: number): string =>
  Array.from({ length: n }, (_, i) => unit.replaceAll("{n}", String(i))).join("");
const countedInUrlset = (unit: string) => (n: number) => urlset(counted(unit, n));
const open = (depth: number): string => "<a>".repeat(depth);

const ENTRY = "<url><loc>https://www.example.com/{n}</loc><lastmod>2024-01-02</lastmod></url>\n";
const feed = (items: string): string => `{"version":"https://jsonfeed.org/version/1.1","items":[${items}]}`;
const robotsUrl = "https://www.example.com/robots.txt";

/** n is about a third of the token limit, so that twice as much is below it. */
const TOKEN = 20_000;

export const linearShapes: Readonly<Record<string, LinearShape>> = {
  // 1
  nesting: { text: (n) => urlset(open(n) + "</a>".repeat(n)) },
  "nesting of distinct names": { text: countedInUrlset("<a{n}>") },
  "nesting of <loc>": { text: inUrlset("<url><loc>") },
  // 2
  attributes: { text: (n) => urlset(`<a ${counted('b{n}="c" ', n)}/>`), at: 8_000 },
  "attributes beyond the limit": { text: (n) => urlset(`<a ${counted('b{n}="c" ', n)}/>`) },
  "tags with many attributes": { text: inUrlset(`<a ${counted('b{n}="c" ', 100)}/>`) },
  "tags without end": { text: inUrlset('<a b="c" d="') },
  "quotes without end": { text: inUrlset('<a b="c <url x="') },
  "quotes in a tag": { text: (n) => urlset(`<a ${`'"`.repeat(n)}>`), at: TOKEN / 2 },
  // 3
  "namespace declarations": { text: countedInUrlset('<a xmlns:b{n}="http://www.example.com/{n}"/>') },
  "namespace declarations in one tag": {
    text: (n) => urlset(`<a ${counted('xmlns:b{n}="c{n}" ', n)}/>`),
    at: 5_000,
  },
  "namespace declarations, nested": { text: countedInUrlset('<a xmlns:b{n}="c{n}">') },
  // 4
  prefixes: { text: countedInUrlset("<b{n}:a/>") },
  "prefixes under nested declarations": {
    text: (n) => urlset(counted('<a xmlns:b{n}="c{n}">', 200) + counted("<d{n}:a/>", n)),
  },
  // 5
  entities: { text: inLoc("&amp;"), at: TOKEN / 5 },
  "character references": { text: inLoc("&#38;"), at: TOKEN / 5 },
  "DOCTYPE entities": {
    text: (n) => `<!DOCTYPE urlset [${counted('<!ENTITY a{n} "&a{n};&a{n};">', n)}]>${loc("&a0;")}`,
    at: 500,
  },
  "digits in a reference": { text: (n) => loc(`&#${"9".repeat(n)};`), at: TOKEN },
  // 6
  "undefined entities": { text: inLoc("&foo;"), at: TOKEN / 5 },
  ampersands: { text: inLoc("&"), at: TOKEN },
  "ampersands and names without end": { text: inLoc("&abc"), at: TOKEN / 4 },
  // 7
  "mismatched ends": { text: inUrlset("</b>") },
  "mismatched ends under nesting": { text: (n) => urlset(open(250) + "</b>".repeat(n)) },
  "ends of outer elements": { text: inUrlset("<a><b><c></a>") },
  "distinct ends under nesting": { text: (n) => urlset(open(250) + counted("</b{n}>", n)) },
  // 8
  comments: { text: inUrlset("<!---->") },
  "one comment": { text: (n) => urlset(`<!--${"-x".repeat(n)}-->`) },
  "comments that do not end": { text: inUrlset("<!--") },
  "processing instructions": { text: inUrlset("<?x?>") },
  "processing instructions that do not end": { text: inUrlset("<?") },
  // 9
  CDATA: { text: inUrlset("<![CDATA[x]]>") },
  "CDATA in <loc>": { text: inLoc("<![CDATA[x]]>") },
  "CDATA of brackets": { text: (n) => loc(`<![CDATA[${"]".repeat(n)}]]>`), at: TOKEN },
  // 10
  "tiny text chunks": { text: inLoc("a<!---->"), chunk: 16 },
  "text between elements": { text: inLoc("a<b/>") },
  "stray less-than signs": { text: inLoc("a< ") },
  // 11
  "huge attribute": { text: (n) => urlset(`<a b="${"c".repeat(n)}"/>`) },
  "huge attribute below the limit, in small chunks": {
    text: (n) => urlset(`<a b="${"c".repeat(n)}"/>`),
    at: TOKEN,
    chunk: 16,
  },
  "huge hreflang": {
    text: (n) =>
      urlset(
        `<url><loc>https://www.example.com/</loc><xhtml:link rel="alternate" href="${"&amp;".repeat(n)}"/></url>`,
      ),
    at: TOKEN / 5,
  },
  // 12
  "one-byte chunks": { text: countedInUrlset(ENTRY), chunk: 1 },
  "one-byte chunks of an attribute": {
    text: (n) => urlset(`<a b="${"c".repeat(n)}"/>`),
    at: TOKEN,
    chunk: 1,
  },
  "one-byte chunks of <loc>": { text: inLoc("a"), at: TOKEN, chunk: 1 },
  "one-byte chunks of an end tag": { text: (n) => urlset(`</${"a".repeat(n)}>`), at: TOKEN, chunk: 1 },
  "one-byte chunks of an overlong <loc>": { text: inLoc("a"), at: 200_000, chunk: 1 },
  "one-byte chunks of an overlong tag": { text: (n) => urlset(`</${"a".repeat(n)}>`), at: 200_000, chunk: 1 },
  "one-byte chunks of a DOCTYPE": {
    text: (n) => `<!DOCTYPE ${"a".repeat(n)}>${loc("")}`,
    at: 20_000,
    chunk: 1,
  },
  "one-byte chunks of blanks": { text: (n) => " ".repeat(n) + loc(""), chunk: 1 },
  "one-byte chunks of junk": { text: (n) => `x${" ".repeat(n)}${loc("")}`, at: 4_000, chunk: 1 },

  // The readers
  "ordinary entries": { text: countedInUrlset(ENTRY) },
  "repeated entries": { text: inUrlset(ENTRY) },
  "a long URL": { text: inLoc("a"), at: TOKEN },
  "a URL of blanks": { text: inLoc("a \n"), at: TOKEN / 3 },
  "a URL of percent signs": { text: inLoc("%"), at: TOKEN },
  "a URL of non-ASCII": { text: inLoc("é"), at: TOKEN / 10 },
  "invalid URLs": { text: inUrlset("<url><loc>http://[</loc></url>") },
  "images of an entry": {
    text: (n) => loc(`a</loc>${"<image:image><image:loc>/b</image:loc></image:image>".repeat(n)}<loc>`),
  },
  "keywords of an entry": {
    text: (n) => loc(`a</loc><news:news><news:keywords>${"b, ".repeat(n)}</news:keywords></news:news><loc>`),
    at: TOKEN / 3,
  },
  "a long duration": {
    text: (n) =>
      loc(`a</loc><video:video><video:duration>${"1:".repeat(n)}</video:duration></video:video><loc>`),
    at: TOKEN / 2,
  },
  "RSS items": {
    text: (n) =>
      `<rss><channel>${counted("<item><title>a</title><link>https://www.example.com/{n}</link></item>", n)}</channel></rss>`,
  },
  "Atom links": {
    text: (n) =>
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry>${'<link href="https://www.example.com/a"/>'.repeat(n)}</entry></feed>`,
  },
  "junk before the root": { text: (n) => `<?xml version="1.0"?>${"x <y> ".repeat(n)}${loc("")}` },

  // Text
  "text sitemap": { text: (n) => counted("https://www.example.com/{n}\n", n) },
  "text line below the limit": {
    text: (n) => `https://www.example.com/\nhttps://www.example.com/${" a,".repeat(n)}`,
    at: 10_000,
  },
  "text line of URLs": { text: (n) => `https://www.example.com/\n${"http://a ".repeat(n)}`, at: 3_500 },
  // Twice as much is still below the size at which V8 allocates separate pages for a string.
  "text line of quotes": {
    text: (n) => `https://www.example.com/\nhttps://www.example.com/,${'"'.repeat(n)}`,
    at: 15_000,
  },
  "text in one-byte chunks": { text: (n) => counted("https://www.example.com/{n}\n", n), chunk: 1 },
  "text line in one-byte chunks": {
    text: (n) => `https://www.example.com/\n${"a".repeat(n)}`,
    at: 30_000,
    chunk: 1,
  },

  // JSON Feed
  "JSON Feed": { text: (n) => feed(counted('{"id":"{n}","url":"https://www.example.com/{n}"},', n)) },
  "JSON nesting": { text: (n) => feed(`{"a":${"[".repeat(n)}`), at: 400_000 },
  "JSON item of many members": { text: (n) => feed(`{${counted('"a{n}":1,', n)}"b":1}`), at: 30_000 },
  "JSON items of nothing": { text: (n) => feed("{},".repeat(n)) },
  "JSON Feed in one-byte chunks": {
    text: (n) => feed(counted('{"id":"{n}","url":"https://www.example.com/{n}"},', n)),
    chunk: 1,
  },
  "JSON item in one-byte chunks": { text: (n) => feed(`{"a":"${"b".repeat(n)}"}`), at: 200_000, chunk: 1 },

  // robots.txt
  "robots.txt rules": {
    text: (n) => `User-agent: *\n${counted("Disallow: /{n}\n", n)}`,
    at: 10_000,
    url: robotsUrl,
  },
  "robots.txt Sitemap lines": {
    text: (n) => counted("Sitemap: https://www.example.com/{n}\n", n),
    at: 5_000,
    url: robotsUrl,
  },
  "robots.txt in HTML": { text: (n) => `<html>${"<p>a\n".repeat(n)}`, at: 50_000, url: robotsUrl },
  "robots.txt in comments without end": {
    text: (n) => `<html>${"<!--".repeat(n)}`,
    at: 50_000,
    url: robotsUrl,
  },
  "robots.txt agents": {
    text: (n) => counted("User-agent: a{n}\nDisallow: /\n", n),
    at: 5_000,
    run: askRobots("/"),
  },
  "robots.txt rules asked": {
    text: (n) => `User-agent: *\n${counted("Disallow: /{n}*a\n", n)}`,
    at: 5_000,
    run: askRobots("/b"),
  },
  "robots.txt stars": {
    text: (n) => `User-agent: *\nDisallow: /${"*a".repeat(n)}b`,
    at: 4_000,
    run: askRobots(`/${"a".repeat(20_000)}`),
  },
  "robots.txt stars, long path": {
    text: (n) => "/".padEnd(n, "a"),
    at: 20_000,
    run: (path) =>
      void parseRobotsTxt(`User-agent: *\nDisallow: /${"*aaaaaaaab".repeat(1_000)}`).isAllowed(
        `https://www.example.com${path}`,
        "bot",
      ),
  },
};

function askRobots(path: string): (text: string) => void {
  return (text) =>
    void parseRobotsTxt(text, { url: robotsUrl }).isAllowed(`https://www.example.com${path}`, "bot");
}
