import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type IssueCode, strictActionOf } from "../../../src/model/issue-severity.ts";
import { isPlainPath, URL_SAFE } from "../../../src/parse/fast/normalized-path.ts";
import {
  isPrivateHost,
  looksLikeHost,
  trimUrl,
  UrlReader,
  type UrlReaderOptions,
  type UrlRole,
} from "../../../src/parse/values/url.ts";
import { runs, seed } from "../../support/runs.ts";

const B = "https://www.example.com";
const PRIVATE: IssueCode[] = ["url.private-host", "url.scheme-mismatch", "url.cross-host"];

interface ReadOptions extends Partial<UrlReaderOptions> {
  readonly document?: string;
  readonly role?: UrlRole;
  readonly base?: string;
}

interface Reading {
  readonly url: string | undefined;
  readonly codes: readonly IssueCode[];
}

function read(text: string, options: ReadOptions = {}): Reading {
  const { document = `${B}/sitemap.xml`, role = "page", base } = options;
  const { strict = false, escapeCode = "url.double-escaped" } = options;
  const codes: IssueCode[] = [];
  const reader = new UrlReader(document, (code) => codes.push(code), { strict, escapeCode });
  return { url: reader.resolve(text, role, 1, base), codes };
}

describe("group U", () => {
  it.each<[string, string, string | undefined, IssueCode[]]>([
    ["U01", `\n   ${B}/a\n  `, `${B}/a`, []],
    ["U02", `\u00a0${B}/a\u2003`, `${B}/a`, []],
    ["U02 ZWSP and BOM", `\ufeff\u200b${B}/a\u200b\ufeff`, `${B}/a`, []],
    ["U06", `${B}/a?x=1&y=2`, `${B}/a?x=1&y=2`, []],
    ["U07", `${B}/a?x=1&amp;y=2`, `${B}/a?x=1&y=2`, ["url.double-escaped"]],
    ["U07 once", `${B}/a?x=1&amp;amp;y=2`, `${B}/a?x=1&amp;y=2`, ["url.double-escaped"]],
    ["U08", `${B}/a?x=1&copy=2&reg=us&sect=3`, `${B}/a?x=1&copy=2&reg=us&sect=3`, []],
    ["U08 with semicolon", `${B}/a?x=1&copy;=2`, `${B}/a?x=1&copy;=2`, []],
    ["U10", "/a", `${B}/a`, ["url.relative"]],
    ["U11", "a.html", `${B}/a.html`, ["url.relative"]],
    ["U12", "//www.example.com/a", `${B}/a`, ["url.relative"]],
    ["U13", "www.example.com/a", `${B}/a`, ["url.schemeless"]],
    ["U14", "HTTPS://WWW.EXAMPLE.COM/A", `${B}/A`, []],
    ["U15", `${B}:443/a`, `${B}/a`, []],
    ["U16", `${B}/a#frag`, `${B}/a`, ["url.fragment"]],
    ["U16 after a blank", `${B}/a # main`, `${B}/a`, ["url.fragment"]],
    ["U17", `${B}/a b`, `${B}/a%20b`, ["url.space"]],
    ["U18", `${B}/é/страница`, `${B}/%C3%A9/%D1%81%D1%82%D1%80%D0%B0%D0%BD%D0%B8%D1%86%D0%B0`, []],
    ["U19", "https://bücher.example/a", "https://xn--bcher-kva.example/a", ["url.cross-host"]],
    ["U20", `${B}/%c3%a9`, `${B}/%c3%a9`, []],
    ["U21", `${B}/x/../a/./b`, `${B}/a/b`, []],
    ["U22", `${B}/100%zz`, `${B}/100%zz`, ["url.bad-percent"]],
    ["U22 at the end", `${B}/100%`, `${B}/100%`, ["url.bad-percent"]],
    ["U23", `${B}/a|b{c}[d]^e`, new URL(`${B}/a|b{c}[d]^e`).href, []],
    ["U24", "https:\\\\www.example.com\\a", `${B}/a`, ["url.backslash"]],
    ["U24 not in a query", `${B}/a?b\\c`, `${B}/a?b\\c`, []],
    ["U25", "mailto:x@example.com", undefined, ["url.unsupported-scheme"]],
    ["U25 javascript", "javascript:void(0)", undefined, ["url.unsupported-scheme"]],
    ["U25 ftp", "ftp://ftp.example.com/a", undefined, ["url.unsupported-scheme"]],
    ["U25 data", "data:image/png;base64,AAAA", undefined, ["url.unsupported-scheme"]],
    ["U25 file", "file:///etc/passwd", undefined, ["url.unsupported-scheme"]],
    ["U27", "https://user:pw@www.example.com/a", `${B}/a`, ["url.credentials"]],
    ["U28", "", undefined, []],
    ["U29", "   ", undefined, []],
    ["U33", "http://127.0.0.1/admin", "http://127.0.0.1/admin", PRIVATE],
    ["U34", "http://www.example.com/a", "http://www.example.com/a", ["url.scheme-mismatch"]],
    ["U35", "https://other.example.net/a", "https://other.example.net/a", ["url.cross-host"]],
    ["U37", `${B}/a\n/b`, `${B}/a/b`, ["url.newline"]],
    ["U37 indented", `${B}/a\r\n    /b c`, `${B}/a/b%20c`, ["url.newline", "url.space"]],
    ["U40", `"${B}/a",`, `${B}/a`, ["url.decorated"]],
    ["U40 comma alone", `${B}/a,`, `${B}/a`, ["url.decorated"]],
    ["U40 angle brackets", `< ${B}/a >`, `${B}/a`, ["url.decorated"]],
    ["U40 half", `${B}/a"`, `${B}/a`, ["url.decorated"]],
    ["U40 inside stays", `${B}/a?q="b"`, `${B}/a?q=%22b%22`, []],
    ["U40 escaped", `&quot;${B}/a&quot;`, `${B}/a`, ["url.double-escaped", "url.decorated"]],
    ["U40 nothing in it", `"",`, undefined, ["url.decorated", "url.invalid"]],
    ["U41", `https://${B}/a`, `${B}/a`, ["url.double-scheme"]],
    ["U41 three", `http://https://${B}/a`, `${B}/a`, ["url.double-scheme"]],
    [
      "U41 colon lost",
      "http://https//www.example.com/a",
      `${B}/a`,
      ["url.double-scheme", "url.missing-slash"],
    ],
    ["U41 slashes first", `//${B}/a`, `${B}/a`, ["url.double-scheme"]],
    ["U45", "https:/www.example.com/a", `${B}/a`, ["url.missing-slash"]],
    ["U45 none", "https:www.example.com/a", `${B}/a`, ["url.missing-slash"]],
    ["U45 three", "https:///www.example.com/a", `${B}/a`, ["url.missing-slash"]],
    ["U45 colon lost", "https//www.example.com/a", `${B}/a`, ["url.missing-slash"]],
  ])("%s", (_, text, url, codes) => {
    expect(read(text)).toEqual({ url, codes });
  });

  it("U26: reports more than 2,048 characters and drops more than 8,192, counted after normalization", () => {
    const of = (length: number) => `${B}/`.padEnd(length, "a");
    expect(read(of(2048))).toEqual({ url: of(2048), codes: [] });
    expect(read(of(2049))).toEqual({ url: of(2049), codes: ["url.too-long"] });
    expect(read(of(8192))).toEqual({ url: of(8192), codes: ["url.too-long"] });
    expect(read(of(8193))).toEqual({ url: undefined, codes: ["url.too-long"] });
    expect(read(`${B}/${"é".repeat(1500)}`)).toEqual({ url: undefined, codes: ["url.too-long"] });
    expect(read(`${B}/a#${"a".repeat(9000)}`)).toEqual({ url: `${B}/a`, codes: ["url.fragment"] });
    expect(read(of(70_000))).toEqual({ url: undefined, codes: ["url.too-long"] });
  });

  it("U36: knows the directory of the document", () => {
    const document = `${B}/dir/sitemap.xml`;
    expect(read(`${B}/dir/a`, { document }).codes).toEqual([]);
    expect(read(`${B}/other/b`, { document }).codes).toEqual(["url.outside-path"]);
    expect(read(`${B}/directory/b`, { document }).codes).toEqual(["url.outside-path"]);
    expect(read(`${B}`, { document }).codes).toEqual(["url.outside-path"]);
    expect(read("http://www.example.com/b", { document }).codes).toEqual([
      "url.scheme-mismatch",
      "url.outside-path",
    ]);
    expect(read("https://other.example.net/b", { document }).codes).toEqual(["url.cross-host"]);
  });

  it("does not join two URLs with a line break between them", () => {
    expect(read(`${B}/a\n  ${B}/b`)).toEqual({ url: undefined, codes: ["url.newline", "url.invalid"] });
  });

  it.each([
    "https://",
    "https:///",
    "http://?",
    "https://exa mple.com/",
    "https://x:99999/",
    "http://[::1/",
    "#top",
  ])("drops %s as invalid", (text) => {
    const { url, codes } = read(text);
    expect(url).toBeUndefined();
    expect(codes).toContain("url.invalid");
  });
});

