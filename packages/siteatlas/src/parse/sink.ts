/**
 * Where the readers put what they find, in the order of the document. Repeated URLs are dropped and
 * counted here: the first declaration counts.
 */
import type { Report } from "../issue-log.ts";
import type { Page, SubSitemap } from "../model.ts";
import type { UrlSet } from "./url-set.ts";

export interface EntrySink {
  /** Takes a page, unless its URL was there before. */
  page(page: Page): void;
  /** Takes a sub-sitemap, unless its URL was there before. */
  child(sitemap: SubSitemap): void;
  readonly report: Report;
}

/** For a reader that asks whether a URL is new before it makes a page of it. */
export interface SitemapSink extends EntrySink {
  /** The URLs of the pages and of the sub-sitemaps so far. */
  readonly pageUrls: UrlSet;
  readonly childUrls: UrlSet;
  /** Takes a page whose URL was new to `pageUrls` just now. */
  newPage(page: Page): void;
  /** Takes a sub-sitemap whose URL was new to `childUrls` just now. */
  newChild(sitemap: SubSitemap): void;
}
