import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type FixedLine, fixDocument, fixedText, fixSitemap } from "../../src/lint/fix-document.ts";
import { parseSitemap } from "../../src/parse/index.ts";
import { limits } from "../properties/limits.ts";

const fix = (text: string): string | undefined => {
  const lines = fixDocument(text, "https://example.com");
  return lines && fixedText(lines);
};

it("escapes, removes duplicates, and makes URLs absolute", () => {
  const before = `

<?xml version="1.0" encoding="ISO-8859-1"?>
<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>/a?b=1&c=2</loc></url>
  <url><loc>https://example.com/b?x=1&amp;y=2</loc></url>
  <url><loc>https://example.com/b?x=1&amp;y=2</loc></url>
</urlset>
`;
  expect(fix(before)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>https://example.com/a?b=1&amp;c=2</loc></url>
  <url><loc>https://example.com/b?x=1&amp;y=2</loc></url>
</urlset>
`);
});

it("changes nothing in a good file, and nothing that is not certain", () => {
  const good =
    '<?xml version="1.0" encoding="UTF-8"?>\n<urlset><url><loc>https://example.com/&#38;</loc></url></urlset>\n';
  expect(fix(good)).toBeUndefined();
  expect(fix("<urlset><url><loc>//other.example/a</loc></url></urlset>")).toBeUndefined();
  expect(fix("<urlset><url><loc><![CDATA[https://example.com/?a&b]]></loc></url></urlset>")).toBeUndefined();
  const dates = "<url><loc>https://example.com/a</loc><lastmod>2026-01-01</lastmod></url>";
  expect(fix(`<urlset>\n${dates}\n${dates.replace("01-01", "02-02")}\n</urlset>`)).toBeUndefined();
});

it("is stable: a second run changes nothing", () => {
  const once = fix("<urlset>\n<url><loc>/a&b</loc></url>\n</urlset>")!;
  expect(fix(once)).toBeUndefined();
});

const entry = (url: string): string => `<url><loc>${url}</loc></url>`;

it("changes nothing inside a comment, CDATA or DOCTYPE, and repairs the lines around it", () => {
  const text = (loc: string): string =>
    `<!DOCTYPE urlset [\n<!ENTITY % p "a&b">\n]>\n<?style a&b?>\n<urlset>\n<!-- a&b\n${entry("/a")}\n-->\n${entry(loc)}\n` +
    `<url><loc><![CDATA[https://example.com/?a&b]]></loc></url>\n</urlset>`;
  expect(fix(text("/a&b"))).toBe(text("https://example.com/a&amp;b"));
});

it("keeps an entry that stands in a comment before", () => {
  const text = `<urlset>\n<!--\n${entry("https://example.com/a")}\n-->\n${entry("https://example.com/a")}\n</urlset>\n`;
  expect(fix(text)).toBeUndefined();
});

it("keeps references whose names XML does not define", () => {
  expect(fix(`<urlset>${entry("https://example.com/caf&eacute;")}</urlset>`)).toBeUndefined();
  expect(
    fix(`<!DOCTYPE urlset [ <!ENTITY foo "bar"> ]>\n<urlset>${entry("https://example.com/&foo;")}</urlset>`),
  ).toBeUndefined();
  expect(fix(`<urlset>${entry("https://example.com/?a=1&copy=2")}</urlset>`)).toContain("&amp;copy=2");
});

it("keeps line breaks, a byte order mark and a missing final line break", async () => {
  const text = `\ufeff<urlset>\r\n${entry("/a")}\r\n${entry("/b")}\n</urlset>`;
  const lines = await fixSitemap(Buffer.from(text), "https://example.com");
  expect(fixedText(lines as readonly FixedLine[])).toBe(
    text.replaceAll("<loc>/", "<loc>https://example.com/"),
  );
});

it("does not repair a file if bytes would be lost, or pages would change", async () => {
  const origin = "https://example.com";
  const text = `<urlset>\n${entry("/a&b")}\n</urlset>\n`;
  expect(await fixSitemap(gzipSync(text), origin)).toBe("unsafe");
  const undecodable = Buffer.concat([
    Buffer.from(`<urlset><!--é`),
    Buffer.from([0xe9]),
    Buffer.from(`-->\n${text}`),
  ]);
  expect(await fixSitemap(undecodable, origin)).toBe("unsafe");
});

async function pagesOf(bytes: Uint8Array): Promise<readonly string[]> {
  const { pages, subSitemaps } = await parseSitemap(bytes, { url: "https://example.com/sitemap.xml" });
  return [...pages, ...subSitemaps].map(({ url }) => url);
}

const damagedLine = fc.oneof(
  fc.constantFrom(
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "</urlset>",
    "",
    "\t",
    '<!DOCTYPE urlset [ <!ENTITY foo "a&b"> ]>',
    "<?style a&b?>",
    "<changefreq>daily & more</changefreq>",
    '<xhtml:link rel="alternate" hreflang="de" href="/de?a&b"/>',
  ),
  fc
    .array(
      fc.constantFrom(
        "/",
        "\\",
        "a",
        "b&c",
        "&amp;",
        "&eacute;",
        "&foo;",
        "&copy=1",
        "&#38;",
        "é",
        " ",
        "<",
        ">",
        "]]>",
        "-->",
      ),
      {
        maxLength: 4,
      },
    )
    .map((parts) => entry(parts.join(""))),
  fc.constantFrom("/a", "https://example.com/a", "https://example.com/b?x&y").map(entry),
);
const damagedFile = fc
  .record({
    head: fc.constantFrom(
      "",
      "\n \n",
      "\ufeff",
      '<?xml version="1.0" encoding="ISO-8859-1"?>\n',
      ' <?xml version="1.0" encoding="utf-8"?>\n',
    ),
    lines: fc.array(damagedLine, { maxLength: 12 }),
    lineBreak: fc.constantFrom("\n", "\r\n"),
    encoding: fc.constantFrom<BufferEncoding[]>("utf8", "latin1"),
  })
  .map(({ head, lines, lineBreak, encoding }) => {
    const body = lines.join(lineBreak);
    return Buffer.from(
      `${head}<urlset xmlns="https://www.sitemaps.org/schemas/sitemap/0.9">${lineBreak}${body}</urlset>`,
      encoding,
    );
  });

it("never changes which pages a damaged file lists, and a second run changes nothing", async () => {
  let repaired = 0;
  let unsafe = 0;
  await fc.assert(
    fc.asyncProperty(damagedFile, async (bytes) => {
      const lines = await fixSitemap(bytes, "https://example.com");
      if (lines === "unsafe") unsafe++;
      if (lines === undefined || lines === "unsafe") return;
      repaired++;
      const after = Buffer.from(fixedText(lines));
      expect(await pagesOf(after)).toEqual(await pagesOf(bytes));
      expect(await fixSitemap(after, "https://example.com")).toBeUndefined();
    }),
    limits(1000),
  );
  // The check of the result is for rare damage. The repairs themselves must be right.
  expect(unsafe).toBeLessThan(repaired / 2);
});
