/** HTML sitemaps and llms.txt: which links become pages, with which titles and sections. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Page, parseHtmlSitemap, parseLlmsTxt, parseSitemap, type Sitemap } from "../../src/index.ts";
import { runs, seed } from "../support/runs.ts";

const SITE = "https://www.example.com";
const HTML_URL = `${SITE}/dir/sitemap.html`;
const LLMS_URL = `${SITE}/llms.txt`;

type Parse = typeof parseHtmlSitemap;

/** Parses the bytes as a whole, byte by byte, and in two parts. The results must be equal. */
async function parseAll(parse: Parse, text: string, url: string): Promise<Sitemap> {
  const bytes = new TextEncoder().encode(text);
  const options = { url, isOwnHost: (host: string) => /(?:^|\.)example\.com$/.test(host) };
  const whole = await parse(bytes, options);
  expect(
    await parse(
      Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)),
      options,
    ),
  ).toEqual(whole);
  for (let at = 1; at < bytes.length; at += 7) {
    expect(await parse([bytes.subarray(0, at), bytes.subarray(at)], options)).toEqual(whole);
  }
  return whole;
}

function lines(sitemap: Sitemap): string[] {
  return [...sitemap.pages].map(({ url, title, section }) =>
    [url.replace(SITE, ""), title, section].filter((part) => part !== undefined).join(" | "),
  );
}

const html = (body: string, head = ""): string =>
  `<!DOCTYPE html><html><head><title>x <a href="/no"></title>${head}</head><body>${body}</body></html>`;

async function htmlLines(text: string): Promise<string[]> {
  const sitemap = await parseAll(parseHtmlSitemap, text, HTML_URL);
  expect(sitemap).toMatchObject({ kind: "pages", format: "html", issues: [] });
  return lines(sitemap);
}

