/** A JSON Feed with very many items that are not JSON. */
import { expect, test, vi } from "vitest";
import { parseSitemap } from "../../../src/parse/parse-sitemap.ts";

const url = "https://www.example.com/feed.json";

function feed(item: string, count: number): string {
  const items = `${`${item},`.repeat(count)}{"url":"https://www.example.com/last"}`;
  return `{"version":"https://jsonfeed.org/version/1.1","items":[${items}]}`;
}

test.each(["a", "{a}", '{"a":}'])("%s: the reader gives up after 10,000 and reports it", async (item) => {
  const parse = vi.spyOn(JSON, "parse");
  const sitemap = await parseSitemap(feed(item, 50_000), { url });
  expect(parse.mock.calls.length).toBeLessThan(10_010);
  parse.mockRestore();
  expect(sitemap).toMatchObject({ kind: "pages", partial: true, issueCount: 10_001 });
  expect(sitemap.pages).toHaveLength(0);
});

test("9,999 broken items do not lose the items after them", async () => {
  expect((await parseSitemap(feed("a", 9999), { url })).pages).toHaveLength(1);
});
