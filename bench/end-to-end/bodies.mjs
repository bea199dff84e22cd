/**
 * The sitemaps that the server gives, made once from fixed seeds and kept under .cache/bench/sites: the server
 * only copies bytes into sockets. Slugs are words and numbers in no order, as on real sites: text that repeats
 * itself inflates several times faster, which would flatter the floors.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { cacheFolder } from "../parse/peers.mjs";

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const FREQUENCIES = ["daily", "weekly", "monthly"];
const SECTIONS = "products,blog,news,category,help,archive,stories,topics".split(",");
const WORDS =
  "summer winter garden kitchen travel budget review guide simple modern classic leather cotton running camera lens battery wireless outdoor mountain river coffee espresso recipe chocolate bicycle helmet report market energy climate football".split(
    " ",
  );

const two = (number) => String(number).padStart(2, "0");

/** Xorshift32: the same numbers on every machine. */
function createRandom(seed) {
  let state = seed * 2_654_435_761 + 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** Locations that differ within one sitemap and between sitemaps. */
function location(random, origin, sitemap, page) {
  const pick = (list) => list[random(list.length)];
  return `${origin}/${pick(SECTIONS)}/${pick(WORDS)}-${pick(WORDS)}-${pick(WORDS)}-${sitemap}-${page}`;
}

/** Pretty-printed, with all four fields: some 210 bytes for each page. */
function urlset(origin, sitemap, pages) {
  const random = createRandom(sitemap + 1);
  const parts = [`<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>\n`];
  for (let page = 0; page < pages; page++) {
    const day = `20${10 + random(16)}-${two(1 + random(12))}-${two(1 + random(28))}`;
    const time = `${two(random(24))}:${two(random(60))}:${two(random(60))}`;
    parts.push(
      `  <url>\n    <loc>${location(random, origin, sitemap, page)}</loc>\n` +
        `    <lastmod>${day}T${time}+00:00</lastmod>\n` +
        `    <changefreq>${FREQUENCIES[random(3)]}</changefreq>\n    <priority>0.${random(10)}</priority>\n  </url>\n`,
    );
  }
  parts.push("</urlset>\n");
  return parts.join("");
}

const packed = (origin, sitemap, pages) => gzipSync(urlset(origin, sitemap, pages));

/** `count` compressed sitemaps of `pages` pages each. */
export function makeSitemaps(origin, count, pages) {
  return Array.from({ length: count }, (_, sitemap) => packed(origin, sitemap, pages));
}

/** The same, made once. */
export function keptSitemaps(origin, count, pages) {
  // Whoever changes how they are made gets others.
  const version = createHash("sha256")
    .update(urlset(origin, 0, 50))
    .digest("hex")
    .slice(0, 12);
  const folder = join(cacheFolder, "sites", `${version}-${pages}`);
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: count }, (_, sitemap) => {
    const file = join(folder, `${sitemap}.xml.gz`);
    if (existsSync(file)) return readFileSync(file);
    const bytes = packed(origin, sitemap, pages);
    writeFileSync(file, bytes);
    return bytes;
  });
}

/** The index of sitemaps 0, 1, 2 … */
export function sitemapIndex(origin, count, ending) {
  const children = Array.from(
    { length: count },
    (_, i) => `  <sitemap><loc>${origin}/sitemap-${i}${ending}</loc></sitemap>\n`,
  );
  return `<sitemapindex ${NAMESPACE}>\n${children.join("")}</sitemapindex>\n`;
}

/**
 * A sitemap for many sites whose names have the same length: `fill(host)` gives it with the name of one of
 * them in all its locations.
 */
export function hostTemplate(hostLength, sitemap, pages) {
  const marker = "#".repeat(hostLength);
  const random = createRandom(sitemap + 1);
  let xml = `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NAMESPACE}>\n`;
  for (let page = 0; page < pages; page++) {
    const day = `20${10 + random(16)}-${two(1 + random(12))}-${two(1 + random(28))}`;
    xml += `<url><loc>${location(random, `http://${marker}`, sitemap, page)}</loc><lastmod>${day}</lastmod></url>\n`;
  }
  const template = Buffer.from(`${xml}</urlset>\n`);
  const places = [];
  for (let at = template.indexOf(marker); at >= 0; at = template.indexOf(marker, at + hostLength))
    places.push(at);
  return (host) => {
    const bytes = Buffer.from(template);
    const name = Buffer.from(host, "latin1");
    for (const at of places) bytes.set(name, at);
    return bytes;
  };
}
