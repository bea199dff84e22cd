/** Rules for issues of single entries: URLs, dates, fields and extensions. */
import type { LintRule } from "../../rule.ts";
import {
  BING_SITEMAPS,
  GOOGLE_BUILD,
  GOOGLE_CANONICAL,
  GOOGLE_IMAGES,
  GOOGLE_URLS,
  RFC_3986,
  SM_ESCAPING,
  SM_LOC,
  SM_OTHER_FORMATS,
  SM_XML,
  W3C_DATETIME,
} from "../sources.ts";
import { error, info, issueRules, off, warning } from "./issue-rule.ts";

const DROPPED = "Search engines drop the entry.";
const NO_DATE = "Search engines ignore the date, and the page is crawled as if it had none.";
const ABSOLUTE = "Write the absolute URL, such as https://example.com/page.";

export const issuesOfEntries: readonly LintRule[] = issueRules("page", {
  "entry.missing-loc": error(DROPPED, "Add a <loc> with the URL of the page, or remove the entry."),
  "entry.no-page": off(
    "The item has no page that could be indexed.",
    "Add a link to the page.",
    SM_OTHER_FORMATS,
  ),
  "entry.multiple-loc": error(
    "An entry has exactly one <loc>. Which one counts is not defined.",
    "Write one <url> for each page.",
  ),
  "entry.repeated-field": error(
    "A field occurs at most once in an entry. Yandex rejects files with repeated fields.",
    "Keep one of the fields.",
  ),
  "entry.markup-in-loc": error("A URL with markup is not a URL.", "Write only the URL into <loc>."),
  "entry.too-many-items": warning(
    "Search engines read at most 1,000 images per page.",
    "List the most important images only.",
    GOOGLE_IMAGES,
  ),
  "index.contains-url": error(
    "An index lists sitemaps. Search engines ignore pages in it.",
    "Move the pages to a sitemap with <urlset>.",
  ),
  "index.missing-sitemap-element": error(DROPPED, "Put each <loc> into a <sitemap> element."),
  "urlset.missing-url-element": error(DROPPED, "Put each <loc> into a <url> element."),
  "urlset.contains-sitemap": error(
    "A <urlset> lists pages. Search engines ignore sitemaps in it.",
    "Move the sitemaps to an index with <sitemapindex>.",
  ),

  "url.relative": error("The protocol requires absolute URLs. Search engines drop this one.", ABSOLUTE),
  "url.no-base": error("The protocol requires absolute URLs. Search engines drop this one.", ABSOLUTE),
  "url.schemeless": error("The protocol requires a URL that starts with its scheme.", ABSOLUTE),
  "url.double-scheme": error("The URL leads nowhere.", "Remove one of the schemes.", SM_LOC),
  "url.missing-slash": error(
    "The URL is not valid.",
    "Write two slashes after the scheme.",
    `${RFC_3986}#section-3`,
  ),
  "url.backslash": error(
    "A backslash is not allowed in a URL.",
    "Write / instead of \\.",
    `${RFC_3986}#section-2`,
  ),
  "url.space": warning("Search engines may cut the URL at the space.", "Write %20 instead of the space."),
  "url.newline": error(
    "A line break is not allowed in a URL.",
    "Write the URL on one line.",
    `${RFC_3986}#section-2`,
  ),
  "url.fragment": warning(
    "Search engines ignore the part after #, so the entry repeats another page.",
    "Remove the fragment, and entries that then repeat each other.",
    GOOGLE_URLS,
  ),
  "url.credentials": error(
    "Everyone can read the password, and search engines do not use it.",
    "Remove the user name and the password, and change the password.",
    `${RFC_3986}#section-3.2.1`,
  ),
  "url.decorated": error(
    "Quotes and brackets make the URL invalid. A comma at its end is usually a separator.",
    "Write only the URL. If it really ends with a comma, write %2C.",
    SM_LOC,
  ),
  "url.double-escaped": warning(
    "The URL contains &amp; after decoding, so it leads to another page.",
    "Escape & once.",
    SM_ESCAPING,
  ),
  "url.html-escaped": warning(
    "Text sitemaps have no escapes, so the URL leads to another page.",
    "Write & instead of &amp;.",
    SM_OTHER_FORMATS,
  ),
  "url.bad-percent": warning("Servers may reject the URL.", "Write %25 instead of %."),
  "url.too-long": error("The protocol allows 2,048 characters.", "Shorten the URL, or remove the entry."),
  "url.invalid": error(DROPPED, ABSOLUTE, SM_LOC),
  "url.unsupported-scheme": error(DROPPED, "List only http and https URLs.", SM_LOC),
  "url.private-host": error(
    "Search engines cannot reach this host. Often the sitemap was built on a development machine.",
    "Set the public address of the site in the generator, and build again.",
    GOOGLE_BUILD,
  ),
  "url.scheme-mismatch": warning(
    "All URLs of a sitemap must have the scheme of the sitemap.",
    "Use the scheme that the site redirects to, usually https.",
  ),
  "url.cross-host": warning(
    "A sitemap may list only URLs of its own host, unless the robots.txt of the other host lists the sitemap.",
    "Serve a sitemap on the other host, or list this one in the robots.txt of that host.",
  ),
  "url.outside-path": off(
    "A sitemap in a folder may list only URLs below this folder, unless robots.txt lists the sitemap.",
    "List the sitemap in robots.txt, or move it to the root of the site.",
  ),

  "priority.format": warning("Parsers may reject the number.", "Write a number such as 0.8."),
  "priority.range": error(
    "The protocol allows 0.0 to 1.0.",
    "Write a number from 0.0 to 1.0, or remove the field.",
  ),
  "changefreq.unknown": error(
    "The protocol defines always, hourly, daily, weekly, monthly, yearly and never.",
    "Use one of these words, or remove the field.",
  ),
  "date.format": error(NO_DATE, "Write the date as 2026-11-17 or 2026-11-17T09:30:00Z."),
  "date.no-timezone": warning(
    "W3C Datetime requires a time zone after a time. Without it, the date may be wrong by a day.",
    "Add Z or an offset such as +01:00.",
  ),
  "date.ambiguous": error(NO_DATE, "Write the date as 2026-11-17.", W3C_DATETIME),
  "date.epoch": error(NO_DATE, "Write the date as 2026-11-17.", W3C_DATETIME),
  "date.placeholder": warning(NO_DATE, "Write the real date, or remove the field.", W3C_DATETIME),
  "date.future": warning(
    "Bing rejects dates in the future, and Google then distrusts all dates of the site.",
    "Write the date of the last change. Check the clock and the time zone of the server.",
    BING_SITEMAPS,
  ),
  "date.invalid": error(NO_DATE, "Write the date as 2026-11-17, or remove the field.", W3C_DATETIME),
  "date.invalid-time": error(
    NO_DATE,
    "Write a time from 00:00:00 to 23:59:59 and a time zone.",
    W3C_DATETIME,
  ),
  "date.weekday-mismatch": off(
    "One of the two is wrong.",
    "Let a date library format the date.",
    W3C_DATETIME,
  ),
  "text.double-escaped": off("Readers see &amp; instead of &.", "Escape the text once.", SM_ESCAPING),
  "text.cut": info("Search engines cut long texts.", "Shorten the text.", SM_XML),

  "news.missing-title": error("Google News requires a title.", "Add <news:title>."),
  "news.missing-date": error("Google News requires a publication date.", "Add <news:publication_date>."),
  "news.outside-url": error("The article belongs to no page and is lost.", "Put <news:news> into its <url>."),
  "image.missing-loc": error("An image without a URL is lost.", "Add <image:loc>."),
  "image.outside-url": error(
    "The image belongs to no page and is lost.",
    "Put <image:image> into its <url>.",
  ),
  "video.number-format": warning("Google may ignore the value.", "Write a plain number such as 4.5."),
  "video.duration-format": warning("Google may ignore the duration.", "Write whole seconds, such as 600."),
  "video.unknown": warning("Google ignores the value.", "Use a value that Google's documentation lists."),
  "video.outside-url": error(
    "The video belongs to no page and is lost.",
    "Put <video:video> into its <url>.",
  ),
  "hreflang.format": warning(
    "Google ignores a language tag that it cannot read.",
    "Write the tag as en or en-GB: a hyphen, not an underscore.",
  ),
  "hreflang.outside-url": error(
    "The link belongs to no page and is lost.",
    "Put <xhtml:link> into its <url>.",
  ),
  "hreflang.missing-href": error("A link without href is lost.", "Add href with the absolute URL."),
  "rss.link-attribute": warning(
    "RSS readers expect the link as text.",
    "Write <link>https://example.com/page</link>.",
  ),

  "text.comment": info("The protocol does not define comments in text sitemaps.", "Remove the line."),
  "text.non-url-line": error("A text sitemap contains only URLs.", "Remove the line."),
  "text.extra-columns": error("A text sitemap has one URL per line and nothing else.", "Write only the URL."),
  "text.multiple-urls": error("A text sitemap has one URL per line.", "Write each URL on its own line."),
  "index.duplicate-content": warning(
    "Search engines read the same pages twice.",
    "List one of the two sitemaps.",
    GOOGLE_CANONICAL,
  ),
});
