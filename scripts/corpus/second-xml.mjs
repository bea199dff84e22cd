/**
 * Independent readers of sitemaps and feeds, to compare ours with: htmlparser2, and a regular expression for `<loc>`.
 * They are simple on purpose. They read the URLs and dates as written, and repair nothing.
 */
import { gunzipSync } from "node:zlib";
import { DomUtils, parseDocument } from "htmlparser2";

/** @typedef {ReturnType<typeof DomUtils.getElementsByTagName>[number]} Element */

/**
 * @typedef {object} SecondReading
 * @property {readonly string[]} urls absolute, without fragments
 * @property {readonly string[]} dates as written
 */

/** @param {Uint8Array} bytes */
export function decodeText(bytes) {
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
  const [a, b, c, d] = plain;
  if (a === 0xff && b === 0xfe && c === 0 && d === 0) return utf32(plain.subarray(4), true);
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return utf32(plain.subarray(4), false);
  if (a === 0 && b === 0 && c === 0 && d === 0x3c) return utf32(plain, false);
  if (a === 0x3c && b === 0 && c === 0 && d === 0) return utf32(plain, true);
  if ((a === 0xff && b === 0xfe) || (a === 0x3c && b === 0)) return new TextDecoder("utf-16le").decode(plain);
  if ((a === 0xfe && b === 0xff) || (a === 0 && b === 0x3c)) return new TextDecoder("utf-16be").decode(plain);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(plain);
  } catch {
    const head = new TextDecoder("latin1").decode(plain.subarray(0, 200));
    const declared = /encoding\s*=\s*["']([\w-]+)/.exec(head)?.[1] ?? "windows-1252";
    return decodeAs(/^utf-?8$/i.test(declared) ? "windows-1252" : declared, plain);
  }
}

/** @param {string} label @param {Uint8Array} bytes */
function decodeAs(label, bytes) {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** @param {Uint8Array} bytes @param {boolean} isLittle */
function utf32(bytes, isLittle) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = "";
  for (let at = 0; at + 4 <= bytes.length; at += 4)
    text += String.fromCodePoint(view.getUint32(at, isLittle));
  return text;
}

/** @param {string} text */
function parseXml(text) {
  return parseDocument(text.replace(/^\ufeff/, ""), {
    xmlMode: true,
    lowerCaseTags: true,
    lowerCaseAttributeNames: true,
  });
}

/** @param {{ type: string }} node */
const isElement = ({ type }) => type === "tag";

/** @param {Element} element */
const localName = ({ name }) => name.slice(name.indexOf(":") + 1);

/** @param {Pick<Element, "children">} parent @returns {Element[]} */
const elementsIn = (parent) => /** @type {Element[]} */ (parent.children.filter(isElement));

/** @param {Element} element */
const textOf = (element) => DomUtils.textContent(element).trim();

