/**
 * The parsers, each behind the same face: `run(chunks, handlers)` reads a document given as 64 KiB chunks and
 * hands out its records one by one. It returns what it worked with, for the worker to hold (see there).
 * Parsers of strings decode the chunks themselves with StringDecoder, the
 * fastest way in Node; that is part of their time, as it is in life.
 *
 * `given` says what a parser's records hold, where that is not everything.
 */
import { readFileSync } from "node:fs";
import { Module } from "node:module";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { peerRequire, peerVersion, projectVersion } from "./peers.mjs";
import { EVERYTHING, RecordBuilder, RecordMaker } from "./records.mjs";

const dist = new URL("../../packages/siteatlas/dist/", import.meta.url);
const DOCUMENT_URL = "https://www.example.com/sitemap.xml";

// ---------------------------------------------------------------- ours

/** The synchronous push core. */
async function loadOurs() {
  const { DocumentParser } = await import(new URL("parse/document.js", dist).href);
  return ({ chunks }, { onPage, onChild }) => {
    const parser = new DocumentParser({ url: DOCUMENT_URL, strict: false, isText: false, onPage, onChild });
    for (const chunk of chunks) parser.push(chunk);
    parser.end(false);
    return parser;
  };
}

/** What callers of the package have: an async generator. */
async function loadOursPublic() {
  const { parseEntries } = await import(new URL("index.js", dist).href);
  let open;
  return async ({ chunks }, { onPage, onChild }) => {
    // One that is not read to its end keeps its parser: the generator of a finished parse holds nothing.
    if (open === undefined) {
      open = parseEntries(eachOf(chunks));
      await open.next();
    }
    for await (const entry of parseEntries(eachOf(chunks), { url: DOCUMENT_URL })) {
      if (entry.kind === "page") onPage(entry.page);
      else if (entry.kind === "sitemap") onChild(entry.sitemap);
    }
    return open;
  };
}

async function* eachOf(chunks) {
  yield* chunks;
}

// ---------------------------------------------------------------- SAX parsers with the shared builder

async function loadSaxes(urls) {
  const { SaxesParser } = await import("saxes");
  return ({ buffers }, handlers) => {
    const builder = new RecordBuilder({ urls, ...handlers });
    const parser = new SaxesParser({ xmlns: false, position: false });
    parser.on("opentagstart", (tag) => builder.open(tag.name));
    parser.on("attribute", (attribute) => builder.attribute(attribute.name, attribute.value));
    parser.on("text", (text) => builder.text(text));
    parser.on("cdata", (text) => builder.text(text));
    parser.on("closetag", (tag) => builder.close(tag.name));
    const decoder = new StringDecoder("utf8");
    for (const buffer of buffers) parser.write(decoder.write(buffer));
    parser.close();
    return [parser, builder];
  };
}

async function loadHtmlparser2(urls) {
  const { Parser } = await import("htmlparser2");
  return ({ buffers }, handlers) => {
    const builder = new RecordBuilder({ urls, ...handlers });
    const parser = new Parser(
      {
        onopentagname: (name) => builder.open(name),
        onattribute: (name, value) => builder.attribute(name, value),
        ontext: (text) => builder.text(text),
        onclosetag: (name) => builder.close(name),
      },
      { xmlMode: true },
    );
    const decoder = new StringDecoder("utf8");
    for (const buffer of buffers) parser.write(decoder.write(buffer));
    parser.end();
    return [parser, builder];
  };
}

async function loadSax(urls) {
  const sax = peerRequire("sax")("sax");
  return ({ buffers }, handlers) => {
    const builder = new RecordBuilder({ urls, ...handlers });
    const parser = sax.parser(true, { position: false });
    parser.onopentagstart = (tag) => builder.open(tag.name);
    parser.onattribute = (attribute) => builder.attribute(attribute.name, attribute.value);
    parser.ontext = (text) => builder.text(text);
    parser.oncdata = (text) => builder.text(text);
    parser.onclosetag = (name) => builder.close(name);
    const decoder = new StringDecoder("utf8");
    for (const buffer of buffers) parser.write(decoder.write(buffer));
    parser.close();
    return [parser, builder];
  };
}

