import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HomepageLinkReader, parseLinkHeader } from "../../src/discover/homepage-links.ts";
import { runs, seed } from "../support/runs.ts";

const homepage = "https://example.com/start/";
const at = (path: string): string => `https://example.com${path}`;

interface Found {
  readonly links: string[];
  readonly feeds: string[];
  readonly done: boolean;
}

function readChunks(chunks: Iterable<string>): Found {
  const reader = new HomepageLinkReader(homepage);
  for (const chunk of chunks) reader.push(chunk);
  const { done } = reader;
  reader.end();
  return { links: reader.links, feeds: reader.feeds, done };
}

/** Complete, character by character and split in two at every position. All must agree. */
function read(html: string): Found {
  const whole = readChunks([html]);
  expect(readChunks(html.split(""))).toEqual(whole);
  for (let i = 0; i <= html.length; i++) {
    expect(readChunks([html.slice(0, i), html.slice(i)])).toEqual(whole);
  }
  return whole;
}

const linkTo = (href: string): string => `<link rel="sitemap" href="${href}">`;

describe("a sitemap link is found", () => {
  test.each([
    ["double quotes", `<link rel="sitemap" href="/a.xml">`],
    ["single quotes", `<link rel='sitemap' href='/a.xml'>`],
    ["no quotes", "<link rel=sitemap href=/a.xml>"],
    ["other order, self-closing", `<link type="application/xml" href="/a.xml" title="x" rel="sitemap" />`],
    ["upper case", `<LINK REL="SiteMap" HREF="/a.xml">`],
    ["several relations", `<link rel="help  sitemap\nx" href="/a.xml">`],
    ["blanks around the equals sign", `<link rel = "sitemap"\n\thref\t=\n"/a.xml">`],
    ["no blank between attributes", `<link rel="sitemap"href="/a.xml">`],
    ["an attribute without a value", `<link crossorigin rel="sitemap" href="/a.xml">`],
    ["a slash between attributes", `<link/rel="sitemap"/href="/a.xml">`],
    ["the first of two values counts", `<link rel="sitemap" href="/a.xml" rel="icon" href="/b.xml">`],
    ["a greater-than sign in a value", `<link title="a > b" rel="sitemap" href="/a.xml">`],
    ["blanks in the value", `<link rel=" sitemap " href=" /a.xml ">`],
    ["relative", `<link rel="sitemap" href="../a.xml">`],
    [
      "absolute, with credentials and fragment",
      `<link rel="sitemap" href="https://u:p@example.com/a.xml#b">`,
    ],
    ["twice", `${linkTo("/a.xml")}${linkTo("https://example.com/a.xml")}`],
    ["a long attribute before it", `<link data-${"x".repeat(40)}="1" rel="sitemap" href="/a.xml">`],
  ])("%s", (_name, html) => {
    expect(read(`<!doctype html><html><head>${html}</head>`).links).toEqual([at("/a.xml")]);
  });

  test("references in the address are decoded", () => {
    expect(read(linkTo("/a?b=1&amp;c=&#50;&d=3&unknown;")).links).toEqual([at("/a?b=1&c=2&d=3&unknown;")]);
  });

  test("several, in order", () => {
    expect(read(linkTo("b.xml") + linkTo("/a.xml")).links).toEqual([at("/start/b.xml"), at("/a.xml")]);
  });

  test("inside noscript, and after the end of an unclosed title", () => {
    const html = `<title>a <b </title>${linkTo("/a.xml")}<noscript>${linkTo("/b.xml")}</noscript>`;
    expect(read(html).links).toEqual([at("/a.xml"), at("/b.xml")]);
  });
});

