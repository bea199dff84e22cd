/** The picture of the sitemap tree. Read changed golden files with your eyes. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { drawTree, type TreeNode } from "../../../src/cli/render/draw-tree.ts";
import { cellWidth } from "../../../src/cli/terminal/cell-width.ts";
import { exampleTree, walked } from "../support/example-site.ts";

const options = { homepage: "https://www.example.com/", width: 110, color: false };
const leaf = (sitemap: TreeNode["sitemap"]): TreeNode => ({ sitemap, issues: new Map(), children: [] });

describe("the tree", () => {
  it.each([
    ["tree-110.txt", { width: 110 }],
    ["tree-110-color.txt", { width: 110, color: true }],
    ["tree-72-ascii.txt", { width: 72, ascii: true }],
  ])("looks like %s", async (name, given) => {
    await expect(drawTree(exampleTree(), { ...options, ...given })).toMatchFileSnapshot(`../golden/${name}`);
  });

  it("fits into every width", () => {
    for (let width = 40; width <= 140; width++) {
      const lines = drawTree(exampleTree(), { ...options, width }).split("\n");
      expect(lines.length).toBe(12);
      for (const line of lines) expect(cellWidth(line), line).toBeLessThanOrEqual(width);
    }
  });

  it("drops columns before different names look the same", () => {
    const names = ["de", "en", "es", "fr", "it", "nl", "pl"];
    const http = { status: 200, bytes: 61_645, ms: 9 };
    const tree = names.map((name) =>
      leaf(walked(`/sitemaps/all-guides-of-this-site-${name}.xml.gz`, { pageCount: 2000, http })),
    );
    const lines = (width: number): string[] =>
      drawTree(tree, { ...options, width })
        .trimEnd()
        .split("\n");
    for (const width of [60, 70, 80]) expect(new Set(lines(width)).size).toBe(names.length + 1);
    expect(lines(110)[1]).toContain("61.6 kB  200");
  });

  it("shows that a sitemap is truncated before its other notes", () => {
    const issues = new Map([
      ["gzip.truncated", 2],
      ["url.outside-path", 10],
      ["date.ambiguous", 10],
    ] as const);
    const http = { status: 200, bytes: 26_200, ms: 9 };
    const sitemap = walked("/sitemaps/cut-in-the-middle.xml.gz", {
      pageCount: 1195,
      issueCount: 1000,
      partial: true,
      http,
    });
    for (const width of [72, 80, 110]) {
      expect(drawTree([{ ...leaf(sitemap), issues }], { ...options, width })).toContain("  truncated");
    }
  });

  it("drops columns before notes about errors and warnings", () => {
    const http = { status: 200, bytes: 25_400, ms: 9 };
    const lastModified = { text: "2026-11-01", value: new Date("2026-11-01"), precision: "day" } as const;
    const facts = { pageCount: 300, http, lastModified };
    const cut = leaf(walked("/maps/broken.xml", { ...facts, partial: true, issueCount: 301 }));
    const dated = leaf(walked("/maps/dates.xml", { ...facts, issueCount: 183 }));
    const tree = [
      { ...cut, issues: new Map([["xml.truncated", 1] as const, ["url.outside-path", 300] as const]) },
      { ...dated, issues: new Map([["date.invalid", 183] as const]) },
      leaf(walked("/maps/posts-of-the-year-2026.xml", { ...facts, pageCount: 30_000 })),
    ];
    for (let width = 60; width <= 120; width++) {
      const picture = drawTree(tree, { ...options, width });
      expect(picture, `${width} columns`).toMatch(/truncated {2}✖ 1[\s\S]*▲ 183/);
    }
  });

  it("is the same with and without colors", () => {
    const colored = drawTree(exampleTree(), { ...options, color: true });
    expect(stripVTControlCharacters(colored)).toBe(drawTree(exampleTree(), options));
  });

  it("is ASCII if the terminal has nothing else", () => {
    expect(drawTree(exampleTree(), { ...options, ascii: true })).toMatch(/^[\x0a\x20-\x7e]+$/);
  });

  it("shows untrusted text without its escape sequences (sec-O01)", () => {
    const evil = "\u001b[2J\u009b\u202e\r\n%1b";
    const tree = [
      leaf(walked(`/${evil}`)),
      leaf(walked(`https://other.example/${evil}`, { outcome: "failed", code: "http.status", reason: evil })),
    ];
    const picture = drawTree(tree, { ...options, homepage: `https://www.example.com/${evil}` });
    expect(picture).not.toMatch(/[^\P{C}\n]/u);
    expect(picture.split("\n").length).toBe(4);
  });

  it("stays within its width at any depth", () => {
    let node = leaf(walked("/deepest.xml", { pageCount: 1 }));
    for (let i = 0; i < 3000; i++) {
      node = {
        sitemap: walked(`/${i}.xml`, { kind: "index", childCount: 1 }),
        issues: new Map(),
        children: [node],
      };
    }
    const lines = drawTree([node], { ...options, width: 80 }).split("\n");
    expect(lines.length).toBe(3003);
    for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(80);
    expect(lines[3001]).toContain("deepest.xml");
  });

  it("keeps the lines of the branches at any width", () => {
    const node = (name: string, ...children: TreeNode[]): TreeNode => ({
      sitemap: walked(`/sitemaps/${name}-with-a-long-name.xml`, {
        kind: children.length > 0 ? "index" : "pages",
        http: { status: 200, bytes: 1234, ms: 1 },
      }),
      issues: new Map(),
      children,
    });
    const deep = node("a", node("b", node("c", node("d"), node("e"))), node("f"));
    const tree = [node("robots", deep, node("g")), node("z")];
    for (let width = 40; width <= 120; width++) {
      const rows = drawTree(tree, { ...options, width }).split("\n");
      expect(rows[5]).toMatch(/^(?:│ {2}│ {2}│ {5}|… {2}(?:(?:│ {2})?(?:│ {2})? {3})?)├─ /);
      expect(rows[6]).toMatch(/^(?:│ {2}│ {2}│ {5}|… {2}(?:(?:│ {2})?(?:│ {2})? {3})?)└─ /);
      if (width >= 60) expect(rows[5]).toMatch(/^│ {2}│ {2}│/);
      for (const row of rows) expect(cellWidth(row)).toBeLessThanOrEqual(width);
    }
  });

  it("shortens nothing if the width is infinite", () => {
    const name = `/${"long-".repeat(50)}.xml`;
    const reason = "words ".repeat(50);
    const failed = { outcome: "failed", kind: "invalid", code: "http.connection", reason } as const;
    const picture = drawTree([leaf(walked(name)), leaf(walked("/b.xml", failed))], {
      ...options,
      width: Number.POSITIVE_INFINITY,
    });
    expect(picture).toContain(name);
    expect(picture).toContain(reason.trimEnd());
    expect(picture).not.toContain("…");
  });

  it("without any sitemap is only the host", () => {
    expect(drawTree([], options)).toBe("www.example.com\n");
  });
});
