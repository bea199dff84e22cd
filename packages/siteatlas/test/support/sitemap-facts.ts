/** What tests of any input compare: the URLs of a result, and a result without what the chunks may change. */
import type { Page, Sitemap } from "../../src/parse/index.ts";

/** The URLs of pages, their assets, and sub-sitemaps. */
export function urlsOf(sitemap: Sitemap): string[] {
  return [...[...sitemap.pages].flatMap(urlsOfPage), ...sitemap.subSitemaps.map(({ url }) => url)];
}

function urlsOfPage(page: Page): string[] {
  const urls = [
    page.url,
    page.feedUrl,
    ...(page.images ?? []).flatMap(({ url, license }) => [url, license]),
    ...(page.videos ?? []).flatMap((video) => [
      video.thumbnailUrl,
      video.contentUrl,
      video.playerUrl,
      video.galleryUrl,
      video.uploader?.url,
    ]),
    ...(page.alternates ?? []).map(({ url }) => url),
    ...(page.media ?? []).map(({ url }) => url),
  ];
  return urls.filter((url) => url !== undefined);
}

/**
 * A chunk is decompressed and decoded before it is parsed. So the order of issues is fixed only within a
 * layer, and the chunks decide how much of an invalid document was decoded.
 */
export function inLayers(sitemap: Sitemap): object {
  const isEarly = (code: string): boolean => /^(?:gzip|encoding|robots\.encoding)/.test(code);
  const issues = sitemap.issues.filter(({ code }) => !isEarly(code));
  if (sitemap.kind === "invalid") return { ...sitemap, issues, issueCount: issues.length };
  return { ...sitemap, issues, earlyIssues: sitemap.issues.filter(({ code }) => isEarly(code)) };
}
