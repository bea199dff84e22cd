import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
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
  const files = findings
    .at(-1)!
    .examples.map(({ file }) => file)
    .toSorted();
  expect(files).toEqual([join(folder, "about.html"), join(folder, "index.html")]);
});

it("reads sitemaps with any name if robots.txt lists them", async () => {
  const folder = emptyFolder();
  const origin = "https://example.com";
  writeFileSync(join(folder, "robots.txt"), `Sitemap: ${origin}/map\nSitemap: ${origin}/feed.json\n`);
  writeFileSync(join(folder, "map"), `<urlset><url><loc>${origin}/a</loc></url></urlset>`);
  writeFileSync(join(folder, "feed.json"), `<urlset><url><loc>${origin}/b</loc></url></urlset>`);
  const { stderr } = await runCli(["lint", folder, "--rule", "page.*=off"]);
  expect(stderr).toContain("2 pages, 2 sitemaps");
});

it("says that a listed sitemap is not in the folder, and nothing about pages of a folder without HTML", async () => {
  const folder = emptyFolder();
  const origin = "https://example.com";
  const namespace = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
  const children = ["gone.xml", "a.xml"].map((name) => `<sitemap><loc>${origin}/${name}</loc></sitemap>`);
  writeFileSync(
    join(folder, "sitemap.xml"),
    `<sitemapindex ${namespace}>${children.join("")}</sitemapindex>`,
  );
  writeFileSync(join(folder, "a.xml"), `<urlset ${namespace}><url><loc>${origin}/a</loc></url></urlset>`);
  const { stdout } = await runCli(["lint", folder, "--json"]);
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; examples: { detail: string }[] }[] };
  expect(findings.map(({ rule }) => rule)).toEqual(["http.status", "robots.no-sitemap"]);
  expect(findings[0]!.examples.map(({ detail }) => detail)).toEqual(["the folder does not have this file"]);
});

it("escapes the names of files in all formats", async () => {
  const folder = join(emptyFolder(), "a\u001b[31m\u202e");
  mkdirSync(folder);
  writeFileSync(join(folder, "b\u001b[2J.xml"), "<urlset><url><loc>/a</loc></url></urlset>");
  for (const format of ["text", "json", "sarif", "github", "junit", "markdown"]) {
    const { stdout } = await runCli(["lint", folder, "--origin", "https://example.com", "-f", format]);
    expect(stdout).toContain("url.relative");
    expect(stdout).not.toMatch(/\u001b\[(?:31|2)/);
    if (format !== "json" && format !== "sarif") expect(stdout).not.toContain("\u202e");
  }
});

it("reports an unlisted page that the baseline does not contain", async () => {
  const folder = brokenBuild();
  const command = ["lint", folder, "--baseline", join(folder, "baseline.json"), "-f", "github"];
  await runCli([...command, "--update-baseline"]);
  expect((await runCli(command)).stdout).toBe("");
  renameSync(join(folder, "about.html"), join(folder, "imprint.html"));
  const { stdout } = await runCli(command);
  expect(stdout).toMatch(/^::warning title=page\.unlisted[^\n]*imprint[^\n]*\n$/);
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

it.each([
  ["with a final line break", "\n", "\n"],
  ["without a final line break", "\n", ""],
  ["with CRLF", "\r\n", "\r\n"],
])("writes a diff that git applies, %s", async (_, lineBreak, end) => {
  const folder = emptyFolder();
  const entries = Array.from({ length: 30 }, (_, at) => `\t<url><loc>https://example.com/${at}</loc></url>`);
  for (const at of [0, 1, 12, 13, 28, 29])
    entries[at] = `\t<url><loc>https://example.com/?${at}&b</loc></url>`;
  entries[15] = entries[14]!;
  const lines = ["", "<urlset>", ...entries, "</urlset>"];
  writeFileSync(join(folder, "my sitemap.xml"), lines.join(lineBreak) + end);
  const { stdout } = await runCli(["lint", "my sitemap.xml", "--fix"], { cwd: folder });
  writeFileSync(join(folder, "fix.diff"), stdout);
  execFileSync("git", ["apply", "fix.diff"], { cwd: folder });
  const text = readFileSync(join(folder, "my sitemap.xml"), "utf8");
  expect(text.match(/&amp;b/g)).toHaveLength(6);
  expect((await runCli(["lint", "my sitemap.xml", "--fix"], { cwd: folder })).stdout).toBe("");
});

it("does not replace a read-only file", async () => {
  const folder = brokenBuild();
  chmodSync(join(folder, "sitemap.xml"), 0o444);
  const { stderr, code } = await runCli(["lint", folder, "--fix", "--write"]);
  expect(code).toBe(2);
  expect(stderr).toContain("sitemap.xml: the file is read-only");
  expect(readFileSync(join(folder, "sitemap.xml"), "utf8")).toContain("?a=1&b=2");
});

it("names the file that it cannot write", async () => {
  const folder = brokenBuild();
  chmodSync(folder, 0o555);
  const uid = process.getuid?.() === 0 ? 65_534 : undefined;
  const { stderr, code } = await runCli(["lint", folder, "--fix", "--write"], { uid });
  expect(code).toBe(2);
  expect(stderr).toContain("sitemap.xml: permission denied");
});

it("reads no file that a symbolic link reaches outside of the folder", async () => {
  const folder = brokenBuild();
  const outside = emptyFolder();
  const secret = "https://example.com/secret?a&b";
  writeFileSync(join(outside, "secret.xml"), `<urlset><url><loc>${secret}</loc></url></urlset>`);
  symlinkSync(join(outside, "secret.xml"), join(folder, "linked.xml"));
  symlinkSync(outside, join(folder, "linked"));
  symlinkSync(join(folder, "sitemap.xml"), join(folder, "inside.xml"));
  const paths = ["linked.xml", "linked/secret.xml", "inside.xml"];
  const lines = paths.map((path) => `Sitemap: https://example.com/${path}\n`);
  writeFileSync(join(folder, "robots.txt"), lines.join(""));
  const { stdout } = await runCli(["lint", folder, "--origin", "https://example.com", "--json"]);
  expect(stdout).not.toContain("secret?");
  const { findings } = JSON.parse(stdout) as { findings: { rule: string; examples: { value: string }[] }[] };
  const missing = findings.find(({ rule }) => rule === "robots.stale-sitemap");
  expect(missing?.examples.map(({ value }) => value)).toEqual(
    paths.slice(0, 2).map((path) => `https://example.com/${path}`),
  );
});

it("does not wait for a baseline that is a named pipe", async () => {
  const folder = brokenBuild();
  const pipe = join(folder, "baseline.json");
  execFileSync("mkfifo", [pipe]);
  const { code, stderr } = await runCli(["lint", folder, "--baseline", pipe]);
  expect(code).toBe(2);
  expect(stderr).toContain("it is not a regular file");
});