describe("HTML sitemaps", () => {
  test.each<[name: string, body: string, expected: string[], head?: string]>([
    ["links with titles, in order", `<a href="/b">B</a> <a href="/a">A</a>`, ["/b | B", "/a | A"]],
    [
      "relative to the page",
      `<a href="x">X</a><a href="../y">Y</a><a href="?q=1">Q</a>`,
      ["/dir/x | X", "/y | Y", "/dir/sitemap.html?q=1 | Q"],
    ],
    ["relative to <base>", `<a href="x">X</a>`, ["/base/x | X"], `<base href="/base/"><base href="/2/">`],
    [
      "the base may be on another host",
      `<a href="x">X</a><a href="${SITE}/y">Y</a>`,
      ["/y | Y"],
      `<base href="https://cdn.test/">`,
    ],
    [
      "a base that is not a URL is ignored",
      `<a href="x">X</a>`,
      ["/dir/x | X"],
      `<base href="javascript:1">`,
    ],
    [
      "references in addresses and titles",
      `<a href="/a?b=1&amp;c=2&#38;d&copy=1">A &amp; B&nbsp;&eacute; &lt;c&gt;</a>`,
      ["/a?b=1&c=2&d&copy=1 | A & B é <c>"],
    ],
    [
      "markup and white space in titles",
      `<a href=/a>\n A <b>bold</b>\t<br>line<!-- no --> <script>no()</script></a>`,
      ["/a | A bold line"],
    ],
    ["a < that is no tag", `<a href="/a">1 < 2 <3</a>`, ["/a | 1 < 2 <3"]],
    [
      "other schemes, fragments and empty links are left out",
      `<a href="mailto:a@b.c">m</a><a href="javascript:void(0)">j</a><a href="TEL:1">t</a><a href="data:,x">d</a><a href="#top">f</a><a href="">e</a><a href=" ">e</a><a>n</a><a href="/a">A</a>`,
      ["/a | A"],
    ],
    [
      "fragments are removed, and a page counts once",
      `<a href="/a#x">1</a><a href="/a">2</a><a href="/a#y">3</a>`,
      ["/a | 1"],
    ],
    [
      "same site only",
      `<a href="https://other.test/">o</a><a href="//shop.example.com/s">S</a><a href="http://www.example.com/h">H</a><a href="https://notexample.com/">n</a>`,
      ["https://shop.example.com/s | S", "http://www.example.com/h | H"],
    ],
    [
      "nofollow is left out",
      `<a rel="nofollow" href="/n">N</a><a rel="external NoFollow" href="/n">N</a><a rel="nofollow,noopener" href="/n">N</a><a rel="noopener" href="/a">A</a>`,
      ["/a | A"],
    ],
    ["image maps", `<map><area href="/area" alt="x"></map><a href="/a">A</a>`, ["/area", "/a | A"]],
    [
      "scripts, comments and text areas have no links",
      `<script>"<a href='/s'>"</script><!-- <a href="/c">c</a> --><textarea><a href="/t"></textarea><style><a href="/y"></style><a href="/a">A</a>`,
      ["/a | A"],
    ],
    ["unclosed links", `<li><a href="/a">A<li><a href="/b">B`, ["/a | A", "/b | B"]],
    [
      "unquoted and odd attributes",
      `<a data-x='>' href=/a/ class>A</a><A HREF='/b' HREF="/c">B</A>`,
      ["/a/ | A", "/b | B"],
    ],
    [
      "empty elements of an icon",
      `<a href=/a><svg><title/><style/><path d="M0"/></svg>A</a><a href=/b><svg><title>i</title><script /></svg>B</a><math><script/></math><a href=/c>C</a>`,
      ["/a | A", "/b | B", "/c | C"],
    ],
    ["an icon with an empty title before the text", `<a href=/a><svg><title/></svg>A</a>`, ["/a | A"]],
    [
      "an icon without an end tag",
      `<svg><path><p><script>"<a href='/s'>"</script><a href=/a>A</a>`,
      ["/a | A"],
    ],
    [
      "templates have no links",
      `<template><base href="/no/"><a href="/{{id}}">T</a><template></template><a href=/t></a></template><a href=a>A</a>`,
      ["/dir/a | A"],
    ],
    ["credentials are removed", `<a href="https://u:p@www.example.com/a">A</a>`, ["/a | A"]],
  ])("%s", async (_, body, expected, head) => {
    expect(await htmlLines(html(body, head))).toEqual(expected);
  });

  test.each([
    "<ul><li><a href=/a>A</a></ul>",
    "<!doctype html><p><a href=/a>A</a>",
    "<!-- x --><h1>Sitemap</h1><a href=/a>A</a>",
    "<form action=/search><input></form><a href=/a>A</a>",
    "<img src=/logo.png><a href=/a>A</a>",
    "<noscript>No script</noscript><a href=/a>A</a>",
    "Notice: x in y.php\n<!doctype html><a href=/a>A</a>",
    "Notice: x in y.php\n<html><a href=/a>A</a>",
    "\n\ufeff<!doctype html><html><a href=/a>A</a>",
  ])("a page without <html>: %s", async (text) => {
    expect(await htmlLines(text)).toEqual(["/a | A"]);
  });

  test.each([
    ["text before the first tag", "Sitemap <a href=/a>A</a>", ["/a | A"]],
    ["an unknown tag first", "<my-app><a href=/a>A</a></my-app>", ["/a | A"]],
    ["a list of URLs", `${SITE}/a\n${SITE}/b\n<a>`, ["/a", "/b"]],
    ["a list of URLs with a comment", `# Pages\n${SITE}/a\n`, ["/a"]],
    ["a text without a link", "<p>Not found", []],
  ])("the Content-Type text/html: %s", async (_, text, expected) => {
    const options = { url: HTML_URL, contentType: "text/html; charset=utf-8" };
    const bytes = new TextEncoder().encode(text);
    const whole = await parseHtmlSitemap(bytes, options);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await parseHtmlSitemap(pieces, options)).toEqual(whole);
    expect(lines(whole)).toEqual(expected);
  });

  const CYRILLIC = "/%D0%BA%D0%B0%D1%82 | Кат";
  test.each<[name: string, head: string, contentType: string | undefined, expected: string, codes: string[]]>(
    [
      [
        "<meta charset>",
        "<!doctype html><meta charset=windows-1251>",
        undefined,
        CYRILLIC,
        ["encoding.not-utf8"],
      ],
      [
        "<meta http-equiv>",
        `<html><META content="text/html;charset=cp1251" http-equiv=Content-Type>`,
        "text/html",
        CYRILLIC,
        ["encoding.not-utf8"],
      ],
      [
        "the header has priority",
        "<html><meta charset=koi8-r>",
        "text/html; charset=windows-1251",
        CYRILLIC,
        ["encoding.not-utf8"],
      ],
      [
        "an unknown name is skipped",
        "<html><meta charset=x><meta charset=windows-1251>",
        undefined,
        CYRILLIC,
        ["encoding.not-utf8"],
      ],
      [
        "a comment does not count",
        "<html><!-- <meta charset=koi8-r> --><meta charset=windows-1251>",
        undefined,
        CYRILLIC,
        ["encoding.not-utf8"],
      ],
    ],
  )("encoding: %s", async (_, head, contentType, expected, codes) => {
    const text = new TextEncoder().encode(`${head}<a href="/???">???</a>`);
    // кат and Кат in windows-1251.
    const cyrillic = [0xea, 0xe0, 0xf2, 0xca, 0xe0, 0xf2];
    let next = 0;
    const bytes = text.map((byte) => (byte === 0x3f ? cyrillic[next++]! : byte));
    const options = { url: HTML_URL, contentType };
    const whole = await parseHtmlSitemap(bytes, options);
    expect(lines(whole)).toEqual([expected]);
    expect(whole.issues.map(({ code }) => code)).toEqual(codes);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    expect(await parseHtmlSitemap(pieces, options)).toEqual(whole);
    // A long document, so that the decision comes before its end.
    const long = await parseHtmlSitemap([bytes, new Uint8Array(2000).fill(0x20)], options);
    expect(lines(long)).toEqual([expected]);
  });

  test("a page in UTF-8 that declares another encoding is UTF-8, and the declaration is reported", async () => {
    const text = `<html><meta charset="windows-1251"><a href="/a">é</a>`;
    const sitemap = await parseAll(parseHtmlSitemap, text, HTML_URL);
    expect(lines(sitemap)).toEqual(["/a | é"]);
    expect(sitemap.issues.map(({ code }) => code)).toEqual(["encoding.wrong-declaration"]);
    const marked = await parseAll(parseHtmlSitemap, `\ufeff${text}`, HTML_URL);
    expect(lines(marked)).toEqual(["/a | é"]);
  });

  test("the URL as written, and the mark of a link", async () => {
    const { pages } = await parseHtmlSitemap(html(`<a href="x">X</a>`), { url: HTML_URL });
    expect([...pages]).toEqual([{ url: `${SITE}/dir/x`, urlText: "x", title: "X", linkedFrom: "html" }]);
  });

  test.each([
    ["no link to the site", html(`<a href="https://other.test/">o</a>`), "content.html"],
    ["no link at all", html("<p>Please log in"), "content.html"],
    ["another root", "<foo><a href='/a'>A</a></foo>", "content.unknown-root"],
  ])("%s: invalid", async (_, text, code) => {
    expect(await parseAll(parseHtmlSitemap, text, HTML_URL)).toMatchObject({ kind: "invalid", code });
  });

  test("a sitemap with an HTML error message before its root is XML", async () => {
    const text = `<p>Warning: <b>x</b></p>\n<urlset><url><loc>${SITE}/a</loc></url></urlset>`;
    const sitemap = await parseAll(parseHtmlSitemap, text, HTML_URL);
    expect(sitemap).toMatchObject({ kind: "pages", format: "xml" });
    expect(lines(sitemap)).toEqual(["/a"]);
  });

  test("without the function for HTML, an HTML page stays invalid", async () => {
    expect(await parseSitemap(html(`<a href="/a">A</a>`), { url: HTML_URL })).toMatchObject({
      kind: "invalid",
      code: "content.html",
    });
  });

  test("addresses that are not URLs, or too long, are reported", async () => {
    const text = html(
      `<a href="https://[/">x</a><a href="/${"a".repeat(9000)}">y</a><a href="/${"b".repeat(8180)}">z</a><a href="/a">A</a>`,
    );
    const sitemap = await parseHtmlSitemap(text, { url: HTML_URL });
    expect(lines(sitemap)).toEqual(["/a | A"]);
    expect(sitemap.issues.map(({ code }) => code)).toEqual(["url.invalid", "url.too-long"]);
  });

  test("without a URL, absolute links of every host count", async () => {
    const sitemap = await parseHtmlSitemap(html(`<a href="https://a.test/">A</a><a href="/b">B</a>`));
    expect(lines(sitemap)).toEqual(["https://a.test/ | A"]);
    expect(sitemap.issues.map(({ code }) => code)).toEqual(["url.no-base"]);
  });

  test("wrong arguments throw a TypeError", async () => {
    await expect(parseHtmlSitemap("", { isOwnHost: true as never })).rejects.toThrow(TypeError);
    await expect(parseHtmlSitemap("", { urls: 1 } as never)).rejects.toThrow(/parseHtmlSitemap/);
    await expect(parseLlmsTxt(1 as never)).rejects.toThrow(/parseLlmsTxt/);
  });

  test("random pages give the links of a model", async () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", "ä", " ", "\n", "&", "<", ">", '"', "'"),
      maxLength: 8,
    });
    const path = fc.string({ unit: fc.constantFrom("a", "b", "/", "&", "%20", "ä", "?"), maxLength: 6 });
    const noise = fc.constantFrom(
      "",
      "<p>",
      "</p>",
      "<!-- <a href='/c'> -->",
      "text",
      "<br/>",
      "<script>if (a<b) '<a href=/s>'</script>",
      "<img alt='>'>",
      "</li>",
      "<option selected>",
    );
    const link = fc.record({
      path,
      text,
      quote: fc.constantFrom('"', "'"),
      isClosed: fc.boolean(),
      before: noise,
      isUpper: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(link, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 40 }),
        async (links, size) => {
          const escapeHtml = (value: string): string =>
            value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
          const body = links.map(({ path, text, quote, isClosed, before, isUpper }) => {
            const tag = isUpper ? "A" : "a";
            return `${before}<${tag} class=x href=${quote}/p/${escapeHtml(path)}${quote}>${escapeHtml(text)}${isClosed ? `</${tag}>` : ""}`;
          });
          const expected = new Map<string, string>();
          for (const [index, { path, text, isClosed }] of links.entries()) {
            const url = new URL(`/p/${path}`, HTML_URL).href;
            const next = isClosed ? "" : (NOISE_TEXT.get(links[index + 1]?.before ?? "") ?? "");
            const title = `${text}${next}`.split(/\s+/).filter(Boolean).join(" ");
            if (!expected.has(url)) expected.set(url, title);
          }
          const bytes = new TextEncoder().encode(`<html><body>${body.join("")}</body></html>`);
          const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, at * size + size),
          );
          const { pages } = await parseHtmlSitemap(chunks, { url: HTML_URL });
          expect([...pages].map(({ url, title = "" }: Page) => [url, title])).toEqual([...expected]);
        },
      ),
      { numRuns: runs(200), seed },
    );
  });
});

