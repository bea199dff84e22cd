/**
 * The interface through which format readers pass on the entries of a document, in their order. If a URL is repeated,
 * only its first entry counts. The others are dropped and counted.
 */
import type { Report } from "../../model/issue-log.ts";
import type { Page, SubSitemap } from "../../model/model.ts";
import type { UrlSet } from "../fast/seen-urls.ts";

export interface EntrySink {
  /** Adds a page, unless its URL is repeated. */
  page(page: Page): void;
  /** Adds a sitemap, unless its URL is repeated. */
  child(sitemap: SubSitemap): void;
  readonly report: Report;
}

/** An `EntrySink` for readers that check whether a URL is new before they create the page. */
export interface SitemapSink extends EntrySink {
  readonly pageUrls: UrlSet;
  readonly childUrls: UrlSet;
  /** Adds a page whose URL was just added to `pageUrls`. */
  newPage(page: Page): void;
  /** Adds a sitemap whose URL was just added to `childUrls`. */
  newChild(sitemap: SubSitemap): void;
}
