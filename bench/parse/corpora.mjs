/**
 * The six documents that the parsers are measured on, generated from a fixed seed: the same bytes on every
 * machine. They are correct XML that every parser here reads alike; faults are what the fixtures are for.
 *
 * One origin for pages, one for images and one for videos; 0.1 % of the entries repeat an earlier URL, and
 * in the irregular document 2 % of the URLs are not in their normal form. Dates lie in the past.
 */

/** Mulberry32: small, fast, good enough for test data. */
function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const int = (limit) => Math.floor(next() * limit);
  return { int, chance: (share) => next() < share, pick: (list) => list[int(list.length)] };
}

const SITE = "https://www.example.com";
const IMAGES = "https://cdn.example.com";
const VIDEOS = "https://media.example.net";

const WORDS =
  "summer winter garden kitchen travel budget review guide simple modern classic leather cotton running camera lens battery wireless outdoor mountain river coffee espresso recipe chocolate bicycle helmet report market energy climate football season transfer election council museum gallery concert festival autumn weekend family holiday island harbour bridge station railway airport".split(
    " ",
  );
const SECTIONS = "products,blog,news,category,help,archive,stories,de/produkte,en-gb/shop,topics".split(",");
const FREQUENCIES = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];
const LANGUAGES = ["en", "de", "fr", "es", "it", "pl", "ja", "pt-BR", "zh-CN", "en-GB"];
const FOREIGN_TITLES = [
  "Новости культуры и спорта",
  "東京の天気と交通情報",
  "Überraschung für Gäste in Köln",
  "أخبار الاقتصاد اليوم",
  "Nowości i promocje na święta",
  "한국 여행 안내서",
  "Les élèves fêtent Noël à l’école",
  "Κρήτη και τα νησιά 🏝",
];

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const EXTENSIONS = [
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"',
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"',
  'xmlns:xhtml="http://www.w3.org/1999/xhtml"',
].join(" ");
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>';

const two = (number) => String(number).padStart(2, "0");

function day(random) {
  return `${2014 + random.int(10)}-${two(1 + random.int(12))}-${two(1 + random.int(28))}`;
}

function clock(random) {
  return `${two(random.int(24))}:${two(random.int(60))}:${two(random.int(60))}`;
}

const moment = (random, zone = "+00:00") => `${day(random)}T${clock(random)}${zone}`;

function slug(random, words) {
  let text = random.pick(WORDS);
  for (let i = 1; i < words; i++) text += `-${random.pick(WORDS)}`;
  return text;
}

/** A path that no other entry has, except where one entry in a thousand repeats an earlier one. */
function path(random, index) {
  if (index > 100 && random.chance(0.001)) return "/products/summer-garden-99999";
  return `/${random.pick(SECTIONS)}/${slug(random, 2 + random.int(3))}-${100_000 + index}`;
}

const priority = (random) => (random.chance(0.1) ? "1.0" : `0.${1 + random.int(9)}`);

function plain(random, count) {
  let xml = `${DECLARATION}\n<urlset ${NAMESPACE}>\n`;
  for (let i = 0; i < count; i++) {
    xml += `  <url>\n    <loc>${SITE}${path(random, i)}</loc>\n    <lastmod>${moment(random)}</lastmod>\n`;
    xml += `    <changefreq>${random.pick(FREQUENCIES)}</changefreq>\n    <priority>${priority(random)}</priority>\n  </url>\n`;
  }
  return `${xml}</urlset>\n`;
}

function minified(random, count) {
  let xml = `${DECLARATION}<urlset ${NAMESPACE}>`;
  for (let i = 0; i < count; i++) {
    xml += `<url><loc>${SITE}${path(random, i)}</loc><lastmod>${day(random)}</lastmod></url>`;
  }
  return `${xml}</urlset>`;
}

function index(random, count) {
  let xml = `${DECLARATION}\n<sitemapindex ${NAMESPACE}>\n`;
  for (let i = 0; i < count; i++) {
    xml += `  <sitemap>\n    <loc>${SITE}/sitemaps/${random.pick(WORDS)}-${1 + i}.xml.gz</loc>\n`;
    xml += `    <lastmod>${moment(random, "Z")}</lastmod>\n  </sitemap>\n`;
  }
  return `${xml}</sitemapindex>\n`;
}

// ---------------------------------------------------------------- rich

function words(random, count) {
  return slug(random, count).replaceAll("-", " ");
}

