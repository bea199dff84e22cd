/**
 * Documents for the memory test: a head, a repeated filler, a tail. Most are one endless token or one entry
 * with endless parts, which could make a parser keep the whole document in memory.
 */

export interface MemoryShape {
  readonly head: string;
  /** Repeated. `{n}` is a running number of eight digits. */
  readonly filler: string;
  readonly tail: string;
  readonly url?: string;
  readonly encoding?: "utf-16le" | "latin1";
  /** The document is compressed with gzip. */
  readonly gzip?: true;
  /** Expected number of pages and children: a number, or one per filler. */
  readonly entries: number | "each";
  /** An issue that must be reported. */
  readonly code?: string;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
const URLSET = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
const A = "<url><loc>https://www.example.com/a</loc></url>\n";
const B = "<url><loc>https://www.example.com/b</loc></url>\n";
const END = "</urlset>\n";
const X = "x".repeat(64);
const BLANK = " ".repeat(64);
const ENTRY =
  "<url><loc>https://www.example.com/catalogue/item-{n}.html</loc>" +
  "<lastmod>2024-01-02T03:04:05+00:00</lastmod><changefreq>daily</changefreq><priority>0.5</priority></url>\n";

const urlset = { head: DECLARATION + URLSET, filler: ENTRY, tail: END, entries: "each" } as const;

/** A token between two entries. Both entries must be found. */
function between(head: string, filler: string, tail: string, code?: string): MemoryShape {
  return { head: URLSET + A + head, filler, tail: tail + B + END, entries: 2, ...(code && { code }) };
}

/** Inside an entry between two others. */
function inEntry(head: string, filler: string, tail: string): MemoryShape {
  const shape = between(`<url><loc>https://www.example.com/c</loc>${head}`, filler, `${tail}</url>`);
  return { ...shape, entries: 3 };
}

/** In a feed, after one item and before another. */
function json(head: string, filler: string, tail: string, entries: number): MemoryShape {
  return {
    head: `{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"0","url":"https://www.example.com/a"},${head}`,
    filler,
    tail: `${tail}{"id":"9","url":"https://www.example.com/z"}]}`,
    entries,
  };
}

/** At the start of an item that is too long to be read. */
const ITEM = '{"id":"1","url":"https://www.example.com/b",';

const robots = { url: "https://www.example.com/robots.txt", entries: 1 } as const;

/** Run at 100 MB. */
export const largeShapes: Readonly<Record<string, MemoryShape>> = {
  urlset,
  "tag name": between("<", X, "/>", "xml.too-long"),
  "end tag": between("</", X, ">", "xml.too-long"),
  "attribute value": between('<x a="', X, '"/>', "xml.too-long"),
  comment: between("<!--", X, "-->"),
  "CDATA in <loc>": between("<url><loc><![CDATA[", X, "]]></loc></url>", "xml.too-long"),
  "CDATA elsewhere": between("<url><![CDATA[", X, "]]></url>"),
  "<loc> text": between("<url><loc>https://www.example.com/", X, "</loc></url>", "xml.too-long"),
  "<loc> text between comments": between(
    "<url><loc>https://www.example.com/",
    `${X}<!-- -->`,
    "</loc></url>",
  ),
  "<loc> text in CDATA sections": between(
    "<url><loc>https://www.example.com/",
    `<![CDATA[${X}]]>`,
    "</loc></url>",
  ),
  "processing instruction": between("<?", X, "?>", "xml.too-long"),
  DOCTYPE: { head: "<!DOCTYPE ", filler: X, tail: `>${URLSET}${A}${END}`, entries: 0, code: "xml.doctype" },
  "text line": {
    head: "https://www.example.com/a\nhttps://www.example.com/",
    filler: X,
    tail: "\nhttps://www.example.com/b\n",
    entries: 2,
    code: "text.line-too-long",
  },
  "robots.txt line": {
    head: "Sitemap: https://www.example.com/a\nSitemap: https://www.example.com/",
    filler: X,
    tail: "\n",
    ...robots,
  },
  "JSON string": json(`${ITEM}"title":"`, X, '"},', 2),
};

/** Run at a size that shows whether the document is kept in memory. */
export const otherShapes: Readonly<Record<string, MemoryShape>> = {
  "urlset, gzipped": { ...urlset, gzip: true },
  "urlset in UTF-16": {
    ...urlset,
    head: urlset.head.replace("UTF-8", "UTF-16"),
    encoding: "utf-16le",
    code: "encoding.not-utf8",
  },
  "urlset in windows-1252": {
    ...urlset,
    head: urlset.head.replace("UTF-8", "windows-1252"),
    filler: ENTRY.replace("item", "\xe9"),
  },
  "urlset with invalid UTF-8": {
    ...urlset,
    filler: ENTRY.replace("item", "\xe9"),
    code: "encoding.invalid-utf8",
  },
  sitemapindex: {
    head: "<sitemapindex>",
    filler: "<sitemap><loc>https://www.example.com/sitemap-{n}.xml</loc></sitemap>\n",
    tail: "</sitemapindex>",
    entries: "each",
  },
  "text sitemap": {
    head: "",
    filler: "https://www.example.com/catalogue/item-{n}.html\n",
    tail: "",
    entries: "each",
  },

  "blanks in an end tag": between("</ ", BLANK, "x>"),
  "attribute name": between("<x ", X, '="1"/>', "xml.too-long"),
  attributes: between("<x ", 'a{n}="1" ', "/>", "xml.too-long"),
  "blanks in a tag": between("<x ", BLANK, "/>", "xml.too-long"),
  "comment of dashes": between("<!-- x", "-".repeat(64), "-->"),
  "CDATA of brackets in <loc>": between("<url><loc><![CDATA[", "]".repeat(64), "]]></loc></url>"),
  "<loc> text of references": between("<url><loc>https://www.example.com/", "&amp;", "</loc></url>"),
  "blanks in <loc>": between("<url><loc>", "        \n", "</loc></url>"),
  "<loc> without end": {
    head: `${URLSET}${A}<url><loc>`,
    filler: X,
    tail: "",
    entries: 1,
    code: "xml.truncated",
  },
  "text elsewhere": between("<url>", X, "</url>"),
  "entity name": between("<url><loc>https://www.example.com/&", X, ";</loc></url>", "xml.too-long"),
  "namespace URI": between('<x xmlns:y="', X, '"/>', "xml.too-long"),
  namespaces: between("", '<x{n}:y xmlns:x{n}="http://www.example.com/{n}"/>', ""),
  names: between("", "<x{n}/>", ""),
  "names, one to a chunk": between("", `<x{n}/><!-- ${"x".repeat(64 * 1024)} -->`, ""),
  "nested elements": between("", "<x{n}>", ""),
  "news title": inEntry("<news:news><news:title>", X, "</news:title></news:news>"),
  "news keywords": inEntry("<news:news>", "<news:keywords>a, b, {n}</news:keywords>", "</news:news>"),
  images: inEntry(
    "",
    "<image:image><image:loc>https://www.example.com/{n}.jpg</image:loc></image:image>",
    "",
  ),
  videos: inEntry("", "<video:video><video:title>{n}</video:title></video:video>", ""),
  "video tags": inEntry("<video:video>", "<video:tag>{n}</video:tag>", "</video:video>"),
  alternates: inEntry(
    "",
    '<xhtml:link rel="alternate" hreflang="de" href="https://www.example.com/{n}"/>',
    "",
  ),
  PageMap: inEntry(
    "<PageMap><DataObject>",
    '<Attribute name="a{n}">{n}</Attribute>',
    "</DataObject></PageMap>",
  ),
  "DOCTYPE subset": {
    head: "<!DOCTYPE urlset [",
    filler: '<!ENTITY a{n} "b">',
    tail: `]>${URLSET}${A}${END}`,
    entries: 0,
    code: "xml.doctype",
  },
  "blanks before the root": { head: "", filler: "       \n", tail: URLSET + A + END, entries: 1 },
  "comments before the root": { head: "", filler: "<!-- x -->\n", tail: URLSET + A + END, entries: 1 },
  "junk after the root": { head: URLSET + A + END, filler: X, tail: "", entries: 1 },
  "RSS title": {
    head: '<rss version="2.0"><channel><item><title>',
    filler: X,
    tail: "</title><link>https://www.example.com/a</link></item></channel></rss>",
    entries: 1,
  },
  "RSS media": {
    head: '<rss version="2.0"><channel><item><link>https://www.example.com/a</link>',
    filler: '<media:content url="https://www.example.com/{n}.mp4"/>',
    tail: "</item></channel></rss>",
    entries: 1,
  },
  "Atom links": {
    head: '<feed xmlns="http://www.w3.org/2005/Atom"><entry>',
    filler: '<link rel="enclosure" href="https://www.example.com/{n}.mp4"/>',
    tail: '<link href="https://www.example.com/a"/></entry></feed>',
    entries: 1,
  },
  "HTML page": {
    head: "<!DOCTYPE html><html><body>",
    filler: "<p>text",
    tail: "</html>",
    entries: 0,
    code: "content.html",
  },
  "text without a line end": { head: "", filler: X, tail: "", entries: 0, code: "content.no-urls" },
  "columns of text": {
    head: "https://www.example.com/a\nhttps://www.example.com/b",
    filler: ",x",
    tail: "\n",
    entries: 1,
  },
  "robots.txt rules": {
    head: "Sitemap: https://www.example.com/a\nUser-agent: *\n",
    filler: "Disallow: /{n}\n",
    tail: "",
    ...robots,
  },
  "JSON key": json(`${ITEM}"`, X, '":1},', 2),
  "JSON number": json(`${ITEM}"x":1`, "0".repeat(64), "},", 2),
  "JSON blanks": json(`${ITEM}"x":`, BLANK, "1},", 2),
  "JSON nesting": json(`${ITEM}"x":`, "[", "},", 1),
  "JSON items of nothing": json("", "{},", "", 2),
  "JSON member before the items": {
    head: '{"version":"https://jsonfeed.org/version/1.1","title":"',
    filler: X,
    tail: '","items":[{"id":"1","url":"https://www.example.com/a"}]}',
    entries: 1,
  },
  "JSON Feed": {
    head: '{"version":"https://jsonfeed.org/version/1.1","items":[{}',
    filler: ',{"id":"{n}","url":"https://www.example.com/{n}"}',
    tail: "]}",
    entries: "each",
  },
  "binary data": {
    head: "\0",
    filler: "\0\x01\x02\x03\x04\x05\x06\x07",
    tail: "",
    entries: 0,
    code: "content.binary",
  },
};
