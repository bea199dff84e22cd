/** `siteatlas parse robots.txt`: the name of the file says what it is, as on a site. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const TEXT = "User-agent: *\nDisallow: /a\nSitemap: https://example.com/a.xml\nSitemap: /b.xml\n";

it("needs no --url, and says what happened to relative Sitemap lines", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "robots.txt"), TEXT);
  const { code, stdout, stderr } = await runCli(["parse", "robots.txt", "--sitemaps"], { cwd });
  expect([code, stdout]).toEqual([0, "https://example.com/a.xml\n"]);
  expect(stderr).toBe(
    "0 pages, 1 sitemap in 1 document. 1 relative URL was dropped because --url is missing. Details: -v\n",
  );
  const url = "https://example.com/robots.txt";
  const all = await runCli(["parse", "robots.txt", "--sitemaps", "--url", url], { cwd });
  expect(all.stdout).toBe("https://example.com/a.xml\nhttps://example.com/b.xml\n");
});

it("has a hint if only its content is a robots.txt", async () => {
  const { code, stderr } = await runCli(["parse", "-"], { input: TEXT });
  expect(code).toBe(3);
  expect(stderr).toContain(
    "cannot read stdin: the first 100 lines contain no URL. If it is a robots.txt, name its URL: --url https://example.com/robots.txt\n",
  );
});
