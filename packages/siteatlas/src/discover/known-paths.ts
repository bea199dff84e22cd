/**
 * Known locations: paths at which many sites have a sitemap, even if robots.txt does not list it. There are two ordered
 * lists. Each entry has a path and the systems that use it.
 *
 * The paths of `usual` are tried for every site. They include all paths that ultimate-sitemap-parser tries. Only for
 * this reason, they include `sitemap_news.xml.gz` and `sitemap-news.xml.gz`. `thorough` adds paths that only one or two
 * systems use, then paths of news sites, then feeds. Paths are relative to the homepage and have no leading slash. Not
 * included: paths that depend on the site (a language, a number), administration pages, and `.well-known`, where no
 * name for sitemaps is registered.
 */

/** A list of known locations. `thorough` includes all paths of `usual`. */
export type KnownPathSet = "usual" | "thorough";

/** A known location: a path at which some systems keep their sitemap. */
export interface KnownPath {
  /** The path relative to the homepage, without a leading slash. */
  readonly path: string;
  /** The systems that put a sitemap or feed there. */
  readonly source: string;
  /** The smallest set that contains this path. */
  readonly set: KnownPathSet;
  /**
   * The share of hosts whose sitemap this path would find, from 0 to 1. Measured on 2,173 well-known hosts that list
   * their sitemaps in robots.txt. Feeds are rarely listed in robots.txt.
   */
  readonly share: number;
}

/** `hosts`: how many of the `MEASURED_HOSTS` hosts list this path on their own host in robots.txt. */
type Row = readonly [path: string, hosts: number, source: string];

/** Number of well-known hosts whose robots.txt has a Sitemap line. */
const MEASURED_HOSTS = 2173;

/** Paths that are tried for every site. Do not change their order: the tree shows the sitemaps in this order. */
const usual: readonly Row[] = [
  ["sitemap.xml", 1082, "Shopify, Wix, Squarespace, Drupal, Ghost, Hugo, Jekyll, Next.js and most others"],
  ["sitemap_index.xml", 158, "Yoast SEO, Rank Math, Salesforce Commerce Cloud, Bitrix, Nuxt i18n"],
  ["sitemap-index.xml", 61, "Astro, Gatsby, Adobe Experience Manager, static generators"],
  ["wp-sitemap.xml", 0, "WordPress since 5.5"],
  ["sitemap.txt", 6, "lists made by hand"],
  ["sitemap.xml.gz", 36, "sitemap_generator for Rails, DokuWiki, older shops"],
  ["sitemap_index.xml.gz", 3, "compressed indexes of large sites"],
  ["sitemap-index.xml.gz", 2, "compressed indexes of large sites"],
  [".sitemap.xml", 3, "ultimate-sitemap-parser tries it"],
  ["sitemap", 19, "sites that route without a file ending"],
  ["sitemap/sitemap-index.xml", 6, "Gatsby"],
  ["sitemapindex.xml", 40, "Google sitemap plugin of WordPress (APMG), osCommerce"],
  ["sitemap/sitemap.xml", 19, "Medium, Sitefinity"],
  ["sitemap_news.xml", 22, "newsrooms; Media Cloud's list"],
  ["sitemap-news.xml", 16, "newsrooms; Media Cloud's list"],
  ["news-sitemap.xml", 69, "Yoast News SEO and other newsrooms; Media Cloud's list"],
  ["sitemap_news.xml.gz", 0, "newsrooms; Media Cloud's list"],
  ["sitemap-news.xml.gz", 0, "newsrooms; Media Cloud's list"],
];

