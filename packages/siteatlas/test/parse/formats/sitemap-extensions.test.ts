/** How many items of a page are kept (security.md 3.1, row 26). */
import { expect, it } from "vitest";
import { parseSitemap } from "../../../src/parse/parse-sitemap.ts";

const EXTENSIONS = [
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
].join(" ");

it.each([
  [
    "images",
    1000,
    (at: number) => `<image:image><image:loc>https://e.com/${at}.png</image:loc></image:image>`,
  ],
  ["videos", 100, (at: number) => `<video:video><video:title>${at}</video:title></video:video>`],
  [
    "alternates",
    1000,
    (at: number) => `<xhtml:link rel="alternate" hreflang="en" href="https://e.com/${at}"/>`,
  ],
] as const)("%s: the first %i", async (name, most, item) => {
  for (const count of [most, most + 1]) {
    const items = Array.from({ length: count }, (_, at) => item(at)).join("");
    const text = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ${EXTENSIONS}><url><loc>https://e.com/</loc>${items}</url></urlset>`;
    const { pages } = await parseSitemap(text, { url: "https://e.com/sitemap.xml" });
    expect([...pages][0]?.[name]).toHaveLength(most);
  }
});
