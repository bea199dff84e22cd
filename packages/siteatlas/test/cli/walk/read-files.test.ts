/** `stats`, `tree` and `parse` read files, folders and stdin; other commands name the one that does. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HTML_PAGE, sitemapIndex, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const PAGES = urlset(["https://example.com/docs/1", "https://example.com/docs/2"]);

/** A folder `maps` with an index, one of the two sitemaps that it lists, and an HTML page. */
function sitemapFolder(): string {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, "maps/deep"), { recursive: true });
  const index = sitemapIndex(["https://example.com/a.xml", "https://example.com/b.xml"]);
  writeFileSync(join(cwd, "maps/index.xml"), index);
  writeFileSync(join(cwd, "maps/deep/a.xml"), PAGES);
  writeFileSync(join(cwd, "maps/page.xml"), HTML_PAGE);
  writeFileSync(join(cwd, "maps/notes.md"), "not a sitemap");
  return cwd;
}

describe("tree", () => {
  it("of a folder puts files below the index that lists them", async () => {
    const { code, stdout, stderr } = await runCli(["tree", "maps"], { cwd: sitemapFolder() });
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.trimEnd())).toEqual([
      "maps",
      "├─ maps/index.xml                index  2 sitemaps",
      "│  ├─ maps/deep/a.xml            xml    2 pages",
      "│  └─ https://example.com/b.xml  skipped: not among the files",
      "└─ maps/page.xml                 ✖ the document is an HTML page, not a sitemap",
      "",
    ]);
    expect(stderr).toBe("2 pages in 2 sitemaps. 1 sitemap failed (HTML page). Details: -v\n");
  });

  it("of stdin", async () => {
    const { code, stdout } = await runCli(["tree", "-"], { input: PAGES });
    expect([code, stdout]).toEqual([0, "stdin\n└─ stdin  xml  2 pages\n"]);
  });

  it("of a document that is not a sitemap is an error", async () => {
    const { code, stdout, stderr } = await runCli(["tree", "-"], { input: HTML_PAGE });
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe("error: cannot read stdin: the document is an HTML page, not a sitemap\n");
  });
});

describe("stats", () => {
  it.each([
    { flags: [], pages: 4, duplicates: 1 },
    { flags: ["--unique"], pages: 3, duplicates: 2 },
  ])("counts URLs that are listed twice: $flags", async ({ flags, pages, duplicates }) => {
    const cwd = emptyFolder();
    const [one, two, three] = [1, 2, 3].map((i) => `https://example.com/${i}`) as [string, string, string];
    writeFileSync(join(cwd, "a.xml"), urlset([one, two, one]));
    writeFileSync(join(cwd, "b.xml"), urlset([two, three]));
    const { stdout } = await runCli(["stats", "a.xml", "b.xml", "--json", ...flags], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ kinds: { page: pages }, duplicates });
  });

  it.each([["maps"], ["./maps"], ["maps/index.xml", "maps/deep/a.xml", "maps/page.xml"]])(
    "of %s",
    async (...paths) => {
      const { code, stdout } = await runCli(["stats", "--json", ...paths], { cwd: sitemapFolder() });
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        pages: 2,
        sitemaps: 2,
        failed: 1,
        sections: [{ path: "/docs", pages: 2 }],
      });
    },
  );

  it("of a JSON feed that is given by its name", async () => {
    const cwd = emptyFolder();
    const feed = {
      version: "https://jsonfeed.org/version/1.1",
      items: [{ id: "1", url: "https://a.test/a" }],
    };
    writeFileSync(join(cwd, "feed.json"), JSON.stringify(feed));
    const { code, stdout } = await runCli(["stats", "feed.json", "--json"], { cwd });
    expect([code, JSON.parse(stdout).pages]).toEqual([0, 1]);
  });

  it("is the command for a file or folder without a command", async () => {
    const { code, stdout } = await runCli(["maps"], { cwd: sitemapFolder() });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^maps {2}2 sitemaps · 2 pages/);
  });

  it.each([
    [["./nosuch.xml"], "cannot read ./nosuch.xml: no such file or folder"],
    [
      ["maps/deep", "a.test"],
      "siteatlas stats takes one site, or files\n  siteatlas ls and find take several sites.",
    ],
    [["maps", "-H", "A: b"], "--header cannot be used with files"],
    [["maps", "--include-sitemap", "*a*"], "--include-sitemap cannot be used with files"],
    [["-", "-"], "stdin (-) can be read only once"],
  ])("%j is a usage error", async (args, message) => {
    const { code, stdout, stderr } = await runCli(["stats", ...args], { cwd: sitemapFolder() });
    expect([code, stdout, stderr]).toEqual([2, "", `error: ${message}\n`]);
  });
});

