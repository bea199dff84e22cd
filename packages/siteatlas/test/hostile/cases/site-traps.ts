/**
 * Sites that are traps: sec-S01 to sec-S13. Such a site never ends, so a limit ends the walk: on the number of
 * indexes, of levels, of sitemaps in a row without pages, or of foreign hosts. Most cases run with the default limits.
 */
import { gzipSync } from "node:zlib";
import { DEFAULT_LIMITS } from "../../../src/walk/options.ts";
import { type HostileCase, MIB, outcomeOf, SLACK_MS } from "../case.ts";
import { each, fill, join, serveDocuments } from "../documents.ts";
import { namesAt } from "../names.ts";
import { pour, type Route, sitemapIndex, urlset } from "../raw-server.ts";

const INFINITY = Number.POSITIVE_INFINITY;

/** Responds with an index that is generated from the site's origin and the requested path. */
const indexRoute =
  (make: (origin: string, path: string) => Iterable<string>): Route =>
  ({ url = "", headers: { host } }, response) =>
    response.end(sitemapIndex(make(`http://${host}`, url)));

const robotsOf =
  (...paths: readonly string[]): Route =>
  ({ headers: { host } }, response) =>
    response.end(paths.map((path) => `Sitemap: http://${host}${path}\n`).join(""));

// ---------------------------------------------------------------- cycles and endless nesting

const s01: HostileCase = {
  id: "sec-S01",
  server: "an index that lists itself, in five spellings",
  expected: "one request; each place failed index.self-reference",
  bounds: { requests: 2 },
  serve: async (stage) => ({
    url: await stage.http({
      "/sitemap.xml": indexRoute((origin) => [
        `${origin}/sitemap.xml`,
        `${origin.toUpperCase().replace("HTTP", "http")}/./sitemap.xml`,
        `${origin}/x/../sitemap.xml`,
        `${origin}/sitemap.xml#top`,
        `${origin}/%2e/sitemap.xml`,
      ]),
    }),
  }),
  async run(context) {
    const { document, sitemaps } = await context.walk(context.url());
    context.expectSitemap(document, { outcome: "found", kind: "index" });
    const places = sitemaps.filter(({ parentUrl, level }) => parentUrl !== undefined && level === 2);
    context.expect(places.length > 0, "no event for a place");
    for (const place of places) {
      context.expectSitemap(place, { outcome: "failed", code: "index.self-reference" }, place.url);
    }
    return `${outcomeOf(document)}; ${outcomeOf(places[0])}`;
  },
};

const s02: HostileCase = {
  id: "sec-S02",
  server: "A lists B lists A; the same index under another URL",
  expected: "each requested once: failed index.cycle; children shared, index.duplicate-content",
  bounds: { requests: 8 },
  serve: async (stage) => {
    const leaf = { "/leaf.xml": { body: urlset(3) } };
    return {
      circle: await stage.http({
        "/sitemap.xml": indexRoute((origin) => [`${origin}/b.xml`, `${origin}/leaf.xml`]),
        "/b.xml": indexRoute((origin) => [`${origin}/sitemap.xml`]),
        ...leaf,
      }),
      copies: await stage.http({
        "/robots.txt": robotsOf("/a.xml", "/b.xml"),
        "/a.xml": indexRoute((origin) => [`${origin}/leaf.xml`]),
        "/b.xml": indexRoute((origin) => [`${origin}/leaf.xml`]),
        ...leaf,
      }),
    };
  },
  async run(context) {
    const circle = await context.walk(`${context.site["circle"]}/`);
    const back = circle.sitemaps.find(({ level }) => level === 3);
    context.expectSitemap(back, { outcome: "failed", code: "index.cycle" });
    const copies = await context.walk(`${context.site["copies"]}/`);
    const shared = copies.sitemaps.filter(({ outcome }) => outcome === "shared");
    context.expectEqual(shared.length, 1, "shared places");
    context.expect(copies.codes.has("index.duplicate-content"), "no index.duplicate-content");
    context.expectEqual([circle.pageCount, copies.pageCount], [3, 3], "pages");
    return `${outcomeOf(back)}; ${outcomeOf(shared[0])}`;
  },
};

