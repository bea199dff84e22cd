/** Rows of pages without rare fields take a shortcut. It gives the same rows. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { delimitedForm, jsonForm } from "../../../src/cli/output/text-formats.ts";
import type { Page } from "../../../src/model/model.ts";
import { FIELD_NAMES, FIELDS, isPlainRecord, lazyRecord, toRecord } from "../../../src/output/page-fields.ts";
import { runs, seed } from "../../support/runs.ts";

const url = "https://www.example.com/a";
const date = {
  text: "2024-05-06T07:08:09+02:00",
  value: new Date(1_714_972_089_000),
  precision: "time",
} as const;

/** One value for each property of a page. */
const VALUES: Required<Omit<Page, "url">> = {
  urlText: "HTTPS://www.example.com/a",
  lastModified: date,
  changeFrequency: "daily",
  priority: 0,
  title: 'A "title", with\ta tab',
  section: "Docs",
  linkedFrom: "https://www.example.com/map",
  published: { text: "2024-05", value: new Date(1_714_521_600_000), precision: "month" },
  feedUrl: "https://feeds.example.com/a",
  mobile: true,
  news: { title: "A", publicationName: "B", language: "de" },
  images: [{ url: "https://www.example.com/a.jpg" }],
  videos: [{ title: "A" }],
  alternates: [{ url, language: "fr" }],
  media: [{ url: "https://www.example.com/a.mp3" }],
  pageMap: [{ type: "t", attributes: [] }],
} as never;

const pages = fc
  .subarray(Object.keys(VALUES) as (keyof typeof VALUES)[])
  .map((names): Page => ({ url, ...Object.fromEntries(names.map((name) => [name, VALUES[name]])) }));

test("with any fields of a page", () => {
  const forms = [
    jsonForm(FIELD_NAMES),
    delimitedForm(FIELD_NAMES, { delimiter: "," }),
    delimitedForm(FIELD_NAMES, { delimiter: "\t", terminal: true }),
  ];
  fc.assert(
    fc.property(
      pages,
      fc.constantFrom("https://www.example.com/1.xml", "https://www.example.com/2.xml"),
      (page, sitemap) => {
        for (const { row } of forms) {
          expect(row(lazyRecord(page, sitemap, "site"))).toBe(row(toRecord(page, sitemap, "site")));
        }
      },
    ),
    { numRuns: runs(2000), seed },
  );
});

test("a record is plain exactly if it has no rare field", () => {
  fc.assert(
    fc.property(pages, (page) => {
      const record = toRecord(page, url);
      const hasRare = FIELD_NAMES.some((name) => FIELDS[name].isRare && record[name] !== undefined);
      expect(isPlainRecord(lazyRecord(page, url))).toBe(!hasRare);
    }),
    { numRuns: runs(2000), seed },
  );
});
