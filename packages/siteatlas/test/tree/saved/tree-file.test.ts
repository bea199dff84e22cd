/** Trees in files: the restored tree, files left after a failure, and errors of damaged files. */
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  allPages,
  allSitemaps,
  type IndexWebsiteSitemap,
  loadTree,
  type Page,
  parseSitemap,
  type Sitemap,
  saveTree,
  TreeError,
  type TreeErrorCode,
  treeFromJson,
} from "../../../src/index.ts";
import { pageArray } from "../../../src/model/page-array.ts";
import { runs, seed } from "../../support/runs.ts";
import { pagesNode, treeOf, walkSampleSite } from "./sample-tree.ts";

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "siteatlas-tree-"));
  file = join(folder, "example.tree.gz");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

const page = (path: string): Page => ({ url: `https://example.com/${path}` });

describe("saveTree and loadTree", () => {
  it("restore the tree of a walk, with dates and shared documents", async () => {
    const tree = await walkSampleSite();
    await saveTree(tree, file);
    const again: IndexWebsiteSitemap = await loadTree(file);
    assert.deepStrictEqual(again, tree);
    expect(again).toStrictEqual(tree);
    expect(JSON.stringify(again)).toBe(JSON.stringify(tree));
    const [first, second] = [
      again.subSitemaps[0]!.subSitemaps[0]!.subSitemaps[0]!,
      again.subSitemaps[0]!.subSitemaps[1]!,
    ];
    expect(first.url).toBe(second.url);
    expect(first.pages).toBe(second.pages);
    expect(await readdir(folder)).toEqual(["example.tree.gz"]);
  });

  it("accept a file URL, and a single sitemap if any root is expected", async () => {
    const sitemap = await parseSitemap("<urlset><url><loc>https://example.com/a</loc></url></urlset>", {
      url: "https://example.com/sitemap.xml",
    });
    await saveTree(sitemap, pathToFileURL(file));
    await expect(loadTree(pathToFileURL(file))).rejects.toMatchObject({ code: "not-a-website" });
    const again: Sitemap = await loadTree(file, { root: "any" });
    expect(again.pages.toArray()).toEqual([page("a")]);
    expect(again.kind).toBe("pages");
  });

  it("restore a node at several places as one node, and any text", async () => {
    const odd: Page = { ...page("a"), title: "\ud800 \u2028 \n \ufffd 🌞", urlText: "" };
    const shared = pagesNode([odd]);
    await saveTree({ ...treeOf([]), subSitemaps: [shared, pagesNode([]), shared] }, file);
    const again = await loadTree(file);
    expect(again.subSitemaps[0]).toBe(again.subSitemaps[2]);
    expect(again.subSitemaps[0]?.pages.toArray()).toEqual([odd]);
    expect(again.subSitemaps[1]?.pages.length).toBe(0);
  });

  it("accept many pages and thousands of levels", async () => {
    let tree: Sitemap = pagesNode(Array.from({ length: 20_000 }, (_, i) => page(`${i}`)));
    for (let i = 0; i < 5000; i++) tree = { ...pagesNode([]), subSitemaps: [tree] };
    await saveTree(tree, file);
    let last = await loadTree(file, { root: "any" });
    while (last.subSitemaps[0] !== undefined) last = last.subSitemaps[0];
    expect(last.pages.at(-1)).toEqual(page("19999"));
  });

  it("can be read with zcat", async () => {
    await saveTree(treeOf([page("a")]), file);
    expect(
      gunzipSync(await readFile(file))
        .toString()
        .split("\n"),
    ).toEqual([
      '{"format":"siteatlas-tree","version":1}',
      '{"sitemap":{"url":"https://example.com/","issues":[],"issueCount":0,"duplicateCount":0,"kind":"index","format":"website"},"subSitemaps":1,"pages":0}',
      '{"sitemap":{"url":"https://example.com/","issues":[],"issueCount":0,"duplicateCount":0,"kind":"pages","format":"xml"},"subSitemaps":0,"pages":1}',
      '{"url":"https://example.com/a"}',
      '{"end":{"sitemaps":2,"pages":1}}',
      "",
    ]);
  });
});

