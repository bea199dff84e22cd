/** Rules for issues of whole documents: content, compression, encoding, XML, namespaces. */
import type { LintRule } from "../../rule.ts";
import {
  GOOGLE_BUILD,
  RFC_1952,
  RFC_9110,
  SM_ESCAPING,
  SM_FAQ,
  SM_OTHER_FORMATS,
  SM_XML,
  XML,
} from "../sources.ts";
import { error, info, issueRules, off, warning } from "./issue-rule.ts";

const NOT_WELL_FORMED =
  "XML parsers of search engines stop at the first mistake and may reject the whole file.";
const LOST = "All pages of the sitemap are lost: search engines cannot read it.";
const WRITER = "Write the file with an XML library instead of joining strings.";

export const issuesOfDocuments: readonly LintRule[] = issueRules("sitemap", {
  "content.empty": error(
    LOST,
    "Write at least one URL, or remove the sitemap from robots.txt and its index.",
    SM_XML,
  ),
  "content.html": error(
    "The server probably shows an error page, a login page or the homepage instead of the sitemap.",
    "Serve the sitemap at this URL, or remove the URL from robots.txt and its index.",
    GOOGLE_BUILD,
  ),
  "content.json": error(
    LOST,
    "Write an XML sitemap, or a JSON Feed with version and items.",
    SM_OTHER_FORMATS,
  ),
  "content.zip": error(LOST, "Compress the sitemap with gzip, or do not compress it.", SM_FAQ),
  "content.binary": error(LOST, "Write an XML sitemap or a text file in UTF-8.", SM_OTHER_FORMATS),
  "content.unknown-root": error(LOST, "Use <urlset> for pages, or <sitemapindex> for sitemaps.", SM_XML),
  "content.no-urls": error(LOST, "Write one absolute URL per line.", SM_OTHER_FORMATS),
  "content.type-mismatch": info(
    "Some crawlers trust the media type and do not read the content.",
    "Send XML sitemaps as application/xml, text sitemaps as text/plain.",
    `${RFC_9110}#section-8.3`,
  ),

  "gzip.too-deep": error(LOST, "Compress the sitemap once.", SM_FAQ),
  "gzip.not-gzip": info(
    "Crawlers that trust the name try to decompress the file and fail.",
    "Compress the file, or remove .gz from its name.",
    SM_FAQ,
  ),
  "gzip.unlabelled": off(
    "Crawlers that trust the name do not decompress the file.",
    "Add .gz to the name, or send the header Content-Encoding: gzip.",
    `${RFC_9110}#section-8.4`,
  ),
  "gzip.nested": warning(
    "Search engines decompress a sitemap once and then see binary data.",
    "Compress the file once. If the server compresses responses, exclude .gz files.",
    SM_FAQ,
  ),
  "gzip.truncated": error("The pages after the cut are lost.", "Upload the file again.", RFC_1952),
  "gzip.corrupt": error(
    "The pages after the damage are lost.",
    "Compress and upload the file again.",
    RFC_1952,
  ),
  "gzip.trailing-junk": warning(
    "Some decompressors reject a file with extra bytes.",
    "Remove the bytes after the end of the gzip data.",
  ),
  "gzip.crc": error("Decompressors reject a file with a wrong checksum.", "Compress the file again."),
  "gzip.deflate": warning(
    "Search engines support gzip. Few of them support zlib.",
    "Compress the file with gzip.",
    SM_FAQ,
  ),

  "encoding.not-utf8": error(
    "The protocol requires UTF-8. Other encodings are rejected, or read as wrong characters.",
    "Save the file as UTF-8.",
  ),
  "encoding.wrong-declaration": error(
    "A parser that believes the declaration reads wrong characters, or stops.",
    "Save the file as UTF-8 and declare UTF-8.",
    `${XML}#charencoding`,
  ),
  "encoding.http-mismatch": warning(
    "A parser that believes the header reads wrong characters.",
    "Send the charset in which the file is saved, or no charset.",
    `${XML}#sec-guessing`,
  ),
  "encoding.invalid-utf8": error(
    "XML parsers reject a file with invalid UTF-8.",
    "Save the whole file as UTF-8. Often one text comes from a database in another encoding.",
    SM_ESCAPING,
  ),

  "xml.leading-whitespace": error(NOT_WELL_FORMED, "Remove the spaces and line breaks before <?xml."),
  "xml.leading-junk": error(
    NOT_WELL_FORMED,
    "Remove everything before the root element, such as PHP warnings.",
  ),
  "xml.decl-not-first": error(NOT_WELL_FORMED, "Make <?xml …?> the first characters of the file."),
  "xml.trailing-junk": error(NOT_WELL_FORMED, "Remove everything after the end of the root element."),
  "xml.multiple-roots": error(NOT_WELL_FORMED, "Merge the entries into one root element."),
  "xml.missing-root": error(NOT_WELL_FORMED, "Put the entries into <urlset> or <sitemapindex>."),
  "xml.truncated": error(
    "The entries after the cut are lost, and strict parsers reject the whole file.",
    "Write the file completely, to its closing tag. Check for a full disk or a script that timed out.",
    SM_XML,
  ),
  "xml.doctype": warning(
    "Many parsers reject a DOCTYPE, because it is used for attacks.",
    "Remove the DOCTYPE. Sitemaps need none.",
  ),
  "xml.unclosed-url": error(NOT_WELL_FORMED, "Close every <url> with </url>.", `${XML}#sec-starttags`),
  "xml.unclosed-loc": error(
    NOT_WELL_FORMED,
    "Close every field, such as <loc> with </loc>.",
    `${XML}#sec-starttags`,
  ),
  "xml.nested-url": error(NOT_WELL_FORMED, "Close each <url> before the next one starts.", SM_XML),
  "xml.stray-end-tag": error(
    NOT_WELL_FORMED,
    "Remove the end tag, or add its start tag.",
    `${XML}#sec-starttags`,
  ),
  "xml.tag-case": error(
    "XML names are case-sensitive: parsers do not recognize <URL>.",
    "Write tag names in lower case.",
    SM_XML,
  ),
  "xml.control-char": error(NOT_WELL_FORMED, "Remove the control character from the text."),
  "xml.bare-ampersand": error(NOT_WELL_FORMED, "Write &amp; instead of &."),
  "xml.undefined-entity": error(NOT_WELL_FORMED, "Write the character itself, or a number such as &#160;."),
  "xml.surrogate-ref": error(
    NOT_WELL_FORMED,
    "Write the character itself, or one reference such as &#128512;.",
  ),
  "xml.bad-char-ref": error(NOT_WELL_FORMED, "Remove the reference."),
  "xml.stray-lt": error(NOT_WELL_FORMED, "Write &lt; instead of <."),
  "xml.bad-comment": error(NOT_WELL_FORMED, "Write comments as <!-- … -->, without -- inside."),
  "xml.unquoted-attribute": error(NOT_WELL_FORMED, "Put the value in quotes."),
  "xml.unclosed-quote": error(NOT_WELL_FORMED, "Add the closing quote."),
  "xml.duplicate-attribute": error(NOT_WELL_FORMED, "Keep one of the attributes."),
  "xml.unbound-prefix": error(
    "Parsers with namespaces reject an undeclared prefix.",
    'Declare the prefix in the root element, such as xmlns:image="http://www.google.com/schemas/sitemap-image/1.1".',
  ),
  "xml.too-deep": warning("The file is not a usual sitemap, and parsers may reject it.", WRITER, SM_XML),
  "xml.too-many-attributes": warning(
    "The file is not a usual sitemap, and parsers may reject it.",
    WRITER,
    SM_XML,
  ),
  "xml.too-long": warning("Parsers reject a value of this length.", "Shorten the value.", SM_XML),

  "ns.missing": error(
    "Parsers identify a sitemap by its namespace and may reject the file.",
    'Add xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" to the root element.',
  ),
  "ns.nonstandard": error(
    "Parsers identify a sitemap by its namespace and may reject the file.",
    "Use exactly http://www.sitemaps.org/schemas/sitemap/0.9.",
  ),
  "ns.https": warning(
    "A namespace is a name. With https it is a different name.",
    "Use exactly http://www.sitemaps.org/schemas/sitemap/0.9.",
  ),
  "ns.legacy": warning(
    "The namespace belongs to a version from 2005. Search engines may not support it any more.",
    "Use http://www.sitemaps.org/schemas/sitemap/0.9.",
    SM_XML,
  ),
  "ns.wrong": error(
    "The namespace belongs to another format, so parsers reject the file.",
    "Use http://www.sitemaps.org/schemas/sitemap/0.9.",
    SM_XML,
  ),

  "json.invalid": error("The items after the mistake are lost.", "Write the feed with a JSON library."),
  "json.item-too-long": warning("The item is lost.", "Shorten the content of the item.", SM_OTHER_FORMATS),
  "text.line-too-long": warning("The URL on this line is lost.", "Write one URL per line.", SM_OTHER_FORMATS),
});