/** Paths that only one or two systems use. The paths of common systems come first. */
const systems: readonly Row[] = [
  ["sitemaps.xml", 8, "SEOPress"],
  ["sitemap-0.xml", 0, "next-sitemap, Astro"],
  ["server-sitemap.xml", 0, "next-sitemap, pages made on the server"],
  ["server-sitemap-index.xml", 0, "next-sitemap, pages made on the server"],
  ["sitemap/index.xml", 10, "custom"],
  ["sitemap/sitemap_index.xml", 3, "custom"],
  ["sitemaps/sitemap.xml", 10, "custom"],
  ["sitemaps/sitemap_index.xml", 5, "custom"],
  ["sitemaps/", 0, "custom"],
  ["sitemaps", 10, "sites that route without a file ending"],
  ["sitemaps/index.xml", 9, "custom"],
  ["sitemaps/sitemap-index.xml", 8, "custom"],
  ["sitemap_index.xml/", 17, "sites that route with a final slash"],
  ["sitemapindex.xml.gz", 1, "osCommerce"],
  ["siteindex.xml", 9, "custom"],
  ["sitemap1.xml", 6, "Tumblr, generators"],
  ["sitemap-1.xml", 1, "generators"],
  ["sitemap_1.xml", 0, "generators"],
  ["sitemap2.xml", 8, "generators"],
  ["sitemap.php", 11, "XenForo, phpBB"],
  ["xmlsitemap.php", 2, "BigCommerce, vBulletin"],
  ["core/xmlsitemap.php", 0, "vBulletin"],
  ["1_index_sitemap.xml", 0, "PrestaShop gsitemap, first shop"],
  ["media/sitemap.xml", 0, "Magento"],
  ["pub/sitemap.xml", 0, "Magento 2"],
  ["pub/media/sitemap.xml", 0, "Magento 2"],
  ["media/sitemap/sitemap.xml", 0, "Magento"],
  ["index.php?route=extension/feed/google_sitemap", 0, "OpenCart"],
  ["index.php?route=feed/google_sitemap", 0, "OpenCart, older"],
  ["?type=1533906435", 0, "TYPO3 (EXT:seo)"],
  ["index.php?type=1533906435", 0, "TYPO3 (EXT:seo)"],
  ["?eID=dd_googlesitemap", 0, "TYPO3 dd_googlesitemap"],
  ["index.php?option=com_osmap&view=xml&id=1", 0, "Joomla OSMap"],
  ["index.php?option=com_xmap&view=xml&tmpl=component&id=1", 1, "Joomla Xmap"],
  ["index.php?option=com_jmap&view=sitemap&format=xml", 1, "Joomla JSitemap"],
  ["?feed=sitemap", 0, "WordPress without permalinks"],
  ["?sitemap=1", 0, "WordPress without permalinks"],
  ["index.php/sitemap_index.xml", 0, "WordPress without permalinks"],
  ["sitemap-pages.xml", 0, "Blogger, Ghost"],
  ["atom.xml?redirect=false&start-index=1&max-results=500", 0, "Blogger"],
  ["feeds/posts/default", 0, "Blogger"],
  ["sitemap-posts.xml", 0, "Ghost"],
  ["sitemap-tags.xml", 1, "Ghost"],
  ["sitemap-authors.xml", 1, "Ghost"],
  ["sitemap_recent.xml", 0, "Discourse"],
  ["news.xml", 3, "Discourse"],
  ["sitemap_products_1.xml", 0, "Shopify"],
  ["sitemap_collections_1.xml", 0, "Shopify"],
  ["sitemap_pages_1.xml", 0, "Shopify"],
  ["sitemap_blogs_1.xml", 0, "Shopify"],
  ["post-sitemap.xml", 2, "WordPress plugins"],
  ["page-sitemap.xml", 3, "WordPress plugins"],
  ["product-sitemap.xml", 3, "WordPress plugins"],
  ["category-sitemap.xml", 0, "WordPress plugins"],
  ["sitemap-misc.xml", 0, "WordPress plugins"],
  ["sitemap/", 2, "sites that route without a file ending"],
  ["share/sitemap.xml", 0, "Contao"],
  ["googlesitemap.xml", 0, "Kentico"],
  ["sitemap.ashx", 2, ".NET"],
  ["sitemap.aspx", 6, ".NET"],
  ["sitemap.axd", 0, ".NET"],
  ["blog/sitemap_index.xml", 17, "WordPress installed beside the site"],
  ["blog/sitemap.xml", 9, "a blog installed beside the site"],
  ["shop/sitemap.xml", 5, "a shop installed beside the site"],
  ["news/sitemap.xml", 5, "a newsroom installed beside the site"],
];