/** One in five is not ASCII; some hold an entity. */
function phrase(random) {
  if (random.chance(0.2)) return `${random.pick(FOREIGN_TITLES)} ${random.int(1000)}`;
  return `${words(random, 3)} ${random.chance(0.15) ? "&amp;" : "and"} ${words(random, 3)}`;
}

/** Some are CDATA, all of it: not every parser joins CDATA and text alike. */
function title(random) {
  const text = phrase(random);
  return random.chance(0.05) ? `<![CDATA[${text.replace("&amp;", "&")}]]>` : text;
}

function news(random) {
  let xml = "    <news:news>\n      <news:publication>\n";
  xml += `        <news:name>The Example Times</news:name>\n        <news:language>${random.pick(["en", "de", "fr"])}</news:language>\n`;
  xml += `      </news:publication>\n      <news:publication_date>${moment(random)}</news:publication_date>\n`;
  xml += `      <news:title>${title(random)}</news:title>\n`;
  if (random.chance(0.4))
    xml += `      <news:keywords>${words(random, 4).replaceAll(" ", ", ")}</news:keywords>\n`;
  return `${xml}    </news:news>\n`;
}

function image(random) {
  let xml = `    <image:image>\n      <image:loc>${IMAGES}/img/${two(random.int(100))}/${slug(random, 2)}-${random.int(1_000_000)}.jpg</image:loc>\n`;
  if (random.chance(0.6)) xml += `      <image:title>${title(random)}</image:title>\n`;
  if (random.chance(0.3)) xml += `      <image:caption>${title(random)}</image:caption>\n`;
  return `${xml}    </image:image>\n`;
}

function video(random) {
  const name = `${slug(random, 2)}-${random.int(1_000_000)}`;
  let xml = `    <video:video>\n      <video:thumbnail_loc>${IMAGES}/thumbs/${name}.jpg</video:thumbnail_loc>\n`;
  xml += `      <video:title>${title(random)}</video:title>\n      <video:description>${words(random, 12)}. ${phrase(random)}</video:description>\n`;
  xml += `      <video:content_loc>${VIDEOS}/v/${name}.mp4</video:content_loc>\n`;
  xml += `      <video:player_loc>${SITE}/player?video=${name}&amp;autoplay=0</video:player_loc>\n`;
  xml += `      <video:duration>${10 + random.int(5000)}</video:duration>\n      <video:rating>${random.int(5)}.${random.int(10)}</video:rating>\n`;
  xml += `      <video:view_count>${random.int(1_000_000)}</video:view_count>\n`;
  xml += `      <video:publication_date>${moment(random)}</video:publication_date>\n`;
  xml += `      <video:family_friendly>${random.pick(["yes", "no"])}</video:family_friendly>\n`;
  if (random.chance(0.3))
    xml += `      <video:restriction relationship="allow">IE GB US CA</video:restriction>\n`;
  for (let tags = random.int(4); tags > 0; tags--)
    xml += `      <video:tag>${random.pick(WORDS)}</video:tag>\n`;
  return `${xml}    </video:video>\n`;
}

function alternates(random, pagePath) {
  let xml = "";
  const first = random.int(LANGUAGES.length);
  const count = 3 + random.int(4);
  for (let i = 0; i < count; i++) {
    const language = LANGUAGES[(first + i) % LANGUAGES.length];
    xml += `    <xhtml:link rel="alternate" hreflang="${language}" href="${SITE}/${language.toLowerCase()}${pagePath}"/>\n`;
  }
  return xml;
}

function rich(random, count) {
  let xml = `${DECLARATION}\n<urlset ${NAMESPACE} ${EXTENSIONS}>\n`;
  for (let i = 0; i < count; i++) {
    const pagePath = path(random, i);
    xml += `  <url>\n    <loc>${SITE}${pagePath}</loc>\n    <lastmod>${moment(random)}</lastmod>\n`;
    if (random.chance(0.6)) xml += alternates(random, pagePath);
    if (random.chance(0.5)) xml += news(random);
    for (let images = random.int(4); images > 0; images--) xml += image(random);
    if (random.chance(0.25)) xml += video(random);
    xml += "  </url>\n";
  }
  return `${xml}</urlset>\n`;
}

// ---------------------------------------------------------------- entities

const AMPERSANDS = [
  "&amp;",
  "&amp;",
  "&amp;",
  "&amp;",
  "&amp;",
  "&amp;",
  "&amp;",
  "&amp;",
  "&#38;",
  "&#x26;",
];

