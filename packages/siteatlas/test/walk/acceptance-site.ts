/**
 * A site with every kind of broken sitemap. Each kind is a separate sitemap with its own pages, so that a missing
 * page shows which kind failed. A complete reader that starts at the homepage and follows its links finds exactly
 * `expected`.
 */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import {
  HTML_PAGE,
  openSite,
  redirectTo,
  type SiteAnswer,
  type SiteHandler,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

/** Number of pages that a complete reader finds. */
export const PAGE_COUNT = 142;

export interface AcceptanceSite {
  readonly site: TestSite;
  readonly expected: ReadonlySet<string>;
  /** The kind of trouble that a page belongs to. */
  readonly troubleOf: (url: string) => string;
  /** URLs that are requested more than once, and how often: their servers require a retry. */
  readonly repeated: ReadonlyMap<string, number>;
}

interface Trouble {
  /** Path below /t/, and name of its pages. */
  readonly path: string;
  /** Number of pages. @default 2 */
  readonly pages?: number | ((base: string) => readonly string[]);
  readonly answer: (pages: readonly string[], base: string) => string | SiteAnswer | SiteHandler;
  /** Other documents that the sitemap needs. */
  readonly more?: (pages: readonly string[], base: string) => SiteRoutes;
}

const as = (type: string, body: string | Uint8Array, headers: Record<string, string> = {}): SiteAnswer => ({
  headers: { "content-type": type, ...headers },
  body,
});
const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const utf16 = (text: string, swap = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return swap ? bytes.swap16() : bytes;
};
const entries = (pages: readonly string[], tag = "url"): string =>
  pages.map((url) => `<${tag}><loc>${url}</loc></${tag}>`).join("");
const none = (answer: string | SiteAnswer): Omit<Trouble, "path"> => ({ pages: 0, answer: () => answer });
/** Sends the body in this number of pieces, with a turn of the event loop between them. */
const inPieces =
  (body: string | Uint8Array, count: number): SiteHandler =>
  async (_, response) => {
    const bytes = Buffer.from(body);
    const size = Math.ceil(bytes.length / count);
    for (let at = 0; at < bytes.length; at += size) {
      response.write(bytes.subarray(at, at + size));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
    return undefined;
  };

// ---------------------------------------------------------------- compression and encodings

const WRAPPED: readonly Trouble[] = [
  { path: "gzip.xml.gz", answer: (pages) => as("application/gzip", gzipSync(urlset(pages))) },
  { path: "gzip-as-text.xml.gz", answer: (pages) => as("text/plain", gzipSync(urlset(pages))) },
  { path: "gzip-without-name", answer: (pages) => as("application/xml", gzipSync(urlset(pages))) },
  { path: "gzip-in-name-only.xml.gz", answer: (pages) => as("application/gzip", urlset(pages)) },
  { path: "gzip-twice.xml.gz", answer: (pages) => as("application/gzip", gzipSync(gzipSync(urlset(pages)))) },
  {
    path: "gzip-members.xml.gz",
    answer: (pages) => {
      const text = urlset(pages);
      return as("application/gzip", Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]));
    },
  },
  {
    path: "gzip-and-junk.xml.gz",
    answer: (pages) => as("application/gzip", Buffer.concat([gzipSync(urlset(pages)), Buffer.alloc(64)])),
  },
  {
    path: "gzip-cut.xml.gz",
    pages: 3,
    // Stored without compression, so that the cut is at an exact position.
    answer: (pages) => {
      const bytes = gzipSync(`${urlset(pages).replace("</urlset>", "")}${" ".repeat(500)}`, { level: 0 });
      return as("application/gzip", bytes.subarray(0, bytes.length - 100));
    },
  },
  {
    path: "coding-gzip.xml.gz",
    answer: (pages) => as("application/xml", gzipSync(urlset(pages)), { "content-encoding": "gzip" }),
  },
  {
    path: "coding-gzip-over-gzip.xml.gz",
    answer: (pages) =>
      as("application/gzip", gzipSync(gzipSync(urlset(pages))), { "content-encoding": "gzip" }),
  },
  {
    path: "coding-untrue.xml",
    answer: (pages) => as("application/xml", urlset(pages), { "content-encoding": "gzip" }),
  },
  {
    path: "coding-br.xml",
    answer: (pages) => as("application/xml", brotliCompressSync(urlset(pages)), { "content-encoding": "br" }),
  },
  {
    path: "coding-deflate.xml",
    answer: (pages) => as("application/xml", deflateSync(urlset(pages)), { "content-encoding": "deflate" }),
  },
  {
    path: "coding-bare-deflate.xml",
    answer: (pages) =>
      as("application/xml", deflateRawSync(urlset(pages)), { "content-encoding": "deflate" }),
  },
  { path: "utf-8-bom.xml", answer: (pages) => `\ufeff${urlset(pages)}` },
  { path: "utf-16le.xml", answer: (pages) => as("application/xml", utf16(urlset(pages))) },
  { path: "utf-16be.xml", answer: (pages) => as("application/xml", utf16(urlset(pages), true)) },
  {
    path: "latin1.xml",
    pages: (base) => [`${base}/t/latin1/f%C3%AAte`, `${base}/t/latin1/2`],
    answer: (_, base) =>
      as(
        "application/xml",
        latin1(urlset([`${base}/t/latin1/fête`, `${base}/t/latin1/2`]).replace("UTF-8", "ISO-8859-1")),
      ),
  },
];

