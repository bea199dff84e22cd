import { expect, it } from "vitest";
import { UrlTable } from "../../src/lint/site/url-table.ts";

const SITE = "https://example.com";

it("distinguishes new URLs, repeated URLs and variants", () => {
  const table = new UrlTable(SITE);
  expect(table.add(`${SITE}/a/b`, 1)).toBe("new");
  expect(table.add(`${SITE}/a/b`, 2)).toBe("same");
  expect(table.lastDocument).toBe(1);
  for (const variant of ["/a/b/", "/A/b", "/a/b/index.html"])
    expect(table.add(SITE + variant, 3)).toBe("variant");
  expect(table.add(`${SITE}/q?x=1&y=2`, 4)).toBe("new");
  expect(table.add(`${SITE}/q?y=2&x=1`, 4)).toBe("variant");
  expect(table.add(`${SITE}/q?x=1&y=2`, 4)).toBe("same");
  expect(table.add("https://example.org/a/b", 5)).toBe("new");
  expect(table.look(`${SITE}/none`)).toBe("new");
});

it("finds every repeated URL of 200,000, and no other", () => {
  const table = new UrlTable(SITE);
  const url = (index: number): string => `${SITE}/section-${index % 41}/article-${index}`;
  for (let i = 0; i < 200_000; i++) expect(table.add(url(i), i % 75) === "new").toBe(true);
  for (let i = 0; i < 200_000; i += 7) {
    if (table.add(url(i), 80) !== "same" || table.lastDocument !== i % 75) throw new Error(url(i));
  }
  expect(table.size).toBe(200_000);
});

it("says that it is full, and does not grow further", () => {
  const table = new UrlTable(SITE, 1 << 12);
  for (let i = 0; i < 5000; i++) table.add(`${SITE}/${i}`, 0);
  expect(table.isFull).toBe(true);
  expect(table.size).toBe(Math.ceil((13 / 16) * 4096));
  expect(table.add(`${SITE}/1`, 0)).toBe("same");
});
