/** The hosts that a walk requests: `crossHost`, the limit of foreign hosts, and redirects to other hosts. */
import { expect, it, onTestFinished } from "vitest";
import type { Client } from "../../../src/fetch/client/client.ts";
import { createNodeClient } from "../../../src/fetch/client/node-client.ts";
import { sitemapTreeForHomepage } from "../../../src/tree/tree.ts";
import type { WalkedSitemap } from "../../../src/walk/events/events.ts";
import type { WalkOptions } from "../../../src/walk/options.ts";
import { walkSitemaps } from "../../../src/walk/walk-sitemaps.ts";
import {
  openSite,
  redirectTo,
  robotsTxt,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../../support/test-site.ts";

/** One server for all names: `http://a.example/b` is requested there as `/a.example/b`. */
async function openNames(routes: SiteRoutes): Promise<{ site: TestSite; client: Client }> {
  const site = await openSite(routes);
  const own = createNodeClient({ allowPrivateNetworks: true });
  onTestFinished(() => own.close());
  const client: Client = (request) => {
    const { host, pathname } = new URL(request.url);
    return own({ ...request, url: `${site.url}/${host}${pathname}` });
  };
  return { site, client };
}

async function walk(homepage: string, options: WalkOptions): Promise<WalkedSitemap[]> {
  const walked: WalkedSitemap[] = [];
  const given = { useKnownPaths: false, useHomepageLinks: false, ...options };
  for await (const event of walkSitemaps(homepage, given)) {
    if (event.kind === "sitemap") walked.push(event.sitemap);
  }
  return walked;
}

const CHILDREN = [
  "http://www.shop.example.co.uk/a.xml",
  "http://www.shop.example.co.uk:8080/a.xml",
  "https://cdn.example.co.uk/a.xml",
  "http://example.co.uk/a.xml",
  "http://other.co.uk/a.xml",
  "http://notexample.co.uk/a.xml",
  "http://example.co.uk.evil.com/a.xml",
  "http://192.0.2.1/a.xml",
];

it.each<[NonNullable<WalkOptions["crossHost"]>, readonly number[]]>([
  ["follow", [0, 1, 2, 3, 4, 5, 6, 7]],
  ["same-site", [0, 1, 2, 3]],
  ["none", [0]],
])("crossHost: %s (sec-U02)", async (crossHost, followed) => {
  const { site, client } = await openNames({
    "/www.shop.example.co.uk/robots.txt": robotsTxt(CHILDREN),
    ...Object.fromEntries(
      CHILDREN.map((url) => [url.replace(/^https?:\/\//, "/"), urlset(["http://www.shop.example.co.uk/1"])]),
    ),
  });
  const walked = await walk("http://www.shop.example.co.uk/", { client, crossHost });
  const at = (outcome: string): string[] =>
    walked
      .filter((sitemap) => sitemap.outcome === outcome && sitemap.source === "sitemap")
      .map(({ url }) => url);
  expect(at("found").sort()).toEqual(followed.map((index) => CHILDREN[index]!).sort());
  expect(at("skipped").sort()).toEqual(CHILDREN.filter((_, index) => !followed.includes(index)).sort());
  expect(walked.every(({ outcome, code }) => outcome !== "skipped" || code === "url.cross-host")).toBe(true);
  expect(site.requests).toHaveLength(1 + followed.length);
});

it.each([
  ["http://a.github.io/", "http://b.github.io/s.xml", false],
  ["http://a.github.io/", "http://www.a.github.io/s.xml", true],
  ["http://127.0.0.1/", "http://127.0.0.2/s.xml", false],
  ["http://127.0.0.1/", "http://127.0.0.1:81/s.xml", true],
  ["http://localhost/", "http://otherhost/s.xml", false],
  ["http://[::1]/", "http://[::2]/s.xml", false],
])("same-site: from %s to %s: %s", async (homepage, child, isFollowed) => {
  const { client } = await openNames({
    [`/${new URL(homepage).host}/robots.txt`]: robotsTxt([child]),
    [child.replace("http://", "/")]: urlset([`${homepage}1`]),
  });
  const [sitemap] = await walk(homepage, { client, crossHost: "same-site" }).then((all) => all.slice(1));
  expect(sitemap?.outcome).toBe(isFollowed ? "found" : "skipped");
});

it.each(["same-site", "none"] as const)(
  "%s also applies to redirects, links and known locations",
  async (crossHost) => {
    const { site, client } = await openNames({
      "/example.com/robots.txt": robotsTxt(["http://example.com/a.xml"]),
      "/example.com/a.xml": redirectTo("http://victim.org/a.xml"),
      "/example.com/sitemap.xml": redirectTo("http://victim.org/b.xml"),
      "/example.com/": '<link rel="sitemap" href="http://victim.org/c.xml">',
    });
    const options = { client, crossHost, useKnownPaths: true, useHomepageLinks: true };
    const walked = await walk("http://example.com/", options);
    expect(site.paths().filter((path) => path.includes("victim"))).toEqual([]);
    expect(walked.filter(({ code }) => code === "url.cross-host").map(({ url }) => url)).toEqual([
      "http://example.com/a.xml",
      "http://example.com/sitemap.xml",
      "http://victim.org/c.xml",
    ]);
    const tree = await sitemapTreeForHomepage("http://example.com/", options);
    expect(tree.subSitemaps.map(({ subSitemaps }) => subSitemaps)).toEqual([[]]);
    expect(tree.partial).toBeUndefined();
  },
);

it.each(["same-site", "none"] as const)(
  "%s: the host that robots.txt redirects to also counts as the site (H40)",
  async (crossHost) => {
    const { client } = await openNames({
      "/example.com/robots.txt": redirectTo("http://www.example.org/robots.txt"),
      "/www.example.org/robots.txt": robotsTxt(["/a.xml", "http://example.com/b.xml"]),
      "/www.example.org/a.xml": urlset(["/1"]),
      "/example.com/b.xml": urlset(["/2"]),
    });
    const walked = await walk("http://example.com/", { client, crossHost });
    expect(walked.map(({ outcome }) => outcome)).toEqual(["found", "found", "found"]);
  },
);

it("sec-S08: children on 50,000 hosts: 10 hosts get requests, the rest is stopped", async () => {
  const hosts = Array.from({ length: 50_000 }, (_, at) => `http://victim${at}.org/s.xml`);
  const { site, client } = await openNames({
    "/example.com/robots.txt": robotsTxt(["http://cdn.example.com/index.xml"]),
    "/cdn.example.com/index.xml": sitemapIndex(hosts),
  });
  const options = { client, useKnownPaths: false, useHomepageLinks: false };
  const tree = await sitemapTreeForHomepage("http://example.com/", options);
  // The site's own hosts do not count.
  expect(site.requests).toHaveLength(2 + 10);
  expect(tree).toMatchObject({
    partial: true,
    issues: [{ code: "limit.foreign-hosts", value: "11; limits.foreignHosts allows 10" }],
  });
  const children = tree.subSitemaps[0]!.subSitemaps[0]!.subSitemaps;
  expect(children).toHaveLength(50_000);
  const stopped = children.filter((node) => node.kind === "invalid" && node.code === "limit.foreign-hosts");
  expect(stopped).toHaveLength(50_000 - 10);
});

it("sec-S08: redirects to further hosts are also stopped", async () => {
  const names = Array.from({ length: 6 }, (_, at) => `s${at}`);
  const { site, client } = await openNames({
    "/example.com/robots.txt": robotsTxt(names.map((name) => `http://example.com/${name}.xml`)),
    ...Object.fromEntries(
      names.map((name) => [`/example.com/${name}.xml`, redirectTo(`http://${name}.org/a.xml`)]),
    ),
  });
  const walked = await walk("http://example.com/", { client, concurrency: 1, limits: { foreignHosts: 2 } });
  expect(site.paths().filter((path) => path.endsWith(".org/a.xml"))).toHaveLength(2);
  const stopped = walked.filter(({ outcome }) => outcome === "stopped");
  expect(stopped).toHaveLength(4);
  expect(new Set(stopped.map(({ code }) => code))).toEqual(new Set(["limit.foreign-hosts"]));
});

it("sec-U10: a host with a final dot is the same host", async () => {
  const { site, client } = await openNames({
    "/example.com/robots.txt": robotsTxt(["http://example.com/a.xml", "http://example.com./a.xml"]),
    "/example.com/a.xml": urlset(["/1"]),
  });
  const walked = await walk("http://example.com/", { client, crossHost: "none" });
  expect(site.paths()).toEqual(["/example.com/robots.txt", "/example.com/a.xml"]);
  expect(walked.map(({ outcome }) => outcome).sort()).toEqual(["found", "found", "shared"]);
});

it.each(["same-site", "none"] as const)("%s applies to a homepage that redirects", async (crossHost) => {
  const { site, client } = await openNames({
    "/example.com/robots.txt": robotsTxt([]),
    "/example.com/": redirectTo("http://victim.org/"),
    "/victim.org/": '<link rel="sitemap" href="http://example.com/a.xml">',
  });
  await walk("http://example.com/", { client, crossHost, useHomepageLinks: true });
  expect(site.paths().filter((path) => path.includes("victim"))).toEqual([]);
});
