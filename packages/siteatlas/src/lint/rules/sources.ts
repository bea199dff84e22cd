/** Addresses of the specifications and documents that several rules cite. */

const PROTOCOL = "https://www.sitemaps.org/protocol.html";
const GOOGLE = "https://developers.google.com/search/docs/";
const SITEMAPS = `${GOOGLE}crawling-indexing/sitemaps/`;
const YANDEX = "https://yandex.com/support/webmaster/";

export const SM_XML: string = `${PROTOCOL}#xmlTagDefinitions`;
export const SM_LOC: string = `${PROTOCOL}#locdef`;
export const SM_LASTMOD: string = `${PROTOCOL}#lastmoddef`;
export const SM_PRIORITY: string = `${PROTOCOL}#prioritydef`;
export const SM_INDEX: string = `${PROTOCOL}#index`;
export const SM_LOCATION: string = `${PROTOCOL}#location`;
export const SM_ESCAPING: string = `${PROTOCOL}#escaping`;
export const SM_OTHER_FORMATS: string = `${PROTOCOL}#otherformats`;
export const SM_ROBOTS: string = `${PROTOCOL}#submit_robots`;
export const SM_CROSS_SUBMITS: string = `${PROTOCOL}#sitemaps_cross_submits`;
export const SM_FAQ: string = "https://www.sitemaps.org/faq.html";

export const GOOGLE_BUILD: string = `${SITEMAPS}build-sitemap`;
export const GOOGLE_LARGE: string = `${SITEMAPS}large-sitemaps`;
export const GOOGLE_NEWS: string = `${SITEMAPS}news-sitemap`;
export const GOOGLE_IMAGES: string = `${SITEMAPS}image-sitemaps`;
export const GOOGLE_VIDEOS: string = `${SITEMAPS}video-sitemaps`;
export const GOOGLE_HREFLANG: string = `${GOOGLE}specialty/international/localized-versions`;
export const GOOGLE_URLS: string = `${GOOGLE}crawling-indexing/url-structure`;
export const GOOGLE_CANONICAL: string = `${GOOGLE}crawling-indexing/consolidate-duplicate-urls`;
export const GOOGLE_NOINDEX: string = `${GOOGLE}crawling-indexing/block-indexing`;
export const GOOGLE_REDIRECTS: string = `${GOOGLE}crawling-indexing/301-redirects`;
export const GOOGLE_ROBOTS_META: string = `${GOOGLE}crawling-indexing/robots-meta-tag`;
export const GOOGLE_TITLES: string = `${GOOGLE}appearance/title-link`;
export const GOOGLE_CRAWLER: string = `${GOOGLE}crawling-indexing/googlebot`;
export const GOOGLE_AMP: string = `${GOOGLE}crawling-indexing/amp`;
export const GOOGLE_MOBILE: string = `${GOOGLE}crawling-indexing/mobile/mobile-sites-mobile-first-indexing`;
export const GOOGLE_ROBOTS: string = `${GOOGLE}crawling-indexing/robots/robots_txt`;
export const GOOGLE_HTTP: string = `${GOOGLE}crawling-indexing/http-network-errors`;
export const GOOGLE_LASTMOD_BLOG: string =
  "https://developers.google.com/search/blog/2023/06/sitemaps-lastmod-ping";
export const GOOGLE_TAGS_BLOG: string =
  "https://developers.google.com/search/blog/2022/05/spring-cleaning-sitemap-extensions";

export const BING_SITEMAPS: string =
  "https://blogs.bing.com/webmaster/July-2025/Keeping-Content-Discoverable-with-Sitemaps-in-AI-Powered-Search";

export const YANDEX_ERRORS: string = `${YANDEX}controlling-robot/sitemap-errors.html`;

export const XML: string = "https://www.w3.org/TR/xml/";
export const W3C_DATETIME: string = "https://www.w3.org/TR/NOTE-datetime";
export const RFC_3986: string = "https://www.rfc-editor.org/rfc/rfc3986";
export const RFC_6890: string = "https://www.rfc-editor.org/rfc/rfc6890";
export const RFC_9110: string = "https://www.rfc-editor.org/rfc/rfc9110";
export const RFC_9309: string = "https://www.rfc-editor.org/rfc/rfc9309";
export const RFC_1952: string = "https://www.rfc-editor.org/rfc/rfc1952";
