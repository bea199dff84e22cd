import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildCli, emptyFolder, runCli } from "../../support/cli.ts";

buildCli();

function brokenBuild(): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, "blog"));
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>/blog/</loc></url>
  <url><loc>https://example.com/?a=1&b=2</loc></url>
  <url><loc>https://example.com/gone</loc></url>
</urlset>
`;
  writeFileSync(join(folder, "robots.txt"), "Sitemap: https://example.com/sitemap.xml\n");
  writeFileSync(join(folder, "sitemap.xml"), sitemap);
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Home</title>");
  writeFileSync(join(folder, "blog/index.html"), '<meta name="robots" content="noindex"><title>Blog</title>');
  writeFileSync(join(folder, "about.html"), "<!doctype html><title>About</title>");
  return folder;
}

it("lints a build folder without the network", async () => {
  const folder = brokenBuild();
  const { stdout, code } = await runCli(["lint", folder, "--origin", "https://example.com", "--json"]);
  expect(code).toBe(5);
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; examples: { file: string }[] }[] };
  expect(findings.map(({ rule }) => rule).toSorted()).toEqual([
    "page.missing-file",
    "page.noindex",
    "page.unlisted",
    "url.relative",
    "xml.bare-ampersand",
  ]);
  expect(findings.at(-1)!.examples[0]!.file).toBe(join(folder, "about.html"));
});

it("shows repairs as a diff, and changes files only with --write", async () => {
  const folder = brokenBuild();
  const file = join(folder, "sitemap.xml");
  const before = readFileSync(file, "utf8");
  const shown = await runCli(["lint", folder, "--fix"]);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain(
    "-  <url><loc>/blog/</loc></url>\n+  <url><loc>https://example.com/blog/</loc></url>\n",
  );
  expect(readFileSync(file, "utf8")).toBe(before);
  expect((await runCli(["lint", folder, "--fix", "--write"])).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("?a=1&amp;b=2");
  expect((await runCli(["lint", folder, "--fix"])).stdout).toBe("");
});
