/**
 * What each issue code means, in a sentence, and the specification behind it: docs/issues.md is generated
 * from here. A new code is a line here, a line in issues.ts if it is no plain warning, and a fixture.
 */
import {
  type IssueCode,
  refusals,
  type Severity,
  type StrictAction,
  severityOf,
  strictActionOf,
} from "./issues.ts";

export interface IssueInfo {
  readonly severity: Severity;
  /** Sentence case, no final period. */
  readonly message: string;
  /** What strict mode does beyond reporting. */
  readonly strict?: StrictAction;
  readonly spec?: string;
}

/** All codes but those of `refusals`, which have their sentence there. */
export const issueTexts = {
  // The document as a whole
  "content.type-mismatch": { message: "The content is of another format than its name or media type says" },
  "not-fetched": { message: "The sitemap was declared but not fetched" },

  // Compression
  "gzip.not-gzip": { message: "Named as gzip but not compressed" },
  "gzip.unlabelled": { message: "Compressed with gzip without saying so" },
  "gzip.nested": { message: "Compressed more than once" },
  "gzip.truncated": { message: "The gzip stream ends early; what came before is used" },
  "gzip.corrupt": { message: "The compressed data is damaged; what came before is used" },
  "gzip.trailing-junk": {
    message: "Bytes after the end of the gzip stream were ignored",
    spec: "https://www.rfc-editor.org/rfc/rfc1952",
  },
  "gzip.crc": {
    message: "The gzip checksum or length does not match the data",
    spec: "https://www.rfc-editor.org/rfc/rfc1952",
  },
  "gzip.deflate": { message: "A zlib or raw deflate stream where gzip was announced" },
  "gzip.bomb": { message: "The data grows more than the limit when decompressed; what came before is used" },

  // Encoding
  "encoding.not-utf8": {
    message: "Not encoded as UTF-8, which the protocol requires",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "encoding.wrong-declaration": { message: "The declared encoding is not the one of the bytes" },
  "encoding.http-mismatch": { message: "The charset of the Content-Type is not the one of the bytes" },
  "encoding.invalid-utf8": { message: "Invalid UTF-8 was read as windows-1252" },

  // XML
  "xml.leading-whitespace": {
    message: "White space before the XML declaration",
    spec: "https://www.w3.org/TR/xml/#sec-prolog-dtd",
  },
  "xml.leading-junk": {
    message: "Text or markup before the root element was skipped",
    spec: "https://www.w3.org/TR/xml/#sec-prolog-dtd",
  },
  "xml.decl-not-first": {
    message: "An XML declaration that is not at the start",
    spec: "https://www.w3.org/TR/xml/#sec-prolog-dtd",
  },
  "xml.trailing-junk": {
    message: "Content after the root element was ignored",
    spec: "https://www.w3.org/TR/xml/#sec-well-formed",
  },
  "xml.multiple-roots": {
    message: "More than one root element; all were read",
    spec: "https://www.w3.org/TR/xml/#sec-well-formed",
  },
  "xml.missing-root": {
    message: "Entries without a root element",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "xml.truncated": { message: "The document ends early; complete entries were kept" },
  "xml.doctype": {
    message: "A DOCTYPE was skipped; nothing was expanded or fetched",
    spec: "https://www.w3.org/TR/xml/#dt-doctype",
  },
  "xml.unclosed-url": { message: "An entry was not closed" },
  "xml.unclosed-loc": { message: "A field was not closed" },
  "xml.nested-url": { message: "An entry inside another entry" },
  "xml.stray-end-tag": { message: "An end tag without a start tag was ignored" },
  "xml.tag-case": { message: "Tag names in the wrong case" },
  "xml.control-char": {
    message: "A control character was dropped",
    spec: "https://www.w3.org/TR/xml/#charsets",
  },
  "xml.bare-ampersand": {
    message: "An unescaped ampersand was taken literally",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "xml.undefined-entity": {
    message: "An entity that XML does not define",
    spec: "https://www.w3.org/TR/xml/#sec-predefined-ent",
  },
  "xml.surrogate-ref": {
    message: "Character references to surrogates were joined",
    spec: "https://www.w3.org/TR/xml/#sec-references",
  },
  "xml.bad-char-ref": {
    message: "A reference to a character that does not exist was dropped",
    spec: "https://www.w3.org/TR/xml/#sec-references",
  },
  "xml.stray-lt": {
    message: "An unescaped less-than sign was taken literally",
    spec: "https://www.sitemaps.org/protocol.html#escaping",
  },
  "xml.bad-comment": {
    message: "A malformed comment or declaration",
    spec: "https://www.w3.org/TR/xml/#sec-comments",
  },
  "xml.unquoted-attribute": {
    message: "An attribute value without quotes",
    spec: "https://www.w3.org/TR/xml/#NT-AttValue",
  },
  "xml.unclosed-quote": {
    message: "An attribute value whose quote is not closed",
    spec: "https://www.w3.org/TR/xml/#NT-AttValue",
  },
  "xml.duplicate-attribute": {
    message: "An attribute given twice; the first one counts",
    spec: "https://www.w3.org/TR/xml/#uniqattspec",
  },
  "xml.unbound-prefix": {
    message: "A namespace prefix that is not declared; its usual meaning was taken",
    spec: "https://www.w3.org/TR/xml-names/#nsc-NSDeclared",
  },
  "xml.too-deep": { message: "Elements nested deeper than allowed; the outer ones were forgotten" },
  "xml.too-many-attributes": { message: "A tag with more attributes or namespaces than are read" },
  "xml.too-long": { message: "A tag or value longer than the token limit was dropped" },

  // Namespaces
  "ns.missing": {
    message: "The sitemap namespace is missing",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "ns.nonstandard": {
    message: "The sitemap namespace is misspelt",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "ns.legacy": { message: "The sitemap namespace is an old one" },
  "ns.wrong": { message: "The namespace belongs to something else" },

  // Entries
  "entry.missing-loc": {
    message: "An entry without a location",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "entry.multiple-loc": {
    message: "An entry with several locations; each was taken",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "entry.markup-in-loc": {
    message: "Markup inside a location; its text was taken",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "index.contains-url": {
    message: "A page inside a sitemap index",
    spec: "https://www.sitemaps.org/protocol.html#index",
  },
  "index.missing-sitemap-element": {
    message: "A location in an index without its <sitemap> element",
    spec: "https://www.sitemaps.org/protocol.html#index",
  },
  "urlset.missing-url-element": {
    message: "A location in a urlset without its <url> element",
    spec: "https://www.sitemaps.org/protocol.html#xmlTagDefinitions",
  },
  "urlset.contains-sitemap": {
    message: "A sub-sitemap inside a urlset",
    spec: "https://www.sitemaps.org/protocol.html#index",
  },

  // URLs
  "url.relative": {
    message: "A relative URL was resolved",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "url.schemeless": {
    message: "A URL without scheme",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "url.double-scheme": { message: "A URL with its scheme doubled" },
  "url.missing-slash": { message: "A URL with the wrong number of slashes after the scheme" },
  "url.backslash": { message: "A URL with backslashes" },
  "url.space": { message: "A URL with a raw space", spec: "https://www.sitemaps.org/protocol.html#escaping" },
  "url.newline": { message: "A URL with a line break or tab inside" },
  "url.fragment": { message: "The fragment of a URL was removed" },
  "url.credentials": { message: "User name and password were removed from a URL" },
  "url.decorated": { message: "Quotes, brackets or commas around a URL were removed" },
  "url.double-escaped": { message: "A URL that was escaped twice" },
  "url.html-escaped": { message: "A URL with HTML escapes in plain text" },
  "url.bad-percent": {
    message: "A percent sign that starts no escape",
    spec: "https://www.rfc-editor.org/rfc/rfc3986#section-2.1",
  },
  "url.too-long": {
    message: "A URL of more than 2,048 characters",
    spec: "https://www.sitemaps.org/protocol.html#locdef",
  },
  "url.invalid": { message: "A value that is no URL was dropped" },
  "url.unsupported-scheme": { message: "A URL that is neither http nor https was dropped" },
  "url.private-host": { message: "A URL on a loopback, private or local host" },
  "url.scheme-mismatch": {
    message: "A URL with another scheme than the sitemap",
    spec: "https://www.sitemaps.org/protocol.html#location",
  },
  "url.cross-host": {
    message: "A URL on another host than the sitemap",
    spec: "https://www.sitemaps.org/protocol.html#location",
  },
  "url.outside-path": {
    message: "A URL outside the directory of the sitemap",
    spec: "https://www.sitemaps.org/protocol.html#location",
  },

  // Fields
  "priority.format": {
    message: "A priority in an unusual form",
    spec: "https://www.sitemaps.org/protocol.html#prioritydef",
  },
  "priority.range": {
    message: "A priority outside 0.0 to 1.0",
    spec: "https://www.sitemaps.org/protocol.html#prioritydef",
  },
  "changefreq.unknown": {
    message: "A change frequency that the protocol does not know",
    spec: "https://www.sitemaps.org/protocol.html#changefreqdef",
  },
  "date.format": {
    message: "A date in another form than W3C Datetime",
    spec: "https://www.w3.org/TR/NOTE-datetime",
  },
  "date.no-timezone": {
    message: "A time without zone; UTC was assumed",
    spec: "https://www.w3.org/TR/NOTE-datetime",
  },
  "date.ambiguous": { message: "A date with several readings" },
  "date.epoch": { message: "A date given as seconds or milliseconds since 1970" },
  "date.placeholder": { message: "A date that stands for no date" },
  "date.future": { message: "A date in the future" },
  "date.invalid": { message: "A text that is no date" },
  "date.invalid-time": { message: "A date whose time of day or zone is impossible; the day was kept" },
  "date.weekday-mismatch": { message: "A weekday that does not fit the date" },
  "entry.too-many-items": { message: "An entry with more images, videos or alternates than are kept" },
  "text.double-escaped": { message: "A text that was escaped twice" },
  "text.cut": { message: "A text longer than the limit was cut" },

  // Extensions
  "news.missing-title": {
    message: "A news entry without title",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  },
  "news.missing-date": {
    message: "A news entry without publication date",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  },
  "image.missing-loc": {
    message: "An image without location was dropped",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
  },
  "image.outside-url": {
    message: "An image outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
  },
  "video.number-format": {
    message: "A number of a video in an unusual form",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  },
  "video.duration-format": {
    message: "A video duration that is not in whole seconds",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  },
  "video.outside-url": {
    message: "A video outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps",
  },
  "news.outside-url": {
    message: "A news block outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
  },
  "hreflang.format": {
    message: "A language tag in an unusual spelling",
    spec: "https://developers.google.com/search/docs/specialty/international/localized-versions",
  },
  "hreflang.outside-url": {
    message: "A link outside any entry was ignored",
    spec: "https://developers.google.com/search/docs/specialty/international/localized-versions",
  },
  "hreflang.missing-href": {
    message: "A link without href was dropped",
    spec: "https://developers.google.com/search/docs/specialty/international/localized-versions",
  },

  // Feeds
  "rss.link-attribute": {
    message: "An RSS link given as attribute",
    spec: "https://www.rssboard.org/rss-specification",
  },
  "json.invalid": {
    message: "The JSON of a feed is malformed",
    spec: "https://www.jsonfeed.org/version/1.1/",
  },
  "json.item-too-long": { message: "A feed item of more than 1 MiB was skipped" },

  // Text sitemaps
  "text.comment": {
    message: "A comment line was skipped",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.non-url-line": {
    message: "A line that is no URL was skipped",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.extra-columns": {
    message: "More than the URL on a line",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.multiple-urls": {
    message: "Several URLs on one line; all were taken",
    spec: "https://www.sitemaps.org/protocol.html#otherformats",
  },
  "text.line-too-long": { message: "A line longer than the limit was skipped" },

  // robots.txt
  "robots.key-typo": {
    message: "A misspelt Sitemap key was understood",
    spec: "https://www.rfc-editor.org/rfc/rfc9309",
  },
  "robots.missing-colon": {
    message: "A Sitemap line without colon",
    spec: "https://www.rfc-editor.org/rfc/rfc9309",
  },
  "robots.relative-sitemap": {
    message: "A relative sitemap URL was resolved",
    spec: "https://www.sitemaps.org/protocol.html#submit_robots",
  },
  "robots.schemeless": {
    message: "A sitemap URL without scheme",
    spec: "https://www.sitemaps.org/protocol.html#submit_robots",
  },
  "robots.decorated-value": { message: "Quotes or brackets around a sitemap URL were removed" },
  "robots.multiple-values": { message: "Several sitemap URLs on one line" },
  "robots.empty-value": { message: "A Sitemap line without value" },
  "robots.bare-url": { message: "A bare URL that looks like a sitemap" },
  "robots.html": { message: "robots.txt is an HTML page" },
  "robots.line-too-long": { message: "A line of more than 16,664 bytes was skipped" },
  "robots.truncated": {
    message: "Rules after the first 500 KiB were not read",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.5",
  },
  "robots.encoding": {
    message: "robots.txt is not encoded as UTF-8",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2",
  },
  "robots.wildcard-sitemap": { message: "A wildcard in a sitemap URL; the line was skipped" },

  // HTTP
  "http.status": {
    message: "The server answered with an error status",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15",
  },
  "http.timeout": { message: "The server took too long" },
  "http.connection": { message: "There was no connection, or it broke" },
  "http.dns": { message: "The host name does not resolve" },
  "http.tls": { message: "The certificate or the TLS connection is not valid" },
  "http.protocol": { message: "The answer is not valid HTTP" },
  "http.blocked-address": { message: "The address is not public and was not allowed" },
  "http.blocked-port": { message: "The port is none of the web and was not asked" },
  "http.redirect-loop": {
    message: "A redirect that leads back to itself",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15.4",
  },
  "http.too-many-redirects": {
    message: "Too many redirects",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15.4",
  },
  "http.redirect-scheme": { message: "A redirect to something that is not http or https" },
  "http.bad-redirect": { message: "A redirect to something that is no URL" },
  "http.downgrade": { message: "A redirect from https to http" },
  "http.truncated": {
    message: "The connection broke before the end of the document; what came before is used",
  },
  "http.partial": {
    message: "The server sent a part of the document only",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-15.3.7",
  },
  "http.bad-content-encoding": {
    message: "The body is not encoded as its Content-Encoding says, or more than twice",
    spec: "https://www.rfc-editor.org/rfc/rfc9110#section-8.4",
  },
  "http.retry": { message: "A request that failed was made again" },

  // The walk
  "index.cycle": { message: "A sitemap that leads back to itself" },
  "index.self-reference": { message: "A sitemap index that lists itself" },
  "index.lists-page": { message: "A sitemap index that lists an HTML page" },
  "index.lists-robots": { message: "A sitemap index that lists robots.txt" },
  "index.duplicate-content": { message: "A sitemap with the same content as one under another URL" },
  filtered: { message: "A sitemap that a filter left out" },
  "robots.unreachable": {
    message: "robots.txt could not be had",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4",
  },
  "robots.disallowed": {
    message: "robots.txt disallows the request",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2",
  },
  "robots.sitemap-disallowed": {
    message: "robots.txt lists a sitemap and disallows it; it was read",
    spec: "https://www.rfc-editor.org/rfc/rfc9309#section-2.2.2",
  },
  "robots.crawl-delay": { message: "A Crawl-delay longer than the limit; the limit was waited for" },

  // Limits of a walk
  "limit.depth": { message: "Sitemaps nested deeper than the limit were not read" },
  "limit.indexes": { message: "More sitemap indexes than the limit" },
  "limit.sitemaps": { message: "More sitemaps than the limit" },
  "limit.children": { message: "An index that lists more sitemaps than the limit; the first ones are used" },
  "limit.barren": {
    message: "More sitemaps in a row that gave nothing than the limit; the rest were not read",
  },
  "limit.foreign-hosts": { message: "Sitemaps on more hosts of other sites than the limit" },
  "limit.urls": { message: "More pages than the limit" },
  "limit.bytes": { message: "More bytes than the limit; what came before is used" },
  "limit.time": { message: "The walk took longer than the limit" },
  "limit.cpu": { message: "The document took longer to parse than the limit; what came before is used" },
} as const;

/** What a code means. */
export function describeIssue(code: IssueCode): IssueInfo {
  return issueTable[code];
}

/** Every code with what it means. */
export const issueTable: Readonly<Record<IssueCode, IssueInfo>> = Object.freeze(
  Object.fromEntries([
    ...Object.entries(refusals).map(([code, message]) => entryOf(code as IssueCode, { message })),
    ...Object.entries(issueTexts).map(([code, text]) => entryOf(code as IssueCode, text)),
  ]) as Record<IssueCode, IssueInfo>,
);

function entryOf(
  code: IssueCode,
  text: Pick<IssueInfo, "message" | "spec">,
): readonly [IssueCode, IssueInfo] {
  const strict = strictActionOf(code);
  return [code, { severity: severityOf(code), ...text, ...(strict !== undefined && { strict }) }];
}
