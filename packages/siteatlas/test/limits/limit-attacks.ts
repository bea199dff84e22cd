/**
 * The worst site that stays inside each limit: it makes a walk hold as much memory as the limit allows. The test and
 * the table of docs/limits.md come from these attacks. A limit without an attack does not compile (`ATTACK_OF`).
 */
import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { IssueCode } from "../../src/model/issue-severity.ts";
import type { LimitName } from "../../src/model/limits.ts";
import type { Site, Stage } from "../hostile/case.ts";
import { each, fill, type HostileDocument, join, serveDocuments, URLSET } from "../hostile/documents.ts";
import {
  forever,
  httpHead,
  httpResponse,
  pour,
  type Route,
  sitemapIndex,
  urlset,
} from "../hostile/raw-server.ts";

export interface Attack {
  /** What the site does. */
  readonly site: string;
  readonly serve: (stage: Stage) => Promise<Site>;
  /** The function that reads the site: `streamPages`, `sitemapTreeForHomepage` or `syncSite`. @default "pages" */
  readonly reads?: "pages" | "tree" | "sync";
  /** Whether the site has several addresses on loopback, which the client must allow. */
  readonly hasForeignHosts?: true;
  /** The least number of pages that must be found: proves that the attack was not cut early. */
  readonly pages?: number;
  /** An issue that must be reported. */
  readonly code?: IssueCode;
  /** CI runs only these: each shows that a bound in the code holds. All attacks together take minutes. */
  readonly isInCi?: true;
  /** The most that the resident set may grow, for what holds more than a walk: trees and syncs. @default 96 */
  readonly maxRssMiB?: number;
}

/** The most that the resident set may grow during a walk with the default limits. */
export const MAX_RSS_MIB = 96;

const MIB = 1024 * 1024;
/** A path that makes a URL as long as `urlLength` allows. */
const LONG = "x".repeat(8000);
/** As long as `textLength` allows. Its last character makes V8 store two bytes for each. */
const TEXT = `${"0123456789abcdef".repeat(256).slice(1)}\u0100`;