// ---------------------------------------------------------------- XML as it should not be

const BROKEN: readonly Trouble[] = [
  { path: "blank-first.xml", answer: (pages) => `\r\n \t\n${urlset(pages)}` },
  {
    path: "php-warning.xml",
    answer: (pages) => `<br />\n<b>Warning</b>: Undefined index in <b>x.php</b><br />\n${urlset(pages)}`,
  },
  { path: "no-namespace.xml", answer: (pages) => `<urlset>${entries(pages)}</urlset>` },
  {
    path: "wrong-namespace.xml",
    answer: (pages) => `<urlset xmlns="https://example.com/none">${entries(pages)}</urlset>`,
  },
  {
    path: "prefix.xml",
    answer: (pages) =>
      `<x:urlset xmlns:x="http://www.sitemaps.org/schemas/sitemap/0.9">${pages
        .map((url) => `<x:url><x:loc>${url}</x:loc></x:url>`)
        .join("")}</x:urlset>`,
  },
  {
    path: "capitals.xml",
    answer: (pages) => urlset(pages).replace(/<(\/?)(url|loc)>/g, (tag) => tag.toUpperCase()),
  },
  {
    path: "cdata.xml",
    answer: (pages) => urlset(pages.map((url) => `\n  <![CDATA[ ${url} ]]>\n`)),
  },
  {
    path: "ampersands.xml",
    pages: (base) => [
      `${base}/t/ampersands/1?a=1&b=2`,
      `${base}/t/ampersands/2?a=1&copy=2`,
      `${base}/t/ampersands/3`,
    ],
    answer: (pages) => urlset(pages),
  },
  {
    path: "escaped-twice.xml",
    pages: (base) => [`${base}/t/escaped-twice/1?a=1&b=2`],
    answer: (_, base) => urlset([`${base}/t/escaped-twice/1?a=1&amp;amp;b=2`]),
  },
  {
    path: "cut.xml",
    pages: 3,
    answer: (pages) => `${urlset(pages).replace("</urlset>\n", "")}<url><loc>${pages[0]}`,
  },
  {
    path: "unclosed.xml",
    pages: 3,
    answer: (pages) => urlset(pages).replace("</loc></url>", "</url>"),
  },
  {
    path: "bad-entries.xml",
    answer: (pages) =>
      urlset([
        "",
        "http://",
        "javascript:alert(1)",
        pages[0]!,
        "mailto:a@example.com",
        "http://[::1",
        pages[1]!,
      ]),
  },
  {
    path: "doctype.xml",
    answer: (pages) => urlset(pages).replace("?>", '?><!DOCTYPE urlset [<!ENTITY a "b">]>'),
  },
  {
    path: "comments.xml",
    answer: (pages) => urlset(pages).replaceAll("<url>", "<!-- <url><loc>no</loc></url> --><url>"),
  },
  {
    path: "relative/pages.xml",
    pages: (base) => [`${base}/t/relative/1`, `${base}/t/up/2`, `${base}/t/root/3`],
    answer: () => urlset(["1", "../up/2", "/t/root/3"]),
  },
  {
    path: "fragments.xml",
    answer: ([first, second]) => urlset([`${first}#top`, `${first}#end`, second!, first!]),
  },
  {
    path: "extensions.xml",
    answer: ([first, second]) => `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
      xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" xmlns:xhtml="http://www.w3.org/1999/xhtml">
      <url><image:image><image:loc>${first}.jpg</image:loc></image:image><loc>${first}</loc>
      <xhtml:link rel="alternate" hreflang="fr" href="${first}/fr"/></url><url><loc>${second}</loc></url></urlset>`,
  },
];

