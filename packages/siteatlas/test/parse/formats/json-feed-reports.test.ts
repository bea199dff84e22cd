/** Mistakes in a JSON Feed that only Node reports. */
import { expect, test } from "vitest";
import { parseSitemap } from "../../../src/parse/parse-sitemap.ts";
import { feed, read, readEachWay, site, version } from "./read-json-feed.ts";

test.each([
  ["null", `"items": null`, "items: null"],
  ["a number", `"items": 5`, "items: 5"],
  ["an object", `"items": {"url": "${site}/x"}`, `items: {"url": "${site}/x"}`],
  ["missing", `"title": "T"`, "items is missing"],
])("items that are %s are reported", async (_, member, value) => {
  for (const document of [
    `{"version": "${version}", ${member}}`,
    `{"home_page_url": "${site}", ${member}, "version": "${version}"}`,
  ]) {
    expect(readEachWay(document)).toEqual({ isFeed: true, pages: [], codes: ["json.invalid"] });
    expect((await parseSitemap(document)).issues).toMatchObject([{ code: "json.invalid", value }]);
  }
  expect(readEachWay(`{"version": "2", ${member}}`)).toEqual({ isFeed: false, pages: [], codes: [] });
});

test("values of another type than a string are dropped and reported, except null and a numeric id", async () => {
  const item = {
    id: 5,
    url: `${site}/a`,
    title: { a: 1 },
    date_published: 7,
    image: ["x"],
    attachments: {},
  };
  const nulls = {
    id: "6",
    url: `${site}/b`,
    title: null,
    date_published: null,
    image: null,
    attachments: null,
  };
  const { pages, issues } = await parseSitemap(feed([item, nulls]));
  expect([...pages]).toEqual([{ url: `${site}/a` }, { url: `${site}/b` }]);
  expect(issues.map(({ code, value }) => `${code} ${value}`)).toEqual([
    'json.invalid title: {"a":1}',
    "json.invalid date_published: 7",
    "json.invalid attachments: {}",
    'json.invalid image: ["x"]',
  ]);
});

const items = [{ url: `${site}/a` }, { url: `${site}/b` }];

test("anything after the document is ignored and reported once", () => {
  const whole = read([feed(items)]);
  expect(readEachWay(`${feed(items)} {"x": </html>`)).toEqual({ ...whole, codes: ["json.invalid"] });
  expect(readEachWay(`${feed(items)} \n\ufeff`)).toEqual(whole);
  expect(readEachWay(`{"a": 1} {"version": "${version}"}`).isFeed).toBe(false);
});
