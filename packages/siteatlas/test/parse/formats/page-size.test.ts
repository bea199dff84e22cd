/** One entry cannot fill the memory: the size of a page is limited, and an entry with many locations is many pages. */
import { expect, test } from "vitest";
import type { Entry, Page } from "../../../src/model/model.ts";
import { parseEntries } from "../../../src/parse/parse-sitemap.ts";

const MAX_PAGE_LENGTH = 2 * 1024 * 1024;
const TEXT = "x".repeat(4000);
const BASE = `https://www.example.com/${"x".repeat(8000)}/sitemap`;

async function read(
  source: string,
  url = "https://www.example.com/s",
): Promise<{ pages: Page[]; codes: Set<string> }> {
  const pages: Page[] = [];
  const codes = new Set<string>();
  for await (const entry of parseEntries(source, { url }) as AsyncIterable<Entry>) {
    if (entry.kind === "page") pages.push(entry.page);
    else if (entry.kind === "issue") codes.add(entry.issue.code);
  }
  return { pages, codes };
}

const urlset = (...entries: readonly string[]): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`;

test.each([
  [
    "images",
    `<image:image><image:loc>/i</image:loc><image:caption>${TEXT}</image:caption></image:image>`.repeat(999),
  ],
  ["videos", `<video:video>${`<video:tag>${TEXT}</video:tag>`.repeat(99)}</video:video>`.repeat(99)],
  ["one video", `<video:video>${`<video:tag>${TEXT}</video:tag>`.repeat(999)}</video:video>`],
  [
    "PageMap",
    `<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">${`<DataObject id="${TEXT}"/>`.repeat(999)}</PageMap>`,
  ],
])("a page with %s of 4 MB keeps 2 MiB, and the next page all", async (_name, extensions) => {
  const small = "<image:image><image:loc>/j</image:loc></image:image>";
  const entries = [`<url><loc>/a</loc>${extensions}</url>`, `<url><loc>/b</loc>${small}</url>`];
  const { pages, codes } = await read(urlset(...entries));
  const [large, next] = pages;
  const { length } = JSON.stringify(large);
  expect(length).toBeLessThan(1.2 * MAX_PAGE_LENGTH);
  expect(length).toBeGreaterThan(MAX_PAGE_LENGTH / 4);
  expect(next?.images).toHaveLength(1);
  expect(codes).toContain("entry.too-many-items");
});

test("1,000 relative alternates, attachments and media of a document with a path of 8 KB keep 2 MiB", async () => {
  const numbers = Array.from({ length: 1000 }, (_, n) => n);
  const links = numbers.map((n) => `<xhtml:link rel="alternate" hreflang="de" href="${n}"/>`);
  const attachments = numbers.map((n) => `{"url":"${n}"}`);
  const media = numbers.map((n) => `<enclosure url="${n}"/>`);
  for (const source of [
    urlset(`<url><loc>a</loc>${links.join("")}</url>`),
    `{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"a","attachments":[${attachments}]}]}`,
    `<rss version="2.0"><channel><item><link>a</link>${media.join("")}</item></channel></rss>`,
  ]) {
    const { pages, codes } = await read(source, BASE);
    const { alternates = [], media: found = [] } = pages[0]!;
    expect(alternates.length + found.length).toBeGreaterThan(200);
    expect(alternates.length + found.length).toBeLessThan(300);
    expect(codes).toContain("entry.too-many-items");
  }
});

test("an item of a JSON Feed has at most 1,000 attachments", async () => {
  const attachments = Array.from({ length: 1001 }, (_, n) => `{"url":"/${n}"}`);
  const item = `{"url":"/a","attachments":[${attachments}]}`;
  const { pages, codes } = await read(`{"version":"https://jsonfeed.org/version/1.1","items":[${item}]}`);
  expect(pages[0]?.media).toHaveLength(1000);
  expect(codes).toContain("entry.too-many-items");
});

test("an entry with 1,000 locations is 1,000 pages, in their order", async () => {
  const urls = Array.from({ length: 1000 }, (_, n) => `https://www.example.com/${n}`);
  const locations = urls.map((url) => `<loc>${url}</loc>`).join("");
  const { pages, codes } = await read(
    urlset(
      `<url>${locations}</url>`,
      "<url><loc>https://www.example.com/z</loc><lastmod>2026-01-02</lastmod></url>",
    ),
  );
  expect(pages.map(({ url }) => url)).toEqual([...urls, "https://www.example.com/z"]);
  expect(pages.at(-1)?.lastModified?.text).toBe("2026-01-02");
  expect([...codes]).toEqual(["entry.multiple-loc"]);
});