describe("group R, the part about URLs", () => {
  it.each<[string, string, string | undefined, IssueCode[]]>([
    ["R12", "s1.xml", `${B}/s1.xml`, ["url.relative"]],
    ["R13", "//cdn.example.net/s1.xml", "https://cdn.example.net/s1.xml", ["url.relative"]],
    ["R14", "www.example.com/s1.xml", `${B}/s1.xml`, ["url.schemeless"]],
    ["R15", `"${B}/s1.xml"`, `${B}/s1.xml`, ["url.decorated"]],
    ["R16", `<${B}/s1.xml>`, `${B}/s1.xml`, ["url.decorated"]],
    ["R20", "https://cdn.other.net/s1.xml", "https://cdn.other.net/s1.xml", []],
    ["R21", "ftp://ftp.example.com/s1.xml", undefined, ["url.unsupported-scheme"]],
    ["R37", `${B}/s1.xml?a=1&amp;b=2`, `${B}/s1.xml?a=1&b=2`, ["url.html-escaped"]],
  ])("%s", (_, text, url, codes) => {
    const document = `${B}/robots.txt`;
    expect(read(text, { document, role: "child", escapeCode: "url.html-escaped" })).toEqual({ url, codes });
  });
});

describe("roles", () => {
  const document = `${B}/dir/sitemap.xml`;

  it("reports the location of pages only, and private hosts also of sitemaps", () => {
    const text = "http://10.0.0.1/a";
    expect(read(text, { document, role: "page" }).codes).toEqual(PRIVATE);
    expect(read(text, { document, role: "child" }).codes).toEqual(["url.private-host"]);
    expect(read(text, { document, role: "asset" }).codes).toEqual([]);
  });

  it("reports the same for the second URL on a host as for the first", () => {
    const codes: IssueCode[] = [];
    const reader = new UrlReader(document, (code) => codes.push(code), {
      strict: false,
      escapeCode: "url.double-escaped",
    });
    const texts = ["http://10.0.0.1/a", "http://10.0.0.1/b", "https://cdn.example.net/", "http://10.0.0.1/c"];
    const seen = texts.map((text) => {
      codes.length = 0;
      return [reader.resolve(text, "page"), ...codes];
    });
    expect(seen).toEqual([
      [texts[0], ...PRIVATE],
      [texts[1], ...PRIVATE],
      [texts[2], "url.cross-host"],
      [texts[3], ...PRIVATE],
    ]);
  });

  it("does not call the document's own host private", () => {
    expect(read("http://localhost:8080/a", { document: "http://localhost:8080/sitemap.xml" }).codes).toEqual(
      [],
    );
    expect(read("http://localhost:9/a", { document: "http://localhost:8080/sitemap.xml" }).codes).toEqual([
      "url.cross-host",
    ]);
  });
});

