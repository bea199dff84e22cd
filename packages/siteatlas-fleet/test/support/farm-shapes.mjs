/**
 * The sites of the farm: 20 shapes and a giant, as tables of files, and the text of each file. A shape defines the
 * files of a site and the number of requests of one walk. The pages of a file follow from the seed, the number of the
 * site and its generation. Nothing is stored.
 *
 * With each generation the first list of a site (part 0) gains three pages, loses one, and some of its pages have
 * another lastmod.
 */
import { hash } from "node:crypto";

/**
 * The state of a site, from which its files are generated.
 *
 * @typedef {object} FarmedSite
 * @property {number} seed
 * @property {number} number
 * @property {number} generation number of changes
 * @property {string} origin without a final slash
 * @property {Shape} shape
 */

/** @typedef {"urlset" | "news" | "hreflang" | "broken" | "text" | "rss" | "atom" | "json"} ListKind */

/**
 * @typedef {object} FarmedFile
 * @property {ListKind | "index" | "robots" | "homepage" | "redirect" | "error"} kind
 * @property {number} [part] of a list: its number within the site
 * @property {readonly string[]} [paths] what an index or robots.txt lists, or the target of a redirect
 * @property {boolean} [gzip]
 * @property {boolean} [slow] sent in pieces
 * @property {boolean} [busyOnce] the first response is 503
 * @property {boolean} [disallow] robots.txt disallows everything
 */

/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {number} requests of one walk, each file once
 * @property {number} retries of one walk, in addition
 * @property {(path: string) => FarmedFile | undefined} fileAt
 * @property {() => Iterable<readonly [path: string, file: FarmedFile]>} lists files whose pages a walk finds
 * @property {number} [pagesPerList] if absent, the seed determines it
 */

const MAX_PAGES = 300;
const GIANT_PAGES = 20;
const ADDED = 3;
const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** @type {FarmedFile} */
const homepage = { kind: "homepage" };
/** @param {ListKind} kind @param {number} [part] @returns {FarmedFile} */
const list = (kind, part = 0) => ({ kind, part });
/** @param {...string} paths @returns {FarmedFile} */
const index = (...paths) => ({ kind: "index", paths });
/** @param {...string} paths @returns {FarmedFile} */
const robots = (...paths) => ({ kind: "robots", paths });

/** The requests of a walk: robots.txt, the 18 known paths, and other files. servers.test.ts checks the numbers. */
const BASE_REQUESTS = 19;

/**
 * @typedef {object} Row
 * @property {number} [extra] requests besides robots.txt and the known paths
 * @property {number} [requests] if not all known paths are requested
 * @property {number} [retries]
 * @property {Readonly<Record<string, FarmedFile>>} files
 */