const s03: HostileCase = {
  id: "sec-S03",
  server: "endless new indexes, each with one child",
  expected: "11 levels requested, the 12th stopped limit.depth",
  bounds: { requests: 12 },
  serve: async (stage) => ({
    url: await stage.http({
      "/sitemap.xml": indexRoute((origin, path) => [`${origin}${path}${path.includes("?") ? "" : "?"}x`]),
    }),
  }),
  async run(context) {
    const { sitemaps, codes } = await context.walk(context.url(), { limits: DEFAULT_LIMITS });
    const last = sitemaps.find(({ level }) => level === 12);
    context.expectSitemap(last, { outcome: "stopped", code: "limit.depth" });
    context.expect(codes.has("limit.depth"), "no limit.depth");
    return `${sitemaps.length - 2} levels, then ${outcomeOf(last)}`;
  },
};

/** An index of `count` children, each of which is such an index. */
const trap = (children: number): Route =>
  indexRoute((origin, path) =>
    Array.from({ length: children }, (_, n) => `${origin}/sitemap.xml?${path.split("?")[1] ?? ""}.${n}`),
  );

/** The same, generated while it is sent and only as far as it is read. */
function endlessTrap(children: number): Route {
  let count = 0;
  return async ({ headers: { host } }, response) => {
    const own = `http://${host}/sitemap.xml?${count++}`;
    const rows = each(children / 100, (row) =>
      Array.from({ length: 100 }, (_, n) => `<sitemap><loc>${own}.${row}.${n}</loc></sitemap>\n`).join(""),
    );
    await pour(response, join("<sitemapindex>", rows, "</sitemapindex>"));
    response.end();
  };
}

const s04: HostileCase = {
  id: "sec-S04",
  server: "endless new indexes, each with 3 or with 50,000 children",
  expected:
    "3: 500 indexes followed and none beyond, limit.indexes; 50,000: fewer than 500 followed, limit.sitemaps",
  bounds: { requests: 1502, ms: 10_000 },
  parts: ["three", "many"],
  serve: async (stage) => ({
    three: await stage.http({ "/sitemap.xml": trap(3) }),
    many: await stage.http({ "/sitemap.xml": endlessTrap(50_000) }),
  }),
  async run(context) {
    const { part, site } = context;
    const { codes, sitemaps } = await context.walk(`${site[part]}/`, { limits: DEFAULT_LIMITS });
    const asked = (await context.facts()).requests
      .map(({ path }) => path)
      .filter((path) => path !== "/robots.txt");
    const most = DEFAULT_LIMITS.indexes;
    if (part === "many") {
      // `?7.12.34` was listed by the eighth response.
      const followed = new Set(asked.flatMap((path) => path.split("?")[1]?.split(".")[0] ?? []));
      context.expect(followed.size > 0 && followed.size <= most, `${followed.size} indexes followed`);
      context.expect(asked.length <= 1 + 3 * most, `${asked.length} indexes requested`);
      context.expect(codes.has("limit.sitemaps"), `no limit.sitemaps among ${[...codes]}`);
      return `50,000: ${followed.size} followed, ${asked.length} requested`;
    }
    // `?.1.2` is the child of `?.1`.
    const followed = new Set(
      asked.filter((path) => path.includes("?")).map((path) => path.replace(/\??\.\d+$/, "")),
    );
    context.expectEqual(followed.size, most, "indexes that were followed");
    context.expectEqual(asked.length, 1 + 3 * most, "indexes and their children");
    context.expect(codes.has("limit.indexes"), `no limit.indexes among ${[...codes]}`);
    const left = sitemaps.filter(({ outcome, code }) => outcome === "stopped" && code === "limit.indexes");
    context.expectEqual(left.length, 3 * (asked.length - most), "children reported as skipped");
    return `3: ${followed.size} followed, ${asked.length} requested, ${left.length} children left`;
  },
};

// ---------------------------------------------------------------- sitemaps without pages

const CHILDREN = 50_000;

