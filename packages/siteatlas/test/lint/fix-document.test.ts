import { expect, it } from "vitest";
import { fixDocument, fixedText } from "../../src/lint/fix-document.ts";

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
