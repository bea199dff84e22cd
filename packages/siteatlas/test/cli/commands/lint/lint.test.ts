import { expect, it } from "vitest";
import { openSite, robotsTxt, urlset } from "../../../support/test-site.ts";
import { buildCli, runCli } from "../../support/cli.ts";

buildCli();

const open = () =>
  openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/sitemap.xml`], "Disallow: /private"),
    "/sitemap.xml": urlset([`${base}/a`, `${base}/private/b`]),
  }));

const QUIET = ["--rule", "url.private-host=off"];

it("shows the line with the problem underlined, and exits with code 5", async () => {
  const site = await open();
  const { stdout, stderr, code } = await runCli(["lint", site.url, ...QUIET], { env: { COLUMNS: "80" } });
  expect(code).toBe(5);
  expect(stdout).toContain("error[url.robots-disallowed] A listed page is disallowed by robots.txt\n");
  expect(stdout).toMatch(/--> http:\/\/127\.0\.0\.1:\d+\/sitemap\.xml:\d+:\d+\n/);
  const lines = stdout.split("\n");
  const mark = lines.findIndex((line) => line.includes("^"));
  expect(lines[mark - 1]!.slice(lines[mark]!.indexOf("^")).slice(0, 4)).toBe("http");
  expect(stdout).toContain("= fix: ");
  expect(stderr).toContain("1 error in 2 pages, 1 sitemap");
});

it("fails only at the severity of --fail-on", async () => {
  const site = await open();
  const codeOf = async (...flags: string[]): Promise<number | null> =>
    (await runCli(["lint", site.url, ...QUIET, ...flags])).code;
  expect(await codeOf("--fail-on", "never")).toBe(0);
  expect(await codeOf("--rule", "url.robots-disallowed=warning")).toBe(0);
  expect(await codeOf("--rule", "url.robots-disallowed=warning", "--fail-on", "warning")).toBe(5);
  expect(await codeOf("--ignore", "url.*:/private/*")).toBe(0);
  expect(await codeOf("--rule", "url.nonsense=off")).toBe(2);
});