const news: readonly Row[] = [
  ["sitemap/news.xml", 10, "newsrooms; Media Cloud's list"],
  ["sitemaps/news.xml", 8, "newsrooms; Media Cloud's list"],
  ["google-news-sitemap.xml", 0, "newsrooms; Media Cloud's list"],
  ["googlenewssitemap.xml", 0, "newsrooms; Media Cloud's list"],
  ["news-sitemap-content.xml", 0, "newsrooms; Media Cloud's list"],
  ["news/sitemap_news.xml", 0, "newsrooms; Media Cloud's list"],
  ["feeds/sitemap_news.xml", 0, "newsrooms; Media Cloud's list"],
  ["sitemaps/new/news.xml.gz", 0, "newsrooms; Media Cloud's list"],
  ["sitemaps/sitemap-google-news.xml", 0, "newsrooms; Media Cloud's list"],
  ["tncms/sitemap/news.xml", 0, "TownNews (BLOX)"],
  ["arc/outboundfeeds/news-sitemap/?outputType=xml", 0, "Arc XP"],
  ["arc/outboundfeeds/news-sitemap-index/?outputType=xml", 0, "Arc XP"],
  ["arc/outboundfeeds/sitemap-index/?outputType=xml", 0, "Arc XP"],
  ["arc/outboundfeeds/sitemap/latest/?outputType=xml", 0, "Arc XP"],
  ["sitemap-image.xml", 2, "newsrooms; Media Cloud's list"],
  ["sitemap-video.xml", 6, "newsrooms; Media Cloud's list"],
  ["video-sitemap.xml", 8, "Yoast Video SEO and others"],
  ["image-sitemap.xml", 3, "WordPress plugins"],
];

/** Paths of feeds, for sites without a sitemap. A feed lists only the latest pages. */
const feeds: readonly Row[] = [
  ["feed/", 0, "WordPress"],
  ["feed", 0, "WordPress, custom"],
  ["rss.xml", 0, "Drupal, Gatsby, static generators"],
  ["atom.xml", 0, "Hexo, Octopress, Movable Type"],
  ["feed.xml", 0, "Jekyll, Eleventy"],
  ["index.xml", 3, "Hugo"],
  ["rss/", 0, "Ghost"],
  ["blog/feed/", 0, "WordPress installed beside the site"],
  ["feed.json", 0, "JSON Feed"],
];

/** Paths at which many sites have an HTML sitemap. They are tried only with the option `htmlSitemaps`. */
export const htmlKnownPaths: readonly string[] = [
  "sitemap.html",
  "sitemap.htm",
  "sitemap",
  "sitemap/",
  "html-sitemap",
  "html-sitemap/",
  "site-map",
  "site-map/",
  "site-map.html",
];

/** All known locations, in the order in which they are tried. The locations of `usual` come first. */
export const knownPathTable: readonly KnownPath[] = [
  ...usual.map((row) => knownPath(row, "usual")),
  ...[...systems, ...news, ...feeds].map((row) => knownPath(row, "thorough")),
];

function knownPath([path, hosts, source]: Row, set: KnownPathSet): KnownPath {
  return { path, source, set, share: hosts / MEASURED_HOSTS };
}

const thoroughPaths: readonly string[] = knownPathTable.map(({ path }) => path);
const usualPaths: readonly string[] = thoroughPaths.slice(0, usual.length);

/** Returns the paths in the order in which they are tried. */
export function knownPaths(set: KnownPathSet): readonly string[] {
  return set === "usual" ? usualPaths : thoroughPaths;
}