describe("without a known document URL", () => {
  it.each(["", "sitemap.xml", "file:///sitemap.xml"])(
    "%j: keeps absolute URLs, drops relative ones",
    (document) => {
      expect(read(`${B}/a`, { document })).toEqual({ url: `${B}/a`, codes: [] });
      expect(read("/a", { document })).toEqual({ url: undefined, codes: ["url.no-base"] });
      expect(read("//www.example.com/a", { document })).toEqual({ url: `${B}/a`, codes: ["url.relative"] });
      expect(read("www.example.com/a", { document })).toEqual({ url: `${B}/a`, codes: ["url.schemeless"] });
      expect(read("http://127.0.0.1/", { document }).codes).toEqual(["url.private-host"]);
    },
  );
});

describe("xml:base", () => {
  it("F14: resolves against it without an issue", () => {
    expect(read("post1", { base: `${B}/blog/` })).toEqual({ url: `${B}/blog/post1`, codes: [] });
    expect(read("post1", { base: " /blog/ " })).toEqual({ url: `${B}/blog/post1`, codes: [] });
    expect(read("post1", { base: `${B}/blog/`, document: "" })).toEqual({
      url: `${B}/blog/post1`,
      codes: [],
    });
  });

  it("falls back to the document, or to nothing", () => {
    expect(read("post1", { base: "https://" })).toEqual({ url: `${B}/post1`, codes: [] });
    expect(read("post1", { base: "/blog/", document: "" })).toEqual({
      url: undefined,
      codes: ["url.no-base"],
    });
  });

  it("drops a relative URL whose host would be taken for a scheme", () => {
    expect(read(".//a", { base: "https://http/" })).toEqual({ url: undefined, codes: ["url.invalid"] });
    expect(read("https://ｈttp//a")).toEqual({ url: undefined, codes: ["url.invalid"] });
    expect(read("a", { base: "https://http/" }).url).toBe("https://http/a");
  });

  it("repairs a doubled scheme on a host that is named like a scheme", () => {
    const reader = new UrlReader("http://http/", () => {}, {
      strict: false,
      escapeCode: "url.double-escaped",
    });
    const urls = ["https://https/a", "https://https//www.example.com/a", "http://http//www.example.com/a"];
    expect(urls.map((url) => reader.resolve(url, "page"))).toEqual([
      "https://https/a",
      "https://www.example.com/a",
      "http://www.example.com/a",
    ]);
  });
});