describe("ignores other markup", () => {
  test.each([
    ["other relation", `<link rel="stylesheet" href="/a.xml">`],
    ["relation that only contains the word", `<link rel="sitemap-index" href="/a.xml">`],
    ["no relation", `<link href="/a.xml">`],
    ["no address", `<link rel="sitemap">`],
    ["empty address", `<link rel="sitemap" href=" ">`],
    ["other element", `<links rel="sitemap" href="/a.xml"><a rel="sitemap" href="/a.xml">`],
    ["other scheme", `${linkTo("javascript:x")}${linkTo("file:///a")}${linkTo("data:text/xml,x")}`],
    ["no URL", linkTo("https://")],
    ["endless URL", linkTo(`/${"a".repeat(8192)}`)],
    ["end tag", `</link rel="sitemap" href="/a.xml">`],
    ["comment", `<!-- ${linkTo("/a.xml")} -->`],
    ["comment with dashes", `<!-- -- > - -> ${linkTo("/a.xml")} --->`],
    ["conditional comment", `<!--[if IE]>${linkTo("/a.xml")}<![endif]-->`],
    ["comment that begins with !>", `<!--!>${linkTo("/a.xml")}-->`],
    ["comment without end", `<!--${linkTo("/a.xml")}`],
    ["script", `<script>"</scripted>${linkTo("/a.xml").replaceAll('"', "'")}"</script>`],
    ["script in upper case", `<SCRIPT type=x>${linkTo("/a.xml")}</SCRIPT >`],
    ["style", `<style>${linkTo("/a.xml")}</style>`],
    ["title", `<title>${linkTo("/a.xml")}</title>`],
    ["after the head", `</head>${linkTo("/a.xml")}`],
    ["in the body", `<body class="x">${linkTo("/a.xml")}`],
    ["unfinished tag", `<link rel="sitemap" href="/a.xml"`],
    ["unfinished value", `<link rel="sitemap" href="/a.xml>`],
  ])("%s", (_name, html) => {
    if (html.length < 1000) expect(read(html).links).toEqual([]);
    else expect(readChunks([html]).links).toEqual([]);
  });
});

describe("skipped markup ends where it ends in HTML", () => {
  test.each([
    ["empty comment", "<!---->"],
    ["abrupt comment", "<!-->"],
    ["abrupt comment with a dash", "<!--->"],
    ["comment that ends with --!>", "<!-- a --!>"],
    ["comment with a bare -- inside", "<!-- a -- b -->"],
    ["bogus comments", "<!doctype html><?xml version='1.0'?><![if !IE]></ x><!x>"],
    ["no tags", "a < b <3 </> <"],
    ["script with a look-alike", "<script>a</scrip></ script><</script\n x='1'>"],
    ["header is not head", "</header><bodyguard>"],
  ])("%s", (_name, html) => {
    expect(read(`${html}${linkTo("/a.xml")}`).links).toEqual([at("/a.xml")]);
  });
});

describe("base", () => {
  test("applies to all links, also those before it", () => {
    const { links, feeds } = read(
      `${linkTo("a.xml")}<base target="_top"><base href="/dir/?x&amp;y"><base href="/no/">${linkTo("b.xml")}` +
        `<link rel=alternate type=application/rss+xml href=c>`,
    );
    expect(links).toEqual([at("/dir/a.xml"), at("/dir/b.xml")]);
    expect(feeds).toEqual([at("/dir/c")]);
  });

  test.each(["javascript:x", "https://", "data:,"])("%s is ignored", (href) => {
    expect(read(`<base href="${href}">${linkTo("a.xml")}`).links).toEqual([at("/start/a.xml")]);
  });
});

test("feeds are listed separately", () => {
  const { links, feeds } = read(
    [
      `<link rel="alternate" type="application/rss+xml" href="/rss">`,
      `<link rel="ALTERNATE home" type="Application/Atom+XML; charset=utf-8" href="/atom">`,
      `<link rel="alternate" type="application/feed+json" href="/json">`,
      `<link rel="alternate" type="application/json" href="/wp-json">`,
      `<link rel="alternate" hreflang="de" href="/de">`,
      `<link rel="sitemap alternate" type="application/rss+xml" href="/both">`,
    ].join("\n"),
  );
  expect(feeds).toEqual([at("/rss"), at("/atom"), at("/json"), at("/both")]);
  expect(links).toEqual([at("/both")]);
});

describe("done", () => {
  test.each(["</head>", "<body>", "<BODY onload='x'>", "<frameset>", "</html>"])("after %s", (html) => {
    expect(read(`<html><head>${html}`).done).toBe(true);
  });

  test("not before the end of the head", () => {
    expect(read(`<html><head><!-- </head> --><script>"<body>"</script><title></head></title>`).done).toBe(
      false,
    );
  });

  test("after 512 KiB", () => {
    const filler = " ".repeat(512 * 1024 - linkTo("/a.xml").length);
    expect(readChunks([filler, linkTo("/a.xml")])).toEqual({ links: [at("/a.xml")], feeds: [], done: true });
    expect(readChunks([filler, " ", linkTo("/a.xml")]).links).toEqual([]);
  });
});