// ---------------------------------------------------------------- fast-xml-parser

const LISTS = new Set(["url", "sitemap", "image:image", "video:video", "video:tag", "xhtml:link"]);
const ATTRIBUTE = "@_";

/** Takes the whole document and gives a tree, from which the records are made. */
async function loadFastXmlParser(urls) {
  const { XMLParser } = peerRequire("fast-xml-parser")("fast-xml-parser");
  return ({ buffers }, handlers) => {
    const parser = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: ATTRIBUTE,
      parseTagValue: false,
      // Without it numeric references stay as they are.
      htmlEntities: true,
      isArray: (name) => LISTS.has(name),
    });
    const tree = parser.parse(Buffer.concat(buffers).toString());
    const maker = new RecordMaker({ urls, ...handlers });
    for (const element of tree.urlset?.url ?? []) {
      const record = treeRecord(maker, element);
      if (maker.isNew(record.url)) maker.onPage(record);
    }
    for (const element of tree.sitemapindex?.sitemap ?? []) {
      const record = treeRecord(maker, element);
      if (maker.isNew(record.url)) maker.onChild(record);
    }
    return [parser, maker];
  };
}

function treeRecord(maker, element) {
  const record = { url: undefined };
  for (const name in element) {
    const value = element[name];
    switch (name) {
      case "news:news": {
        const { "news:publication": publication, ...news } = value;
        maker.news = maker.startNews();
        treeFields(maker, publication);
        treeFields(maker, news);
        record.news = maker.news;
        break;
      }
      case "image:image":
        record.images = value.map((image) => {
          maker.image = { url: undefined };
          treeFields(maker, image);
          return maker.image;
        });
        break;
      case "video:video":
        record.videos = value.map((video) => {
          maker.video = maker.startVideo();
          treeFields(maker, video);
          return maker.video;
        });
        break;
      case "xhtml:link":
        record.alternates = value.map((link) => ({
          url: maker.readUrl(link[`${ATTRIBUTE}href`]),
          language: link[`${ATTRIBUTE}hreflang`],
        }));
        break;
      default:
        maker.setField(record, name, value);
    }
  }
  return record;
}

function treeFields(maker, element) {
  for (const name in element) {
    const value = element[name];
    if (Array.isArray(value)) {
      for (const item of value) maker.setExtensionField(name, item);
    } else if (typeof value === "object") {
      maker.attributes.relationship = value[`${ATTRIBUTE}relationship`];
      maker.setExtensionField(name, value["#text"]);
    } else {
      maker.setExtensionField(name, value);
    }
  }
}

// ---------------------------------------------------------------- @crawlee/utils

/**
 * Its stream of items, which knows loc, lastmod (as a Date), changefreq and priority.
 *
 * The class is not exported, so it is taken out of its module: the exported function either fetches from
 * the network or, given a text, hashes the whole text anew for each URL of it.
 */
async function loadCrawlee(urls) {
  const require = peerRequire("@crawlee/utils");
  const path = require.resolve("./internals/sitemap.js");
  const module = new Module(path);
  module.filename = path;
  module.paths = require.resolve.paths("sax");
  module._compile(`${readFileSync(path, "utf8")}\nexports.SitemapXmlParser = SitemapXmlParser;`, path);
  const { SitemapXmlParser } = module.exports;
  return async ({ buffers }, handlers) => {
    const maker = new RecordMaker({ urls, ...handlers });
    const stream = Readable.from(buffers).pipe(new SitemapXmlParser());
    stream.on("data", (item) => {
      const record = { url: maker.readUrl(item.type === "url" ? item.loc : item.url) };
      if (!maker.isNew(record.url)) return;
      if (item.type !== "url") return maker.onChild(record);
      if (item.lastmod !== undefined) record.lastModified = { value: item.lastmod };
      if (item.changefreq !== undefined) record.changeFrequency = item.changefreq;
      if (item.priority !== undefined) record.priority = item.priority;
      maker.onPage(record);
    });
    await finished(stream);
    return [stream, maker];
  };
}

