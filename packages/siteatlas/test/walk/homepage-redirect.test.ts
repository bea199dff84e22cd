/** If only the homepage redirects to another host and nothing was found, that host is searched and reported. */
import { expect, it } from "vitest";
import { type Issue, sitemapTreeForHomepage, type WalkOptions } from "../../src/index.ts";
import { openSite, outline, redirectTo, robotsTxt, type TestSite, urlset } from "../support/test-site.ts";

const NEW = "127.0.0.2";

interface MovedSite {
  /** The answer of the old host to its homepage. @default a redirect to the new one */
  readonly home?: string;
  /** Files of the new host. */
  readonly files: (base: string) => Readonly<Record<string, string>>;
  /** Files of the old host. */
  readonly old?: Readonly<Record<string, string>>;
}

/** 127.0.0.1 redirects only its homepage to 127.0.0.2, which has these files. */
function openMoved({ files, old = {}, home }: MovedSite): Promise<TestSite> {
  return openSite(
    (_, site) => {
      const moved = site.at(NEW);
      const there: Readonly<Record<string, string>> = {
        "/": "<html><body>Hello</body></html>",
        ...files(moved),
      };
      const here: Readonly<Record<string, string>> = old;
      const paths = new Set([...Object.keys(there), ...Object.keys(here)]);
      return Object.fromEntries(
        [...paths].map((path) => [
          path,
          ({ headers }) => {
            if (headers.host?.startsWith(NEW))
              return there[path] === undefined ? { status: 404 } : { body: there[path] };
            if (path === "/") return redirectTo(home ?? `${moved}/`, 301);
            return here[path] === undefined ? { status: 404 } : { body: here[path] };
          },
        ]),
      );
    },
    { everyAddress: true },
  );
}

async function read(
  site: TestSite,
  options: WalkOptions = {},
): Promise<{ tree: string[]; issues: readonly Issue[] }> {
  const tree = await sitemapTreeForHomepage(site.url, { allowPrivateNetworks: true, ...options });
  return { tree: outline(tree, site.at(NEW)), issues: tree.issues };
}

function requestsAt(site: TestSite): string[] {
  return site.paths(`${NEW}:${site.port}`);
}

it("searches robots.txt and the known locations of the host that the homepage redirects to", async () => {
  const site = await openMoved({
    files: (base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
      "/sitemap.txt": `${base}/2\n`,
    }),
  });
  const { tree, issues } = await read(site);
  expect(tree.slice(1)).toEqual([
    "  index robots /robots.txt",
    "    pages xml /a.xml: /1",
    "  pages text /sitemap.txt: /2",
  ]);
  expect(issues).toEqual([
    { code: "site.moved", severity: "info", url: `${site.url}/`, value: `${site.at(NEW)}/` },
  ]);
});

it("does not search it if something was found before", async () => {
  const site = await openMoved({
    files: (base) => ({ "/robots.txt": robotsTxt([`${base}/a.xml`]), "/a.xml": urlset([`${base}/1`]) }),
    old: { "/sitemap.xml": urlset(["http://127.0.0.1/1"]) },
  });
  const { issues } = await read(site, { useHomepageLinks: true });
  expect(issues).toEqual([]);
  expect(requestsAt(site)).toEqual(["/"]);
});

it("a redirect to another path of the same host is not a move", async () => {
  const site = await openMoved({ home: "/", files: () => ({}), old: {} });
  const { issues } = await read(site, { limits: { redirects: 1 } });
  expect(issues.map(({ code }) => code)).not.toContain("site.moved");
});

it.each(["none", "same-site"] as const)("crossHost %s forbids the redirect", async (crossHost) => {
  const site = await openMoved({ files: (base) => ({ "/sitemap.xml": urlset([`${base}/1`]) }) });
  const { tree, issues } = await read(site, { crossHost });
  expect(tree).toHaveLength(1);
  expect(issues.map(({ code }) => code)).toEqual(["url.cross-host"]);
  expect(requestsAt(site)).toEqual([]);
});

it("the guard blocks a private host that the homepage redirects to", async () => {
  const site = await openMoved({ files: (base) => ({ "/sitemap.xml": urlset([`${base}/1`]) }) });
  const { tree, issues } = await read(site, { allowPrivateNetworks: false });
  expect(tree).toHaveLength(1);
  expect(issues.map(({ code }) => code)).toEqual(["http.blocked-address"]);
  expect(requestsAt(site)).toEqual([]);
});

it("the new host counts as a foreign host, and so do those that it lists", async () => {
  const site = await openMoved({
    files: (base) => ({
      "/robots.txt": robotsTxt([`${base.replace(NEW, "127.0.0.3")}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
    }),
  });
  const none = await read(site, { limits: { foreignHosts: 0 } });
  expect(none.issues.map(({ code }) => code).sort()).toEqual(["limit.foreign-hosts", "limit.foreign-hosts"]);
  expect(requestsAt(site)).toEqual([]);
  const one = await read(site, { limits: { foreignHosts: 1 } });
  expect(one.tree.join("\n")).toContain("invalid limit.foreign-hosts");
});

it("the rules of the new host's robots.txt apply there", async () => {
  const site = await openMoved({
    files: (base) => ({
      "/robots.txt": robotsTxt([], "Disallow: /sitemap.xml"),
      "/sitemap.xml": urlset([`${base}/1`]),
      "/sitemap.txt": `${base}/2\n`,
    }),
  });
  const { tree } = await read(site, { respectRobots: true });
  expect(tree.slice(1)).toEqual(["  index robots /robots.txt", "  pages text /sitemap.txt: /2"]);
  expect(requestsAt(site)).not.toContain("/sitemap.xml");
});

it("the caller's headers are not sent to the new host", async () => {
  const site = await openMoved({ files: (base) => ({ "/sitemap.xml": urlset([`${base}/1`]) }) });
  await read(site, { headers: { authorization: "Bearer secret" } });
  const there = site.requests.filter(({ host }) => host.startsWith(NEW));
  expect(there.length).toBeGreaterThan(1);
  expect(there.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
});

it("useHomepageLinks: false does not request the homepage, so nothing is searched", async () => {
  const site = await openMoved({ files: (base) => ({ "/sitemap.xml": urlset([`${base}/1`]) }) });
  const { tree, issues } = await read(site, { useHomepageLinks: false });
  expect(tree).toHaveLength(1);
  expect(issues).toEqual([]);
  expect(site.count("/")).toBe(0);
});

it("every known location redirects to the new homepage: the new host is searched", async () => {
  const site = await openSite(
    {},
    {
      everyAddress: true,
      fallback: ({ headers, url }) => {
        const [, port = ""] = (headers.host ?? "").split(":");
        const moved = `http://${NEW}:${port}`;
        if (!headers.host?.startsWith(NEW)) return redirectTo(`${moved}/`);
        if (url === "/sitemap.xml") return { body: urlset([`${moved}/1`]) };
        return url === "/" ? { body: "<html></html>" } : { status: 404 };
      },
    },
  );
  const { tree } = await read(site);
  expect(tree.at(-1)).toBe("  pages xml /sitemap.xml: /1");
});