it.each(["stats", "tree"])("%s counts relative URLs that were dropped", async (command) => {
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "s.xml"), urlset(["https://example.com/a", "/b", "/c"]));
  const { stderr } = await runCli([command, "s.xml"], { cwd });
  expect(stderr).toBe(
    "1 page in 1 sitemap. 2 relative URLs were dropped because the URL of the file is unknown. Details: -v\n",
  );
  const verbose = await runCli([command, "s.xml", "-v"], { cwd });
  expect(verbose.stderr.match(/^dropped: url\.no-base s\.xml:\d+ .*$/gm)).toHaveLength(2);
});

describe("parse", () => {
  it("says nothing about documents if no file could be read", async () => {
    const { code, stderr } = await runCli(["parse", "nofile.xml"]);
    expect([code, stderr]).toEqual([2, "error: cannot read nofile.xml: no such file or folder\n"]);
  });

  it("reads all sitemaps of a folder", async () => {
    const { stdout } = await runCli(["parse", "maps"], { cwd: sitemapFolder() });
    expect(stdout).toBe("https://example.com/docs/1\nhttps://example.com/docs/2\n");
  });

  it("reports a folder without sitemaps", async () => {
    const { code, stderr } = await runCli(["parse", "."]);
    expect([code, stderr.split("\n")[0]]).toEqual([2, "error: no sitemaps in ."]);
  });
});

describe("commands that read sites", () => {
  it.each(["ls", "find", "sync", "watch", "robots"])("%s suggests parse for a file", async (command) => {
    const cwd = sitemapFolder();
    for (const path of ["./maps/deep/a.xml", "maps/deep/a.xml"]) {
      const { code, stderr } = await runCli([command, path], { cwd });
      expect([code, stderr]).toEqual([
        2,
        `error: "${path}" is a file, not a site\n  Read it with siteatlas parse ${path}, or siteatlas stats ${path} for an overview.\n`,
      ]);
    }
  });

  it("read a host as a host, even if a folder has its name", async () => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "example.invalid"));
    const { code, stderr } = await runCli(["ls", "example.invalid", "--retries", "0"], { cwd });
    expect([code, stderr.split("\n")[0]]).toEqual([3, "error: cannot find the host example.invalid"]);
  });
});

describe("parse of a folder with HTML files and an llms.txt", () => {
  it.each([
    { flags: [], pages: [] },
    { flags: ["--html-sitemaps"], pages: ["https://example.com/h", "https://example.com/x"] },
    { flags: ["--llms"], pages: ["https://example.com/l"] },
    {
      flags: ["--html-sitemaps", "--llms"],
      pages: ["https://example.com/h", "https://example.com/l", "https://example.com/x"],
    },
  ])("$flags", async ({ flags, pages }) => {
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "maps"));
    writeFileSync(join(cwd, "maps/a.html"), "<!doctype html><a href=https://example.com/h>H</a>");
    writeFileSync(join(cwd, "maps/llms.txt"), "# T\n- [L](/l)\n");
    writeFileSync(join(cwd, "maps/x.HTM"), "<!doctype html><a href=https://example.com/x>X</a>");
    const args = ["parse", "maps", "--url", "https://example.com/", "--format", "urls", ...flags];
    const { stdout } = await runCli(args, { cwd });
    expect(stdout.split("\n").filter(Boolean)).toEqual(pages);
    if (pages.length === 0) return;
    const tree = await runCli(["tree", "maps", ...flags], { cwd });
    expect(tree.stdout.includes("a.html")).toBe(flags.includes("--html-sitemaps"));
  });
});
