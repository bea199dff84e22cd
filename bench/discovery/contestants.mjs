/**
 * The readers, each as its documentation says, from the homepage to all pages. They call `give` for each URL at once,
 * so that what was found before an error counts. `node contestants.mjs NAME HOMEPAGE` runs one of them and prints the
 * URLs.
 */
import { pathToFileURL } from "node:url";
import { peerRequire } from "../parse/peers.mjs";

/** For packages that have no entry for `require`. */
async function peerImport(name, path) {
  const manifest = pathToFileURL(peerRequire(name).resolve("./package.json"));
  return import(new URL(path, manifest).href);
}

async function siteatlas(homepage, give, options) {
  const { streamPages } = await import("siteatlas");
  for await (const { url } of streamPages(homepage, options)) give(url);
}

/** Reads the whole body, so that a broken connection is a response like any other. */
async function fetchOr502(url, init) {
  try {
    const response = await fetch(url, init);
    const { status, headers } = response;
    const hasBody = status >= 200 && ![204, 205, 304].includes(status);
    return new Response(hasBody ? await response.arrayBuffer() : null, { status, headers });
  } catch {
    return new Response(null, { status: 502 });
  }
}

/** Each with what the report says of it. */
export const contestants = {
  siteatlas: {
    note: "`streamPages`, default options",
    read: (homepage, give) => siteatlas(homepage, give, {}),
  },

  "siteatlas, useHomepageLinks": {
    note: "also reads `<link rel=sitemap>` and `Link:` headers of the homepage",
    read: (homepage, give) => siteatlas(homepage, give, { useHomepageLinks: true }),
  },

  "@crawlee/utils": {
    package: "@crawlee/utils",
    note: "`discoverValidSitemaps`, then `parseSitemap` for each sitemap on its own; an error ends only that sitemap",
    async read(homepage, give) {
      const { discoverValidSitemaps, parseSitemap } = peerRequire("@crawlee/utils")("@crawlee/utils");
      const errors = [];
      for await (const url of discoverValidSitemaps([homepage])) {
        try {
          for await (const { loc } of parseSitemap([{ type: "url", url }])) give(loc);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  },

  "@crawlee/utils Sitemap.load": {
    package: "@crawlee/utils",
    note: "`discoverValidSitemaps`, then `Sitemap.load` for all",
    async read(homepage, give) {
      const { discoverValidSitemaps, Sitemap } = peerRequire("@crawlee/utils")("@crawlee/utils");
      const found = [];
      for await (const url of discoverValidSitemaps([homepage])) found.push(url);
      for (const url of (await Sitemap.load(found)).urls) give(url);
    },
  },

  sitemapd: {
    package: "sitemapd",
    note: "`parseRobotsSitemaps` on a robots.txt that we fetch for it, then `walk`; its `fetch` answers 502 instead of throwing, because an error ends the walk",
    async read(homepage, give) {
      const [{ createSitemapReader, parseRobotsSitemaps }, { createFetchDocumentLoader }] = await Promise.all(
        [peerImport("sitemapd", "dist/index.mjs"), peerImport("sitemapd", "dist/fetch.mjs")],
      );
      const reader = createSitemapReader({
        loadDocument: createFetchDocumentLoader({ fetch: fetchOr502 }),
        authorizeTarget: () => ({ _tag: "allow" }),
        limits: { maxDocuments: 1000 },
      });
      const robotsUrl = new URL("/robots.txt", homepage).href;
      const robots = await (await fetch(robotsUrl)).text();
      const roots = parseRobotsSitemaps(robots, robotsUrl).map(({ loc }) => loc);
      await reader.walk(roots, {
        retention: "none",
        onDocument({ document }) {
          if (document._tag === "urlset") for (const { loc } of document.entries) give(loc);
        },
      });
    },
  },
};

if (process.argv[2] !== undefined) {
  const [, , name, homepage] = process.argv;
  // Peers log to the console.
  for (const level of ["log", "info", "warn", "error", "debug"]) console[level] = () => {};
  await contestants[name].read(homepage, (url) => process.stdout.write(`${url}\n`));
  // Some peers leave timers and sockets behind.
  process.exit();
}
