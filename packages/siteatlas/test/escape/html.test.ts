/** sec-O03: an HTML parser gets exactly the original text. */
import fc from "fast-check";
import { parseDocument } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { htmlAttribute, htmlHref, htmlText } from "../../src/escape/html.ts";
import { hostileText, settings, wellFormed } from "./hostile-text.ts";

/** Without control characters, which are invalid in a page. */
function shown(text: string): string {
  return wellFormed(text).replace(/[\0-\x08\v\f\x0e-\x1f\x7f-\x9f]/g, "\ufffd");
}

interface Node {
  readonly type: string;
  readonly data?: string;
  readonly name?: string;
  readonly attribs?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

function parse(html: string): readonly Node[] {
  return parseDocument(html).children as unknown as readonly Node[];
}

describe("htmlText", () => {
  test.each([
    ["</title><script>alert(1)</script>", "&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;"],
    ["a & b &lt; \"'`", "a &amp; b &amp;lt; &quot;&#39;&#96;"],
    ["\u001b[2J\0\u009b", "\ufffd[2J\ufffd\ufffd"],
    ["a\r\nb\ud800", "a&#13;\nb\ufffd"],
  ])("sec-O03: %j", (text, expected) => {
    expect(htmlText(text)).toBe(expected);
  });

  test("a parser gets the original text and no other node", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const [paragraph, ...others] = parse(`<p>${htmlText(text)}</p>`);
        expect(others).toEqual([]);
        expect(paragraph).toMatchObject({ type: "tag", name: "p" });
        const children = paragraph?.children?.map(({ type, data }) => [type, data]);
        expect(children).toEqual(text === "" ? [] : [["text", shown(text)]]);
      }),
      settings,
    );
  });
});

describe("htmlAttribute", () => {
  test.each(['"', "'"])("a parser gets the original text and no other attribute, in %s", (quote) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const html = `<p title=${quote}${htmlAttribute(text)}${quote} id=last>x</p>`;
        const [paragraph, ...others] = parse(html);
        expect(others).toEqual([]);
        expect(paragraph?.attribs).toEqual({ title: shown(text), id: "last" });
        expect(paragraph?.children?.map(({ data }) => data)).toEqual(["x"]);
      }),
      settings,
    );
  });

  test("contains no character that ends a value, with or without quotes", () => {
    expect(htmlAttribute("a\"b'c`d<e>f\tg\nh\ri")).toBe("a&quot;b&#39;c&#96;d&lt;e&gt;f&#9;g&#10;h&#13;i");
  });
});

describe("htmlHref", () => {
  test.each([
    ["https://example.com/?a=1&b=2", "https://example.com/?a=1&amp;b=2"],
    ["https://example.com/'`\"", "https://example.com/&#39;%60%22"],
    ["HTTP://EXAMPLE.com", "http://example.com/"],
    ["https://user:pw@example.com/", "https://example.com/"],
    ["javascript:alert(1)", ""],
    ["JaVa\tScRiPt:alert(1)", ""],
    ["\u0001javascript:alert(1)", ""],
    ["data:text/html,<script>alert(1)</script>", ""],
    ["vbscript:x", ""],
    ["file:///etc/passwd", ""],
    ["blob:https://example.com/1", ""],
    ["//example.com/", ""],
    ["/path", ""],
    ["", ""],
    ["https://", ""],
  ])("sec-O03: %j is %j", (url, expected) => {
    expect(htmlHref(url)).toBe(expected);
  });

  test("a parser gets an http or https URL without credentials, or nothing", () => {
    const url = fc.oneof(
      hostileText,
      hostileText.map((text) => `https://example.com/${text}`),
      hostileText.map((text) => `http://${text}`),
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
    );
    fc.assert(
      fc.property(url, (text) => {
        const [link, ...others] = parse(`<a href="${htmlHref(text)}">x</a>`);
        expect(others).toEqual([]);
        const href = link?.attribs?.["href"] ?? "none";
        if (href === "") return;
        const { protocol, username, password, href: normalised } = new URL(href);
        expect(protocol).toMatch(/^https?:$/);
        expect(username + password).toBe("");
        expect(href).toBe(normalised);
        expect(href).toMatch(/^[\x21-\x7e]+$/);
      }),
      settings,
    );
  });
});
