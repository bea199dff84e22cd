/**
 * The table of all issue codes. docs/issues.md is generated from it, and so is model/generated/issue-codes.ts, a
 * smaller table for parsers in browsers. To add a code: add a row and a fixture, and run `npm run generate`.
 */
import { invalidArgument } from "../check/check-options.ts";
import type { IssueCode, Severity, StrictAction } from "./generated/issue-codes.ts";

/** The meaning of an issue code. */
export interface IssueInfo {
  /** `error`: data was lost. `warning`: data was repaired, dropped or skipped. `info`: allowed or harmless. */
  readonly severity: Severity;
  /** The text for users. It starts with a capital letter and has no final period. */
  readonly message: string;
  /** The action of strict mode: drop the entry or fail the document. The issue is reported in any case. */
  readonly strict?: StrictAction;
  /** The specification that the document violates. */
  readonly spec?: string;
  /** Set if the parser rejects the whole document because of this issue. */
  readonly rejects?: true;
}

type More = Omit<IssueInfo, "severity" | "message">;

const row =
  (severity: Severity) =>
  (message: string, ...more: readonly More[]): IssueInfo =>
    Object.assign({ severity, message }, ...more);
const error = row("error");
const warning = row("warning");
const info = row("info");

const DROP = { strict: "drop" } as const;
const FAIL = { strict: "fail" } as const;
const REJECTS = { rejects: true } as const;

const PROTOCOL = "https://www.sitemaps.org/protocol.html";
const TAGS = { spec: `${PROTOCOL}#xmlTagDefinitions` };
const LOC = { spec: `${PROTOCOL}#locdef` };
const INDEX = { spec: `${PROTOCOL}#index` };
const ESCAPING = { spec: `${PROTOCOL}#escaping` };
const LOCATION = { spec: `${PROTOCOL}#location` };
const PRIORITY = { spec: `${PROTOCOL}#prioritydef` };
const TEXT_SITEMAPS = { spec: `${PROTOCOL}#otherformats` };
const SUBMIT_ROBOTS = { spec: `${PROTOCOL}#submit_robots` };

const XML = "https://www.w3.org/TR/xml/";
const PROLOG = { spec: `${XML}#sec-prolog-dtd` };
const WELL_FORMED = { spec: `${XML}#sec-well-formed` };
const REFERENCES = { spec: `${XML}#sec-references` };
const ATTRIBUTE_VALUES = { spec: `${XML}#NT-AttValue` };

const RFC = "https://www.rfc-editor.org/rfc/";
const GZIP = { spec: `${RFC}rfc1952` };
const ROBOTS = { spec: `${RFC}rfc9309` };
const ACCESS = { spec: `${RFC}rfc9309#section-2.2.2` };
const REDIRECTS = { spec: `${RFC}rfc9110#section-15.4` };

const DATES = { spec: "https://www.w3.org/TR/NOTE-datetime" };

const GOOGLE = "https://developers.google.com/search/docs/";
const NEWS = { spec: `${GOOGLE}crawling-indexing/sitemaps/news-sitemap` };
const IMAGES = { spec: `${GOOGLE}crawling-indexing/sitemaps/image-sitemaps` };
const VIDEOS = { spec: `${GOOGLE}crawling-indexing/sitemaps/video-sitemaps` };
const ALTERNATES = { spec: `${GOOGLE}specialty/international/localized-versions` };