/** @type {Readonly<Record<string, Row>>} */
const rows = {
  plain: { extra: 1, files: { "/robots.txt": robots("/maps/a.xml"), "/maps/a.xml": list("urlset") } },
  gzip: {
    extra: 1,
    files: { "/robots.txt": robots("/maps/a.xml.gz"), "/maps/a.xml.gz": { ...list("urlset"), gzip: true } },
  },
  index: {
    extra: 3,
    files: {
      "/robots.txt": robots("/sitemap_index.xml"),
      "/sitemap_index.xml": index("/maps/a.xml", "/maps/b.xml", "/maps/c.xml"),
      "/maps/a.xml": list("urlset"),
      "/maps/b.xml": list("urlset", 1),
      "/maps/c.xml": list("urlset", 2),
    },
  },
  "index-of-indexes": {
    extra: 7,
    files: {
      "/robots.txt": robots("/maps/all.xml"),
      "/maps/all.xml": index("/maps/x.xml", "/maps/y.xml"),
      "/maps/x.xml": index("/maps/a.xml", "/maps/b.xml"),
      "/maps/y.xml": index("/maps/c.xml", "/maps/d.xml"),
      "/maps/a.xml": list("urlset"),
      "/maps/b.xml": list("urlset", 1),
      "/maps/c.xml": list("urlset", 2),
      "/maps/d.xml": list("urlset", 3),
    },
  },
  text: { extra: 0, files: { "/robots.txt": robots("/sitemap.txt"), "/sitemap.txt": list("text") } },
  rss: { extra: 1, files: { "/robots.txt": robots("/rss.xml"), "/rss.xml": list("rss") } },
  atom: { extra: 1, files: { "/robots.txt": robots("/atom.xml"), "/atom.xml": list("atom") } },
  "json-feed": { extra: 1, files: { "/robots.txt": robots("/feed.json"), "/feed.json": list("json") } },
  "no-robots": { extra: 0, files: { "/sitemap.xml": list("urlset") } },
  // Everything is 404 except the homepage, which is then fetched.
  nothing: { extra: 1, files: {} },
  "several-lines": {
    extra: 3,
    files: {
      "/robots.txt": robots("/maps/a.xml", "/maps/b.xml", "/sitemap.xml", "/maps/c.xml"),
      "/maps/a.xml": list("urlset"),
      "/maps/b.xml": list("urlset", 1),
      "/sitemap.xml": list("urlset", 2),
      "/maps/c.xml": list("urlset", 3),
    },
  },
  news: {
    extra: 0,
    files: { "/robots.txt": robots("/news-sitemap.xml"), "/news-sitemap.xml": list("news") },
  },
  hreflang: { extra: 1, files: { "/robots.txt": robots("/maps/a.xml"), "/maps/a.xml": list("hreflang") } },
  "broken-xml": { extra: 1, files: { "/robots.txt": robots("/maps/a.xml"), "/maps/a.xml": list("broken") } },
  "failing-child": {
    extra: 3,
    retries: 2,
    files: {
      "/robots.txt": robots("/sitemap.xml"),
      "/sitemap.xml": index("/maps/a.xml", "/maps/failing.xml", "/maps/b.xml"),
      "/maps/a.xml": list("urlset"),
      "/maps/failing.xml": { kind: "error" },
      "/maps/b.xml": list("urlset", 1),
    },
  },
  "busy-child": {
    extra: 2,
    retries: 1,
    files: {
      "/robots.txt": robots("/sitemap.xml"),
      "/sitemap.xml": index("/maps/a.xml", "/maps/busy.xml"),
      "/maps/a.xml": list("urlset"),
      "/maps/busy.xml": { ...list("urlset", 1), busyOnce: true },
    },
  },
  moved: {
    extra: 2,
    files: {
      "/robots.txt": robots("/maps/old.xml"),
      "/maps/old.xml": { kind: "redirect", paths: ["/maps/new.xml"] },
      "/maps/new.xml": list("urlset"),
    },
  },
  slow: {
    extra: 1,
    files: { "/robots.txt": robots("/maps/a.xml"), "/maps/a.xml": { ...list("urlset"), slow: true } },
  },
  cycle: {
    extra: 3,
    files: {
      "/robots.txt": robots("/maps/all.xml"),
      "/maps/all.xml": index("/maps/all.xml", "/maps/x.xml", "/maps/a.xml"),
      "/maps/x.xml": index("/maps/all.xml", "/maps/x.xml"),
      "/maps/a.xml": list("urlset"),
    },
  },
  // The sitemap exists, but robots.txt disallows it.
  disallowed: {
    requests: 1,
    files: { "/robots.txt": { ...robots(), disallow: true }, "/sitemap.xml": list("urlset") },
  },
};

/** Site n has the shape n modulo the number of shapes. @type {readonly Shape[]} */
export const SHAPES = Object.entries(rows).map(([name, row]) => {
  const { files, extra = 0, requests = BASE_REQUESTS + extra, retries = 0 } = row;
  const isHidden = files["/robots.txt"]?.disallow === true;
  return {
    name,
    requests,
    retries,
    fileAt: (path) => (Object.hasOwn(files, path) ? files[path] : path === "/" ? homepage : undefined),
    lists: () => (isHidden ? [] : Object.entries(files).filter(([, { part }]) => part !== undefined)),
  };
});

/**
 * An index of many small sitemaps.
 *
 * @param {number} count
 * @returns {Shape}
 */
