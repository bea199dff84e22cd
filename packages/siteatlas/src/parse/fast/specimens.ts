/**
 * Small documents of the common formats. A process reads them once and keeps their parsers, so that V8 keeps what it
 * has learnt about the classes of the parser. Otherwise, when a garbage collection runs between two documents:
 *
 * - V8 forgets the layouts of classes that have no object, and drops all machine code that depends on them. The next
 *   document is parsed two to six times slower, until the code is compiled again.
 * - V8 decides at the seventh object of a class how many fields are stored in the object itself. If the layouts were
 *   just forgotten, it stores all fields in a hash table, and parsing is five times slower for the rest of the process.
 *
 * The documents have no end, because some objects exist only while an entry is parsed.
 */

const URL_OF_ALL = "https://a.example/sitemap.xml";
const NAMESPACES =
  'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"' +
  ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml"';
const LOCATION = "<loc>https://a.example/section/page.html</loc>";
const TIME = "<lastmod>2024-05-06T07:08:09+00:00</lastmod>";
const COMMON_FIELDS = `${TIME}<changefreq>daily</changefreq><priority>0.5</priority>`;
const NEWS =
  "<news:news><news:publication><news:name>A</news:name><news:language>en</news:language></news:publication>" +
  "<news:publication_date>2024-05-06</news:publication_date><news:title>A</news:title></news:news>";
const IMAGE = "<image:image><image:loc>https://a.example/a.jpg</image:loc></image:image>";
const ALTERNATE = '<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de/"/>';

/** A document whose entries have these fields. The entry after the last one is not complete. */
function sitemap(root: "urlset" | "sitemapindex", fields: readonly string[]): string {
  const tag = root === "urlset" ? "url" : "sitemap";
  const entries = fields.map((field, n) => `<${tag}>${LOCATION.replace("page", `${n}`)}${field}</${tag}>`);
  return `<?xml version="1.0"?><${root} ${NAMESPACES}>${entries.join("")}<${tag}>${LOCATION}${fields.at(-1)}`;
}

function feed(): string {
  const item = `<item><title>A</title><link>https://a.example/</link><pubDate>Mon, 06 May 2024 07:08:09 GMT</pubDate>`;
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>A</title>${item}</item>${item}`;
}

/** The specimens, the most common formats first. Cached markup is used from the second entry on, so fields repeat. */
const specimens: readonly (() => string)[] = [
  () => sitemap("urlset", [COMMON_FIELDS, COMMON_FIELDS, TIME, TIME, "", ""]),
  () => sitemap("sitemapindex", [TIME, TIME, "", ""]),
  () => sitemap("urlset", [IMAGE, IMAGE, TIME + IMAGE]),
  () => sitemap("urlset", [NEWS, NEWS]),
  () => sitemap("urlset", [ALTERNATE, ALTERNATE]),
  feed,
  () => "https://a.example/1\nhttps://a.example/2\n",
];

/** `DocumentOptions` for a specimen. */
interface SpecimenOptions {
  readonly url: string;
  readonly strict: boolean;
  readonly isText: boolean;
  readonly onPage: (entry: unknown) => void;
  readonly onChild: (entry: unknown) => void;
}

/** Has the parsers of the specimens, and the entries that they emitted. */
const kept: unknown[] = [];
let next = 0;
let isReading = false;

/**
 * Reads the next specimen. The parser calls this for each document, so that no document waits for all of them, and a
 * process that reads few documents does not pay for all of them.
 */
export function keepSpecimens(
  createParser: (options: SpecimenOptions) => { push(bytes: Uint8Array): void },
): void {
  // Creating the parser of a specimen calls this function too.
  if (next === specimens.length || isReading) return;
  isReading = true;
  const keep = (entry: unknown): void => void kept.push(entry);
  const parser = createParser({ url: URL_OF_ALL, strict: false, isText: false, onPage: keep, onChild: keep });
  parser.push(new TextEncoder().encode(specimens[next++]!()));
  kept.push(parser);
  isReading = false;
}
