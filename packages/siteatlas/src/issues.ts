/**
 * The one table of issue codes: severity, what it means in a sentence, what `strict` does, and the
 * specification behind it. docs/issues.md is generated from it, and every code has a fixture.
 *
 * `strict: "drop"` drops the entry that has the issue, `strict: "fail"` ends the document as invalid;
 * without either, strict mode only reports.
 */

export type Severity = "error" | "warning" | "info";

export interface IssueInfo {
  readonly severity: Severity;
  /** Sentence case, no final period. */
  readonly message: string;
  readonly strict?: "drop" | "fail";
  readonly spec?: string;
}

export const issueTable = {
  // The document as a whole
  "content.empty": { severity: "error", message: "The document is empty" },
  "content.html": { severity: "error", message: "The document is an HTML page, not a sitemap" },
  "content.json": { severity: "error", message: "The document is JSON but not a JSON Feed" },
  "content.zip": { severity: "error", message: "The document is a ZIP archive, which is not unpacked" },
  "content.binary": { severity: "error", message: "The document is binary data of no known kind" },
  "content.unknown-root": {
    severity: "error",
    message: "The root element is of no known sitemap or feed format",
  },
  "content.no-urls": { severity: "error", message: "The text holds no URL in its first 100 lines" },
  "content.type-mismatch": {
    severity: "info",
    message: "The content is of another format than its name or media type says",
  },
  "not-fetched": { severity: "info", message: "The sitemap was declared but not fetched" },

  // Compression
  "gzip.not-gzip": { severity: "info", message: "Named as gzip but not compressed" },
  "gzip.unlabelled": { severity: "info", message: "Compressed with gzip without saying so" },
  "gzip.nested": { severity: "warning", message: "Compressed more than once" },
  "gzip.too-deep": { severity: "error", message: "Compressed more than three times" },
  "gzip.truncated": { severity: "error", message: "The gzip stream ends early; what came before is used" },
  "gzip.corrupt": { severity: "error", message: "The compressed data is damaged; what came before is used" },
  "gzip.trailing-junk": {
    severity: "warning",
    message: "Bytes after the end of the gzip stream were ignored",
    spec: "https://www.rfc-editor.org/rfc/rfc1952",
  },
  "gzip.crc": {
    severity: "warning",
    message: "The gzip checksum or length does not match the data",
    strict: "fail",
    spec: "https://www.rfc-editor.org/rfc/rfc1952",
  },
  "gzip.deflate": { severity: "warning", message: "A zlib or raw deflate stream where gzip was announced" },

  // Encoding
  "encoding.not-utf8": {
    severity: "warning",
    message: "Not encoded as UTF-8, which the protocol requires",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "encoding.wrong-declaration": {
    severity: "warning",
    message: "The declared encoding is not the one of the bytes",
  },
  "encoding.http-mismatch": {
    severity: "warning",
    message: "The charset of the Content-Type is not the one of the bytes",
  },
  "encoding.invalid-utf8": {
    severity: "warning",
    message: "Invalid UTF-8 was read as windows-1252",
    strict: "fail",
  },

  // XML
  "xml.leading-whitespace": {
    severity: "warning",
    message: "White space before the XML declaration",
    spec: "https://www.w3.org/TR/xml/#sec-prolog-dtd",
  },
  "xml.leading-junk": {
    severity: "warning",
    message: "Text or markup before the root element was skipped",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#sec-prolog-dtd",
  },
  "xml.decl-not-first": {
    severity: "warning",
    message: "An XML declaration that is not at the start",
    spec: "https://www.w3.org/TR/xml/#sec-prolog-dtd",
  },
  "xml.trailing-junk": {
    severity: "warning",
    message: "Content after the root element was ignored",
    spec: "https://www.w3.org/TR/xml/#sec-well-formed",
  },
  "xml.multiple-roots": {
    severity: "warning",
    message: "More than one root element; all were read",
    spec: "https://www.w3.org/TR/xml/#sec-well-formed",
  },
  "xml.missing-root": {
    severity: "warning",
    message: "Entries without a root element",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "xml.truncated": { severity: "error", message: "The document ends early; complete entries were kept" },
  "xml.doctype": {
    severity: "warning",
    message: "A DOCTYPE was skipped; nothing was expanded or fetched",
    spec: "https://www.w3.org/TR/xml/#dt-doctype",
  },
  "xml.unclosed-url": { severity: "warning", message: "An entry was not closed", strict: "fail" },
  "xml.unclosed-loc": { severity: "warning", message: "A field was not closed", strict: "fail" },
  "xml.nested-url": { severity: "warning", message: "An entry inside another entry", strict: "fail" },
  "xml.stray-end-tag": {
    severity: "warning",
    message: "An end tag without a start tag was ignored",
    strict: "fail",
  },
  "xml.tag-case": { severity: "warning", message: "Tag names in the wrong case", strict: "fail" },
  "xml.control-char": {
    severity: "warning",
    message: "A control character was dropped",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#charsets",
  },
  "xml.bare-ampersand": {
    severity: "warning",
    message: "An unescaped ampersand was taken literally",
    strict: "fail",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "xml.undefined-entity": {
    severity: "warning",
    message: "An entity that XML does not define",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#sec-predefined-ent",
  },
  "xml.surrogate-ref": {
    severity: "warning",
    message: "Character references to surrogates were joined",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#sec-references",
  },
  "xml.bad-char-ref": {
    severity: "warning",
    message: "A reference to a character that does not exist was dropped",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#sec-references",
  },
  "xml.stray-lt": {
    severity: "warning",
    message: "An unescaped less-than sign was taken literally",
    strict: "fail",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "xml.bad-comment": {
    severity: "warning",
    message: "A malformed comment or declaration",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#sec-comments",
  },
  "xml.unquoted-attribute": {
    severity: "warning",
    message: "An attribute value without quotes",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#NT-AttValue",
  },
  "xml.unclosed-quote": {
    severity: "warning",
    message: "An attribute value whose quote is not closed",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#NT-AttValue",
  },
  "xml.duplicate-attribute": {
    severity: "warning",
    message: "An attribute given twice; the first one counts",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml/#uniqattspec",
  },
  "xml.unbound-prefix": {
    severity: "warning",
    message: "A namespace prefix that is not declared; its usual meaning was taken",
    strict: "fail",
    spec: "https://www.w3.org/TR/xml-names/#nsc-NSDeclared",
  },
  "xml.too-deep": {
    severity: "warning",
    message: "Elements nested deeper than 256 levels; the outer ones were forgotten",
  },
  "xml.too-long": { severity: "warning", message: "A tag or value longer than the token limit was dropped" },

  // Namespaces
  "ns.missing": {
    severity: "warning",
    message: "The sitemap namespace is missing",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "ns.nonstandard": {
    severity: "warning",
    message: "The sitemap namespace is misspelt",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "ns.legacy": { severity: "info", message: "The sitemap namespace is an old one" },
  "ns.wrong": { severity: "warning", message: "The namespace belongs to something else" },

  // Entries
  "entry.missing-loc": {
    severity: "warning",
    message: "An entry without a location",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "entry.multiple-loc": {
    severity: "warning",
    message: "An entry with several locations; each was taken",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "entry.markup-in-loc": {
    severity: "warning",
    message: "Markup inside a location; its text was taken",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "index.contains-url": {
    severity: "warning",
    message: "A page inside a sitemap index",
    spec: "https://www.sitemaps.org/protocol.html#index",
  },
  "index.missing-sitemap-element": {
    severity: "warning",
    message: "A location in an index without its <sitemap> element",
    spec: "https://www.sitemaps.org/protocol.html#index",
  },
  "urlset.missing-url-element": {
    severity: "warning",
    message: "A location in a urlset without its <url> element",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "urlset.contains-sitemap": {
    severity: "warning",
    message: "A sub-sitemap inside a urlset",
    spec: "https://www.sitemaps.org/protocol.html#index",
  },

  // URLs
  "url.relative": {
    severity: "warning",
    message: "A relative URL was resolved",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "url.schemeless": {
    severity: "warning",
    message: "A URL without scheme",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "url.double-scheme": { severity: "warning", message: "A URL with its scheme doubled", strict: "drop" },
  "url.missing-slash": {
    severity: "warning",
    message: "A URL with the wrong number of slashes after the scheme",
    strict: "drop",
  },
  "url.backslash": { severity: "warning", message: "A URL with backslashes", strict: "drop" },
  "url.space": {
    severity: "warning",
    message: "A URL with a raw space",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "url.newline": { severity: "warning", message: "A URL with a line break or tab inside", strict: "drop" },
  "url.fragment": { severity: "info", message: "The fragment of a URL was removed" },
  "url.credentials": { severity: "warning", message: "User name and password were removed from a URL" },
  "url.decorated": {
    severity: "warning",
    message: "Quotes, brackets or commas around a URL were removed",
    strict: "drop",
  },
  "url.double-escaped": { severity: "warning", message: "A URL that was escaped twice" },
  "url.html-escaped": { severity: "warning", message: "A URL with HTML escapes in plain text" },
  "url.bad-percent": {
    severity: "warning",
    message: "A percent sign that starts no escape",
    strict: "drop",
    spec: "https://www.rfc-editor.org/rfc/rfc3986#section-2.1",
  },
  "url.too-long": {
    severity: "warning",
    message: "A URL of more than 2,048 characters",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "url.invalid": { severity: "error", message: "A value that is no URL was dropped" },
  "url.unsupported-scheme": {
    severity: "warning",
    message: "A URL that is neither http nor https was dropped",
  },
  "url.private-host": { severity: "warning", message: "A URL on a loopback, private or local host" },
  "url.scheme-mismatch": {
    severity: "info",
    message: "A URL with another scheme than the sitemap",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#location",
  },
  "url.cross-host": {
    severity: "info",
    message: "A URL on another host than the sitemap",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#location",
  },
  "url.outside-path": {
    severity: "info",
    message: "A URL outside the directory of the sitemap",
    strict: "drop",
    spec: "https://www.sitemaps.org/protocol.html#location",
  },

  // Fields
  "priority.format": {
    severity: "warning",
    message: "A priority in an unusual form",
    spec: "https://www.sitemaps.org/protocol.html#prioritydef",
  },
  "priority.range": {
    severity: "warning",
    message: "A priority outside 0.0 to 1.0",
    spec: "https://www.sitemaps.org/protocol.html#prioritydef",
  },
  "changefreq.unknown": {
    severity: "warning",
    message: "A change frequency that the protocol does not know",
    spec: "https://www.sitemaps.org/protocol.html#changefreqdef",
  },
  "date.format": {
    severity: "warning",
    message: "A date in another form than W3C Datetime",
    spec: "https://www.w3.org/TR/NOTE-datetime",
  },
  "date.no-timezone": {
    severity: "warning",
    message: "A time without zone; UTC was assumed",
    spec: "https://www.w3.org/TR/NOTE-datetime",
  },
  "date.ambiguous": { severity: "warning", message: "A date with several readings" },
  "date.epoch": { severity: "warning", message: "A date given as seconds or milliseconds since 1970" },
  "date.placeholder": { severity: "warning", message: "A date that stands for no date" },
  "date.future": { severity: "info", message: "A date in the future" },
  "date.invalid": { severity: "warning", message: "A text that is no date" },
  "date.invalid-time": {
    severity: "warning",
    message: "A date whose time of day or zone is impossible; the day was kept",
  },
  "date.weekday-mismatch": { severity: "info", message: "A weekday that does not fit the date" },
  "text.double-escaped": { severity: "info", message: "A text that was escaped twice" },

  // Extensions
  "news.missing-title": {
    severity: "warning",
    message: "A news entry without title",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  },
  "news.missing-date": {
    severity: "warning",
    message: "A news entry without publication date",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  },
  "image.missing-loc": {
    severity: "warning",
    message: "An image without location was dropped",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
  },
  "image.outside-url": {
    severity: "warning",
    message: "An image outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
  },
  "video.number-format": {
    severity: "warning",
    message: "A number of a video in an unusual form",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  },
  "video.duration-format": {
    severity: "warning",
    message: "A video duration that is not in whole seconds",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  },
  "video.outside-url": {
    severity: "warning",
    message: "A video outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  },
  "news.outside-url": {
    severity: "warning",
    message: "A news block outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  },
  "hreflang.format": {
    severity: "warning",
    message: "A language tag in an unusual spelling",
    spec: "https://developers.google.com/search/docs/specialty/international/localized-versions",
  },
  "hreflang.outside-url": {
    severity: "warning",
    message: "A link outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/specialty/international/localized-versions",
  },
  "hreflang.missing-href": {
    severity: "warning",
    message: "A link without href was dropped",
    spec: "https://developers.google.com/search/docs/specialty/international/localized-versions",
  },

  // Feeds
  "rss.link-attribute": {
    severity: "warning",
    message: "An RSS link given as attribute",
    spec: "https://www.rssboard.org/rss-specification",
  },
  "json.invalid": {
    severity: "error",
    message: "The JSON of a feed is malformed",
    spec: "https://www.jsonfeed.org/version/1.1/",
  },
  "json.item-too-long": { severity: "warning", message: "A feed item of more than 1 MiB was skipped" },

  // Text sitemaps
  "text.comment": {
    severity: "info",
    message: "A comment line was skipped",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.non-url-line": {
    severity: "warning",
    message: "A line that is no URL was skipped",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.extra-columns": {
    severity: "warning",
    message: "More than the URL on a line",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.multiple-urls": {
    severity: "warning",
    message: "Several URLs on one line; all were taken",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.line-too-long": { severity: "warning", message: "A line longer than the limit was skipped" },

  // robots.txt
  "robots.key-typo": {
    severity: "warning",
    message: "A misspelt Sitemap key was understood",
    spec: "https://www.rfc-editor.org/rfc/rfc9309",
  },
  "robots.missing-colon": {
    severity: "warning",
    message: "A Sitemap line without colon",
    spec: "https://www.rfc-editor.org/rfc/rfc9309",
  },
  "robots.relative-sitemap": {
    severity: "warning",
    message: "A relative sitemap URL was resolved",
    spec: "https://www.sitemaps.org/protocol.html#submit_robots",
  },
  "robots.schemeless": {
    severity: "warning",
    message: "A sitemap URL without scheme",
    spec: "https://www.sitemaps.org/protocol.html#submit_robots",
  },
  "robots.decorated-value": {
    severity: "warning",
    message: "Quotes or brackets around a sitemap URL were removed",
  },
  "robots.multiple-values": { severity: "warning", message: "Several sitemap URLs on one line" },
  "robots.empty-value": { severity: "warning", message: "A Sitemap line without value" },
  "robots.bare-url": { severity: "info", message: "A bare URL that looks like a sitemap" },
  "robots.html": { severity: "warning", message: "robots.txt is an HTML page" },
  "robots.line-too-long": { severity: "warning", message: "A line of more than 16,664 bytes was skipped" },
  "robots.truncated": {
    severity: "warning",
    message: "Rules after the first 500 KiB were not read",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.5",
  },
  "robots.encoding": {
    severity: "warning",
    message: "robots.txt is not encoded as UTF-8",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
  },
  "robots.wildcard-sitemap": {
    severity: "warning",
    message: "A wildcard in a sitemap URL; the line was skipped",
  },

  // HTTP
  "http.status": {
    severity: "error",
    message: "The server answered with an error status",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
  },
  "http.timeout": { severity: "error", message: "The server took too long" },
  "http.connection": { severity: "error", message: "There was no connection, or it broke" },
  "http.dns": { severity: "error", message: "The host name does not resolve" },
  "http.tls": { severity: "error", message: "The certificate or the TLS connection is not valid" },
  "http.protocol": { severity: "error", message: "The answer is not valid HTTP" },
  "http.blocked-address": { severity: "error", message: "The address is not public and was not allowed" },
  "http.redirect-loop": {
    severity: "error",
    message: "A redirect that leads back to itself",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15.4",
  },
  "http.too-many-redirects": {
    severity: "error",
    message: "Too many redirects",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15.4",
  },
  "http.redirect-scheme": { severity: "error", message: "A redirect to something that is not http or https" },
  "http.bad-redirect": { severity: "error", message: "A redirect to something that is no URL" },
  "http.downgrade": { severity: "warning", message: "A redirect from https to http" },
  "http.truncated": {
    severity: "error",
    message: "The connection broke before the end of the document; what came before is used",
  },
  "http.partial": {
    severity: "warning",
    message: "The server sent a part of the document only",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7",
  },
  "http.retry": { severity: "info", message: "A request that failed was made again" },

  // The walk
  "index.cycle": { severity: "error", message: "A sitemap that leads back to itself" },
  "index.self-reference": { severity: "error", message: "A sitemap index that lists itself" },
  "index.lists-page": { severity: "warning", message: "A sitemap index that lists an HTML page" },
  "index.lists-robots": { severity: "info", message: "A sitemap index that lists robots.txt" },
  filtered: { severity: "info", message: "A sitemap that a filter left out" },
  "robots.unreachable": {
    severity: "warning",
    message: "robots.txt could not be had",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4",
  },
  "robots.disallowed": {
    severity: "info",
    message: "robots.txt disallows the request",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2",
  },

  // Limits of a walk
  "limit.depth": { severity: "error", message: "Sitemaps nested deeper than the limit were not read" },
  "limit.indexes": { severity: "error", message: "More sitemap indexes than the limit" },
  "limit.sitemaps": { severity: "error", message: "More sitemaps than the limit" },
  "limit.urls": { severity: "error", message: "More pages than the limit" },
  "limit.bytes": { severity: "error", message: "More bytes than the limit; what came before is used" },
  "limit.time": { severity: "error", message: "The walk took longer than the limit" },
} as const;

/** Every code that siteatlas can report. */
export type IssueCode = keyof typeof issueTable;

/** What a code means. */
export function describeIssue(code: IssueCode): IssueInfo {
  return issueTable[code];
}