// ---------------------------------------------------------------- sitemap.js

/** Its two streams, which know everything; their items are respelt into the common record. */
async function loadSitemapJs(urls) {
  const { XMLToSitemapItemStream, XMLToSitemapIndexStream } = peerRequire("sitemap")("sitemap");
  return async ({ buffers, isIndex }, handlers) => {
    const maker = new RecordMaker({ urls, ...handlers });
    const Stream = isIndex ? XMLToSitemapIndexStream : XMLToSitemapItemStream;
    const stream = Readable.from(buffers).pipe(new Stream({ logger: false }));
    stream.on("data", (item) => {
      const record = { url: maker.readUrl(item.url) };
      if (!maker.isNew(record.url)) return;
      if (item.lastmod !== undefined) maker.setField(record, "lastmod", item.lastmod);
      if (isIndex) return maker.onChild(record);
      if (item.changefreq !== undefined) record.changeFrequency = item.changefreq;
      if (item.priority !== undefined) record.priority = item.priority;
      if (item.news !== undefined) record.news = respellNews(maker, item.news);
      if (item.img.length > 0) record.images = item.img.map((image) => respell(maker, "image", image));
      if (item.video.length > 0) record.videos = item.video.map((video) => respell(maker, "video", video));
      if (item.links.length > 0) {
        record.alternates = item.links.map(({ url, lang }) => ({ url: maker.readUrl(url), language: lang }));
      }
      maker.onPage(record);
    });
    await finished(stream);
    return [stream, maker];
  };
}

function respellNews(
  maker,
  { publication, publication_date, title, access, genres, keywords, stock_tickers },
) {
  maker.news = maker.startNews();
  const fields = { ...publication, publication_date, title, access, genres, keywords, stock_tickers };
  for (const name in fields) if (fields[name]) maker.setExtensionField(`news:${name}`, fields[name]);
  return maker.news;
}

function respell(maker, kind, item) {
  if (kind === "image") maker.image = { ...item, url: maker.readUrl(item.url) };
  else {
    maker.video = maker.startVideo();
    for (const name in item) {
      const value = item[name];
      if (name === "tag") maker.video.tags = value;
      else if (value !== "") {
        maker.attributes.relationship = item[`${name}:relationship`];
        maker.setExtensionField(`video:${name}`, value);
      }
    }
  }
  return maker[kind];
}

// ---------------------------------------------------------------- the table

const CRAWLEE_GIVES = ["url", "lastModified", "changeFrequency", "priority"];

export const engines = [
  { name: "siteatlas", load: loadOurs, version: () => "this tree" },
  { name: "siteatlas-async", load: loadOursPublic, version: () => "this tree" },
  { name: "saxes", load: loadSaxes, version: () => projectVersion("saxes") },
  { name: "htmlparser2", load: loadHtmlparser2, version: () => projectVersion("htmlparser2") },
  { name: "sax", load: loadSax, isPeer: true, version: () => peerVersion("sax") },
  {
    name: "fast-xml-parser",
    load: loadFastXmlParser,
    isPeer: true,
    version: () => peerVersion("fast-xml-parser"),
  },
  {
    name: "@crawlee/utils",
    load: loadCrawlee,
    isPeer: true,
    version: () => peerVersion("@crawlee/utils"),
    given: (corpus) => (corpus === "index" ? ["url"] : CRAWLEE_GIVES),
    lacks: "only loc, lastmod as an instant, changefreq and priority; of an index only loc",
  },
  { name: "sitemap.js", load: loadSitemapJs, isPeer: true, version: () => peerVersion("sitemap") },
];

/** The fields in which this engine's records of this corpus must equal ours. */
export function givenBy(engine, corpus) {
  return engine.given?.(corpus) ?? EVERYTHING;
}
