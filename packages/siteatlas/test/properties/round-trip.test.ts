/**
 * `parse(generate(model))` equals the model: for every format and extension, in every style and encoding,
 * with any number of gzip layers.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { issueTable } from "../../src/model/issue-table.ts";
import type { IssueCode, Sitemap } from "../../src/parse/index.ts";
import { parseSitemap } from "../../src/parse/index.ts";
import { documentArbitrary } from "../support/generate-bytes.ts";
import { type ModelFormat, modelFormats } from "../support/generate-model.ts";
import { limits } from "./limits.ts";

const KINDS: Readonly<Record<ModelFormat, Pick<Sitemap & { format: string }, "kind" | "format">>> = {
  urlset: { kind: "pages", format: "xml" },
  sitemapindex: { kind: "index", format: "xml" },
  rss2: { kind: "pages", format: "rss" },
  rss1: { kind: "pages", format: "rss" },
  atom1: { kind: "pages", format: "atom" },
  atom03: { kind: "pages", format: "atom" },
  json: { kind: "pages", format: "json" },
  text: { kind: "pages", format: "text" },
  robots: { kind: "index", format: "robots" },
};

/** Issues that a correct document may have. */
const EXPECTED_ISSUES: ReadonlySet<IssueCode> = new Set<IssueCode>([
  "encoding.not-utf8",
  "robots.encoding",
  "gzip.nested",
  "url.scheme-mismatch",
  "url.cross-host",
  "hreflang.format",
  "text.extra-columns",
]);

for (const format of modelFormats) {
  test(`${format}: parse(generate(model)) is the model`, async () => {
    await fc.assert(
      fc.asyncProperty(documentArbitrary(format), async (document) => {
        const { model, url, contentType, bytes } = document;
        const sitemap = await parseSitemap(bytes, { url, ...(contentType !== undefined && { contentType }) });
        expect(summary(sitemap)).toEqual({
          ...KINDS[format],
          pages: plain(model.pages),
          children: plain(model.children),
          issues: [],
        });
      }),
      limits(150),
    );
  });
}

function summary(sitemap: Sitemap): object {
  const faults = sitemap.issues.filter(
    ({ code, severity }) => severity !== "info" && !EXPECTED_ISSUES.has(code),
  );
  return {
    kind: sitemap.kind,
    format: "format" in sitemap ? sitemap.format : sitemap.code,
    pages: plain([...sitemap.pages]),
    children: plain(sitemap.subSitemaps.map(({ url, lastModified }) => ({ url, lastModified }))),
    issues: faults.map(({ code, value }) => `${code}: ${issueTable[code].message} ${value ?? ""}`),
  };
}

/** Dates as text, without undefined fields. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
