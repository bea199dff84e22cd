/**
 * Known locations: paths at which many sites have a sitemap, even if robots.txt does not list it. There are two ordered
 * lists. Each entry has a path and the systems that use it.
 *
 * The paths of `usual` are tried for every site. `thorough` adds paths that only one or two systems use, then paths of
 * news sites, then feeds. Paths are relative to the homepage and have no leading slash. Not included: paths that depend
 * on the site (a language, a number), administration pages, and `.well-known`, where no name for sitemaps is
 * registered.
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
}

type Row = readonly [path: string, source: string];

/** Paths that are tried for every site. Do not change their order: the tree shows the sitemaps in this order. */
const usual: readonly Row[] = [
  ["sitemap.xml", "Shopify, Wix, Squarespace, Drupal, Ghost, Hugo, Jekyll, Next.js and most others"],
  ["sitemap_index.xml", "Yoast SEO, Rank Math, Salesforce Commerce Cloud, Bitrix, Nuxt i18n"],
  ["sitemap-index.xml", "Astro, Gatsby, Adobe Experience Manager, static generators"],
  ["wp-sitemap.xml", "WordPress since 5.5"],
  ["sitemap.txt", "lists made by hand"],
  ["sitemap.xml.gz", "sitemap_generator for Rails, DokuWiki, older shops"],
  ["sitemap_index.xml.gz", "compressed indexes of large sites"],
  ["sitemap-index.xml.gz", "compressed indexes of large sites"],
  [".sitemap.xml", "ultimate-sitemap-parser tries it"],
  ["sitemap", "sites that route without a file ending"],
  ["sitemap/sitemap-index.xml", "Gatsby"],
  ["sitemap_news.xml", "newsrooms; Media Cloud's list"],
  ["sitemap-news.xml", "newsrooms; Media Cloud's list"],
  ["news-sitemap.xml", "Yoast News SEO and other newsrooms; Media Cloud's list"],
  ["sitemap_news.xml.gz", "newsrooms; Media Cloud's list"],
  ["sitemap-news.xml.gz", "newsrooms; Media Cloud's list"],
];

/** Paths that only one or two systems use. The paths of common systems come first. */
const systems: readonly Row[] = [
  ["sitemaps.xml", "SEOPress"],
  ["sitemap-0.xml", "next-sitemap, Astro"],
  ["server-sitemap.xml", "next-sitemap, pages made on the server"],
  ["server-sitemap-index.xml", "next-sitemap, pages made on the server"],
  ["sitemap/sitemap.xml", "Medium, Sitefinity"],
  ["sitemap/index.xml", "custom"],
  ["sitemap/sitemap_index.xml", "custom"],
  ["sitemaps/sitemap.xml", "custom"],
  ["sitemaps/sitemap_index.xml", "custom"],
  ["sitemaps/", "custom"],
  ["sitemapindex.xml", "Google sitemap plugin of WordPress (APMG), osCommerce"],
  ["sitemapindex.xml.gz", "osCommerce"],
  ["siteindex.xml", "custom"],
  ["sitemap1.xml", "Tumblr, generators"],
  ["sitemap-1.xml", "generators"],
  ["sitemap_1.xml", "generators"],
  ["sitemap2.xml", "generators"],
  ["sitemap.php", "XenForo, phpBB"],
  ["xmlsitemap.php", "BigCommerce, vBulletin"],
  ["core/xmlsitemap.php", "vBulletin"],
  ["1_index_sitemap.xml", "PrestaShop gsitemap, first shop"],
  ["media/sitemap.xml", "Magento"],
  ["pub/sitemap.xml", "Magento 2"],
  ["pub/media/sitemap.xml", "Magento 2"],
  ["media/sitemap/sitemap.xml", "Magento"],
  ["index.php?route=extension/feed/google_sitemap", "OpenCart"],
  ["index.php?route=feed/google_sitemap", "OpenCart, older"],
  ["?type=1533906435", "TYPO3 (EXT:seo)"],
  ["index.php?type=1533906435", "TYPO3 (EXT:seo)"],
  ["?eID=dd_googlesitemap", "TYPO3 dd_googlesitemap"],
  ["index.php?option=com_osmap&view=xml&id=1", "Joomla OSMap"],
  ["index.php?option=com_xmap&view=xml&tmpl=component&id=1", "Joomla Xmap"],
  ["index.php?option=com_jmap&view=sitemap&format=xml", "Joomla JSitemap"],
  ["?feed=sitemap", "WordPress without permalinks"],
  ["?sitemap=1", "WordPress without permalinks"],
  ["index.php/sitemap_index.xml", "WordPress without permalinks"],
  ["sitemap-pages.xml", "Blogger, Ghost"],
  ["atom.xml?redirect=false&start-index=1&max-results=500", "Blogger"],
  ["feeds/posts/default", "Blogger"],
  ["sitemap-posts.xml", "Ghost"],
  ["sitemap-tags.xml", "Ghost"],
  ["sitemap-authors.xml", "Ghost"],
  ["sitemap_recent.xml", "Discourse"],
  ["news.xml", "Discourse"],
  ["sitemap_products_1.xml", "Shopify"],
  ["sitemap_collections_1.xml", "Shopify"],
  ["sitemap_pages_1.xml", "Shopify"],
  ["sitemap_blogs_1.xml", "Shopify"],
  ["post-sitemap.xml", "WordPress plugins"],
  ["page-sitemap.xml", "WordPress plugins"],
  ["product-sitemap.xml", "WordPress plugins"],
  ["category-sitemap.xml", "WordPress plugins"],
  ["sitemap-misc.xml", "WordPress plugins"],
  ["sitemap/", "sites that route without a file ending"],
  ["share/sitemap.xml", "Contao"],
  ["googlesitemap.xml", "Kentico"],
  ["sitemap.ashx", ".NET"],
  ["sitemap.aspx", ".NET"],
  ["sitemap.axd", ".NET"],
  ["blog/sitemap.xml", "a blog installed beside the site"],
  ["shop/sitemap.xml", "a shop installed beside the site"],
  ["news/sitemap.xml", "a newsroom installed beside the site"],
];

