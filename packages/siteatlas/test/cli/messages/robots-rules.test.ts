/** `--respect-robots`: the summary counts skipped sitemaps, and flags that contradict it are rejected. */
import { expect, it } from "vitest";
import { openSite, robotsTxt, sitemapIndex, urlset } from "../../support/test-site.ts";
import { buildCli, runCli } from "../support/cli.ts";

buildCli();

it("the summary counts the sitemaps that robots.txt disallows", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/index.xml`], "User-agent: *\nDisallow: /private/\n"),
    "/index.xml": sitemapIndex([`${base}/a.xml`, `${base}/private/b.xml`, `${base}/private/c.xml`]),
    "/a.xml": urlset([`${base}/a`]),
    "/private/b.xml": urlset([`${base}/b`]),
    "/private/c.xml": urlset([`${base}/c`]),
  }));
  const { code, stdout, stderr } = await runCli(["ls", site.url, "--respect-robots"]);
  expect([code, stdout]).toEqual([0, `${site.url}/a\n`]);
  expect(stderr).toBe(
    "1 page in 2 sitemaps. 2 sitemaps were skipped: robots.txt disallows them. Details: -v\n",
  );
  expect((await runCli(["ls", site.url, "--respect-robots", "-q"])).stderr).toContain(
    "2 sitemaps were skipped",
  );
  const { stderr: details } = await runCli(["ls", site.url, "--respect-robots", "-v"]);
  expect(details).toContain(`skipped ${site.url}/private/b.xml (`);
  const json = await runCli(["stats", site.url, "--respect-robots", "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ disallowed: 2 });
  expect((await runCli(["ls", site.url])).stderr).toBe("3 pages in 4 sitemaps\n");
});

it.each(["respect-robots", "crawl-delay"])("--%s with --no-robots is an error", async (name) => {
  const { code, stderr } = await runCli(["ls", "example.com", `--${name}`, "--no-robots"]);
  expect(code).toBe(2);
  expect(stderr).toBe(
    `error: --${name} and --no-robots contradict each other: the rules are in robots.txt\n  Remove one of them.\n`,
  );
});

it("a flag overrides the contrary setting of the environment", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset([`${base}/a`]),
    "/sitemap.xml": urlset([`${base}/b`]),
  }));
  const env = { SITEATLAS_RESPECT_ROBOTS: "1" };
  expect((await runCli(["ls", site.url, "--no-robots"], { env })).stdout).toBe(`${site.url}/b\n`);
});