// ---------------------------------------------------------------- other formats

const FORMATS: readonly Trouble[] = [
  { path: "list.txt", answer: (pages) => as("text/plain", `\ufeff${pages.join("\r\n")}\r\n\r\n`) },
  { path: "list-cr.txt", answer: (pages) => as("text/plain", pages.join("\r")) },
  {
    path: "list-with-dates.txt",
    answer: (pages) => as("text/plain", pages.map((url) => `${url}\t2024-05-06\n`).join("")),
  },
  {
    path: "rss.xml",
    answer: (pages) =>
      `<rss version="2.0"><channel><title>F</title><link>http://127.0.0.1/</link>${pages
        .map((url) => `<item><title>x &nbsp; y</title><link>${url}</link></item>`)
        .join("")}</channel></rss>`,
  },
  {
    path: "rss-guid.xml",
    answer: (pages) =>
      `<rss version="2.0"><channel>${pages.map((url) => `<item><guid>${url}</guid></item>`).join("")}</channel></rss>`,
  },
  {
    path: "rdf.xml",
    answer: (pages) =>
      `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">${pages
        .map((url) => `<item rdf:about="${url}"><title>t</title><link>${url}</link></item>`)
        .join("")}</rdf:RDF>`,
  },
  {
    path: "atom.xml",
    answer: (pages) =>
      `<feed xmlns="http://www.w3.org/2005/Atom">${pages
        .map(
          (url) =>
            `<entry><link rel="self" href="${url}/self"/><link rel="alternate" href="${url}"/></entry>`,
        )
        .join("")}</feed>`,
  },
  {
    path: "feed.json",
    answer: (pages) =>
      as(
        "application/feed+json",
        JSON.stringify({
          version: "https://jsonfeed.org/version/1.1",
          title: "F",
          items: pages.map((url) => ({ id: url, url })),
        }),
      ),
  },
  { path: "typed-as-html.xml", answer: (pages) => as("text/html; charset=utf-8", urlset(pages)) },
  { path: "typed-as-image", answer: (pages) => as("image/png", urlset(pages)) },
  { path: "list-named.xml", answer: (pages) => as("application/xml", pages.join("\n")) },
  { path: "query.xml?from=1&amp;to=2", answer: (pages) => urlset(pages) },
];

// ---------------------------------------------------------------- what servers do