const numbered = (count: number, make: (n: number) => string): string[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** A site: robots.txt with these Sitemap lines, and one route for all other paths. */
function siteOf(
  stage: Stage,
  sitemaps: readonly string[],
  route: (path: string, origin: string, ...rest: Parameters<Route>) => unknown,
): Promise<string> {
  return stage.http((request, response) => {
    const { url = "" } = request;
    const origin = `http://${request.headers.host}`;
    if (url !== "/robots.txt") return route(url, origin, request, response);
    return response.end(sitemaps.map((path) => `Sitemap: ${origin}${path}\n`).join(""));
  });
}

const serveSite =
  (...site: [sitemaps: readonly string[], route: Parameters<typeof siteOf>[2]]): Attack["serve"] =>
  async (stage) => ({ url: await siteOf(stage, ...site) });

const serveDocument =
  (...documents: readonly HostileDocument[]): Attack["serve"] =>
  async (stage) => ({
    url: await serveDocuments(stage, Object.fromEntries(documents.map((each, n) => [`d${n}`, each]))),
  });

/** Two documents: as many as are read at once from one site. */
const twice = (document: HostileDocument, path?: (n: number) => string): Attack["serve"] =>
  serveDocument(...[0, 1].map((n) => (path === undefined ? document : { ...document, path: path(n) })));

/** Below a directory of 8 KB, so that a relative URL of one character becomes one of 8 KB. */
const belowLong =
  (name: string) =>
  (n: number): string =>
    `/${LONG}/${name}${n}`;

function gzipped(parts: Iterable<string | Uint8Array>): Buffer {
  return gzipSync(Buffer.concat(Array.from(parts, (part) => Buffer.from(part))));
}

/** Computes a value when it is needed first: most servers run one attack. */
function once<T>(make: () => T): () => T {
  let value: { readonly made: T } | undefined;
  return () => {
    value ??= { made: make() };
    return value.made;
  };
}

const pagesOf = (bytes: number, entry: (n: number) => string): Iterable<string | Uint8Array> =>
  join(URLSET, each(Math.floor(bytes / entry(1_000_000).length), entry), "</urlset>\n");

// ---------------------------------------------------------------- what a walk holds

const LONG_CHILDREN = 2000;

/** With 100 random characters per URL, so that `heldRatio` is not reached before `heldBytes`. */
const longIndex = (origin: string, name: string, count: number): Buffer =>
  gzipSync(
    sitemapIndex(numbered(count, (n) => `${origin}/${name}-${n}-${randomBytes(50).toString("hex")}${LONG}`)),
    { level: 1 },
  );

const serveHeld: Attack["serve"] = serveSite(
  numbered(4, (n) => `/index${n}`),
  (path, origin, _request, response) =>
    path.includes(LONG) || !path.startsWith("/index")
      ? response.writeHead(404).end()
      : response.end(longIndex(origin, path.slice(1), LONG_CHILDREN)),
);

const serveManySitemaps = (count: number): Attack["serve"] => {
  const rest = "s".repeat(300);
  return serveSite(["/index"], (path, origin, _request, response) => {
    if (path === "/index")
      return response.end(sitemapIndex(numbered(count, (n) => `${origin}/s${n}-${rest}`)));
    return path.startsWith("/s") ? response.end(urlset(1, origin)) : response.writeHead(404).end();
  });
};

const serveMutual: Attack["serve"] = serveSite(
  numbered(12, (n) => `/m${n}-${LONG}`),
  (path, origin, _request, response) =>
    path.startsWith("/m")
      ? response.end(sitemapIndex(numbered(12, (n) => `${origin}/m${n}-${LONG}`)))
      : response.writeHead(404).end(),
);

const serveRedirects: Attack["serve"] = serveSite(["/index"], (path, origin, _request, response) => {
  // The comment keeps the site below `heldRatio`.
  const index = (): string => sitemapIndex(numbered(600, (n) => `${origin}/r0/${n}/`));
  if (path === "/index") return response.end(`${index()}<!-- ${"x".repeat(300_000)} -->`);
  const [, hop = "", name = ""] = /^\/r(\d+)\/(\d+)\//.exec(path) ?? [];
  if (hop === "") return response.writeHead(404).end();
  if (hop === "10") return response.end(urlset(1, `${origin}/${name}`));
  return response.writeHead(302, { location: `/r${Number(hop) + 1}/${name}/${LONG}` }).end();
});

/** The ten values of one entry that are wrong, as long as an issue keeps them. */
const WRONG = "?".repeat(600);
const wrongEntry = (n: number): string =>
  `<url><loc>/${n}</loc><lastmod>${WRONG}</lastmod><changefreq>${WRONG}</changefreq><priority>${WRONG}</priority>` +
  `<image:image/><xhtml:link rel="alternate"/><news:news/><video:video><video:duration>${WRONG}</video:duration>` +
  `<video:live>${WRONG}</video:live><video:view_count>${WRONG}</video:view_count></video:video></url>` +
  `<url><loc>http://[${WRONG}/</loc></url><url/>`;

// ---------------------------------------------------------------- documents

const MILLION_PAGES: HostileDocument = {
  body: () =>
    join(
      URLSET,
      each(1_000_000, (n) => `<url><loc>http://a.example/${n}${"p".repeat(52)}</loc></url>\n`),
    ),
};

/** One page with as many images, videos and texts as the limits allow. */
const richPage = once(() =>
  gzipped(
    join(
      URLSET,
      "<url><loc>/a</loc>",
      each(1000, (n) => {
        const [loc, license] = [`<image:loc>${n}</image:loc>`, `<image:license>${n}</image:license>`];
        const texts = ["title", "caption", "geo_location"].map(
          (name) => `<image:${name}>${TEXT}</image:${name}>`,
        );
        return `<image:image>${loc}${license}${texts.join("")}</image:image>`;
      }),
      each(1000, (n) => `<xhtml:link rel="alternate" hreflang="de" href="${n}"/>`),
      each(100, (n) => {
        const tags = `<video:tag>${TEXT}</video:tag>`.repeat(180);
        return `<video:video><video:content_loc>${n}</video:content_loc><video:title>${TEXT}</video:title>${tags}</video:video>`;
      }),
      "</url></urlset>",
    ),
  ),
);

const pageMap = once(() =>
  gzipped(
    join(
      `${URLSET}<url><loc>/a</loc><PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0"><DataObject>`,
      each(1000, () => `${`<Attribute name="a">${TEXT}</Attribute>`.repeat(22)}</DataObject><DataObject>`),
      "</DataObject></PageMap></url></urlset>",
    ),
  ),
);

/** Names and namespaces that all differ, 64 levels deep. */
const nested = once(() => {
  const namespaces = (n: number): string =>
    numbered(63, (at) => ` xmlns:n${at}="${n}-${at}-${"u".repeat(900)}"`).join("");
  return gzipped(
    join(
      URLSET,
      each(10, (round) =>
        numbered(63, (level) => `<${"e".repeat(900)}${round}-${level}${namespaces(level)}>`).join(""),
      ),
      each(30_000, (n) => `<${"e".repeat(1000)}${n}/>`),
    ),
  );
});

const attributes = once(() =>
  gzipped(
    join(
      URLSET,
      each(1500, (n) => `<e${n} ${numbered(255, (at) => `a${n}-${at}="${"v".repeat(230)}"`).join(" ")}/>`),
    ),
  ),
);

const members = once(() => {
  const member = gzipSync(numbered(1000, (n) => `<url><loc>/${n}</loc></url>`).join(""));
  // A file name of 60 KB, after the ten bytes of the header.
  const named = Buffer.concat([
    member.subarray(0, 3),
    Buffer.of(8),
    member.subarray(4, 10),
    Buffer.alloc(60_000, 120),
    Buffer.of(0),
    member.subarray(10),
  ]);
  return gzipSync(gzipSync(Buffer.concat([gzipSync(URLSET), ...Array<Buffer>(998).fill(named)])));
});

const inflated = once(() =>
  gzipped(
    join(
      `${URLSET}<url><loc>/a</loc></url><!--`,
      fill(`${TEXT.slice(0, 60)}${" ".repeat(20_000)}`, 99 * MIB),
      "--></urlset>",
    ),
  ),
);

/** 24 MiB with a window of 16 MiB, as large as brotli allows. */
const largeWindow = once(() =>
  brotliCompressSync(
    Buffer.concat(
      Array.from(
        join(
          `${URLSET}<url><loc>/a</loc></url><!--`,
          each(1200, () => `${randomBytes(60).toString("hex")}${" ".repeat(20_000)}`),
          "--></urlset>",
        ),
        (part) => Buffer.from(part),
      ),
    ),
    { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 24 } },
  ),
);