/** The text of noise inside a link that is not closed. */
const NOISE_TEXT: ReadonlyMap<string, string> = new Map([
  ["text", "text"],
  ["<p>", " "],
  ["</p>", " "],
  ["<br/>", " "],
  ["<img alt='>'>", " "],
]);

const LLMS = `# Example

> A summary with a [link](/summary).

Details.

## Docs

- [Start](/start): how to start
- [API *reference*](https://docs.example.com/api.html.md "Title"): notes with \`[code](/code)\`

## Optional

* [Paper (2024)](/a_(b)): in parentheses
+ [Other site](https://other.test/x)
1. [Again](/start)
`;

async function llmsLines(text: string): Promise<string[]> {
  const sitemap = await parseAll(parseLlmsTxt, text, LLMS_URL);
  expect(sitemap).toMatchObject({ kind: "pages", format: "llms" });
  return lines(sitemap);
}

describe("llms.txt", () => {
  test("links with titles and sections", async () => {
    expect(await llmsLines(LLMS)).toEqual([
      "/summary | link",
      "/start | Start | Docs",
      "https://docs.example.com/api.html.md | API reference | Docs",
      "/a_(b) | Paper (2024) | Optional",
    ]);
  });

  test("links to other sites are left out and reported, and duplicates are counted", async () => {
    const { issues, duplicateCount } = await parseAll(parseLlmsTxt, LLMS, LLMS_URL);
    expect(issues).toMatchObject([
      { code: "url.cross-site", severity: "info", line: 15, value: "https://other.test/x" },
    ]);
    expect(duplicateCount).toBe(1);
  });

  test.each<[name: string, text: string, expected: string[]]>([
    ["L03: links outside of lists", "# T\nSee [A](/a) and [B](/b).", ["/a | A", "/b | B"]],
    [
      "L04: bare URLs",
      `# T\n- ${SITE}/a, (${SITE}/b). <${SITE}/c>\n- Docs: ${SITE}/d_(e)`,
      ["/a", "/b", "/c", "/d_(e)"],
    ],
    [
      "L05: sections of a lower level",
      "# T\n### S\n- [A](/a)\n#### U\n- [B](/b)",
      ["/a | A | S", "/b | B | U"],
    ],
    ["level 2 wins", "# T\n## S\n### U\n- [A](/a)\n# New\n- [B](/b)", ["/a | A | S", "/b | B"]],
    [
      "headings with links, emphasis and closing signs",
      "# T\n## **S** [x](/x) & more ##\n- [A](/a)",
      ["/x | x | S x & more", "/a | A | S x & more"],
    ],
    [
      "code is not read",
      "# T\n```\n[A](/a)\n```\n~~~md\n```\n[B](/b)\n~~~\n- [C](/c) `[D](/d)` ``[E](/e)``",
      ["/c | C"],
    ],
    [
      "images are left out, an image inside a link is its title",
      "# T\n![I](/i.png)\n[![Logo](/l.png)](/home)",
      ["/home | Logo"],
    ],
    [
      "escapes and brackets",
      "# T\n- [a \\[b\\] \\* c](/a\\)b) [d [e] f](<g h>)",
      ["/a)b | a [b] * c", "/g%20h | d [e] f"],
    ],
    ["bold links and task lists", "# T\n- [x] **[A](/a)**: n\n- [ ] __[B_c](/b)__", ["/a | A", "/b | B_c"]],
    [
      "fragments, mail and other schemes",
      "# T\n[a](#a) [m](mailto:a@b.c) [j](javascript:1) [e]() [A](/a#b)",
      ["/a | A"],
    ],
    ["a comment or another tag before the title", "<!-- c -->\n# T\n- [A](/a)", ["/a | A"]],
    ["a tag of its own before the title", "<SYSTEM>For models</SYSTEM>\n\n# T\n- [A](/a)", ["/a | A"]],
    ["HTML inside of Markdown", "<p align=center>Logo</p>\n\n# T\n- [A](/a)", ["/a | A"]],
    ["a title alone", "# T\n", []],
    ["without a title", "- [A](/a)", ["/a | A"]],
    ["CRLF and a byte order mark", "\ufeff# T\r\n\r\n## S\r\n- [A](/a)\r\n", ["/a | A | S"]],
    [
      "a URL with a space is not a link",
      `# T\n- [a](/a b c.md) [b](${SITE}/b c.md) [c](<c d> e)\n- [d](/d "T") [e](/e 't') [f](/f (t)) [g]( /g )`,
      ["/d | d", "/e | e", "/f | f", "/g | g"],
    ],
    ["a title with quotes in it", `# T\n[a](/a "b "c" d") [b](/b)`, ["/a | a", "/b | b"]],
    ["unbalanced parentheses", "# T\n[a](/a(b [c](/c) [d](/d(e)f)", ["/c | c", "/d(e)f | d"]],
    [
      "comments are left out",
      "# T\n<!-- [a](/a) -->[b](/b)<!-- [c](/c)\n[d](/d)\n--> [e](/e)\n<!--\n\n## No\n```\n-->\n[f](/f) `<!--` [g](/g)",
      ["/b | b", "/e | e", "/f | f", "/g | g"],
    ],
    [
      "a comment that does not end, in a paragraph",
      "# T\nstart <!-- [a](/a)\n[b](/b)\n\n[c](/c)",
      ["/c | c"],
    ],
    [
      "punctuation of Chinese and Japanese ends a bare URL",
      `# T\n详见 ${SITE}/a。更多：${SITE}/b，（${SITE}/c）「${SITE}/d」、<${SITE}/e>`,
      ["/a", "/b", "/c", "/d", "/e"],
    ],
    ["bare URLs before the first heading", `${SITE}/a\n# T\n[b](/b)`, ["/a", "/b | b"]],
    [
      "indented code is not read",
      "# T\n    [a](/a)\ntext\n    [b](/b)\n\n\t[c](/c)\n\n- x\n\n    [d](/d)\n\ntext\n\n    [e](/e)",
      ["/b | b", "/d | d"],
    ],
    [
      "definitions are not read",
      `# T\n[a][b] [c](/c)\n\n[b]: ${SITE}/b\n[d]: <${SITE}/d> "T"\n[^1]: see ${SITE}/e`,
      ["/c | c", "/e"],
    ],
    [
      "lower headings are sections up to the first of level 2",
      "# T\n### S\n[a](/a)\n## U\n### V\n[b](/b)",
      ["/a | a | S", "/b | b | U"],
    ],
    ["references", "# T\n## R &amp; D\n- [A &lt; B](/a?b&amp;c)", ["/a?b&c | A < B | R & D"]],
  ])("%s", async (_, text, expected) => {
    expect(await llmsLines(text)).toEqual(expected);
  });

  test.each([
    ["an HTML page", html(`<a href="/a">A</a>`), "content.html"],
    ["an HTML page without <html>", `<!doctype html><title>x</title><p><a href="/a">A</a>`, "content.html"],
    ["a text", "Not found", "content.no-urls"],
    ["a text with a URL", `Not Found. Visit ${SITE}/help`, "content.no-urls"],
    ["nothing", "", "content.empty"],
    ["JSON", `{"error": 404}`, "content.json"],
  ])("%s in its place: invalid", async (_, text, code) => {
    expect(await parseAll(parseLlmsTxt, text, LLMS_URL)).toMatchObject({ kind: "invalid", code });
  });

  test("a line that is too long is skipped and reported", async () => {
    const sitemap = await parseLlmsTxt(`# T\n[x](/${"x".repeat(70_000)})\n[A](/a)`, { url: LLMS_URL });
    expect(lines(sitemap)).toEqual(["/a | A"]);
    expect(sitemap.issues).toMatchObject([{ code: "text.line-too-long", line: 2 }]);
  });

  test("long titles and sections are cut", async () => {
    const long = "x".repeat(5000);
    const { pages, issues } = await parseLlmsTxt(`# T\n## ${long}\n[${long}](/a)`, {
      url: LLMS_URL,
      limits: { textLength: 10 },
    });
    expect([...pages]).toMatchObject([{ title: "x".repeat(10), section: "x".repeat(10) }]);
    expect(issues.map(({ code }) => code)).toEqual(["text.cut", "text.cut"]);
  });

  test("random files give the links of a model", async () => {
    const word = fc
      .string({ unit: fc.constantFrom("a", "B", "ä", " ", "-", "1"), minLength: 1, maxLength: 8 })
      .map((text) => text.trim() || "x");
    const item = fc.record({
      title: word,
      path: fc.string({ unit: fc.constantFrom("a", "/", "(", ")", "é"), maxLength: 5 }),
      notes: word,
    });
    const section = fc.record({ name: word, items: fc.array(item, { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(section, { maxLength: 4 }), async (sections) => {
        const balance = (path: string): string => path.replace(/[()]/g, "\\$&");
        const text = sections.map(({ name, items }) => {
          const list = items.map(({ title, path, notes }) => `- [${title}](/p/${balance(path)}): ${notes}\n`);
          return `## ${name}\n\n${list.join("")}\n`;
        });
        const expected = new Map<string, string[]>();
        for (const { name, items } of sections) {
          for (const { title, path } of items) {
            const url = new URL(`/p/${path}`, LLMS_URL).href;
            const plain = (value: string): string => value.split(/\s+/).join(" ");
            if (!expected.has(url)) expected.set(url, [url, plain(title), plain(name)]);
          }
        }
        const { pages } = await parseLlmsTxt(`# T\n\n> S\n\n${text.join("")}`, { url: LLMS_URL });
        expect([...pages].map(({ url, title, section }) => [url, title, section])).toEqual([
          ...expected.values(),
        ]);
      }),
      { numRuns: runs(200), seed },
    );
  });
});
