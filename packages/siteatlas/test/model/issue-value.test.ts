/** The texts of a document that issues and pages repeat: without credentials, and without the document behind them. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { issueValue } from "../../src/model/issue-log.ts";
import { parseSitemap } from "../../src/parse/parse-sitemap.ts";

const SECRET = "S3CRET";

/** Spellings that the URL parser reads as a URL with a password. */
const SPELLINGS = [
  `http://user:${SECRET}@example.com/a`,
  `http:/user:${SECRET}@example.com/a`,
  `http:user:${SECRET}@example.com/a`,
  `HTTPS:\\\\user:${SECRET}@example.com/a`,
  `http://user:"${SECRET}"@example.com/a`,
  `http://us er:${SECRET} x@example.com/a`,
  `http://user:${SECRET}&lt;@example.com/a`,
  `http://user:${SECRET}\n@example.com/a`,
  `"http://user:${SECRET}@example.com/a"`,
  `http://http://user:${SECRET}@example.com/a`,
];

it.each(SPELLINGS)("%j: the password is in no page and no issue", async (loc) => {
  for (const text of [
    `<urlset><url><loc>${loc}</loc></url></urlset>`,
    `<rss><channel><item><link>${loc}</link></item></channel></rss>`,
    // A line break ends the URL in a text sitemap.
    `https://example.com/\n${loc.replace("\n", "")}\n`,
  ]) {
    const sitemap = await parseSitemap(text, { url: "https://example.com/s" });
    expect(JSON.stringify(sitemap)).not.toContain(SECRET);
  }
});

it("a text without credentials is repeated as it is", async () => {
  const written = "https://Example.com/@user/post?mail=a@b#top";
  const { pages } = await parseSitemap(`<urlset><url><loc>${written}</loc></url></urlset>`);
  expect(pages.at(0)?.urlText).toBe(written);
});

it("the value of an issue does not keep the text in memory that it was cut from", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  const before = process.memoryUsage().heapUsed;
  const values = Array.from({ length: 1000 }, (_, number) => issueValue(`${number} ${"x".repeat(60_000)}`));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000);
  expect(values.every(({ length }) => length === 200)).toBe(true);
});