/** @param {string} written @param {string} base */
export function absoluteUrl(written, base) {
  if (!URL.canParse(written.trim(), base)) return undefined;
  const url = new URL(written.trim(), base);
  url.hash = "";
  return url.href.replace(/#$/, "");
}

/**
 * `<loc>` of `<url>` and `<sitemap>`, by htmlparser2.
 * @param {string} text @param {string} base @returns {SecondReading}
 */
export function readSitemap(text, base) {
  const document = parseXml(text);
  const entries = DomUtils.getElementsByTagName((name) => /(?:^|:)(?:url|sitemap)$/.test(name), document);
  const fields = entries.flatMap(elementsIn);
  const urls = fields.filter((field) => localName(field) === "loc" && !isExtension(field)).map(textOf);
  const dates = fields.filter((field) => localName(field) === "lastmod").map(textOf);
  return { urls: absoluteUrls(urls, base), dates: dates.filter(Boolean) };
}

/** @param {Element} element */
const isExtension = ({ name }) => /^(?:image|video|news):/.test(name);

/** @param {readonly string[]} written @param {string} base */
function absoluteUrls(written, base) {
  const urls = written.filter(Boolean).map((url) => absoluteUrl(url, base));
  return urls.filter((url) => url !== undefined);
}

/**
 * `<loc>` by a regular expression, without any knowledge of XML except CDATA and references.
 * @param {string} text @param {string} base
 */
export function findLocations(text, base) {
  const found = text.matchAll(/<(?:(?!image|video|news)[\w.-]+:)?loc(?:\s[^>]*)?>(.*?)<\/[\w.:-]*loc\s*>/gis);
  const written = Array.from(found, ([, inner = ""]) => {
    const cdata = /<!\[CDATA\[(.*?)\]\]>/s.exec(inner);
    return cdata ? (cdata[1] ?? "") : decodeReferences(inner);
  });
  return absoluteUrls(written, base);
}

/** @param {string} text */
function decodeReferences(text) {
  const document = parseDocument(`<a>${text.replaceAll("<", "&lt;")}</a>`, { xmlMode: true });
  return DomUtils.textContent(document);
}

/**
 * Pages and dates of RSS, RDF and Atom, by htmlparser2's DOM.
 * @param {string} text @param {string} base @returns {SecondReading}
 */
export function readFeed(text, base) {
  const document = parseXml(text);
  const entries = DomUtils.getElementsByTagName(
    (name) => /(?:^|:)(?:item|entry)$/.test(name),
    document,
  ).filter((entry) => !/^content:/.test(entry.name));
  const urls = entries.map((entry) => pageOf(entry, base)).filter((url) => url !== undefined);
  const dates = entries
    .flatMap(elementsIn)
    .filter((field) => DATE_FIELD.test(field.name))
    .map(textOf);
  return { urls, dates: dates.filter(Boolean) };
}

const DATE_FIELD = /^(?:pubdate|dc:date|(?:\w+:)?(?:updated|published|modified|issued|created))$/;

/** @param {Element} entry @param {string} base */
function pageOf(entry, base) {
  const fields = elementsIn(entry);
  const isAtom = localName(entry) === "entry";
  const links = fields.filter(
    (field) => /^(?:atom\d*:|a10:|g:)?link$/.test(field.name) || (isAtom && localName(field) === "link"),
  );
  const written = [
    ...(isAtom
      ? []
      : links.filter((link) => /^(?:g:)?link$/.test(link.name)).map((link) => ({ link, url: textOf(link) }))),
    ...["text/html", undefined].flatMap((type) =>
      links
        .filter(
          ({ attribs }) =>
            /^(?:alternate)?$/i.test(attribs["rel"]?.trim() ?? "") && (!type || attribs["type"] === type),
        )
        .map((link) => ({ link, url: link.attribs["href"] ?? "" })),
    ),
    ...(isAtom
      ? links.filter(({ attribs }) => !attribs["rel"]).map((link) => ({ link, url: textOf(link) }))
      : []),
    ...fields
      .filter(
        ({ name, attribs }) => name === "guid" && attribs["ispermalink"]?.trim().toLowerCase() !== "false",
      )
      .map((link) => ({ link, url: textOf(link) }))
      .filter(({ url }) => /^https?:\/\//i.test(url)),
    { link: entry, url: entry.attribs["rdf:about"] ?? "" },
  ].find(({ url }) => url.trim() !== "");
  return written && absoluteUrl(written.url, baseOf(written.link, base));
}

/** The xml:base of an element and of all elements around it. @param {Element} element @param {string} base @returns {string} */
function baseOf(element, base) {
  const outer =
    element.parent && isElement(element.parent)
      ? baseOf(/** @type {Element} */ (element.parent), base)
      : base;
  const own = element.attribs["xml:base"];
  return own !== undefined ? (absoluteUrl(own, outer) ?? outer) : outer;
}

/**
 * @param {string} text @param {string} base @returns {SecondReading}
 */
export function readJsonFeed(text, base) {
  /** @type {unknown} */
  let feed;
  try {
    feed = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    return { urls: [], dates: [] };
  }
  const items = /** @type {{ items?: Record<string, unknown>[] } | null} */ (feed)?.items ?? [];
  const urls = items.map(({ url, external_url, id }) =>
    [url, external_url, id].find((value) => typeof value === "string" && value),
  );
  const dates = items.flatMap(({ date_modified, date_published }) => [date_modified, date_published]);
  return {
    urls: absoluteUrls(
      urls.filter((url) => typeof url === "string"),
      base,
    ),
    dates: dates.filter((date) => typeof date === "string"),
  };
}
