/** The numbers of issues are those of the documents, not of the ten examples that a walk reports of each code. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { HTML_PAGE, openSite, robotsTxt, sitemapIndex } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

interface IssueRecord {
  readonly code: string;
  readonly severity: string;
  readonly count: number;
}

/** 25 dates that are none, and 13 placeholders. */
function badDates(base: string): string {
  const dates = [...Array<string>(25).fill("yesterday"), ...Array<string>(13).fill("0000-00-00")];
  const urls = dates.map((date, i) => `<url><loc>${base}/${i}</loc><lastmod>${date}</lastmod></url>`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("\n")}</urlset>`;
}

const DATES = [
  { code: "date.invalid", severity: "warning", count: 25 },
  { code: "date.placeholder", severity: "warning", count: 13 },
];

it("of a site, in stats and tree", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": badDates(base),
  }));
  const stats = JSON.parse((await runCli(["stats", site.url, "--json"])).stdout);
  expect(stats.issues).toEqual(DATES);
  expect(stats).not.toHaveProperty("moreIssues");
  const { stdout } = await runCli(["stats", site.url]);
  expect(stdout).toMatch(/▲ 38 warnings\n +▲ 25 date\.invalid .*\n +▲ 13 date\.placeholder .*\n$/);
  const tree = await runCli(["tree", site.url, "--json"]);
  const [, sitemap] = tree.stdout.split("\n").map((line) => line && JSON.parse(line));
  expect(sitemap).toMatchObject({ issues: DATES });
  expect(sitemap).not.toHaveProperty("moreIssues");
  expect((await runCli(["tree", site.url])).stdout).not.toContain("10+");
});

it("of files", async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, "maps"));
  writeFileSync(join(cwd, "maps/a.xml"), badDates("https://example.com"));
  const { stdout } = await runCli(["stats", "maps", "--json"], { cwd });
  expect(JSON.parse(stdout).issues).toEqual(DATES);
});

it("have one error for each sitemap that failed or was truncated", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([`${base}/cut.xml.gz`, `${base}/page.xml`, `${base}/gone.xml`]),
    // Random names, so that the half of the file has complete entries.
    "/cut.xml.gz": {
      body: half(gzipSync(randomUrlset(base))),
      headers: { "content-type": "application/gzip" },
    },
    "/page.xml": HTML_PAGE,
  }));
  const { stdout, stderr } = await runCli(["stats", site.url, "--json"]);
  const issues = JSON.parse(stdout).issues as IssueRecord[];
  const errors = issues.filter(({ severity }) => severity === "error");
  expect(errors.map(({ code, count }) => [code, count])).toEqual([
    ["content.html", 1],
    ["gzip.truncated", 1],
    ["http.status", 1],
  ]);
  expect(issues.map(({ code }) => code)).not.toContain("index.lists-page");
  expect(stderr).toContain("2 sitemaps failed (404, HTML page), 1 was truncated.");
  const tree = await runCli(["tree", site.url, "--json"]);
  const page = tree.stdout.split("\n").find((line) => line.includes("/page.xml"));
  // The page is a failure, so that it counts once.
  expect(JSON.parse(page ?? "")).toMatchObject({ code: "content.html", issues: [] });
  expect(issuesOfTree(tree.stdout)).toEqual(
    Object.fromEntries(issues.map(({ code, count }) => [code, count])),
  );
  expect((await runCli(["tree", site.url])).stdout).toMatch(/cut\.xml\.gz .* truncated {2}✖ 1\n/);
});

/** The numbers of all issues in `tree --json`. The code of a failure counts as an issue. */
function issuesOfTree(stdout: string): Record<string, number> {
  const sum: Record<string, number> = {};
  const add = (code: string, count: number): void => {
    sum[code] = (sum[code] ?? 0) + count;
  };
  for (const line of stdout.trimEnd().split("\n")) {
    const { outcome, code, issues } = JSON.parse(line) as {
      outcome: string;
      code: string;
      issues: IssueRecord[];
    };
    for (const issue of issues) add(issue.code, issue.count);
    if (outcome === "failed") add(code, 1);
  }
  return sum;
}

it("that -vv does not show are in its last line", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": badDates(base),
  }));
  const last = async (...flags: string[]): Promise<string> =>
    (await runCli(["ls", site.url, ...flags])).stderr.trimEnd().split("\n").at(-1) ?? "";
  // 15 of 25 and 3 of 13.
  expect(await last("-vv")).toBe(
    "38 pages in 1 sitemap. 18 more issues were not shown: -vv shows 10 per code and document. " +
      "Show more with --max-issues 1000.",
  );
  expect(await last("-vv", "--max-issues", "1000")).toBe("38 pages in 1 sitemap");
  expect(await last("-v")).toBe("38 pages in 1 sitemap");
});

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}

function randomUrlset(base: string): string {
  let seed = 1;
  const name = (): string => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed.toString(36);
  };
  const urls = Array.from({ length: 2000 }, () => `<url><loc>${base}/${name()}${name()}</loc></url>`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`;
}
