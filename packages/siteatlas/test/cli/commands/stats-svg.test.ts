/** `siteatlas stats --svg`: one chart as a file or on stdout. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

async function openSmallSite(): Promise<string> {
  const site = await openSite((base) => ({
    "/robots.txt": `Sitemap: ${base}/s.xml\n`,
    "/s.xml": urlset([`${base}/a/1`, `${base}/a/2`, `${base}/b/1`]),
  }));
  return site.url;
}

it("writes a chart of the selected pages", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  const all = await runCli(["stats", url, "--svg", "sections", "-o", "s.svg"], { cwd });
  expect([all.code, all.stdout]).toEqual([0, ""]);
  expect(readFileSync(join(cwd, "s.svg"), "utf8")).toContain("by number of pages: /a 2 (67%); /b 1 (33%).");
  const some = await runCli(["stats", url, "--svg", "sections", "--include", "/a/*"], { cwd });
  expect(some.stdout).toMatch(/^<svg .*by number of pages: \/a 2 \(100%\)\..*<\/svg>\n$/s);
});

it("rejects other charts and formats, and writes nothing for a site without sitemaps", async () => {
  const cwd = emptyFolder();
  const messageOf = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await runCli(["stats", "none.invalid", "--svg", ...args], { cwd });
    expect(code).toBe(2);
    return stderr;
  };
  expect(await messageOf("pie")).toContain("sections, months, days, ages");
  expect(await messageOf("ages", "--json")).toContain("--svg and --json cannot be used together");
  expect(await messageOf("ages", "-o", "a.csv")).toContain("Name the file *.svg.");
  const { url } = await openSite({});
  expect((await runCli(["stats", url, "--svg", "ages", "-o", "a.svg"], { cwd })).code).toBe(3);
  expect(readdirSync(cwd)).toEqual([]);
});