export function giantShape(count) {
  const pathOf = (/** @type {number} */ part) => `/maps/${part}.xml`;
  const parts = Array.from({ length: count }, (_, part) => part);
  return {
    name: "giant",
    requests: BASE_REQUESTS + count,
    retries: 0,
    pagesPerList: GIANT_PAGES,
    fileAt(path) {
      if (path === "/") return homepage;
      if (path === "/robots.txt") return robots("/sitemap.xml");
      if (path === "/sitemap.xml") return index(...parts.map(pathOf));
      const part = Number(/^\/maps\/(\d+)\.xml$/.exec(path)?.[1] ?? count);
      return part < count ? list("urlset", part) : undefined;
    },
    lists: () => parts.map((part) => /** @type {const} */ ([pathOf(part), list("urlset", part)])),
  };
}

/**
 * Uniform between 0 and 1, and the same for the same numbers.
 *
 * @param {...number} numbers
 */
export function seededRandom(...numbers) {
  let state = 0x9e3779b9;
  for (const number of numbers) {
    state = Math.imul(state ^ number, 0x85ebca6b) + 0x6d2b79f5;
    state = Math.imul(state ^ (state >>> 15), 0xc2b2ae35);
    state ^= state >>> 13;
  }
  return (state >>> 0) / 2 ** 32;
}

/** `day` counts from the first day. @typedef {{ readonly url: string, readonly day: number }} FarmedPage */

/**
 * The pages of one list of a site, in order.
 *
 * @param {FarmedSite} site
 * @param {FarmedFile} file
 * @returns {Generator<FarmedPage>}
 */
export function* pagesOf({ seed, number, generation, origin, shape }, { kind, part = 0 }) {
  // Most lists are small.
  const size = shape.pagesPerList ?? 1 + Math.floor(MAX_PAGES * seededRandom(seed, number, part) ** 3);
  const age = part === 0 ? generation : 0;
  const query = kind === "broken" ? "?id=1&view=full" : "";
  for (let i = age; i < size + ADDED * age; i++) {
    const random = seededRandom(seed, number, part, i);
    const name = Math.floor(random * 2 ** 32).toString(36);
    const day = Math.floor(random * 600) + (i % 4 === 0 ? age : 0);
    yield { url: `${origin}/pages/${part}-${i}-${name}${query}`, day };
  }
}

const dateOf = (/** @type {number} */ day) => new Date(FIRST_DAY + day * DAY_MS);
const dayText = (/** @type {number} */ day) => dateOf(day).toISOString().slice(0, 10);
const titleOf = (/** @type {string} */ url) => `About ${url.slice(url.lastIndexOf("/") + 1)}`;