const SERVERS: readonly Trouble[] = [
  {
    path: "busy.xml",
    answer: (pages) => (_, __, times) =>
      times <= 2
        ? { status: 503, headers: { "retry-after": "0" }, body: HTML_PAGE }
        : { body: urlset(pages) },
  },
  {
    path: "refuses-once.xml",
    answer: (pages) => (_, response, times) => {
      if (times > 1) return { body: urlset(pages) };
      response.destroy();
      return undefined;
    },
  },
  { path: "slow.xml", answer: (pages) => ({ body: urlset(pages), delayMs: 100 }) },
  { path: "in-pieces.xml", answer: (pages) => inPieces(urlset(pages), 400) },
  { path: "gzip-in-pieces.xml.gz", answer: (pages) => inPieces(gzipSync(urlset(pages)), 200) },
  { path: "half.xml", answer: (pages) => ({ status: 206, body: urlset(pages).slice(0, -10) }) },
  {
    path: "drops.xml",
    answer: (pages) => (_, response) => {
      response.writeHead(200, { "content-length": "100000" });
      response.write(urlset(pages).replace("</urlset>", ""), () => setTimeout(() => response.destroy(), 20));
      return undefined;
    },
  },
  {
    path: "moved.xml",
    answer: () => redirectTo("/t/moved-again.xml", 301),
    more: (pages) => ({
      "/t/moved-again.xml": redirectTo("moved-home.xml", 308),
      "/t/moved-home.xml": urlset(pages),
    }),
  },
  { path: "moved-to-html.xml", ...none(redirectTo("/")) },
  { path: "moved-to-itself.xml", ...none(redirectTo("/t/moved-to-itself.xml")) },
  { path: "moved-to-a-file.xml", ...none(redirectTo("file:///etc/hosts")) },
  { path: "missing.xml", ...none({ status: 404, body: HTML_PAGE }) },
  { path: "gone.xml", ...none({ status: 410 }) },
  { path: "forbidden.xml", ...none({ status: 403, body: HTML_PAGE }) },
  { path: "html.xml", ...none(as("text/html", HTML_PAGE)) },
  { path: "empty.xml", ...none("") },
  { path: "no-content.xml", ...none({ status: 204 }) },
  { path: "settings.json", ...none('{"a": "https://www.example.com/"}') },
  { path: "archive.zip", ...none({ body: Buffer.from("PK\u0003\u0004\u0014\u0000\u0000\u0000") }) },
  { path: "picture.xml", ...none({ body: Buffer.from("89504e470d0a1a0a0000000d49484452", "hex") }) },
];

// ---------------------------------------------------------------- indexes

const INDEXES: readonly Trouble[] = [
  {
    path: "nested.xml",
    answer: (_, base) => sitemapIndex([`${base}/t/nested/2.xml`]),
    more: (pages, base) => ({
      "/t/nested/2.xml": sitemapIndex([`${base}/t/nested/3.xml`, `${base}/t/nested/dead.xml`]),
      "/t/nested/3.xml": urlset(pages),
    }),
  },
  {
    path: "circle.xml",
    answer: (_, base) => sitemapIndex([`${base}/t/circle/2.xml`]),
    more: (pages, base) => ({
      "/t/circle/2.xml": sitemapIndex([`${base}/t/circle.xml`, `${base}/t/circle/leaf.xml`]),
      "/t/circle/leaf.xml": urlset(pages),
    }),
  },
  {
    path: "narcissus.xml",
    answer: (_, base) => sitemapIndex([`${base}/t/narcissus.xml`, `${base}/t/narcissus/leaf.xml`]),
    more: (pages) => ({ "/t/narcissus/leaf.xml": urlset(pages) }),
  },
  {
    path: "homecoming.xml",
    answer: (_, base) => sitemapIndex([`${base}/t/homecoming/back.xml`, `${base}/t/homecoming/leaf.xml`]),
    more: (pages) => ({
      "/t/homecoming/back.xml": redirectTo("/t/homecoming.xml"),
      "/t/homecoming/leaf.xml": urlset(pages),
    }),
  },
  {
    path: "relative-children.xml",
    answer: () => sitemapIndex(["relative-children/a.xml", "/t/relative-children/b.xml"]),
    more: ([first, second]) => ({
      "/t/relative-children/a.xml": urlset([first!]),
      "/t/relative-children/b.xml": urlset([second!]),
    }),
  },
  {
    path: "mixed.xml",
    answer: ([first], base) =>
      sitemapIndex([`${base}/t/mixed/leaf.xml`]).replace(
        "</sitemapindex>",
        `${entries([first!])}</sitemapindex>`,
      ),
    more: ([, second]) => ({ "/t/mixed/leaf.xml": urlset([second!]) }),
  },
  {
    path: "repeats.xml",
    pages: 3,
    answer: (_, base) =>
      sitemapIndex([`${base}/t/repeats/a.xml`, `${base}/t/repeats/b.xml`, `${base}/t/repeats/a.xml`]),
    more: ([first, second, third]) => ({
      "/t/repeats/a.xml": urlset([first!, second!]),
      "/t/repeats/b.xml": urlset([second!, third!, third!]),
    }),
  },
  {
    path: "other-robots.xml",
    answer: (_, base) => sitemapIndex([`${base}/t/shop/robots.txt`]),
    more: (pages, base) => ({
      "/t/shop/robots.txt": `Sitemap: ${base}/t/shop/all.xml\n`,
      "/t/shop/all.xml": urlset(pages),
    }),
  },
];