const jsonFeed = once(() =>
  gzipped(
    join(
      '{"version":"https://jsonfeed.org/version/1.1","items":[',
      each(100, (n) => {
        const attachments = numbered(1000, (at) => `{"url":"${n}-${at}","mime_type":"${TEXT.slice(0, 60)}"}`);
        return `{"id":"${n}","url":"${n}","attachments":[${attachments}]},`;
      }),
      '{"id":"z"}]}',
    ),
  ),
);

const rssFeed = once(() =>
  gzipped(
    join(
      '<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>',
      each(100, (n) => {
        const media = numbered(1000, (at) => `<media:content url="${n}-${at}" type="image/png"/>`).join("");
        return `<item><link>${n}</link><title>${TEXT}</title>${media}</item>`;
      }),
      "</channel></rss>",
    ),
  ),
);

const robotsTxt = (origin: string): string => {
  const rules = `User-agent: *\n${"allow:/a\n".repeat(56_000)}`;
  return rules + numbered(5000, (n) => `Sitemap: ${origin}/${n}-${"r".repeat(850)}\n`).join("");
};

// ---------------------------------------------------------------- the attacks

const attacks = {
  held: {
    site: "4 gzip indexes that list 2,000 sitemaps each, with URLs of 8 KB",
    serve: serveHeld,
    code: "limit.held",
    isInCi: true,
  },
  "held, tree": {
    site: "the same, read as a tree",
    serve: serveHeld,
    reads: "tree",
    code: "limit.held",
  },
  ratio: {
    site: "one gzip index of 1,900 sitemaps with URLs of 8 KB",
    serve: serveSite(["/index"], (path, origin, _request, response) =>
      path === "/index" ? response.end(longIndex(origin, "s", 1900)) : response.writeHead(404).end(),
    ),
  },
  sitemaps: {
    site: "an index of 50,000 sitemaps, with one page each",
    serve: serveManySitemaps(50_000),
    pages: 49_000,
  },
  "sitemaps, tree": {
    site: "the same, read as a tree",
    serve: serveManySitemaps(50_000),
    reads: "tree",
    pages: 49_000,
  },
  indexes: {
    site: "500 indexes that list 15 sitemaps each, with URLs of 8 KB",
    serve: serveSite(
      numbered(500, (n) => `/index${n}`),
      (path, origin, _request, response) =>
        path.startsWith("/index")
          ? response.end(sitemapIndex(numbered(15, (n) => `${origin}/s${path.slice(1)}-${n}-${LONG}`)))
          : response.writeHead(404).end(),
    ),
  },
  depth: {
    site: "indexes that list three indexes each, with URLs of 8 KB, 11 levels deep",
    serve: serveSite([`/n0-${LONG}`], (path, origin, _request, response) => {
      const [, name] = /^\/n(\d+)-/.exec(path) ?? [];
      if (name === undefined) return response.writeHead(404).end();
      return response.end(sitemapIndex([1, 2, 3].map((n) => `${origin}/n${3 * Number(name) + n}-${LONG}`)));
    }),
    code: "limit.indexes",
  },
  places: {
    site: "12 indexes with URLs of 8 KB that all list each other",
    serve: serveMutual,
    code: "limit.places",
  },
  "places, tree": {
    site: "the same, read as a tree",
    serve: serveMutual,
    reads: "tree",
    code: "limit.places",
    // The places and the nodes of the tree are alive at once, 47 MB.
    maxRssMiB: 112,
  },
  redirects: {
    site: "600 sitemaps behind ten redirects each, to URLs of 8 KB",
    serve: serveRedirects,
    code: "limit.held",
    isInCi: true,
  },
  issues: {
    site: "3,000 sitemaps with 100 long issues each",
    serve: serveSite(["/index"], (path, origin, _request, response) => {
      if (path === "/index") return response.end(sitemapIndex(numbered(3000, (n) => `${origin}/s${n}`)));
      if (!path.startsWith("/s")) return response.writeHead(404).end();
      return response.end(`${URLSET}${numbered(12, wrongEntry).join("")}</urlset>`);
    }),
    pages: 12_000,
  },
  headers: {
    site: "3,000 sitemaps with 60 KB of headers each, an ETag and a Last-Modified of 1,024 characters",
    serve: async (stage) => ({
      url: await stage.raw(
        (socket, { path, headers }) => {
          if (path === "/index")
            return socket.write(
              httpResponse(sitemapIndex(numbered(3000, (n) => `http://${headers["host"]}/s${n}`))),
            );
          const value = (n: number): string => `${path}${"h".repeat(n)}`;
          const more = Object.fromEntries(numbered(7, (n) => `x-${n}`).map((name) => [name, value(8000)]));
          const validators = { etag: `"${value(1000)}"`, "last-modified": value(1000) };
          for (let n = 0; n < 9; n++) socket.write(httpHead({ link: value(2000) }, "103 Early Hints"));
          return socket.write(
            httpResponse(
              urlset(1, `http://a.example${path}`),
              path.startsWith("/s") ? { ...validators, ...more } : {},
            ),
          );
        },
        { sitemaps: ["/index"] },
      ),
    }),
    pages: 3000,
  },
  barren: {
    site: "an index of 199 sitemaps that are missing, with error pages without end",
    serve: serveSite(["/index"], (path, origin, _request, response) => {
      if (path === "/index") return response.end(sitemapIndex(numbered(199, (n) => `${origin}/s${n}`)));
      response.writeHead(404);
      return path.startsWith("/s") ? pour(response, forever("x".repeat(65_536))) : response.end();
    }),
  },
  retries: {
    site: "sitemaps that fail with 503 and Retry-After, with bodies without end",
    serve: serveSite(["/s0", "/s1"], (path, _origin, _request, response) => {
      response.writeHead(path.startsWith("/s") ? 503 : 404, { "retry-after": "1" });
      return path.startsWith("/s") ? pour(response, forever("x".repeat(65_536))) : response.end();
    }),
  },
  stalled: {
    site: "as many sitemaps as may be held wait while two documents stall within a tag of 64 KB, for 3 s",
    serve: serveSite(["/index0", "/index1", "/stalled0", "/stalled1"], (path, origin, _request, response) => {
      if (path.startsWith("/index")) return response.end(longIndex(origin, path.slice(1), LONG_CHILDREN));
      if (!path.startsWith("/stalled")) return response.writeHead(404).end();
      response.write(`${URLSET}<x y="${"z".repeat(65_000)}`);
      return setTimeout(() => response.destroy(), 3000);
    }),
    code: "limit.held",
  },
  robots: {
    site: "a robots.txt of 5 MB: 56,000 rules and 5,000 Sitemap lines",
    serve: async (stage) => ({
      url: await stage.http(({ url, headers: { host } }, response) =>
        url === "/robots.txt" ? response.end(robotsTxt(`http://${host}`)) : response.writeHead(404).end(),
      ),
    }),
  },
  homepage: {
    site: "a homepage of 512 KB with 100 links of 8 KB, and no end",
    serve: serveSite([], (path, _origin, _request, response) => {
      if (path !== "/") return response.writeHead(404).end();
      response.setHeader("content-type", "text/html");
      response.write(
        `<html>${numbered(100, (n) => `<link rel="sitemap" href="/${n}-${"l".repeat(4900)}">`).join("")}`,
      );
      return pour(response, forever("<p>x</p>".repeat(8192)));
    }),
  },
  pages: {
    site: "a sitemap of 100 MiB with a million pages",
    serve: serveDocument(MILLION_PAGES),
    pages: 1_000_000,
  },
  "relative URLs": {
    site: "two sitemaps with 100,000 relative URLs, whose own paths have 8 KB",
    serve: twice(
      {
        body: () =>
          join(
            URLSET,
            each(100_000, (n) => `<url><loc>${n}</loc></url>\n`),
          ),
      },
      belowLong("s"),
    ),
    pages: 100_000,
  },
  "one entry": {
    site: "one <url> with 100,000 relative <loc>, in a sitemap whose own path has 8 KB",
    serve: twice(
      {
        body: () =>
          join(
            `${URLSET}<url>`,
            each(100_000, (n) => `<loc>${n}</loc>\n`),
            "</url></urlset>",
          ),
      },
      belowLong("s"),
    ),
  },
  inflated: {
    site: "two gzip sitemaps that decompress to 99 MiB",
    serve: twice({ body: () => inflated() }),
    pages: 1,
  },
  members: {
    site: "three layers of gzip, 999 members with file names of 60 KB",
    serve: twice({ body: () => members() }),
    pages: 1000,
  },
  cpu: {
    site: "two sitemaps of 4 MiB in which each URL needs a repair and each date is wrong",
    serve: twice({
      body: () =>
        pagesOf(
          4 * MIB,
          (n) => `<url><loc> HTTP://a.example:80/%zz/../\u00fc ${n}</loc><lastmod>x</lastmod></url>`,
        ),
    }),
    pages: 20_000,
  },
  nested: {
    site: "64 levels of elements with 63 namespaces of 900 bytes each, 30,000 names of 1,000 bytes",
    serve: twice({ body: () => nested() }),
  },
  attributes: {
    site: "1,500 tags with 255 attributes of 230 bytes each",
    serve: twice({ body: () => attributes() }),
  },
  tokens: {
    site: "lines of 65,000 characters after a DOCTYPE of 60 KB; a text sitemap of such lines",
    serve: serveDocument(
      {
        body: () =>
          join(
            `<!DOCTYPE urlset [${"<!ENTITY a 'b'>".repeat(4000)}]>${URLSET}`,
            each(1000, (n) => `<url><loc>http://a.example/${n}</loc><x>${"t".repeat(65_000)}</x></url>`),
          ),
        path: "/s.xml",
      },
      {
        body: () => each(1000, (n) => `http://a.example/${n}${"t".repeat(65_000)}\nhttp://a.example/${n}\n`),
        path: "/s.txt",
      },
    ),
    pages: 1000,
  },
  "rich page": {
    site: "one page with 1,000 images, 1,000 alternates, 100 videos and 18,000 tags, with texts of 4,096 characters",
    serve: twice({ body: () => richPage() }, belowLong("s")),
    pages: 1,
    isInCi: true,
  },
  PageMap: {
    site: "one page with a PageMap of 22,000 texts of 4,096 characters",
    serve: twice({ body: () => pageMap() }),
    pages: 1,
  },
  "JSON Feed": {
    site: "a JSON Feed with 1,000 relative attachments per item, whose own path has 8 KB",
    serve: twice({ body: () => jsonFeed() }, belowLong("f")),
    pages: 100,
  },
  RSS: {
    site: "a feed with 1,000 relative media per item, whose own path has 8 KB",
    serve: twice({ body: () => rssFeed() }, belowLong("f")),
    pages: 100,
    isInCi: true,
  },
  "foreign hosts": {
    site: "10 foreign hosts, 16 sitemaps of 430,000 pages at once",
    serve: async (stage) => {
      const route: Route = ({ url = "" }, response) =>
        url.startsWith("/s")
          ? pour(
              response,
              each(430_000, (n) => `http://a.example${url}/${n}\n`),
            ).then(() => response.end())
          : response.writeHead(404).end();
      const urls = await Promise.all(
        numbered(10, (n) => `127.0.0.${n + 2}`).map((address) => stage.http(route, { address })),
      );
      const sitemaps = urls.flatMap((url) => [`${url}/s0`, `${url}/s1`]);
      return {
        url: await stage.http(({ url }, response) =>
          url === "/robots.txt"
            ? response.end(sitemaps.map((sitemap) => `Sitemap: ${sitemap}\n`).join(""))
            : response.writeHead(404).end(),
        ),
      };
    },
    hasForeignHosts: true,
    pages: 4_300_000,
  },
  "brotli windows": {
    site: "10 foreign hosts, 20 brotli sitemaps of 24 MiB with windows of 16 MiB, which stall before their ends",
    serve: async (stage) => {
      const route: Route = ({ url = "" }, response) => {
        if (!url.startsWith("/s")) return response.writeHead(404).end();
        response.writeHead(200, { "content-encoding": "br" }).write(largeWindow().subarray(0, -10));
        return setTimeout(() => response.end(largeWindow().subarray(-10)), 2000);
      };
      const urls = await Promise.all(
        numbered(10, (n) => `127.0.0.${n + 2}`).map((address) => stage.http(route, { address })),
      );
      const sitemaps = urls.flatMap((url) => [`Sitemap: ${url}/s0\n`, `Sitemap: ${url}/s1\n`]);
      return {
        url: await stage.http(({ url }, response) =>
          url === "/robots.txt" ? response.end(sitemaps.join("")) : response.writeHead(404).end(),
        ),
      };
    },
    hasForeignHosts: true,
    pages: 20,
  },
  "sync, relative URLs": {
    site: "a sitemap with 100,000 relative URLs, whose own path has 8 KB, synced",
    serve: serveDocument({
      body: () =>
        join(
          URLSET,
          each(100_000, (n) => `<url><loc>${n}</loc></url>\n`),
        ),
      path: `/${LONG}/s`,
    }),
    reads: "sync",
    code: "limit.held",
  },
  "sync, redirects": {
    site: "600 sitemaps behind ten redirects each, to URLs of 8 KB, synced",
    serve: serveRedirects,
    reads: "sync",
  },
} satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;

