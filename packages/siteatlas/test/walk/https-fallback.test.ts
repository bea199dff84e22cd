/**
 * A site at https whose robots.txt lists its sitemaps with http. If http fails, https is tried once and reported.
 * Refused connections over http do not mark the https origin as dead.
 */
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import type { IndexWebsiteSitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import { openSite, robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";
import { hasOpenssl, openTlsSite } from "../support/tls-site.ts";

/** A port of loopback that refuses connections. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface Walked {
  readonly tree: IndexWebsiteSitemap;
  readonly pages: readonly string[];
  /** The paths that were requested over https, in order. */
  readonly paths: readonly string[];
}

/** Walks a site that serves these files over https. */
async function walk(files: Readonly<Record<string, string>>, httpsOnly = false): Promise<Walked> {
  const paths: string[] = [];
  const homepage = await openTlsSite(({ url = "" }, response) => {
    paths.push(url);
    const body = files[url];
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  const client = createNodeClient({ connect: buildConnector({ rejectUnauthorized: false }) });
  onTestFinished(() => client.close());
  const tree = await sitemapTreeForHomepage(homepage, {
    client,
    httpsOnly,
    useKnownPaths: false,
    useHomepageLinks: false,
    limits: { backoffMs: 1 },
  });
  return { tree, paths, pages: [...allPages(tree)].map(({ url }) => new URL(url).pathname) };
}

const codesOf = (tree: IndexWebsiteSitemap): string[] =>
  [...allSitemaps(tree)].flatMap(({ issues }) => issues.map(({ code }) => code));

describe.runIf(hasOpenssl)("an http sitemap of a site at https", () => {
  it("two that refuse connections: every page is found over https, each fallback is reported", async () => {
    const plain = `http://127.0.0.1:${await closedPort()}`;
    const { tree, paths, pages } = await walk({
      "/robots.txt": robotsTxt([`${plain}/a.xml`, `${plain}/b.xml`, "/c.xml"]),
      "/a.xml": urlset(["/a"]),
      "/b.xml": sitemapIndex(["/d.xml", "/e.xml"]),
      "/c.xml": urlset(["/c"]),
      "/d.xml": urlset(["/d"]),
      "/e.xml": urlset(["/e"]),
    });
    expect(pages).toEqual(["/a", "/d", "/e", "/c"]);
    expect(paths.toSorted()).toEqual(["/a.xml", "/b.xml", "/c.xml", "/d.xml", "/e.xml", "/robots.txt"]);
    const [a] = tree.subSitemaps[0]!.subSitemaps;
    expect(a).toMatchObject({ kind: "pages", requestedUrl: `${plain}/a.xml` });
    expect(new URL(a!.url).protocol).toBe("https:");
    const reported = codesOf(tree).filter((code) => code === "http.https-fallback");
    expect(reported).toHaveLength(2);
    expect(tree.partial).toBeUndefined();
  });

  it("one that is 404 over http, and one that answers: only the first is tried over https", async () => {
    const plain = await openSite({ "/ok.xml": urlset(["/ok"]) });
    const { paths, pages } = await walk({
      "/robots.txt": robotsTxt([`${plain.url}/gone.xml`, `${plain.url}/ok.xml`]),
      "/gone.xml": urlset(["/gone"]),
    });
    expect(pages).toEqual(["/gone", "/ok"]);
    expect(paths).toEqual(["/robots.txt", "/gone.xml"]);
  });

  it("one that fails over both is invalid, and was tried once over https", async () => {
    const plain = `http://127.0.0.1:${await closedPort()}`;
    const { tree, paths } = await walk({ "/robots.txt": robotsTxt([`${plain}/a.xml`]) });
    expect(tree.subSitemaps[0]!.subSitemaps).toMatchObject([
      { kind: "invalid", code: "http.status", requestedUrl: `${plain}/a.xml` },
    ]);
    expect(paths).toEqual(["/robots.txt", "/a.xml"]);
  });

  it("one on another host is not tried over https", async () => {
    const plain = `http://127.0.0.2:${await closedPort()}`;
    const { tree, paths } = await walk({
      "/robots.txt": robotsTxt([`${plain}/a.xml`]),
      "/a.xml": urlset([]),
    });
    expect(tree.subSitemaps[0]!.subSitemaps).toMatchObject([{ kind: "invalid", code: "http.connection" }]);
    expect(paths).toEqual(["/robots.txt"]);
  });

  it("with httpsOnly it is skipped like any http URL", async () => {
    const plain = `http://127.0.0.1:${await closedPort()}`;
    const { tree, paths } = await walk({ "/robots.txt": robotsTxt([`${plain}/a.xml`]) }, true);
    expect(tree.subSitemaps[0]!.subSitemaps).toEqual([]);
    expect(paths).toEqual(["/robots.txt"]);
  });
});

it("an origin that answered is not dead, even after three refused connections in a row", async () => {
  const site = await openSite(
    (base) => ({ "/robots.txt": robotsTxt([1, 2, 3, 4].map((n) => `${base}/${n}.xml`)) }),
    { fallback: { body: urlset(["/page"]) } },
  );
  const own = createNodeClient({ allowPrivateNetworks: true });
  onTestFinished(() => own.close());
  let refused = 0;
  const tree = await sitemapTreeForHomepage(site.url, {
    client: async (request) => {
      if (!/\/[12]\.xml$/.test(request.url)) return own(request);
      refused++;
      throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    },
    concurrency: 1,
    useKnownPaths: false,
    useHomepageLinks: false,
    limits: { backoffMs: 1 },
  });
  expect(refused).toBe(6);
  expect(tree.subSitemaps[0]!.subSitemaps.map(({ kind }) => kind)).toEqual([
    "invalid",
    "invalid",
    "pages",
    "pages",
  ]);
});
