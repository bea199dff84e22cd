/** Runs the commands of docs/compare.md. A sitemap takes the place of the site. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runShell } from "../support/cli.ts";

buildCli();

const DOCS = new URL("../../../../../docs/compare.md", import.meta.url);
const SITE = "https://example.com";
const paths = ["/about/", "/blog/first", "/blog/second", "/contact", "/orphan"];

const logLine = (path: string, agent: string): string =>
  `203.0.113.7 - - [17/Nov/2026:09:00:00 +0000] "GET ${path} HTTP/1.1" 200 512 "-" "${agent}"\n`;

const FILES: Readonly<Record<string, string>> = {
  "sitemap.xml": urlset(paths.map((path) => SITE + path)),
  "crawl.csv": `Address,Status Code\n${["/about/", "/blog/first", "/blog/second", "/landing"]
    .map((path) => `${SITE}${path},200\n`)
    .join("")}`,
  "access.log": [
    ...["/about/", "/blog/first", "/old?page=2", "/style.css"].map((path) => logLine(path, "Googlebot/2.1")),
    logLine("/private", "Mozilla/5.0"),
  ].join(""),
  "dist/about/index.html": "",
  "dist/contact.html": "",
  "dist/draft.html": "",
  "dist/404.html": "",
};

const examples = [...readFileSync(DOCS, "utf8").matchAll(/```console\n\$ (.*)\n([\s\S]*?)```/g)];

it.each(examples.map(([, command = "", shown = ""]) => [command, shown]))("%s", async (command, shown) => {
  const folder = emptyFolder();
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const script = command.replace(/^siteatlas/, "$SITEATLAS").replace(/ example\.com /, " ./sitemap.xml ");
  const { stdout, stderr, code } = await runShell(script, folder);
  expect(`${stdout}${stderr.replaceAll("sitemap.xml", "example.com")}`).toBe(shown);
  expect(code).toBe(command.includes("--exit-code") ? 6 : 0);
});

it("has examples", () => expect(examples.length).toBeGreaterThan(4));