/** All issue codes with their meaning. docs/issues.md is generated from this table. */
export const issueTable: Readonly<Record<IssueCode, IssueInfo>> = Object.freeze({
  // The document as a whole
  "content.empty": error("The document is empty", REJECTS),
  "content.html": error("The document is an HTML page, not a sitemap", REJECTS),
  "content.json": error("The document is JSON but not a JSON Feed", REJECTS),
  "content.zip": error("The document is a ZIP archive, not a sitemap", REJECTS),
  "content.binary": error("The document is binary data, not a sitemap", REJECTS),
  "content.unknown-root": error("The root element is unknown", REJECTS),
  "content.no-urls": error("The first 100 lines contain no URL", REJECTS),
  "content.type-mismatch": info("The content is in a different format than its name or media type says"),
  "not-fetched": info("The sitemap was declared but not fetched"),
  filtered: info("A filter skipped the sitemap"),

  // Compression
  "gzip.too-deep": error("Too many layers of compression", REJECTS),
  "gzip.not-gzip": info("Named as gzip but not compressed"),
  "gzip.unlabelled": info("Compressed with gzip but not declared as such"),
  "gzip.nested": warning("Compressed more than once"),
  "gzip.truncated": error("The gzip stream is truncated; the data up to that point was used"),
  "gzip.corrupt": error("The compressed data is damaged; the data up to that point was used"),
  "gzip.trailing-junk": warning("Bytes after the end of the gzip stream were ignored", GZIP),
  "gzip.crc": warning("The gzip checksum or length does not match the data", FAIL, GZIP),
  "gzip.deflate": warning("A zlib or raw deflate stream instead of gzip"),
  "gzip.bomb": error("The data exceeds the limit when decompressed; the data up to that point was used"),

  // Encoding
  "encoding.not-utf8": warning("Not encoded as UTF-8, which the protocol requires", ESCAPING),
  "encoding.wrong-declaration": warning("The file is not in the encoding it declares"),
  "encoding.http-mismatch": warning("The file is not in the encoding its Content-Type declares"),
  "encoding.invalid-utf8": warning("Invalid UTF-8 was read as windows-1252", FAIL),

  // XML
  "xml.leading-whitespace": warning("Whitespace before the XML declaration", PROLOG),
  "xml.leading-junk": warning("Text or markup before the root element was skipped", FAIL, PROLOG),
  "xml.decl-not-first": warning("The XML declaration is not at the start", PROLOG),
  "xml.trailing-junk": warning("Content after the root element was ignored", WELL_FORMED),
  "xml.multiple-roots": warning("More than one root element; all were read", WELL_FORMED),
  "xml.missing-root": warning("Entries without a root element", TAGS),
  "xml.truncated": error("The document is truncated; complete entries were kept"),
  "xml.doctype": warning("A DOCTYPE was skipped; nothing in it was expanded or fetched", {
    spec: `${XML}#dt-doctype`,
  }),
  "xml.unclosed-url": warning("An entry is not closed", FAIL),
  "xml.unclosed-loc": warning("A field is not closed", FAIL),
  "xml.nested-url": warning("An entry inside another entry", FAIL),
  "xml.stray-end-tag": warning("An end tag without a start tag was ignored", FAIL),
  "xml.tag-case": warning("Tag names in the wrong case", FAIL),
  "xml.control-char": warning("A control character was dropped", FAIL, { spec: `${XML}#charsets` }),
  "xml.bare-ampersand": warning("An unescaped ampersand was read literally", FAIL, ESCAPING),
  "xml.undefined-entity": warning("An entity that XML does not define", FAIL, {
    spec: `${XML}#sec-predefined-ent`,
  }),
  "xml.surrogate-ref": warning(
    "A character was written as two references (a surrogate pair); they were joined",
    FAIL,
    REFERENCES,
  ),
  "xml.bad-char-ref": warning(
    "A character reference was dropped: XML does not allow this character",
    FAIL,
    REFERENCES,
  ),
  "xml.stray-lt": warning("An unescaped less-than sign was read literally", FAIL, ESCAPING),
  "xml.bad-comment": warning("A malformed comment or declaration", FAIL, { spec: `${XML}#sec-comments` }),
  "xml.unquoted-attribute": warning("An attribute value without quotes", FAIL, ATTRIBUTE_VALUES),
  "xml.unclosed-quote": warning("An attribute value without a closing quote", FAIL, ATTRIBUTE_VALUES),
  "xml.duplicate-attribute": warning("An attribute occurs twice in a tag; the first was used", FAIL, {
    spec: `${XML}#uniqattspec`,
  }),
  "xml.unbound-prefix": warning("An undeclared namespace prefix; its usual meaning was assumed", FAIL, {
    spec: "https://www.w3.org/TR/xml-names/#nsc-NSDeclared",
  }),
  "xml.too-deep": warning("Elements are nested too deeply; siteatlas ignored the end tags of outer elements"),
  "xml.too-many-attributes": warning("Too many attributes or namespaces in a tag; the rest were ignored"),
  "xml.too-long": warning("A tag or value longer than the limit was dropped"),

  // Namespaces
  "ns.missing": warning("The sitemap namespace is missing", TAGS),
  "ns.nonstandard": warning("The sitemap namespace is misspelled", TAGS),
  "ns.https": info("The sitemap namespace starts with https instead of http", TAGS),
  "ns.legacy": info("The sitemap namespace is outdated"),
  "ns.wrong": warning("The namespace belongs to another format"),

  // Entries
  "entry.missing-loc": warning("An entry without a <loc>", DROP, LOC),
  "entry.no-page": info("A feed item with media but without a page, such as an episode of a podcast"),
  "entry.multiple-loc": warning("An entry with several <loc> elements; all were used", LOC),
  "entry.repeated-field": warning("A field occurs twice in an entry; the first was used", TAGS),
  "entry.markup-in-loc": warning("Markup inside a <loc>; its text was used", DROP, LOC),
  "entry.too-many-items": warning("Too many images, videos or alternates in an entry; the rest were dropped"),
  "index.contains-url": warning("A page inside a sitemap index", INDEX),
  "index.missing-sitemap-element": warning("A <loc> in an index is not inside a <sitemap> element", INDEX),
  "urlset.missing-url-element": warning("A <loc> in a urlset is not inside a <url> element", TAGS),
  "urlset.contains-sitemap": warning("A sitemap inside a urlset", INDEX),

  // URLs
  "url.relative": warning("A relative URL was resolved", DROP, LOC),
  "url.no-base": warning("A relative URL was dropped because the URL of the document is unknown", LOC),
  "url.schemeless": warning("A URL without a scheme", DROP, LOC),
  "url.double-scheme": warning("A URL with its scheme twice", DROP),
  "url.missing-slash": warning("A URL with the wrong number of slashes after the scheme", DROP),
  "url.backslash": warning("A URL with backslashes", DROP),
  "url.space": warning("A URL with an unescaped space", ESCAPING),
  "url.newline": warning("A URL with a line break or tab inside", DROP),
  "url.fragment": info("The fragment of a URL was removed"),
  "url.credentials": warning("A user name and password were removed from a URL"),
  "url.decorated": warning("Quotes, brackets or commas around a URL were removed", DROP),
  "url.double-escaped": warning("A URL that is escaped twice"),
  "url.html-escaped": warning("A URL in a text sitemap contains HTML escapes, such as &amp;"),
  "url.bad-percent": warning("A percent sign that does not start an escape sequence", DROP, {
    spec: `${RFC}rfc3986#section-2.1`,
  }),
  "url.too-long": warning("A URL of more than 2,048 characters", DROP, LOC),
  "url.invalid": error("A value that is not a URL was dropped"),
  "url.unsupported-scheme": warning("A URL that is neither http nor https was dropped"),
  "url.private-host": warning("A URL on a loopback, private or local host"),
  "url.scheme-mismatch": info("A URL with a different scheme than the sitemap", DROP, LOCATION),
  "url.cross-host": info("A URL on a different host than the sitemap", DROP, LOCATION),
  "url.cross-site": info("A link in llms.txt to another site was left out"),
  "url.outside-path": info("A URL outside the directory of the sitemap", DROP, LOCATION),

  // Fields
  "priority.format": warning("A priority in an unusual format", PRIORITY),
  "priority.range": warning("A priority outside 0.0 to 1.0", PRIORITY),
  "changefreq.unknown": warning("A change frequency that the protocol does not define", {
    spec: `${PROTOCOL}#changefreqdef`,
  }),
  "date.format": warning("A date that is not in W3C Datetime format", DATES),
  "date.no-timezone": warning("A time without a time zone; UTC was assumed", DATES),
  "date.ambiguous": warning("A date that can be read in several ways"),
  "date.epoch": warning("A date given as seconds or milliseconds since 1970"),
  "date.placeholder": warning("A placeholder instead of a date, such as 0000-00-00"),
  "date.future": info("A date in the future"),
  "date.invalid": warning("A value that is not a date"),
  "date.invalid-time": warning("A date with an impossible time or time zone; the day was kept"),
  "date.weekday-mismatch": info("A weekday that does not match the date"),
  "text.double-escaped": info("A text that is escaped twice"),
  "text.cut": warning("A text longer than the limit was shortened"),

  // Extensions
  "news.missing-title": warning("A news entry without a title", NEWS),
  "news.missing-date": warning("A news entry without a publication date", NEWS),
  "news.outside-url": warning("A news block outside any entry was ignored", NEWS),
  "image.missing-loc": warning("An image without a URL was dropped", IMAGES),
  "image.outside-url": warning("An image outside any entry was ignored", IMAGES),
  "video.number-format": warning("A number in a video entry is in an unusual format", VIDEOS),
  "video.duration-format": warning("A video duration that is not a whole number of seconds", VIDEOS),
  "video.unknown": warning("A value was dropped: Google's video extension does not define it", VIDEOS),
  "video.outside-url": warning("A video outside any entry was ignored", VIDEOS),
  "hreflang.format": warning("A language tag in an unusual spelling", ALTERNATES),
  "hreflang.outside-url": warning("An alternate link outside any entry was ignored", ALTERNATES),
  "hreflang.missing-href": warning("An alternate link without href was dropped", ALTERNATES),

  // Feeds
  "rss.link-attribute": warning("An RSS link given as an attribute", {
    spec: "https://www.rssboard.org/rss-specification",
  }),
  "json.invalid": error("The JSON of a feed is malformed or has a value of the wrong type", {
    spec: "https://www.jsonfeed.org/version/1.1/",
  }),
  "json.item-too-long": warning("A feed item of more than 1 MiB was skipped"),

  // Text sitemaps
  "text.comment": info("A comment line was skipped", TEXT_SITEMAPS),
  "text.non-url-line": warning("A line that is not a URL was skipped", TEXT_SITEMAPS),
  "text.extra-columns": warning("A line with more than a URL", TEXT_SITEMAPS),
  "text.multiple-urls": warning("Several URLs on one line; all were used", TEXT_SITEMAPS),
  "text.line-too-long": warning("A line longer than the limit was skipped"),

  // robots.txt
  "robots.key-typo": warning("A misspelled key was understood", ROBOTS),
  "robots.missing-colon": warning(
    "A line without a colon; it is ignored unless its meaning is clear",
    ROBOTS,
  ),
  "robots.ignored-line": warning(
    "A line without effect: a rule before the first User-agent line, or a value that is empty or not a number",
    ROBOTS,
  ),
  "robots.relative-sitemap": warning("A relative sitemap URL was resolved", SUBMIT_ROBOTS),
  "robots.schemeless": warning("A sitemap URL without a scheme", SUBMIT_ROBOTS),
  "robots.decorated-value": warning("Quotes or brackets around a sitemap URL were removed"),
  "robots.multiple-values": warning("Several sitemap URLs on one line"),
  "robots.empty-value": warning("A Sitemap line without a value"),
  "robots.bare-url": info("A URL on a line of its own that looks like a sitemap"),
  "robots.html": warning("robots.txt is an HTML page"),
  "robots.line-too-long": warning("A line longer than the limit was skipped"),
  "robots.truncated": warning("Rules beyond the size limit were not read", {
    spec: `${RFC}rfc9309#section-2.5`,
  }),
  "robots.encoding": warning("robots.txt is not encoded as UTF-8", { spec: `${RFC}rfc9309#section-2.2` }),
  "robots.wildcard-sitemap": warning("A sitemap URL with a wildcard was skipped"),
  "robots.unreachable": warning("robots.txt could not be fetched", { spec: `${RFC}rfc9309#section-2.3.1.4` }),
  "robots.disallowed": info("robots.txt disallows the request", ACCESS),
  "robots.sitemap-disallowed": warning(
    "robots.txt lists a sitemap but also disallows it; siteatlas fetched it anyway",
    ACCESS,
  ),
  "robots.crawl-delay": warning("A Crawl-delay longer than the limit was shortened to the limit"),

  // HTTP
  "http.status": error("The server responded with an error status", { spec: `${RFC}rfc9110#section-15` }),
  "http.timeout": error("The server took too long"),
  "http.connection": error("The connection failed or broke"),
  "http.dns": error("The host name does not resolve"),
  "http.tls": error("The TLS connection failed or the certificate is invalid"),
  "http.proxy": error("The proxy failed or refused the request"),
  "http.protocol": error("The response is not valid HTTP"),
  "http.blocked-address": error("The host has a private address, which was not allowed"),
  "http.blocked-port": error(
    "siteatlas does not connect to this reserved port because it belongs to another protocol",
  ),
  "http.redirect-loop": error("The redirects form a loop", REDIRECTS),
  "http.too-many-redirects": error("Too many redirects", REDIRECTS),
  "http.redirect-scheme": error("A redirect to a URL that is neither http nor https"),
  "http.bad-redirect": error("A redirect to a value that is not a URL"),
  "http.downgrade": warning("A redirect from https to http"),
  "http.truncated": error(
    "The connection broke before the document was complete; the data up to that point was used",
  ),
  "http.partial": warning("The server sent only a part of the document", {
    spec: `${RFC}rfc9110#section-15.3.7`,
  }),
  "http.bad-content-encoding": warning(
    "The body does not match its Content-Encoding, or more than two encodings were applied",
    {
      spec: `${RFC}rfc9110#section-8.4`,
    },
  ),
  "http.https-fallback": warning(
    "A sitemap could not be fetched over http; siteatlas tried the site's https address instead",
  ),
  "http.retry": info("A failed request was retried"),

  // The walk
  "site.moved": info(
    "Nothing was found on the site, but its homepage redirects to another host, which was searched as well",
  ),
  "index.cycle": error("Recursion: the sitemap is listed below itself"),
  "index.self-reference": error("A sitemap index that lists itself"),
  "index.lists-page": warning("A sitemap index that lists an HTML page"),
  "index.lists-robots": info("A sitemap index that lists robots.txt"),
  "index.duplicate-content": warning("A sitemap with the same content as one under another URL"),

  // Limits of a walk
  "limit.depth": error("Sitemaps nested deeper than the limit were skipped"),
  "limit.indexes": error("More sitemap indexes than the limit; the rest were skipped"),
  "limit.sitemaps": error("More sitemaps than the limit; the rest were skipped"),
  "limit.children": error("An index lists more sitemaps than the limit; the first ones were used"),
  "limit.places": error(
    "The sitemap tree is larger than the limit; an index that is listed several times is shown in full only once",
  ),
  "limit.held": error("The listed sitemaps need more memory than the limit; the other sitemaps were skipped"),
  "limit.barren": error("Too many sitemaps in a row had no pages; the rest of the index was skipped"),
  "limit.foreign-hosts": error("Sitemaps are on more foreign hosts than the limit; the rest were skipped"),
  "limit.urls": error("More pages than the limit"),
  "limit.bytes": error("More bytes than the limit; the data up to that point was used"),
  "limit.time": error("The walk took longer than the limit"),
  "limit.cpu": error("Parsing took more CPU time than the limit; the entries up to that point were used"),
});

/**
 * Returns what an issue code means.
 *
 * @example
 * describeIssue("xml.truncated").message;
 */
export function describeIssue(code: IssueCode): IssueInfo {
  if (!Object.hasOwn(issueTable, code)) throw invalidArgument("describeIssue", "code", "an issue code", code);
  return issueTable[code];
}
