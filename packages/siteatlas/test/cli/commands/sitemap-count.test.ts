/** "N sitemaps" is the same number in every command: sitemaps that were read, without robots.txt. */
import { beforeEach, expect, it } from "vitest";
import {
  HTML_PAGE,
  openSite,
  redirectTo,
  robotsTxt,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

/** Read: i.xml, a.xml, c.xml, cut.xml, sitemap.xml. Not: robots.txt (twice), gone.xml, about.html, old.xml. */
const READ = 5;
let site: TestSite;

beforeEach(async () => {
  site = await openSite((base) => ({
    "/robots.txt": redirectTo("/robots-prod.txt"),
    "/robots-prod.txt": robotsTxt([
      `${base}/i.xml`,
      `${base}/gone.xml`,
      `${base}/cut.xml`,
      `${base}/old.xml`,
    ]),
    "/i.xml": sitemapIndex([
      `${base}/a.xml`,
      `${base}/about.html`,
      `${base}/other/ROBOTS.TXT`,
      `${base}/i.xml`,
    ]),
    "/a.xml": urlset([`${base}/1`, `${base}/2`]),
    "/old.xml": redirectTo("/a.xml"),
    "/other/ROBOTS.TXT": robotsTxt([`${base}/c.xml`]),
    "/c.xml": urlset([`${base}/3`]),
    "/cut.xml": urlset([`${base}/4`, `${base}/5`]).slice(0, -30),
    "/sitemap.xml": urlset([`${base}/6`]),
    "/about.html": HTML_PAGE,
  }));
});

it.each(["ls", "tree", "stats"])("siteatlas %s", async (command) => {
  const { stderr } = await runCli([command, site.url]);
  expect(stderr).toContain(`in ${READ} sitemaps. 2 sitemaps failed (404, HTML page), 1 was truncated.`);
});

it("siteatlas stats: the picture and --json", async () => {
  const picture = await runCli(["stats", site.url]);
  expect(picture.stdout).toContain(`${READ} sitemaps ·`);
  const { stdout } = await runCli(["stats", site.url, "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ sitemaps: READ, failed: 2, truncated: 1 });
});

it("siteatlas tree --json has as many counted objects", async () => {
  const { stdout } = await runCli(["tree", site.url, "--json"]);
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { outcome: string; format?: string });
  expect(records.filter(({ outcome, format }) => outcome === "found" && format !== "robots")).toHaveLength(
    READ,
  );
});

it("siteatlas sync, snapshot show, snapshot export and diff", async () => {
  const cwd = emptyFolder();
  const args = ["sync", site.url, "--snapshot", "s.gz", "--json"];
  const first = await runCli(args, { cwd });
  expect(first.stderr).toContain(`pages in ${READ} sitemaps saved to s.gz. `);
  const again = await runCli(args, { cwd });
  expect(again.stderr).toContain(`pages in ${READ} sitemaps. `);
  const summary = JSON.parse(again.stdout.trim().split("\n").at(-1)!) as object;
  expect(summary).toMatchObject({
    sitemapCount: READ,
    completeSitemaps: READ - 1,
    unknownSitemaps: 2,
    missingSitemaps: 1,
  });
  const shown = await runCli(["snapshot", "show", "s.gz"], { cwd });
  expect(shown.stdout).toContain(`in ${READ} sitemaps`);
  const exported = await runCli(["snapshot", "export", "s.gz"], { cwd });
  expect(exported.stderr).toBe(`5 pages in ${READ} sitemaps\n`);
  const diff = await runCli(["diff", "s.gz", "s.gz"], { cwd });
  expect(diff.stderr).toContain(`in ${READ} sitemaps`);
});

it("siteatlas find counts what it lists, also if robots.txt redirects to another name", async () => {
  const { stdout, stderr } = await runCli(["find", site.url]);
  expect(stdout.replaceAll(site.url, "")).toBe(
    [
      "/i.xml\trobots.txt line\tindex of 4\t200",
      "/gone.xml\trobots.txt line\tfailed\t404",
      "/cut.xml\trobots.txt line\txml\t200",
      "/old.xml\trobots.txt line\txml\t200",
      "/sitemap.xml\tknown location\txml\t200",
      "",
    ].join("\n"),
  );
  expect(stderr).toContain("4 sitemaps: 3 in robots.txt, 1 at known locations.");
  const { stdout: json } = await runCli(["find", site.url, "--json"]);
  const sources = json
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { source: string }).source);
  expect(sources).toEqual(["robots", "robots", "robots", "robots", "known"]);
});

it("--include-sitemap does not match the name that robots.txt redirects to", async () => {
  const { stdout } = await runCli(["ls", site.url, "--include-sitemap", "*robots-prod*"]);
  expect(stdout).toBe("");
});

it("an HTML page in an index is one issue, and robots.txt in any case another", async () => {
  const { stdout } = await runCli(["stats", site.url, "--json"]);
  const { issues } = JSON.parse(stdout) as { issues: { code: string; count: number }[] };
  expect(Object.fromEntries(issues.map(({ code, count }) => [code, count]))).toEqual({
    "content.html": 1,
    "http.status": 1,
    "index.lists-robots": 1,
    "xml.truncated": 1,
  });
});
