/** The URL of a document is in its node, its issues and saved trees, so it must hold no secret. */
import { expect, it } from "vitest";
import { parseSitemap } from "../../src/index.ts";

const XML = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/a&b</loc></url></urlset>';

it.each([
  "https://bob:secret@www.example.com/s.xml#part",
  new URL("https://bob:secret@www.example.com/s.xml#part"),
])("has no user name, password or fragment: %s", async (url) => {
  const sitemap = await parseSitemap(XML, { url });
  expect(sitemap.url).toBe("https://www.example.com/s.xml");
  expect(sitemap.pages.at(0)?.url).toBe("https://www.example.com/a&b");
  expect(sitemap.issues.map(({ code, url }) => [code, url])).toEqual([
    ["xml.bare-ampersand", "https://www.example.com/s.xml"],
    ["url.relative", "https://www.example.com/s.xml"],
  ]);
});

it("stays as written otherwise", async () => {
  expect((await parseSitemap(XML, { url: "https://www.example.com" })).url).toBe("https://www.example.com");
});
