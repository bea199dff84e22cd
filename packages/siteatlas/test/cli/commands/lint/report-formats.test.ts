import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { SaxesParser } from "saxes";
import { expect, it } from "vitest";
import { openSite, robotsTxt, urlset } from "../../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../../support/cli.ts";

buildCli();

/** A site with an error, a warning, and text that each format must escape. */
const open = () =>
  openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/sitemap.xml`], "Disallow: /private"),
    "/sitemap.xml": urlset([`${base}/a?utm_source=%60x%60&amp;y=%2C:|`, `${base}/private/&lt;b&gt;%0A"'`]),
  }));

const lint = async (...flags: string[]) => {
  const site = await open();
  return { ...(await runCli(["lint", site.url, "--rule", "url.private-host=off", ...flags])), url: site.url };
};

it("writes JSON that fits its schema", async () => {
  const { stdout, code } = await lint("--json");
  const report = JSON.parse(stdout);
  const schema = JSON.parse(
    readFileSync(new URL("../../../../schemas/findings.json", import.meta.url), "utf8"),
  );
  const validate = new Ajv2020().compile(schema);
  expect([validate(report), validate.errors]).toEqual([true, null]);
  expect(code).toBe(5);
  expect(report).toMatchObject({ tool: "siteatlas lint", pages: 2, rules: { error: 1 } });
  expect(report.findings[0]).toMatchObject({ rule: "url.robots-disallowed", count: 1, share: 0.5 });
  expect(report.findings[0].examples[0].line).toBeGreaterThan(1);
});

it("writes SARIF that fits the schema of OASIS", async () => {
  const { stdout } = await lint("-f", "sarif");
  const path = import.meta.resolve("schemastore/schemas/json/sarif-2.1.0.json");
  const schema = JSON.parse(readFileSync(new URL(path), "utf8"));
  // The patterns of the schema are not written for the flag `u`.
  const ajv = new Ajv({ unicodeRegExp: false, strict: false, validateFormats: false });
  const validate = ajv.compile(schema);
  const report = JSON.parse(stdout);
  expect([validate(report), validate.errors]).toEqual([true, null]);
  report.runs[0].results[0].level = "fatal";
  expect(validate(report)).toBe(false);
});

it("writes SARIF with rules, results and places", async () => {
  const { stdout, url } = await lint("-f", "sarif");
  const { version, runs } = JSON.parse(stdout);
  expect(version).toBe("2.1.0");
  const [{ tool, results }] = runs;
  const ids = tool.driver.rules.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    expect(ids[ruleIndex]).toBe(ruleId);
    expect(["error", "warning", "note"]).toContain(level);
    expect(message.text.length).toBeGreaterThan(10);
    expect(locations[0].physicalLocation.artifactLocation.uri.startsWith(url)).toBe(true);
  }
});

it("writes annotations that GitHub parses", async () => {
  const { stdout } = await lint("-f", "github");
  const lines = stdout.trim().split("\n");
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line).toMatch(/^::(?:error|warning|notice) title=[^,:]+::[^\r\n]+$/);
  expect(lines[0]).toContain("::error title=url.robots-disallowed%3A A listed page");
});

it("writes JUnit XML with failures for errors only", async () => {
  const { stdout } = await lint("-f", "junit");
  const names: string[] = [];
  const parser = new SaxesParser();
  parser.on("opentag", ({ name }) => names.push(name));
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(stdout).close();
  expect(names.filter((name) => name === "failure")).toHaveLength(1);
  expect(names.filter((name) => name === "testcase").length).toBeGreaterThan(1);
});

it("writes Markdown with a row per rule", async () => {
  const { stdout } = await lint("-f", "markdown");
  expect(stdout).toMatch(/^\| error \| \[url\.robots-disallowed\]\(https:\/\/\S+\) \| .* \| 1 \|$/m);
  expect(stdout).not.toContain("\n<b>");
  expect(stdout).toMatch(/\n\nWhy: .*\n\nFix: /);
});

it("reports only new findings with a baseline", async () => {
  const site = await open();
  const file = join(emptyFolder(), "baseline.json");
  const run = (...flags: string[]) =>
    runCli(["lint", site.url, "--rule", "url.private-host=off", "--baseline", file, ...flags]);
  expect((await run()).code).toBe(2);
  const first = await run("--update-baseline");
  expect(first.code).toBe(0);
  const again = await run();
  expect([again.code, again.stdout]).toEqual([0, ""]);
  const known = JSON.parse(readFileSync(file, "utf8"));
  const entries = `${Object.keys(known.findings).length} entries`;
  expect(first.stderr).toContain(`Wrote ${entries} to ${file}, one per rule and document\n`);
  expect(again.stderr).toContain(`no findings in 2 pages, 1 sitemap (without ${entries} of the baseline)`);
  expect(Object.keys(known.findings)).toContain(`url.robots-disallowed ${site.url}/sitemap.xml`);
});