export const ATTACKS: Readonly<Record<AttackName, Attack>> = attacks;

/** The attack on each limit of model/limits.ts. */
export const ATTACK_OF: Readonly<Record<LimitName, AttackName>> = {
  timeMs: "stalled",
  urls: "pages",
  sitemaps: "sitemaps",
  depth: "depth",
  indexes: "indexes",
  places: "places",
  heldBytes: "held",
  heldRatio: "ratio",
  foreignHosts: "foreign hosts",
  totalBytes: "pages",
  totalDecodedBytes: "pages",
  children: "sitemaps",
  robotsSitemaps: "robots",
  barrenChildren: "barren",
  urlsPerSitemap: "pages",
  wireBytes: "pages",
  decodedBytes: "inflated",
  compressionRatio: "inflated",
  cpuMs: "cpu",
  retries: "retries",
  backoffMs: "retries",
  requestMs: "stalled",
  headersMs: "stalled",
  idleMs: "stalled",
  bytesPerSecond: "stalled",
  redirects: "redirects",
  retryAfterMs: "retries",
  crawlDelayMs: "stalled",
  elementDepth: "nested",
  attributes: "attributes",
  namespaces: "nested",
  nameBytes: "nested",
  tokenBytes: "tokens",
  textLength: "rich page",
  urlLength: "relative URLs",
  imagesPerUrl: "rich page",
  videosPerUrl: "rich page",
  alternatesPerUrl: "rich page",
  gzipMembers: "members",
  compressionLayers: "members",
  issues: "issues",
  robotsBytes: "robots",
  robotsLineBytes: "robots",
};

/** The attack on each limit of the last table of docs/limits.md, by its first column. */
export const ATTACK_OF_FIXED: Readonly<Record<string, AttackName>> = {
  "documents read at once": "foreign hosts",
  "failed connections in a row to an origin that never answered": "retries",
  "time to connect": "stalled",
  "headers of a response": "headers",
  "bytes of a response that are no body": "headers",
  "interim responses (1xx)": "headers",
  "requests at once": "foreign hosts",
  "content codings": "members",
  "compressed data that is larger than what it holds": "members",
  "a file name or a comment in a gzip file": "members",
  "ETag, Last-Modified": "headers",
  "HTML of the homepage": "homepage",
  "`Sitemap:` lines of robots.txt": "robots",
  DOCTYPE: "tokens",
  "URL of a redirect": "redirects",
  "media of a page of a feed; PageMap objects of a page; tags and prices of a video": "PageMap",
  "texts and URLs in the images, videos, alternates, PageMap and media of a page": "rich page",
  "item of a JSON Feed": "JSON Feed",
  "repeated URLs of a document": "foreign hosts",
  "pages of the sitemaps that a sync is reading": "sync, relative URLs",
  "windows of brotli decoders": "brotli windows",
};