const TROUBLES: readonly Trouble[] = [...WRAPPED, ...BROKEN, ...FORMATS, ...SERVERS, ...INDEXES];

/** Documents for robots.txt, the homepage and the known locations. */
function entrances(base: string): { routes: SiteRoutes; pages: readonly string[] } {
  const one = (name: string): string => `${base}/entrance/${name}`;
  const robots = [
    "User-agent: *",
    "Disallow: /admin/",
    `Sitemap: ${base}/troubles.xml`,
    `SITEMAP:${base}/robots-shouts.xml # the old one`,
    "sitemap : /robots-relative.xml",
    `Site-map: ${base}/robots-hyphen.xml`,
    `Sitemap: <${base}/robots-brackets.xml>`,
    `Sitemap: ${base}/sitemap_index.xml`,
  ];
  const routes: SiteRoutes = {
    "/robots.txt": as("text/plain", `\ufeff${robots.join("\r\n")}\r\n`),
    "/robots-shouts.xml": urlset([one("robots-shouts")]),
    "/robots-relative.xml": urlset([one("robots-relative")]),
    "/robots-hyphen.xml": urlset([one("robots-hyphen")]),
    "/robots-brackets.xml": urlset([one("robots-brackets")]),
    "/sitemap_index.xml": sitemapIndex([`${base}/listed.xml`, `${base}/robots-shouts.xml`]),
    "/listed.xml": urlset([one("listed")]),
    // Known locations: one redirects to a sitemap of robots.txt, one is a page, one is missing, the others are
    // sitemaps.
    "/sitemap.xml": redirectTo("/sitemap_index.xml", 301),
    "/sitemap-index.xml": as("text/html", HTML_PAGE),
    "/wp-sitemap.xml": urlset([one("known-wp")]),
    "/sitemap.txt": `${one("known-list")}\n`,
    "/sitemap.xml.gz": as("application/gzip", gzipSync(urlset([one("known-gzip")]))),
    "/news-sitemap.xml": urlset([one("known-news")]),
    "/": as(
      "text/html",
      `<html><head><link rel=sitemap href="home-link.xml"></head><body>home</body></html>`,
      {
        link: `</home-header.xml>; rel="sitemap"`,
      },
    ),
    "/home-link.xml": urlset([one("home-link")]),
    "/home-header.xml": urlset([one("home-header")]),
  };
  const names = Object.values(routes).flatMap((route) => {
    const body = typeof route === "string" ? route : (route as SiteAnswer).body;
    return typeof body === "string" ? (body.match(/\/entrance\/[\w-]+/g) ?? []) : ["/entrance/known-gzip"];
  });
  return { routes, pages: names.map((name) => base + name) };
}

export async function openAcceptanceSite(): Promise<AcceptanceSite> {
  const troubles = new Map<string, string>();
  const site = await openSite((base) => {
    const { routes, pages } = entrances(base);
    for (const url of pages) troubles.set(url, "entrance");
    const all: Record<string, SiteRoutes[string]> = { ...routes };
    for (const { path, pages: given = 2, answer, more } of TROUBLES) {
      const name = path.replace(/[.?].*/, "");
      const urls =
        typeof given === "number"
          ? Array.from({ length: given }, (_, at) => `${base}/t/${name}/page-${at + 1}`)
          : given(base);
      for (const url of urls) troubles.set(url, path);
      all[`/t/${path.replaceAll("&amp;", "&")}`] = answer(urls, base);
      Object.assign(all, more?.(urls, base));
    }
    all["/troubles.xml"] = sitemapIndex(TROUBLES.map(({ path }) => `${base}/t/${path}`));
    return all;
  });
  return {
    site,
    expected: new Set(troubles.keys()),
    troubleOf: (url) => troubles.get(url) ?? "nothing at all",
    repeated: new Map([
      ["/t/busy.xml", 3],
      ["/t/drops.xml", 2],
      ["/t/refuses-once.xml", 2],
    ]),
  };
}

/** How many kinds of trouble there are. */
export const TROUBLE_COUNT: number = TROUBLES.length;
