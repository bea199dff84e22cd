/**
 * Parses the two formats that only list links: HTML sitemaps and llms.txt. They have functions of their own, because
 * `parseSitemap` also runs in browsers, where the parser has to be small.
 */

import type { Sitemap } from "../model/model.ts";
import { type LinkFormatOptions, linkFormats } from "./formats/link-formats.ts";
import { type ParseOptions, parseAndCount } from "./parse-sitemap.ts";
import type { ResponseLike, SitemapSource } from "./sitemap-source.ts";
import { argumentError, type UrlObject } from "./values/option-rules.ts";
import { parseUrl } from "./values/parse-url.ts";

/** Options of `parseHtmlSitemap` and `parseLlmsTxt`, all optional. */
export interface LinkParseOptions extends ParseOptions {
  /**
   * Returns whether a host belongs to the site. Links to other hosts are left out.
   *
   * @default the host of `url`, or every host without `url`
   */
  readonly isOwnHost?: ((hostname: string) => boolean) | undefined;
}

/**
 * Parses an HTML page as an HTML sitemap: its links to pages of the same host become pages, with the text of the link as
 * `title`. A page without such a link is an invalid sitemap with the code `content.html`. Not available in browsers.
 *
 * @example
 * const sitemap = await parseHtmlSitemap(html, { url: "https://example.com/sitemap.html" });
 * for (const page of sitemap.pages) console.log(page.url, page.title);
 */
export function parseHtmlSitemap(source: SitemapSource, options: LinkParseOptions = {}): Promise<Sitemap> {
  return parseLinks("parseHtmlSitemap", source, options, { html: "all", llms: false });
}

/**
 * Parses an llms.txt (https://llmstxt.org): its links to pages of the same host become pages, with `title` and
 * `section`. An HTML page is an invalid sitemap with the code `content.html`. Not available in browsers.
 *
 * @example
 * const sitemap = await parseLlmsTxt(text, { url: "https://example.com/llms.txt" });
 * for (const page of sitemap.pages) console.log(page.section, page.title, page.url);
 */
export function parseLlmsTxt(source: SitemapSource, options: LinkParseOptions = {}): Promise<Sitemap> {
  return parseLinks("parseLlmsTxt", source, options, { html: "none", llms: true });
}

async function parseLinks(
  caller: string,
  source: SitemapSource,
  options: LinkParseOptions,
  formats: Pick<LinkFormatOptions, "html" | "llms">,
): Promise<Sitemap> {
  const isObject = typeof options === "object" && options !== null;
  const { isOwnHost, ...rest } = isObject ? options : {};
  if (isOwnHost !== undefined && typeof isOwnHost !== "function")
    throw argumentError(caller, "option isOwnHost", "a function", isOwnHost);
  const url = rest.url ?? (source as Partial<ResponseLike> | null)?.url;
  const readers = linkFormats({ ...formats, isOwnHost: isOwnHost ?? sameHost(url) });
  return (await parseAndCount(source, isObject ? rest : options, readers, caller))[0];
}

/** Returns a function that compares hosts with the host of a document. Without a URL, all hosts are equal. */
export function sameHost(url: string | UrlObject | undefined): (hostname: string) => boolean {
  const text = typeof url === "object" ? url?.href : url;
  const own = parseUrl(text ?? "")?.hostname;
  return (hostname) => own === undefined || hostname === own;
}
