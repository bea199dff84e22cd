/** Narrowing of the data model by `kind` and `format`. The compiler checks it (`npm run types`). */
import { expect, expectTypeOf, test } from "vitest";
import type {
  Entry,
  IndexFormat,
  IndexRobotsTxtSitemap,
  IndexSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  Issue,
  Page,
  PageList,
  PagesAtomSitemap,
  PagesFormat,
  PagesHtmlSitemap,
  PagesJsonSitemap,
  PagesLlmsTxtSitemap,
  PagesRssSitemap,
  PagesSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  Sitemap,
  SubSitemap,
} from "../../src/index.ts";
import { parseSitemap } from "../../src/index.ts";

/** Names the type that `kind` and `format` narrow to. An unhandled one does not compile. */
function typeName(sitemap: Sitemap): string {
  if (sitemap.kind === "invalid") {
    expectTypeOf(sitemap).toEqualTypeOf<InvalidSitemap>();
    return "InvalidSitemap";
  }
  if (sitemap.kind === "index") {
    expectTypeOf(sitemap).toEqualTypeOf<IndexSitemap>();
    expectTypeOf(sitemap.format).toEqualTypeOf<IndexFormat>();
    switch (sitemap.format) {
      case "website":
        expectTypeOf(sitemap).toEqualTypeOf<IndexWebsiteSitemap>();
        return "IndexWebsiteSitemap";
      case "robots":
        expectTypeOf(sitemap).toEqualTypeOf<IndexRobotsTxtSitemap>();
        return "IndexRobotsTxtSitemap";
      case "xml":
        expectTypeOf(sitemap).toEqualTypeOf<IndexXmlSitemap>();
        return "IndexXmlSitemap";
    }
  }
  expectTypeOf(sitemap).toEqualTypeOf<PagesSitemap>();
  expectTypeOf(sitemap.format).toEqualTypeOf<PagesFormat>();
  switch (sitemap.format) {
    case "xml":
      expectTypeOf(sitemap).toEqualTypeOf<PagesXmlSitemap>();
      return "PagesXmlSitemap";
    case "text":
      expectTypeOf(sitemap).toEqualTypeOf<PagesTextSitemap>();
      return "PagesTextSitemap";
    case "rss":
      expectTypeOf(sitemap).toEqualTypeOf<PagesRssSitemap>();
      return "PagesRssSitemap";
    case "atom":
      expectTypeOf(sitemap).toEqualTypeOf<PagesAtomSitemap>();
      return "PagesAtomSitemap";
    case "json":
      expectTypeOf(sitemap).toEqualTypeOf<PagesJsonSitemap>();
      return "PagesJsonSitemap";
    case "html":
      expectTypeOf(sitemap).toEqualTypeOf<PagesHtmlSitemap>();
      return "PagesHtmlSitemap";
    case "llms":
      expectTypeOf(sitemap).toEqualTypeOf<PagesLlmsTxtSitemap>();
      return "PagesLlmsTxtSitemap";
  }
}

test.each([
  ["<sitemapindex><sitemap><loc>/a</loc></sitemap></sitemapindex>", "/sitemap.xml", "IndexXmlSitemap"],
  ["Sitemap: /a.xml", "/robots.txt", "IndexRobotsTxtSitemap"],
  ["<urlset><url><loc>/a</loc></url></urlset>", "/sitemap.xml", "PagesXmlSitemap"],
  ["https://example.com/a", "/sitemap.txt", "PagesTextSitemap"],
  [
    "<rss><channel><item><link>https://example.com/a</link></item></channel></rss>",
    "/rss",
    "PagesRssSitemap",
  ],
  [
    `<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/a"/></entry></feed>`,
    "/atom",
    "PagesAtomSitemap",
  ],
  [
    `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","url":"https://example.com/a"}]}`,
    "/feed.json",
    "PagesJsonSitemap",
  ],
  ["<html></html>", "/sitemap.xml", "InvalidSitemap"],
])("%s", async (text, path, name) => {
  expect(typeName(await parseSitemap(text, { url: `https://example.com${path}` }))).toBe(name);
});

test("an alias narrows without the union around it", () => {
  expectTypeOf<Extract<Sitemap, { readonly format: "rss" }>>().toEqualTypeOf<PagesRssSitemap>();
  expectTypeOf<Extract<Sitemap, { readonly format: "xml" }>>().toEqualTypeOf<
    IndexXmlSitemap | PagesXmlSitemap
  >();
  expectTypeOf<PagesSitemap["format"]>().toEqualTypeOf<PagesFormat>();
  expectTypeOf<IndexSitemap["format"]>().toEqualTypeOf<IndexFormat>();
  expectTypeOf<Sitemap["pages"]>().toEqualTypeOf<PageList>();
});

test("an entry narrows by its kind", () => {
  expectTypeOf<Extract<Entry, { readonly kind: "page" }>["page"]>().toEqualTypeOf<Page>();
  expectTypeOf<Extract<Entry, { readonly kind: "sitemap" }>["sitemap"]>().toEqualTypeOf<SubSitemap>();
  expectTypeOf<Extract<Entry, { readonly kind: "issue" }>["issue"]>().toEqualTypeOf<Issue>();
});
