/** `siteatlas report`: formats, files, snapshots and mistakes of the caller. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

async function openSmallSite(): Promise<string> {
  const site = await openSite((base) => ({
    "/robots.txt": `Sitemap: ${base}/s.xml\n`,
    "/s.xml": urlset([`${base}/a/1`, `${base}/a/2`, `${base}/b/<script>`]),
  }));
  return site.url;
}

it("writes HTML, Markdown and JSON with the same numbers", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  for (const file of ["r.html", "r.md", "r.json"]) {
    const { code, stderr } = await runCli(["report", url, "-o", file, "--title", "A <b>"], { cwd });
    expect({ code, stderr }).toMatchObject({ code: 0 });
  }
  const numbers = JSON.parse(readFileSync(join(cwd, "r.json"), "utf8"));
  expect(numbers).toMatchObject({ format: "siteatlas-report", pages: { total: 3, unique: 3 } });
  expect(numbers.made.requests).toBeGreaterThan(1);
  expect(readFileSync(join(cwd, "r.html"), "utf8")).toContain("<h1><bdi>A &lt;b&gt;</bdi></h1>");
  expect(readFileSync(join(cwd, "r.md"), "utf8")).toContain("| Pages | 3 |");
});

it("contains no password of its arguments, in any format", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  for (const format of ["html", "markdown", "json"]) {
    const given = url.replace("://", "://user:hunter2@");
    const { code, stdout } = await runCli(["report", given, "-f", format], { cwd });
    expect(stdout).toContain("127.0.0.1");
    expect([code, stdout.includes("hunter2")]).toEqual([0, false]);
  }
});

it("reports a snapshot without the network, with its last sync", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  await runCli(["sync", url, "--snapshot", "a.snapshot.gz", "-q"], { cwd });
  const { code, stdout } = await runCli(["report", "a.snapshot.gz", "-f", "json"], { cwd });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    made: { from: "snapshot", unknown: ["languages", "media", "issues", "transfer"] },
    pages: { total: 3 },
    sitemaps: { read: 1, failed: 0 },
    changes: { runs: [{ added: 3, changed: 0, removed: 0 }], pending: 0 },
  });
});

it("names files, not a snapshot or robots.txt, in the report of a folder", async () => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "s.xml"), urlset(["https://example.com/a"]));
  const { code, stdout } = await runCli(["report", "./s.xml", "-f", "html"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain(
    "Sizes and times of sitemaps are not known: files were read, and nothing was fetched.",
  );
  expect(stdout).toContain("siteatlas found no mistakes in the files.");
  expect(stdout).not.toMatch(/snapshot does not keep|robots\.txt/);
});

it("does not say that a snapshot has no errors, because it keeps none", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  await runCli(["sync", url, "--snapshot", "a.snapshot.gz", "-q"], { cwd });
  const { stdout } = await runCli(["report", "a.snapshot.gz", "-f", "markdown"], { cwd });
  expect(stdout).toContain("Mistakes in the sitemaps are not known: a snapshot does not keep them.");
  expect(stdout).not.toContain("No errors were found");
});

it("rejects formats that it cannot write, and writes nothing for a site without sitemaps", async () => {
  const cwd = emptyFolder();
  const csv = await runCli(["report", "example.com", "-o", "r.csv"], { cwd });
  expect(csv).toMatchObject({ code: 2 });
  expect(csv.stderr).toContain(".html, .md or .json");
  const { url } = await openSite({});
  expect((await runCli(["report", url, "-o", "r.html"], { cwd })).code).toBe(3);
  expect(() => readFileSync(join(cwd, "r.html"))).toThrow("ENOENT");
});

it("shows the differences to an earlier report, and rejects other files", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  const { stdout } = await runCli(["report", url, "-f", "json"], { cwd });
  const numbers = JSON.parse(stdout);
  numbers.pages.total = 1;
  writeFileSync(join(cwd, "old.json"), JSON.stringify(numbers));
  const page = await runCli(["report", url, "-f", "html", "--compare", "old.json"], { cwd });
  expect(page).toMatchObject({ code: 0 });
  expect(page.stdout).toContain("Since the earlier report");
  expect(page.stdout).toContain("+2; 3 different URLs");
  for (const broken of ["{", "{}", JSON.stringify({ ...numbers, sections: [{ path: 1 }] })]) {
    writeFileSync(join(cwd, "broken.json"), broken);
    const { code, stderr } = await runCli(["report", url, "-f", "html", "--compare", "broken.json"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("is not a report");
  }
});

it("shows the logo of a file, and refuses other files before the first request", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  writeFileSync(join(cwd, "logo.svg"), '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>');
  const page = await runCli(["report", url, "-f", "html", "--logo", "logo.svg"], { cwd });
  expect([page.code, page.stdout]).toEqual([0, expect.stringContaining('src="data:image/svg+xml;base64,')]);
  writeFileSync(join(cwd, "logo.gif"), "GIF89a");
  writeFileSync(join(cwd, "large.png"), Buffer.alloc(2 ** 21));
  for (const [logo, message] of [
    ["logo.gif", "--logo logo.gif: the logo is not a PNG, JPEG or SVG image"],
    ["large.png", "--logo large.png: the logo has more than 32 KB"],
    ["none.png", "cannot read none.png: no such file or folder"],
    [".", "cannot read .: it is not a regular file"],
  ] as const) {
    const { code, stderr } = await runCli(["report", "none.invalid", "-f", "html", "--logo", logo], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  const json = await runCli(["report", url, "-f", "json", "--logo", "logo.svg"], { cwd });
  expect([json.code, json.stderr]).toEqual([2, expect.stringContaining("--logo can only be used with html")]);
});

it("shows the findings of lint and of files", async () => {
  const [url, cwd] = [await openSmallSite(), emptyFolder()];
  const linted = await runCli(["lint", url, "-f", "json", "-o", "lint.json", "--fail-on", "never"], { cwd });
  expect(linted.code).toBe(0);
  const { findings } = JSON.parse(readFileSync(join(cwd, "lint.json"), "utf8"));
  expect(findings.length).toBeGreaterThan(0);
  const rulesOf = (text: string): unknown =>
    JSON.parse(text).lint.rules.map((one: { rule: string; count: number }) => [one.rule, one.count]);
  const expected = findings.map((one: { rule: string; count: number }) => [one.rule, one.count]);
  const own = await runCli(["report", url, "-f", "json", "--lint"], { cwd });
  expect([own.code, rulesOf(own.stdout)]).toEqual([0, expected]);
  expect(JSON.parse(own.stdout)).toMatchObject({ pages: { total: 3 }, lint: { pages: 3 } });
  const fromFile = await runCli(["report", url, "-f", "json", "--findings", "lint.json"], { cwd });
  expect(rulesOf(fromFile.stdout)).toEqual(expected);
  const check = await runCli(["check", url, "-f", "json", "-o", "check.json", "--fail-on", "never"], { cwd });
  expect(check.code).toBe(0);
  const page = await runCli(["report", url, "-f", "html", "--lint", "--findings", "check.json"], { cwd });
  expect(page.stdout).toContain("siteatlas check requested 3 pages");
  expect(page.stdout).toContain("Found by the rules of siteatlas lint.");
});

it("rejects files without findings, two of the same kind, and lint without a site", async () => {
  const cwd = emptyFolder();
  const messageOf = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await runCli(["report", ...args, "-f", "html"], { cwd });
    expect(code).toBe(2);
    return stderr;
  };
  const file = { tool: "siteatlas lint", target: "a", pages: 1, findings: [] };
  writeFileSync(join(cwd, "lint.json"), JSON.stringify(file));
  writeFileSync(join(cwd, "a.xml"), urlset(["https://example.com/a"]));
  for (const [content, message] of [
    ["{", "bad.json has no findings of siteatlas"],
    ["[]", "$ must be an object"],
    [JSON.stringify({ ...file, tool: "x" }), "$.tool must be one of siteatlas lint, siteatlas check"],
    [JSON.stringify({ ...file, findings: [{ rule: 1 }] }), "$.findings[0].rule must be a string"],
  ] as const) {
    writeFileSync(join(cwd, "bad.json"), content);
    expect(await messageOf("none.invalid", "--findings", "bad.json")).toContain(message);
  }
  const twice = ["--findings", "lint.json", "--findings", "lint.json"];
  expect(await messageOf("none.invalid", ...twice)).toContain("two files are from siteatlas lint");
  expect(await messageOf("none.invalid", "--lint", "--findings", "lint.json")).toContain(
    "cannot be used with",
  );
  expect(await messageOf("a.xml", "--lint")).toContain("--lint needs a site");
  expect(await messageOf("none.invalid", "--findings", "none.json")).toContain("no such file");
});