describe("strict", () => {
  it("U07: keeps a double escape literally", () => {
    const text = `${B}/a?x=1&amp;y=2`;
    expect(read(text, { strict: true })).toEqual({ url: text, codes: ["url.double-escaped"] });
    expect(read(text, { strict: true, escapeCode: "url.html-escaped" }).url).toBe(`${B}/a?x=1&y=2`);
  });

  it.each([
    "/a",
    "www.example.com/a",
    `https://${B}/a`,
    "https:/www.example.com/a",
    "https:\\\\www.example.com\\a",
    `${B}/a b`,
    `${B}/a\n/b`,
    `${B}/a#b`,
    "https://user@www.example.com/a",
    `"${B}/a"`,
    `${B}/100%zz`,
    `${B}/a`.padEnd(3000, "a"),
    "http://www.example.com/a",
    "https://other.example.net/a",
    "https://127.0.0.1/a",
  ])("%.50s: reports the same as lenient, and drops if the issue table says so", (text) => {
    const lenient = read(text);
    const drops = lenient.codes.some((code) => strictActionOf(code) === "drop");
    expect(lenient.codes.length).toBeGreaterThan(0);
    expect(read(text, { strict: true })).toEqual({ ...lenient, url: drops ? undefined : lenient.url });
  });

  it("U36: drops URLs outside the directory, also on the fast path", () => {
    const document = `${B}/dir/sitemap.xml`;
    expect(read(`${B}/b`, { document, strict: true })).toEqual({
      url: undefined,
      codes: ["url.outside-path"],
    });
    expect(read(`${B}/dir/b`, { document, strict: true }).url).toBe(`${B}/dir/b`);
  });
});