/** About 4.5 entities in each location; one in five is CDATA instead. */
function entities(random, count) {
  let xml = `${DECLARATION}\n<urlset ${NAMESPACE}>\n`;
  for (let i = 0; i < count; i++) {
    const parameters = ["color=red", "size=m", "sort=price", "page=3", "view=grid", "lang=en", "ref=nav"];
    const query = parameters.slice(0, 4 + random.int(2)).map((text) => `${text}${random.int(100)}`);
    const isData = random.chance(0.2);
    let location = `${SITE}/shop/${slug(random, 2)}?id=${i > 100 && random.chance(0.001) ? 1 : i}`;
    for (const parameter of query) location += (isData ? "&" : random.pick(AMPERSANDS)) + parameter;
    xml += `  <url>\n    <loc>${isData ? `<![CDATA[${location}]]>` : location}</loc>\n    <lastmod>${moment(random, ".250Z")}</lastmod>\n  </url>\n`;
  }
  return `${xml}</urlset>\n`;
}

// ---------------------------------------------------------------- irregular

const BREAKS = ["\n", "\n", "\n  ", "\n    ", "\r\n", "\r\n\t", "\n\n", "\t", " ", ""];

/** A URL that normalisation changes. */
function unusual(random, location) {
  return random.chance(0.5)
    ? location.replace(SITE, "https://WWW.Example.com:443")
    : location.replace(SITE, `${SITE}/größe/../café`);
}

function element(random, name, value) {
  const open = random.chance(0.05) ? `<${name} >` : `<${name}>`;
  const close = random.chance(0.05) ? `</${name}\n>` : `</${name}>`;
  return random.chance(0.2)
    ? `${open}${random.pick(BREAKS)}${value}${random.pick(BREAKS)}${close}`
    : open + value + close;
}

function irregularDate(random) {
  const form = random.int(4);
  if (form === 0) return day(random);
  if (form === 1) return moment(random, "Z");
  return form === 2 ? moment(random, "+02:00") : moment(random, ".123-05:00");
}

/** Hand-made or hand-mended: fields in any order, with or without each, comments and white space anywhere. */
function irregular(random, count) {
  let xml = `${DECLARATION}\r\n<!-- sitemap -->\n<urlset\n   ${NAMESPACE}\n>\n`;
  for (let i = 0; i < count; i++) {
    const location = SITE + path(random, i);
    const fields = [element(random, "loc", random.chance(0.02) ? unusual(random, location) : location)];
    if (random.chance(0.8)) fields.push(element(random, "lastmod", irregularDate(random)));
    if (random.chance(0.6)) fields.push(element(random, "changefreq", random.pick(FREQUENCIES)));
    if (random.chance(0.6)) fields.push(element(random, "priority", priority(random)));
    if (random.chance(0.05)) fields.push("<!-- no priority -->");
    for (let last = fields.length - 1; last > 0; last--) {
      const other = random.int(last + 1);
      [fields[last], fields[other]] = [fields[other], fields[last]];
    }
    if (random.chance(0.1)) xml += `<!-- ${words(random, 3)} <url> ${i} -->`;
    xml += `<url>${random.pick(BREAKS)}`;
    for (const field of fields) xml += field + random.pick(BREAKS);
    xml += `</url>${random.pick(BREAKS)}`;
  }
  return `${xml}</urlset>`;
}

/** Name, what it is, how many entries the full run has, how to make it. */
export const corpora = [
  {
    name: "plain",
    about: "pretty-printed: loc, lastmod, changefreq, priority",
    entries: 50_000,
    generate: plain,
  },
  { name: "minified", about: "one line: loc, lastmod", entries: 50_000, generate: minified },
  {
    name: "rich",
    about: "news, images, videos, hreflang; 20 % of titles not ASCII",
    entries: 20_000,
    generate: rich,
  },
  { name: "index", about: "sitemap index: loc, lastmod", entries: 50_000, generate: index },
  { name: "entities", about: "4.5 entities in each loc, 20 % CDATA", entries: 50_000, generate: entities },
  {
    name: "irregular",
    about: "any white space, comments, fields in any order",
    entries: 50_000,
    generate: irregular,
  },
];

/** The document's bytes; the same for the same count. */
export function generateCorpus(corpus, entries) {
  return Buffer.from(corpus.generate(createRandom(20_240_229), entries));
}