const s05: HostileCase = {
  id: "sec-S05",
  server: "50,000 children that are 404, empty, HTML, or slow",
  expected: "the rest of the index is skipped after 200 in a row, with limit.barren",
  bounds: { ms: 10_000, requests: 202 },
  parts: ["missing", "empty", "html", "slow"],
  serve: async (stage) => {
    const index = sitemapIndex(Array.from({ length: CHILDREN }, (_, n) => `/${n}.xml`));
    const site = (child: Route): Promise<string> =>
      stage.http((request, response) => {
        if (request.url === "/robots.txt") return robotsOf("/sitemap.xml")(request, response);
        return request.url === "/sitemap.xml" ? response.end(index) : child(request, response);
      });
    return {
      missing: await site((_, response) => {
        response.statusCode = 404;
        response.end();
      }),
      empty: await site((_, response) => response.end()),
      html: await site((_, response) => response.end("<!doctype html><title>No</title>")),
      slow: await site(() => {}),
    };
  },
  async run(context) {
    const { part, site } = context;
    const { codes, document, sitemaps } = await context.walk(`${site[part]}/`, {
      // 200 of these take four seconds.
      ...(part === "slow" && { concurrency: 16 }),
      limits: { ...DEFAULT_LIMITS, headersMs: 300, retries: 0 },
    });
    const asked = (await context.facts()).requestCount - 2;
    context.expectSitemap(document, { outcome: "found", kind: "index", childCount: CHILDREN }, part);
    context.expectEqual(asked, DEFAULT_LIMITS.barrenChildren, `${part}: requested children`);
    context.expect(codes.has("limit.barren"), `${part}: no limit.barren among ${[...codes]}`);
    context.expect(
      sitemaps.some(({ outcome, code }) => outcome === "stopped" && code === "limit.barren"),
      `${part}: no child is stopped`,
    );
    return `${part} ${asked} asked for`;
  },
};

const s06: HostileCase = {
  id: "sec-S06",
  server: "a new session id in each URL of each response: the same index and the same pages without end",
  expected: "limited by depth: 11 levels; pages of the same content once, index.duplicate-content",
  bounds: { requests: 40 },
  serve: async (stage) => {
    let session = 0;
    const next = (): string => `?sid=${(++session).toString(16).padStart(32, "0")}`;
    return {
      url: await stage.http({
        "/sitemap.xml": indexRoute((origin) => [
          `${origin}/sitemap.xml${next()}`,
          `${origin}/pages.xml${next()}`,
        ]),
        "/pages.xml": { body: urlset(5) },
      }),
    };
  },
  async run(context) {
    const { codes, pageCount } = await context.walk(context.url(), { limits: DEFAULT_LIMITS });
    context.expect(codes.has("limit.depth"), "no limit.depth");
    context.expect(pageCount <= 11 * 5, `${pageCount} pages`);
    context.expect(codes.has("index.duplicate-content"), "no index.duplicate-content");
    return `${pageCount} pages, limit.depth`;
  },
};

// ---------------------------------------------------------------- size and hosts

const TINY = 50;