const news: readonly Row[] = [
  ["sitemap/news.xml", "newsrooms; Media Cloud's list"],
  ["sitemaps/news.xml", "newsrooms; Media Cloud's list"],
  ["google-news-sitemap.xml", "newsrooms; Media Cloud's list"],
  ["googlenewssitemap.xml", "newsrooms; Media Cloud's list"],
  ["news-sitemap-content.xml", "newsrooms; Media Cloud's list"],
  ["news/sitemap_news.xml", "newsrooms; Media Cloud's list"],
  ["feeds/sitemap_news.xml", "newsrooms; Media Cloud's list"],
  ["sitemaps/new/news.xml.gz", "newsrooms; Media Cloud's list"],
  ["sitemaps/sitemap-google-news.xml", "newsrooms; Media Cloud's list"],
  ["tncms/sitemap/news.xml", "TownNews (BLOX)"],
  ["arc/outboundfeeds/news-sitemap/?outputType=xml", "Arc XP"],
  ["arc/outboundfeeds/news-sitemap-index/?outputType=xml", "Arc XP"],
  ["arc/outboundfeeds/sitemap-index/?outputType=xml", "Arc XP"],
  ["arc/outboundfeeds/sitemap/latest/?outputType=xml", "Arc XP"],
  ["sitemap-image.xml", "newsrooms; Media Cloud's list"],
  ["sitemap-video.xml", "newsrooms; Media Cloud's list"],
  ["video-sitemap.xml", "Yoast Video SEO and others"],
  ["image-sitemap.xml", "WordPress plugins"],
];

/** Paths of feeds, for sites without a sitemap. A feed lists only the latest pages. */
const feeds: readonly Row[] = [
  ["feed/", "WordPress"],
  ["feed", "WordPress, custom"],
  ["rss.xml", "Drupal, Gatsby, static generators"],
  ["atom.xml", "Hexo, Octopress, Movable Type"],
  ["feed.xml", "Jekyll, Eleventy"],
  ["index.xml", "Hugo"],
  ["rss/", "Ghost"],
  ["blog/feed/", "WordPress installed beside the site"],
  ["feed.json", "JSON Feed"],
];

/** All known locations, in the order in which they are tried. The locations of `usual` come first. */
export const knownPathTable: readonly KnownPath[] = [
  ...usual.map(([path, source]): KnownPath => ({ path, source, set: "usual" })),
  ...[...systems, ...news, ...feeds].map(([path, source]): KnownPath => ({ path, source, set: "thorough" })),
];

const thoroughPaths: readonly string[] = knownPathTable.map(({ path }) => path);
const usualPaths: readonly string[] = thoroughPaths.slice(0, usual.length);

/** Returns the paths in the order in which they are tried. */
export function knownPaths(set: KnownPathSet): readonly string[] {
  return set === "usual" ? usualPaths : thoroughPaths;
}