describe("a failed saveTree", () => {
  it.each<[string, TreeErrorCode, () => Sitemap]>([
    [
      "a page that cannot be read again",
      "invalid",
      () => treeOf([page("a"), { url: "javascript:alert(1)" }]),
    ],
    ["a sitemap that contains itself", "cyclic", cyclicTree],
    [
      "a page that is too large",
      "too-large",
      () => treeOf([page("a"), { ...page("b"), title: "a".repeat(9_000_000) }]),
    ],
  ])("keeps the old file: %s", async (_, code, tree) => {
    await saveTree(treeOf([page("old")]), file);
    const before = await readFile(file);
    await expect(saveTree(tree(), file)).rejects.toMatchObject({ name: "TreeError", code });
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(["example.tree.gz"]);
  });

  it("throws the error of a page list, and the reason of the signal", async () => {
    const broken = pageArray([page("a")]);
    Object.defineProperty(broken, Symbol.iterator, {
      *value() {
        yield page("a");
        throw new RangeError("broken list");
      },
    });
    await expect(saveTree({ ...treeOf([]), pages: broken }, file)).rejects.toThrow("broken list");
    const reason = new Error("stop");
    await expect(saveTree(treeOf([]), file, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const controller = new AbortController();
    const aborting = Object.defineProperty(pageArray([page("a")]), Symbol.iterator, {
      *value() {
        controller.abort(reason);
        yield page("a");
      },
    });
    const tree = { ...treeOf([]), pages: aborting };
    await expect(saveTree(tree, file, { signal: controller.signal })).rejects.toBe(reason);
    expect(await readdir(folder)).toEqual([]);
  });

  it.skipIf(process.platform === "win32")(
    "refuses a named pipe instead of waiting for a writer",
    async () => {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      await expect(loadTree(pipe)).rejects.toMatchObject({
        name: "TreeError",
        code: "not-a-tree",
        message: `Cannot load ${pipe}: it is not a regular file`,
      });
      await expect(loadTree(folder)).rejects.toMatchObject({ code: "EISDIR" });
    },
  );

  it("throws the error of the file system", async () => {
    await expect(saveTree(treeOf([]), join(folder, "none", "a"))).rejects.toMatchObject({ code: "ENOENT" });
    await expect(loadTree(join(folder, "none"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe("loadTree of a damaged file", () => {
  const HEADER = '{"format":"siteatlas-tree","version":1}';
  const facts = '"url":"https://example.com/","issues":[],"issueCount":0,"duplicateCount":0';
  const node = (children: unknown, pages: unknown): string =>
    `{"sitemap":{"kind":"index","format":"website",${facts}},"subSitemaps":${JSON.stringify(children)},"pages":${JSON.stringify(pages)}}`;
  const end = (sitemaps: number, pages: number): string => JSON.stringify({ end: { sitemaps, pages } });
  const url = (path: string): string => JSON.stringify(page(path));

  it.each<[string, TreeErrorCode, readonly string[]]>([
    ["nothing", "not-a-tree", []],
    ["another format", "not-a-tree", ['{"format":"siteatlas-snapshot","version":1}']],
    ["a long first line", "not-a-tree", ["a".repeat(5000)]],
    ["a later version", "unsupported-version", ['{"format":"siteatlas-tree","version":2}']],
    ["no node", "truncated", [HEADER]],
    ["a missing page", "truncated", [HEADER, node(0, 2), url("a")]],
    ["a missing child", "truncated", [HEADER, node(2, 0), node(0, 0)]],
    ["no end", "truncated", [HEADER, node(0, 0)]],
    ["a page too much", "invalid", [HEADER, node(0, 1), url("a"), url("b"), end(1, 1)]],
    ["a page of a later page's node", "invalid", [HEADER, node(0, 2), url("a"), node(0, 0), end(2, 2)]],
    ["a wrong count", "invalid", [HEADER, node(0, 1), url("a"), end(1, 2)]],
    ["text after the end", "invalid", [HEADER, node(0, 0), end(1, 0), node(0, 0)]],
    ["an empty line", "invalid", [HEADER, node(0, 1), "", url("a"), end(1, 1)]],
    ["a line that is not JSON", "invalid", [HEADER, node(0, 1), "{", end(1, 1)]],
    ["a negative count", "invalid", [HEADER, node(-1, 0), end(1, 0)]],
    [
      "credentials",
      "invalid",
      [HEADER, node(0, 0).replace('"https://', '"https://user:password@'), end(1, 0)],
    ],
    ["a million objects", "too-large", [HEADER, `[${"{},".repeat(1_000_000)}0]`]],
    ["deep JSON", "too-large", [HEADER, "[".repeat(8_000_000)]],
    ["deep JSON in a short line", "invalid", [HEADER, "[".repeat(60_000)]],
    ["an endless count", "truncated", [HEADER, node(Number.MAX_SAFE_INTEGER, 0)]],
    ["a count of pages that is none", "invalid", [HEADER, node(0, 1.5), end(1, 0)]],
    ["a reference to nothing", "invalid", [HEADER, node(1, 0), '{"sameAs":9}', end(1, 0)]],
    ["a reference to an ancestor", "invalid", [HEADER, node(1, 0), '{"sameAs":0}', end(1, 0)]],
    ["a reference as the root", "invalid", [HEADER, '{"sameAs":0}', end(1, 0)]],
    ["pages of nothing", "invalid", [HEADER, node(0, { sameAs: 4 }), end(1, 0)]],
    [
      "a line of 9 MB",
      "too-large",
      [HEADER, node(0, 1), `{"url":"https://example.com/${"a".repeat(9_000_000)}"}`],
    ],
  ])("%s: %s", async (_, code, lines) => {
    await writeFile(file, gzipSync(lines.map((line) => `${line}\n`).join("")));
    const error = await loadTree(file).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TreeError);
    expect(error).toMatchObject({ code, message: expect.stringContaining(file) });
  });

  it("the error contains the line and the path", async () => {
    const lines = [HEADER, node(0, 2), url("a"), '{"url":"https://example.com/","priority":7}', end(1, 2)];
    await writeFile(file, gzipSync(lines.join("\n")));
    await expect(loadTree(file)).rejects.toThrow(
      `Cannot load ${file}, line 4: $.priority must be a number from 0 to 1, but is 7`,
    );
  });

  it.each<[string, TreeErrorCode, (bytes: Buffer) => Buffer]>([
    ["plain text", "not-a-tree", () => Buffer.from(HEADER)],
    ["an empty file", "truncated", () => Buffer.alloc(0)],
    ["the first half", "truncated", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["all but the last byte", "truncated", (bytes) => bytes.subarray(0, -1)],
    ["a wrong checksum", "damaged", (bytes) => changeByte(bytes, bytes.length - 6)],
    ["bytes that are not UTF-8", "damaged", (bytes) => gzipSync(changeByte(gunzipSync(bytes), 120))],
  ])("%s: %s", async (_, code, damage) => {
    await saveTree(treeOf(Array.from({ length: 500 }, (_, i) => page(`${i * i}`))), file);
    await writeFile(file, damage(await readFile(file)));
    await expect(loadTree(file)).rejects.toMatchObject({ name: "TreeError", code });
  });

  it("stops at the limits", async () => {
    const bomb = Buffer.from(`${url("a")}\n`.repeat(200_000));
    await writeFile(file, gzipSync(Buffer.concat([Buffer.from(`${HEADER}\n${node(0, 1e12)}\n`), bomb])));
    await expect(loadTree(file, { maxBytes: 1_000_000 })).rejects.toMatchObject({ code: "too-large" });
    for (const maxBytes of [0, 1_000_000]) {
      await expect(loadTree(file, { maxBytes })).rejects.toThrow(
        `Cannot load ${file}: it has more than ${maxBytes} bytes: raise maxBytes to read it`,
      );
    }
    await writeFile(file, gzipSync(`${HEADER}\n${node(3, 0)}\n${`${node(0, 0)}\n`.repeat(3)}${end(4, 0)}\n`));
    await expect(loadTree(file, { maxSitemaps: 3 })).rejects.toThrow(
      `Cannot load ${file}: it has more than 3 sitemaps: raise maxSitemaps to read it`,
    );
    expect((await loadTree(file, { maxSitemaps: 4, maxBytes: undefined })).subSitemaps).toHaveLength(3);
    // 60 MB in 100 KB: a ratio that no tree has.
    const packed = gzipSync(`${JSON.stringify({ ...page("a"), title: "x".repeat(10_000) })}\n`.repeat(100));
    const start = gzipSync(`${HEADER}\n${node(0, 1e12)}\n`);
    const copies = Array.from({ length: 60 }, () => packed);
    await writeFile(file, Buffer.concat([start, ...copies]));
    await expect(loadTree(file)).rejects.toMatchObject({ code: "too-large" });
    await expect(loadTree(file, { maxBytes: 1e9 })).rejects.toMatchObject({ code: "truncated" });
    const reason = new Error("stop");
    await expect(loadTree(file, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("counts a shared sitemap and its pages once for each position", async () => {
    /** Each index contains the next one twice. */
    const chain = (levels: number): readonly string[] => [
      HEADER,
      ...Array.from({ length: levels }, () => node(2, 0)),
      node(0, 1),
      url("a"),
      ...Array.from({ length: levels }, (_, i) => JSON.stringify({ sameAs: levels - i })),
      end(levels + 1, 1),
    ];
    await writeFile(file, gzipSync(chain(60).join("\n")));
    await expect(loadTree(file)).rejects.toMatchObject({
      code: "too-large",
      message: `Cannot load ${file}: it has more than 1000000 sitemaps: raise maxSitemaps to read it`,
    });
    await writeFile(file, gzipSync(chain(5).join("\n")));
    await expect(loadTree(file, { maxSitemaps: 62 })).rejects.toMatchObject({ code: "too-large" });
    await expect(loadTree(file, { maxPages: 31 })).rejects.toThrow(
      `Cannot load ${file}: it has more than 31 pages: raise maxPages to read it`,
    );
    const tree = await loadTree(file, { maxSitemaps: 63, maxPages: 32 });
    expect([...allSitemaps(tree)]).toHaveLength(62);
    expect([...allPages(tree)]).toHaveLength(32);
    const json = JSON.stringify(tree);
    expect(() => treeFromJson(json, { maxSitemaps: 62 })).toThrow("The tree has more than 62 sitemaps");
    expect(() => treeFromJson(json, { maxPages: 31 })).toThrow("The tree has more than 31 pages");
    expect(treeFromJson(json, { maxSitemaps: 63, maxPages: 32 })).toStrictEqual(tree);
    // Pages that many nodes share count as well.
    await writeFile(
      file,
      gzipSync([HEADER, node(1, 1), url("a"), node(0, { sameAs: 0 }), end(2, 1)].join("\n")),
    );
    await expect(loadTree(file, { maxPages: 1 })).rejects.toMatchObject({ code: "too-large" });
    expect([...allPages(await loadTree(file, { maxPages: 2 }))]).toHaveLength(2);
  });

  it("throws a TreeError or returns a tree, for any change of the text", async () => {
    await saveTree(await walkSampleSite(), file);
    const text = gunzipSync(await readFile(file));
    const change = fc.tuple(
      fc.nat(text.length - 1),
      fc.nat(3),
      fc.constantFrom("", "0", '"', "{", "}", "\n", "-1"),
    );
    await fc.assert(
      fc.asyncProperty(change, async ([at, length, inserted]) => {
        const parts = [text.subarray(0, at), Buffer.from(inserted), text.subarray(at + length)];
        await writeFile(file, gzipSync(Buffer.concat(parts), { level: 1 }));
        const error = await loadTree(file).catch((thrown: unknown) => thrown);
        if (error instanceof Error) expect(error).toBeInstanceOf(TreeError);
      }),
      { numRuns: runs(200), seed },
    );
  });
});

function changeByte(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = changed[at]! ^ 0xff;
  return changed;
}

function cyclicTree(): Sitemap {
  const subSitemaps: Sitemap[] = [];
  const tree: Sitemap = { ...pagesNode([]), subSitemaps };
  subSitemaps.push(pagesNode([page("a")]), tree);
  return tree;
}