const s07: HostileCase = {
  id: "sec-S07",
  server: "one huge, slow sitemap, and 50 tiny ones after it",
  expected: "the tiny ones are read in the meantime; the huge one is cut by its limit",
  bounds: { ms: 5000 + SLACK_MS },
  serve: async (stage) => {
    const giant: Route = async ({ headers: { host } }, response) => {
      const piece = urlset(1000, `http://${host}/giant`).replace(/<\/?urlset[^>]*>|<\?.*\?>/g, "");
      async function* pieces(): AsyncGenerator<string> {
        yield '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
        for (;;) {
          yield piece;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
      await pour(response, pieces());
    };
    const tiny = Array.from({ length: TINY }, (_, n) => `/tiny-${n}.xml`);
    const routes = tiny.map((path): [string, Route] => [
      path,
      ({ headers: { host } }, response) => response.end(urlset(1, `http://${host}${path}`)),
    ]);
    return {
      url: await stage.http({
        "/robots.txt": robotsOf("/giant.xml", ...tiny),
        "/giant.xml": giant,
        ...Object.fromEntries(routes),
      }),
    };
  },
  async run(context) {
    const ended: string[] = [];
    const { sitemap, codes } = await context.walk(context.url(), {
      limits: { urls: INFINITY, wireBytes: 2 * MIB },
      onEvent: (event) => {
        if (event.kind === "sitemap") ended.push(new URL(event.sitemap.url).pathname);
      },
    });
    const giant = sitemap("/giant.xml");
    context.expectSitemap(giant, { outcome: "found", partial: true });
    context.expect(codes.has("limit.bytes"), "no limit.bytes");
    context.expectEqual(ended.indexOf("/giant.xml"), TINY + 1, "sitemaps that ended before the giant");
    return `${TINY} tiny ones, then ${outcomeOf(giant)}`;
  },
};

const s08: HostileCase = {
  id: "sec-S08",
  server: "children on 50,000 foreign hosts; redirects to 50",
  expected: "10 hosts are requested, the rest stopped limit.foreign-hosts",
  serve: async (stage) => {
    const victim = (n: number, port: string): string => `http://victim-${n}.example-${n}.com:${port}`;
    const route: Route = (request, response) => {
      const { url = "", headers } = request;
      const [host = "", port = ""] = String(headers.host).split(":");
      if (host.startsWith("victim")) return response.end(urlset(1, `http://${headers.host}`));
      if (url === "/robots.txt") {
        const paths = host.startsWith("redirects")
          ? Array.from({ length: 50 }, (_, n) => `/${n}`)
          : ["/sitemap.xml"];
        return robotsOf(...paths)(request, response);
      }
      if (url === "/sitemap.xml") {
        return response.end(
          sitemapIndex(Array.from({ length: CHILDREN }, (_, n) => `${victim(n, port)}/s.xml`)),
        );
      }
      return response.writeHead(302, { location: `${victim(Number(url.slice(1)), port)}/s.xml` }).end();
    };
    const { port } = new URL(await stage.http(route));
    return { index: `http://index.example.com:${port}`, redirects: `http://redirects.example.org:${port}` };
  },
  async run(context) {
    const outcomes: string[] = [];
    let before = 0;
    for (const [name, url] of Object.entries(context.site)) {
      const { codes, sitemaps } = await context.walk(`${url}/`, {
        limits: DEFAULT_LIMITS,
        clientOptions: namesAt(),
      });
      const { requests } = await context.facts();
      const hosts = new Set(requests.slice(before).map(({ headers }) => String(headers["host"])));
      before = requests.length;
      hosts.delete(new URL(String(url)).host);
      context.expectEqual(hosts.size, 10, `hosts of others that were asked (${name})`);
      context.expect(codes.has("limit.foreign-hosts"), `${name}: no limit.foreign-hosts`);
      const stopped = sitemaps.find(({ code }) => code === "limit.foreign-hosts");
      context.expectSitemap(stopped, { outcome: "stopped" }, name);
      outcomes.push(`${name}: ${hosts.size} hosts`);
    }
    return outcomes.join(", ");
  },
};

const s09: HostileCase = {
  id: "sec-S09",
  server: "the same page 10 million times; 100 sitemaps with the same 10,000 pages",
  expected: "found once; found 100 times, as a stream reports each listing; constant memory",
  bounds: { rssMiB: 48 },
  parts: ["once", "often"],
  serve: async (stage) => {
    const many = Array.from({ length: 100 }, (_, n) => `/${n}.txt`);
    const pages: Route = ({ headers: { host } }, response) =>
      pour(
        response,
        each(10_000, (n) => `http://${host}/${n}\n`),
      ).then(() => response.end());
    const once = await serveDocuments(stage, {
      sitemap: {
        body: (at) => join(`${at}\n`, fill(`${at}\n`, 10_000_000 * (at.length + 1))),
      },
    });
    const often = await stage.http({
      "/robots.txt": robotsOf(...many),
      ...Object.fromEntries(many.map((path) => [path, pages])),
    });
    return { once, often };
  },
  async run(context) {
    const { part, site } = context;
    const limits = { ...DEFAULT_LIMITS, wireBytes: INFINITY, decodedBytes: INFINITY, cpuMs: INFINITY };
    const { pageCount, document } = await context.walk(`${site[part]}/`, { limits });
    if (part === "often") {
      context.expectEqual(pageCount, 1_000_000, "pages of 100 sitemaps");
      return `${pageCount} pages`;
    }
    context.expectEqual(pageCount, 1, "different pages");
    const { duplicateCount = 0 } = document ?? {};
    context.expect(duplicateCount >= 10_000_000 - 1, `${duplicateCount} repeats`);
    return `${outcomeOf(document)}, ${duplicateCount} repeats`;
  },
};

const s10: HostileCase = {
  id: "sec-S10",
  server: "tens of thousands of integer-like strings: paths, hosts, user agents, attribute names",
  expected: "linear time",
  bounds: { cpuMs: 4000 },
  serve: async (stage) => {
    // Multiples of a power of two: if integers are their own hash, these share one slot.
    const number = (n: number): number => n * 65_536;
    const robots: Route = ({ headers: { host } }, response) => {
      const groups = Array.from(
        { length: 12_000 },
        (_, n) => `User-agent: ${number(n)}\nDisallow: /${number(n)}\n`,
      );
      response.end(
        `Sitemap: http://${host}/index.xml\nSitemap: http://${host}/pages.xml\n${groups.join("")}`,
      );
    };
    return {
      url: await stage.http({
        "/robots.txt": robots,
        "/index.xml": indexRoute((origin) =>
          Array.from({ length: CHILDREN }, (_, n) => `${origin}/${number(n)}`),
        ),
        "/pages.xml": async ({ headers: { host } }, response) => {
          const entries = each(
            CHILDREN,
            (n) => `<url a${number(n)}="${number(n)}"><loc>http://${host}/${number(n)}</loc></url>`,
          );
          await pour(response, join("<urlset>", entries, "</urlset>"));
          response.end();
        },
      }),
    };
  },
  async run(context) {
    const { pageCount, sitemap } = await context.walk(context.url(), {
      limits: { ...DEFAULT_LIMITS, sitemaps: 3 },
      respectRobots: true,
    });
    context.expectEqual(pageCount, CHILDREN, "pages");
    context.expectSitemap(sitemap("/index.xml"), { outcome: "found", childCount: CHILDREN });
    return `${pageCount} pages, ${sitemap("/index.xml")?.childCount} children`;
  },
};

// ---------------------------------------------------------------- while it is walked

const s11: HostileCase = {
  id: "sec-S11",
  server:
    "changes during the walk: children vanish, are truncated, become pages, and the index differs each time",
  expected: "each child has its own outcome; the others are complete",
  serve: async (stage) => {
    let version = 0;
    return {
      url: await stage.http({
        "/sitemap.xml": indexRoute((origin) => {
          version++;
          return ["a", "gone", "broken", "html", "b"].map((name) => `${origin}/${name}.xml?${version}`);
        }),
        "/a.xml": { body: urlset(2) },
        "/gone.xml": { status: 410 },
        "/broken.xml": (_, response) => {
          response.writeHead(200, { "content-length": "100000" });
          response.write(urlset(3).slice(0, -20), () => response.destroy());
        },
        "/html.xml": { body: "<!doctype html><title>Moved</title>" },
        "/b.xml": { body: urlset(2) },
      }),
    };
  },
  async run(context) {
    const { sitemap, pageCount } = await context.walk(context.url());
    context.expectSitemap(sitemap("/a.xml?1"), { outcome: "found", pageCount: 2 });
    context.expectSitemap(sitemap("/gone.xml?1"), { outcome: "failed", code: "http.status" });
    context.expectSitemap(sitemap("/broken.xml?1"), { outcome: "found", partial: true });
    context.expectSitemap(sitemap("/html.xml?1"), { outcome: "failed", code: "content.html" });
    context.expectSitemap(sitemap("/b.xml?1"), { outcome: "found", pageCount: 2 });
    return `${pageCount} pages; ${outcomeOf(sitemap("/broken.xml?1"))}; ${outcomeOf(sitemap("/gone.xml?1"))}`;
  },
};

const s12: HostileCase = {
  id: "sec-S12",
  server: "40 children that take 150 ms each, while the walk may take 700 ms",
  expected: "partial: what was read is kept, every other child is named as stopped limit.time",
  bounds: { ms: 700 + SLACK_MS },
  serve: async (stage) => ({
    url: await stage.http((request, response) => {
      const { url = "", headers } = request;
      if (url === "/robots.txt") return robotsOf("/sitemap.xml")(request, response);
      if (url === "/sitemap.xml") {
        const urls = Array.from({ length: 40 }, (_, n) => `http://${headers.host}/${n}.xml`);
        return response.end(sitemapIndex(urls));
      }
      return setTimeout(() => response.end(urlset(1, `http://${headers.host}${url}`)), 150);
    }),
  }),
  async run(context) {
    const { sitemaps, codes, pageCount } = await context.walk(context.url(), { limits: { timeMs: 700 } });
    const children = sitemaps.filter(({ level }) => level === 2);
    const found = children.filter(({ outcome }) => outcome === "found").length;
    const stopped = children.filter(({ code }) => code === "limit.time").length;
    context.expect(found > 0, "nothing was found");
    context.expectEqual(pageCount, found, "pages");
    context.expectEqual([found + stopped, children.length], [40, 40], "reported children");
    context.expect(codes.has("limit.time"), "no limit.time");
    return `${found} found, ${stopped} stopped limit.time`;
  },
};

// ---------------------------------------------------------------- what a walk holds

const LONG = "x".repeat(8000);

/** 5,000 locations of 8 KB in 50 KB of gzip. `name` makes them differ from those of other indexes. */
const longIndex = (origin: string, name: string): Buffer =>
  gzipSync(sitemapIndex(Array.from({ length: 5000 }, (_, n) => `${origin}/${name}-${n}-${LONG}`)));

/** Lists these paths, with the origin of the request. */
const listing = (...paths: readonly string[]): Route =>
  indexRoute((origin) => paths.map((path) => origin + path));

const numbered = (count: number, name: string): string[] =>
  Array.from({ length: count }, (_, n) => `/${name}${n}`);

const s13: HostileCase = {
  id: "sec-S13",
  server:
    "little on the wire, much to hold: 11 gzip indexes of 8 KB URLs, redirects to such, validators of 7 KB, " +
    "thousands of issues, indexes that list each other, 8 KB URLs in robots.txt",
  expected: "memory stays bounded; limit.held where it is reached",
  bounds: { rssMiB: 96 },
  parts: ["gzip", "redirects", "validators", "issues", "mutual", "robots"],
  serve: async (stage) => {
    const packed = new Map<string, Buffer>();
    const gzip: Route = ({ url = "", headers: { host } }, response) => {
      if (url === "/robots.txt")
        return robotsOf(...numbered(11, "index"))({ url, headers: { host } } as never, response);
      if (!url.startsWith("/index")) return response.writeHead(404).end();
      const body = packed.get(url) ?? longIndex(`http://${host}`, url.slice(1));
      packed.set(url, body);
      return response.end(body);
    };
    const paths = numbered(500, "s");
    const rest =
      (child: Route): Route =>
      (request, response) => {
        const { url = "" } = request;
        if (url === "/robots.txt") return robotsOf("/sitemap.xml")(request, response);
        return url === "/sitemap.xml" ? listing(...paths)(request, response) : child(request, response);
      };
    return {
      gzip: await stage.http(gzip),
      redirects: await stage.http(
        rest(({ url = "" }, response) =>
          url.includes(LONG)
            ? response.end(urlset(1))
            : response.writeHead(302, { location: `${url}/${LONG}` }).end(),
        ),
      ),
      validators: await stage.http(
        rest(({ url = "" }, response) =>
          response.writeHead(200, { etag: `"${url}${LONG.slice(1000)}"` }).end(urlset(1)),
        ),
      ),
      issues: await stage.http(
        rest((_request, response) =>
          response.end(
            `<urlset>${`<url><loc>http://a.example/${LONG.slice(7000)}</loc><lastmod>never</lastmod></url>`.repeat(200)}</urlset>`,
          ),
        ),
      ),
      mutual: await stage.http((request, response) =>
        request.url === "/robots.txt"
          ? robotsOf(...numbered(12, "m"))(request, response)
          : listing(...numbered(12, "m"))(request, response),
      ),
      robots: await stage.http((request, response) =>
        request.url === "/robots.txt"
          ? robotsOf(...numbered(600, `${LONG}`))(request, response)
          : response.writeHead(404).end(),
      ),
    };
  },
  async run(context) {
    const { part, site } = context;
    const { codes, sitemaps, wireBytes } = await context.walk(`${site[part]}/`, { limits: DEFAULT_LIMITS });
    if (part === "gzip") context.expect(codes.has("limit.held"), `no limit.held among ${[...codes]}`);
    return `${part}: ${sitemaps.length} sitemaps, ${wireBytes} bytes, ${[...codes].filter((code) => code.startsWith("limit."))}`;
  },
};

export const cases: readonly HostileCase[] = [
  ...[s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12, s13],
];
