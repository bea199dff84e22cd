/** Rules for issues of robots.txt, of responses and of the tree of sitemaps. */
import type { LintRule } from "../../rule.ts";
import {
  GOOGLE_BUILD,
  GOOGLE_HTTP,
  GOOGLE_LARGE,
  RFC_9110,
  RFC_9309,
  SM_INDEX,
  SM_ROBOTS,
} from "../sources.ts";
import { error, issueRules, warning } from "./issue-rule.ts";

const UNREACHABLE = "Search engines cannot fetch the sitemap, and its pages are not discovered.";
const SERVER = "Check the server and its log at the time of the request.";
const CRAWLERS_DIFFER = "Crawlers differ in how they read such a line, and some ignore it.";

export const issuesOfSites: readonly LintRule[] = issueRules("sitemap", {
  "robots.key-typo": warning(CRAWLERS_DIFFER, "Correct the spelling, such as Disallow or User-agent."),
  "robots.missing-colon": warning(CRAWLERS_DIFFER, "Write a colon after the key."),
  "robots.ignored-line": warning(
    "Crawlers ignore the line, although it looks as if it had an effect.",
    "Write a User-agent line before the first rule, and a valid value after each key.",
  ),
  "robots.relative-sitemap": error(
    "The value of Sitemap must be a complete URL. Crawlers ignore a relative one.",
    "Write the absolute URL, such as https://example.com/sitemap.xml.",
  ),
  "robots.schemeless": error(
    "The value of Sitemap must be a complete URL. Crawlers ignore one without a scheme.",
    "Write the absolute URL, such as https://example.com/sitemap.xml.",
  ),
  "robots.decorated-value": error(
    "Crawlers read the characters as a part of the URL.",
    "Write only the URL.",
    SM_ROBOTS,
  ),
  "robots.multiple-values": error(
    "Crawlers read the line as one URL.",
    "Write one Sitemap line per URL.",
    SM_ROBOTS,
  ),
  "robots.empty-value": warning("The line has no effect.", "Add the URL, or remove the line.", SM_ROBOTS),
  "robots.bare-url": warning(
    "Crawlers ignore a line without a key.",
    "Write Sitemap: before the URL.",
    SM_ROBOTS,
  ),
  "robots.html": error(
    "Crawlers find no rules in an HTML page, so nothing is disallowed and no sitemap is listed.",
    "Serve robots.txt as plain text, or answer with 404.",
    RFC_9309,
  ),
  "robots.line-too-long": warning("Crawlers cut long lines.", "Shorten the line.", RFC_9309),
  "robots.truncated": warning(
    "Google reads the first 500 KiB and ignores the rest.",
    "Use patterns to shorten the file.",
  ),
  "robots.encoding": error("Rules with non-ASCII characters do not match.", "Save robots.txt as UTF-8."),
  "robots.wildcard-sitemap": error(
    "The value of Sitemap is a URL, not a pattern.",
    "List each sitemap.",
    SM_ROBOTS,
  ),
  "robots.unreachable": error(
    "Crawlers must then assume that the whole site is disallowed.",
    "Answer with 200 or 404, not with 5xx or a timeout.",
  ),
  "robots.sitemap-disallowed": error(
    "Crawlers that obey the rule do not fetch the sitemap.",
    "Add an Allow line for the sitemap, or change the Disallow line.",
  ),

  "http.status": error(UNREACHABLE, "Serve the sitemap with status 200, or remove its URL."),
  "http.timeout": error(UNREACHABLE, "Generate the sitemap in advance and serve it as a file.", GOOGLE_HTTP),
  "http.connection": error(UNREACHABLE, SERVER, GOOGLE_HTTP),
  "http.dns": error(UNREACHABLE, "Correct the host name in the URL, or its DNS record.", GOOGLE_HTTP),
  "http.tls": error(UNREACHABLE, "Renew the certificate, and send its whole chain.", GOOGLE_HTTP),
  "http.protocol": error(UNREACHABLE, SERVER, RFC_9110),
  "http.redirect-loop": error(UNREACHABLE, "Remove the loop, or list the final URL."),
  "http.too-many-redirects": error(UNREACHABLE, "List the final URL."),
  "http.redirect-scheme": error(UNREACHABLE, "Redirect to an http or https URL.", `${RFC_9110}#section-15.4`),
  "http.bad-redirect": error(
    UNREACHABLE,
    "Send a valid URL in the Location header.",
    `${RFC_9110}#section-10.2.2`,
  ),
  "http.downgrade": warning(
    "The sitemap can be changed on its way, and its URLs have the wrong scheme.",
    "Redirect to https, or list the final URL.",
    GOOGLE_HTTP,
  ),
  "http.truncated": error("The pages after the cut are lost.", SERVER, `${RFC_9110}#section-8.6`),
  "http.partial": error(
    "The pages after the cut are lost.",
    "Do not answer with 206 if the request has no Range.",
  ),
  "http.bad-content-encoding": error(UNREACHABLE, "Send the Content-Encoding that the body has, or none."),
  "http.https-fallback": warning(
    "The sitemap is listed with http, but the site answers only over https.",
    "List the https URL.",
    GOOGLE_BUILD,
  ),

  "index.cycle": error(
    "The sitemap lists one of its own ancestors, so it is not read.",
    "Remove the entry.",
    SM_INDEX,
  ),
  "index.self-reference": error("An index that lists itself gains nothing.", "Remove the entry.", SM_INDEX),
  "index.lists-page": error(
    "An index lists sitemaps. Search engines report an HTML page in it as an error.",
    "Move the page to a sitemap with <urlset>.",
    GOOGLE_LARGE,
  ),
  "index.lists-robots": warning("robots.txt is not a sitemap.", "Remove the entry.", GOOGLE_LARGE),
});
