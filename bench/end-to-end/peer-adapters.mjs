/**
 * The peers, each as its documentation says, from the URL of the sitemap index to all pages; the options are
 * only those without which it would not read the whole site. Installed into .cache/bench, never into the project.
 */
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";
import { createGunzip } from "node:zlib";
import { peerRequire } from "../parse/peers.mjs";

/** For packages that have no entry for `require`. */
async function peerImport(name, path) {
  const manifest = pathToFileURL(peerRequire(name).resolve("./package.json"));
  return import(new URL(path, manifest).href);
}

const tasks = {
  async "@crawlee/utils"() {
    const { parseSitemap } = peerRequire("@crawlee/utils")("@crawlee/utils");
    return async (index) => {
      let found = 0;
      for await (const _ of parseSitemap([{ type: "url", url: index }])) found++;
      return found;
    };
  },

  async sitemapper() {
    const { default: Sitemapper } = await peerImport("sitemapper", "lib/assets/sitemapper.js");
    // Its timer of 15 s runs while it parses.
    return async (index) => (await new Sitemapper({ timeout: 300_000 }).fetch(index)).sites.length;
  },

  /** It parses streams and asks nobody: `fetch` and gunzip around it, one sitemap after the other. */
  async sitemap() {
    const { parseSitemapIndex, XMLToSitemapItemStream } = peerRequire("sitemap")("sitemap");
    const open = async (url) => {
      const { body } = await fetch(url);
      const stream = Readable.fromWeb(body);
      return url.endsWith(".gz") ? stream.pipe(createGunzip()) : stream;
    };
    return async (index) => {
      let found = 0;
      for (const { url } of await parseSitemapIndex(await open(index))) {
        for await (const _ of (await open(url)).pipe(new XMLToSitemapItemStream({ logger: false }))) found++;
      }
      return found;
    };
  },

  async sitemapd() {
    const [{ createSitemapReader }, { createFetchDocumentLoader }] = await Promise.all([
      peerImport("sitemapd", "dist/index.mjs"),
      peerImport("sitemapd", "dist/fetch.mjs"),
    ]);
    const reader = createSitemapReader({
      loadDocument: createFetchDocumentLoader({ fetch }),
      authorizeTarget: () => ({ _tag: "allow" }),
      limits: { maxDocuments: 1000, maxUrls: 100_000_000 },
    });
    return async (index) => {
      let found = 0;
      await reader.walk([index], {
        concurrency: 2,
        retention: "none",
        onDocument({ document }) {
          if (document._tag === "urlset") found += document.entries.length;
        },
      });
      return found;
    };
  },

  async "get-sitemap-links"() {
    const { default: getSitemapLinks } = peerRequire("get-sitemap-links")("get-sitemap-links");
    return async (index) => (await getSitemapLinks(index)).length;
  },
};

export async function load(task, { index }) {
  const read = await tasks[task]();
  return async () => ({ found: await read(index) });
}