/** @param {string} name @param {readonly string[]} children @param {string} [namespaces] */
const sitemapXml = (name, children, namespaces = "") =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${namespaces}>\n${children.join("\n")}\n</${name}>\n`;

/** @param {FarmedPage} page @param {string} [more] */
const urlXml = ({ url, day }, more = "") =>
  `<url><loc>${url}</loc><lastmod>${dayText(day)}</lastmod>${more}</url>`;

/** @param {FarmedPage} page */
const newsXml = ({ url, day }) =>
  `<news:news><news:publication><news:name>The Farm</news:name><news:language>en</news:language></news:publication><news:publication_date>${dayText(day)}</news:publication_date><news:title>${titleOf(url)}</news:title></news:news><image:image><image:loc>${url}.jpg</image:loc></image:image>`;

/** @param {FarmedPage} page */
const alternatesXml = ({ url }) =>
  ["en", "de", "fr", "ja", "pt-br", "x-default"]
    .map((language) => `<xhtml:link rel="alternate" hreflang="${language}" href="${url}?lang=${language}"/>`)
    .join("");

const NEWS =
  ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"';
const XHTML = ' xmlns:xhtml="http://www.w3.org/1999/xhtml"';

/** @type {Readonly<Record<ListKind, (pages: readonly FarmedPage[], origin: string) => string>>} */
const writers = {
  urlset: (pages) =>
    sitemapXml(
      "urlset",
      pages.map((page) => urlXml(page)),
    ),
  news: (pages) =>
    sitemapXml(
      "urlset",
      pages.map((page) => urlXml(page, newsXml(page))),
      NEWS,
    ),
  hreflang: (pages) =>
    sitemapXml(
      "urlset",
      pages.map((page) => urlXml(page, alternatesXml(page))),
      XHTML,
    ),
  // Ampersands are not escaped, and the document is truncated within another page.
  broken: (pages, origin) =>
    sitemapXml(
      "urlset",
      pages.map((page) => urlXml(page)),
    ).replace("</urlset>\n", `<url><loc>${origin}/pages/cut-he`),
  text: (pages) => pages.map(({ url }) => `${url}\n`).join(""),
  rss: (pages, origin) => {
    const items = pages.map(
      ({ url, day }) =>
        `<item><title>${titleOf(url)}</title><link>${url}</link><pubDate>${dateOf(day).toUTCString()}</pubDate></item>`,
    );
    return `<?xml version="1.0"?>\n<rss version="2.0"><channel><title>Farm</title><link>${origin}/</link><description>News</description>\n${items.join("\n")}\n</channel></rss>\n`;
  },
  atom: (pages, origin) => {
    const entries = pages.map(
      ({ url, day }) =>
        `<entry><id>${url}</id><title>${titleOf(url)}</title><link href="${url}"/><updated>${dateOf(day).toISOString()}</updated></entry>`,
    );
    return `<?xml version="1.0"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><id>${origin}/</id><title>Farm</title><updated>2026-01-01T00:00:00Z</updated>\n${entries.join("\n")}\n</feed>\n`;
  },
  json: (pages) =>
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: "Farm",
      items: pages.map(({ url, day }) => ({
        id: url,
        url,
        title: titleOf(url),
        date_modified: dateOf(day).toISOString(),
      })),
    }),
};

/** @type {Readonly<Record<FarmedFile["kind"], string>>} */
export const CONTENT_TYPES = {
  urlset: "application/xml",
  news: "application/xml",
  hreflang: "application/xml",
  broken: "application/xml",
  index: "application/xml",
  rss: "application/rss+xml",
  atom: "application/atom+xml",
  json: "application/feed+json",
  text: "text/plain; charset=utf-8",
  robots: "text/plain; charset=utf-8",
  redirect: "text/plain; charset=utf-8",
  error: "text/plain; charset=utf-8",
  homepage: "text/html; charset=utf-8",
};

/**
 * The text of a file that is neither a redirect nor an error.
 *
 * @param {FarmedSite} site
 * @param {FarmedFile} file
 */
export function writeFile(site, file) {
  const { origin } = site;
  const { kind, paths = [], disallow = false } = file;
  if (kind === "robots") {
    const lines = paths.map((path) => `Sitemap: ${origin}${path}\n`);
    return `User-agent: *\nDisallow:${disallow ? " /" : ""}\n${lines.join("")}`;
  }
  if (kind === "index") {
    return sitemapXml(
      "sitemapindex",
      paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`),
    );
  }
  if (kind === "redirect" || kind === "error" || kind === "homepage") {
    return "<!doctype html><html><head><title>A site of the farm</title></head><body>Hello</body></html>\n";
  }
  return writers[kind]([...pagesOf(site, file)], origin);
}

/**
 * The sum, modulo 2^64, of the first 8 bytes of the SHA-256 of each pair. It does not depend on the order, and changes
 * if a pair is missing or duplicate. Starts at `0n`.
 *
 * @param {bigint} digest
 * @param {string} sitemapUrl after redirects
 * @param {string} pageUrl
 */
export function addToDigest(digest, sitemapUrl, pageUrl) {
  const bytes = hash("sha256", `${sitemapUrl}\n${pageUrl}`, "buffer");
  return BigInt.asUintN(64, digest + bytes.readBigUInt64BE(0));
}

/** 16 hexadecimal digits. @param {bigint} digest */
export function formatDigest(digest) {
  return digest.toString(16).padStart(16, "0");
}

/** The pages that a walk of the site finds. @param {FarmedSite} site */
export function expectedOf(site) {
  let pages = 0;
  let digest = 0n;
  for (const [path, file] of site.shape.lists()) {
    for (const { url } of pagesOf(site, file)) {
      pages++;
      digest = addToDigest(digest, site.origin + path, url);
    }
  }
  return { expectedPages: pages, expectedDigest: formatDigest(digest) };
}