test("at most 100 links are kept", () => {
  const html = Array.from({ length: 150 }, (_, i) => linkTo(`/${i}`)).join("");
  expect(readChunks([html]).links).toHaveLength(100);
});

test("never throws, and does not depend on the chunks", () => {
  const soup = fc.array(
    fc.oneof(
      fc.constantFrom("<", ">", "</", "<!--", "-->", "-", "!", "=", '"', "'", "/", " ", "\n", "&amp;", "\0"),
      fc.constantFrom("link", "rel", "href", "sitemap", "alternate", "base", "script", "title", "head", "/a"),
      fc.constantFrom(linkTo("/x"), "<script>", "</script>", "<title>", "<base href=/b/>"),
      fc.string({ unit: "binary", maxLength: 3 }),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(soup, (parts) => {
      expect(readChunks(parts)).toEqual(readChunks([parts.join("")]));
    }),
    { numRuns: runs(400), seed },
  );
});

describe("parseLinkHeader (RFC 8288)", () => {
  test.each<[name: string, header: string | undefined, urls: string[]]>([
    ["absent", undefined, []],
    ["empty", "", []],
    ["token (3)", "<https://example.com/a.xml>; rel=sitemap", ["/a.xml"]],
    ["quoted (3)", `<https://example.com/a.xml>; rel="sitemap"`, ["/a.xml"]],
    ["relative (3.1)", `</a.xml>;rel="sitemap", <b.xml>;rel="sitemap"`, ["/a.xml", "/start/b.xml"]],
    ["several relations, any case (3.3)", `</a.xml>; REL="help SiteMap"`, ["/a.xml"]],
    [
      "the first rel counts (3.3)",
      `</a.xml>; rel=next; rel=sitemap, </b.xml>; rel=sitemap; rel=next`,
      ["/b.xml"],
    ],
    ["an anchor changes the context (3.2)", `</a.xml>; rel=sitemap; anchor="/other"`, []],
    ["other relations", `</a.xml>; rel=preload, </b.xml>; title=sitemap, </c.xml>`, []],
    ["separators in quotes", `</a.xml>; title="x, <y>; rel=next"; rel="sitemap"`, ["/a.xml"]],
    ["escapes in quotes", `</a.xml>; title="a\\"; rel=next"; rel="site\\map"`, ["/a.xml"]],
    ["separators in the target", `</a.xml?b=1,2;3>; rel=sitemap`, ["/a.xml?b=1,2;3"]],
    ["blanks", ` ,, </a.xml> ;  rel = "sitemap" ; x , </b.xml>;rel=sitemap ,`, ["/a.xml", "/b.xml"]],
    ["parameters without value", `</a.xml>; crossorigin; rel=sitemap;;`, ["/a.xml"]],
    ["the same twice", `</a.xml>; rel=sitemap, </a.xml#x>; rel=sitemap`, ["/a.xml"]],
    ["junk before a link", `junk; rel=sitemap, </a.xml>; rel=sitemap`, ["/a.xml"]],
    ["not closed", `</a.xml; rel=sitemap`, []],
    ["quote not closed", `</a.xml>; rel="sitemap`, ["/a.xml"]],
    ["other scheme, no URL", `<file:///a>; rel=sitemap, <https://>; rel=sitemap, <>; rel=sitemap`, []],
  ])("%s", (_name, header, urls) => {
    expect(parseLinkHeader(header, homepage)).toEqual(urls.map(at));
  });

  test("never throws", () => {
    const header = fc.string({ unit: fc.constantFrom(..."<>;,=\"'\\ relsitmap/"), maxLength: 60 });
    fc.assert(
      fc.property(header, (text) => {
        for (const url of parseLinkHeader(text, homepage)) expect(url).toMatch(/^https:\/\//);
      }),
      { numRuns: runs(400), seed },
    );
  });
});