describe("looksLikeHost", () => {
  it.each([
    "www.example.com",
    "www.example.com/a",
    "WWW.Example.com?x=1",
    "cdn.example.net/x",
    "bücher.example/a",
    "example.com:8080/a",
    "example.com:8080",
    "localhost:8080/x",
    "localhost/x",
    "10.0.0.1/x",
    "own",
    "own/a",
    "own:81",
  ])("%s is a host", (text) => {
    expect(looksLikeHost(text, "own")).toBe(true);
    expect(read(text, { document: "https://own/sitemap.xml", role: "asset" }).codes).toEqual([
      "url.schemeless",
    ]);
  });

  it.each([
    "s1.xml",
    "a.html",
    "a.html?x=/",
    "../a",
    "./a",
    ".well-known/a",
    "/www.example.com/a",
    "v1.2/a",
    "index.php/a",
    "example.net",
    "a/b.c/d",
    "",
    `${"a".repeat(300)}.com/`,
  ])("%s is not a host", (text) => {
    expect(looksLikeHost(text, "own")).toBe(false);
  });

  it.each(["mailto:x@example.com", "tel:911", "javascript:1/2", "urn:isbn:1/2"])(
    "%s has a scheme",
    (text) => {
      expect(looksLikeHost(text, "own")).toBe(false);
      expect(read(text).codes).toEqual(["url.unsupported-scheme"]);
    },
  );
});

describe("isPrivateHost, as WHATWG URL writes hosts", () => {
  const hostname = (host: string) => new URL(`http://${host}/`).hostname;

  it.each([
    "localhost",
    "a.localhost",
    "localhost.",
    "printer.local",
    "db.internal",
    "127.0.0.1",
    "127.255.255.255",
    "0x7f.1",
    "017700000001",
    "0",
    "10.0.0.0",
    "100.64.0.0",
    "100.127.255.255",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.168.0.1",
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:a00:1]",
    "[fc00::1]",
    "[fdff::1]",
    "[fe80::1]",
    "[febf::1]",
  ])("%s is private", (host) => {
    expect(isPrivateHost(hostname(host))).toBe(true);
  });

  it.each([
    "example.com",
    "local.example.com",
    "notlocalhost",
    "internal",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "128.0.0.1",
    "169.253.0.1",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.0.1",
    "[::ffff:8.8.8.8]",
    "[2001:db8::1]",
    "[fb00::1]",
    "[ff02::1]",
  ])("%s is not", (host) => {
    expect(isPrivateHost(hostname(host))).toBe(false);
  });
});

it("trims blanks only", () => {
  expect(trimUrl("\u0000\t\u0085 a b \u3000")).toBe("a b");
  expect(trimUrl("\u00e9x\u2014")).toBe("\u00e9x\u2014");
  expect(trimUrl(" \u200b ")).toBe("");
});

