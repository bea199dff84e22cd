/** What users give: the URL of a sitemap, several sites, a site twice, a homepage that redirects to another host. */
import { expect, it } from "vitest";
import {
  openSite,
  redirectTo,
  robotsTxt,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

function openExample(): Promise<TestSite> {
  return openSite(
    (base) => ({
      "/robots.txt": robotsTxt([`${base}/other.xml`], "Disallow: /private"),
      "/other.xml": urlset([`${base}/other`]),
      "/news.xml": sitemapIndex([`${base}/a.xml`]),
      "/a.xml": urlset([`${base}/1`]),
      "/private.xml": urlset([`${base}/2`]),
    }),
    { everyAddress: true },
  );
}

it("the URL of a sitemap reads only that, with the source given", async () => {
  const site = await openExample();
  const { stdout } = await runCli(["tree", `${site.url}/news.xml`, "--json"]);
  const sources = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { url: string; source: string; level: number })
    .map(({ url, source, level }) => [url.replace(site.url, ""), source, level]);
  expect(sources).toEqual([
    ["/news.xml", "given", 0],
    ["/a.xml", "sitemap", 1],
  ]);
  const found = await runCli(["find", `${site.url}/news.xml`]);
  expect(found.stdout).toBe(`${site.url}/news.xml\tgiven URL\tindex of 1\t200\n`);
  expect(found.stderr).toBe("1 sitemap: 1 given\n");
  expect(new Set(site.paths())).toEqual(new Set(["/news.xml", "/a.xml"]));
});

it("--respect-robots reads the rules of robots.txt, not its sitemaps", async () => {
  const site = await openExample();
  const allowed = await runCli(["ls", `${site.url}/a.xml`, "--respect-robots"]);
  expect(allowed.stdout).toBe(`${site.url}/1\n`);
  const denied = await runCli(["ls", `${site.url}/private.xml`, "--respect-robots"]);
  expect([denied.code, denied.stdout]).toEqual([3, ""]);
  expect(denied.stderr).toContain("(disallowed by robots.txt)");
  expect(site.paths()).not.toContain("/other.xml");
});

it("a missing sitemap is an error that says why", async () => {
  const site = await openExample();
  const { code, stderr } = await runCli(["ls", `${site.url}/gone.xml`]);
  expect(code).toBe(3);
  expect(stderr).toContain(`error: no sitemap at ${site.url}/gone.xml (404)`);
});

it("-f tree and --ordered start at the sitemap", async () => {
  const site = await openExample();
  const nested = await runCli(["ls", `${site.url}/news.xml`, "-f", "tree"]);
  expect(nested.stdout.replaceAll(site.url, "")).toBe("/\n\t/news.xml\n\t\t/a.xml\n\t\t\t/1\n");
  const ordered = await runCli(["ls", `${site.url}/news.xml`, "--ordered"]);
  expect(ordered.stdout).toBe(`${site.url}/1\n`);
});

it("sync stores the source given, and diff says of what a snapshot is", async () => {
  const site = await openExample();
  const cwd = emptyFolder();
  await runCli(["sync", `${site.url}/news.xml`, "--snapshot", "news.gz"], { cwd });
  await runCli(["sync", site.url, "--snapshot", "site.gz"], { cwd });
  const { stderr } = await runCli(["diff", "news.gz", "site.gz"], { cwd });
  expect(stderr).toContain(
    `news.gz is a snapshot of only ${site.url}/news.xml, site.gz of the complete site`,
  );
  const mixed = await runCli(["sync", site.url, "--snapshot", "news.gz"], { cwd });
  expect(mixed.code).toBe(2);
  expect(mixed.stderr).toContain("news.gz is a snapshot of single sitemaps of");
});

it("a site given twice is read once, in any spelling and on stdin", async () => {
  const site = await openExample();
  const twice = await runCli(["ls", site.url, `${site.url}/about`, "-", "--allow-private"], {
    input: `${site.url}/\n${site.url}\n`,
  });
  expect(twice.stdout).toBe(`${site.url}/other\n`);
  expect(twice.stderr).toBe("1 page in 1 sitemap\n");
  expect(site.count("/robots.txt")).toBe(1);
});

it("ls of many sites has a column for the site", async () => {
  const site = await openExample();
  const other = site.at("127.0.0.2");
  const args = ["--allow-private", "--cross-host", "none"];
  const one = await runCli(["ls", site.url, "-f", "csv", ...args]);
  expect(one.stdout.split("\r\n", 1)[0]!.split(",")).not.toContain("site");
  const many = await runCli(["ls", "-", "-f", "ndjson", ...args], {
    input: `${site.url}/a.xml\n${other}/a.xml\n`,
  });
  const rows = many.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { site: string; sitemap: string });
  expect(rows.map((row) => row.site).sort()).toEqual([`${site.url}/a.xml`, `${other}/a.xml`]);
  const chosen = await runCli(["ls", site.url, "--fields", "url,site", "-f", "csv", ...args]);
  expect(chosen.stdout).toBe(`url,site\r\n${site.url}/other,${site.url}/\r\n`);
  const sampled = await runCli(["ls", site.url, "--fields", "site", "-f", "csv", "--sample", "1", ...args]);
  expect(sampled.stdout).toBe(`site\r\n${site.url}/\r\n`);
});

it("a homepage that redirects to another host: that host is searched, and the last line says so", async () => {
  const site = await openSite(
    (_, { port }) => {
      const moved = `http://127.0.0.2:${port}`;
      const isMoved = (host = ""): boolean => host.startsWith("127.0.0.2");
      return {
        "/": ({ headers }) => (isMoved(headers.host) ? { body: "<html></html>" } : redirectTo(`${moved}/`)),
        "/sitemap.xml": ({ headers }) =>
          isMoved(headers.host) ? { body: urlset([`${moved}/1`]) } : { status: 404 },
      };
    },
    { everyAddress: true },
  );
  const moved = site.at("127.0.0.2");
  const { code, stdout, stderr } = await runCli(["ls", site.url, "--allow-private"]);
  expect([code, stdout]).toEqual([0, `${moved}/1\n`]);
  expect(stderr).toBe(
    `1 page in 1 sitemap. ${site.url}/ redirects to ${moved}/, which was searched as well.\n`,
  );
  const synced = await runCli(["sync", site.url, "--allow-private"], { cwd: emptyFolder() });
  expect(synced.stderr).toContain(`redirects to ${moved}/, which was searched as well.`);
  const nothing = await runCli(["ls", site.url, "--allow-private", "--exclude-sitemap", "*", "--no-known"]);
  expect(nothing.code).toBe(3);
  expect(nothing.stderr).toContain(`${moved}/, where the homepage redirects.`);
});