describe("the fast path", () => {
  const path = fc
    .array(
      fc.oneof(
        {
          weight: 6,
          arbitrary: fc.constantFrom(..."aZ09-._~!$()*+,;=:@?&/%'|^[]{}\"<>\\`# \t\n\u007f\u00e9"),
        },
        {
          weight: 2,
          arbitrary: fc.constantFrom(
            ...[
              "/..",
              "/.",
              "/%2e",
              "/%2E%2e/",
              "%41",
              "%c3%A9",
              "&amp;",
              "&lt;",
              "&quot",
              "//",
              "?a=",
              "/a",
              ".",
            ],
          ),
        },
      ),
      { maxLength: 24 },
    )
    .map((pieces) => pieces.join(""));
  const origin = fc.constantFrom(
    B,
    "http://www.example.com",
    "https://cdn.example.net",
    "http://10.0.0.1:81",
  );

  it("accepts what WHATWG URL does not change", () => {
    let fast = 0;
    fc.assert(
      fc.property(path, (tail) => {
        const text = `${B}/${tail}`;
        if (!isPlainPath(text, B.length)) return;
        fast++;
        expect(new URL(text).href).toBe(text);
      }),
      { numRuns: runs(5000), seed },
    );
    expect(fast).toBeGreaterThan(runs(500));
  });

  it("equals the slow path", () => {
    // A blank before the text forces the slow path and changes nothing else.
    const reader = (codes: unknown[][], strict: boolean) =>
      new UrlReader(`${B}/dir/sitemap.xml`, (...issue) => codes.push(issue), {
        strict,
        escapeCode: "url.double-escaped",
      });
    fc.assert(
      fc.property(fc.array(fc.tuple(origin, path), { minLength: 1 }), fc.boolean(), (urls, strict) => {
        const fastCodes: unknown[][] = [];
        const slowCodes: unknown[][] = [];
        const fast = reader(fastCodes, strict);
        const slow = reader(slowCodes, strict);
        for (const [start, tail] of urls) {
          const text = `${start}/dir/${tail}`;
          expect(fast.resolve(text, "page", 7)).toBe(slow.resolve(` ${text}`, "page", 7));
        }
        expect(fastCodes).toEqual(slowCodes);
      }),
      { numRuns: runs(2000), seed },
    );
  });

  it("has a table in which every safe character is unchanged by normalization", () => {
    for (let code = 0; code < 256; code++) {
      if (URL_SAFE[code] !== 1) continue;
      const text = `${B}/a${String.fromCharCode(code)}b?c${String.fromCharCode(code)}d`;
      expect(new URL(text).href).toBe(text);
    }
    expect([..."/%&"].map((character) => URL_SAFE[character.charCodeAt(0)])).toEqual([2, 2, 2]);
    expect([..." \"#'<>\\^`{|}[]\u007f\u00e9"].some((c) => URL_SAFE[c.charCodeAt(0)] !== 0)).toBe(false);
  });
});

describe("for any text", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: "grapheme", maxLength: 60 }).map((tail) => `${B}/${tail}`),
    fc.string({ unit: "binary-ascii", maxLength: 20 }).map((tail) => `http:${tail}`),
    fc
      .array(
        fc.constantFrom(
          "http",
          "s",
          ":",
          "/",
          "//",
          "\\",
          "www.",
          "a",
          ".",
          "#",
          "?",
          "@",
          '"',
          "&amp;",
          "\n",
          " ",
        ),
      )
      .map((pieces) => pieces.join("")),
    fc.string({ maxLength: 30 }).map((text) => `${text}\ud800`),
  );

  it("gives an ASCII http URL without fragment and credentials, or undefined, and never throws", () => {
    let given = 0;
    fc.assert(
      fc.property(anything, fc.boolean(), fc.constantFrom("", `${B}/a/b.xml`), (text, strict, document) => {
        const { url, codes } = read(text, { strict, document });
        if (url === undefined) return;
        given++;
        expect(url).toMatch(/^https?:\/\/[\x21-\x7e]+$/);
        expect(new URL(url).href).toBe(url);
        expect(url).not.toContain("#");
        expect(new URL(url).username + new URL(url).password).toBe("");
        if (strict) expect(codes.filter((code) => strictActionOf(code) === "drop")).toEqual([]);
      }),
      { numRuns: runs(5000), seed },
    );
    expect(given).toBeGreaterThan(runs(500));
  });
});
