/** `comparePages` as a caller uses it: all kinds of inputs, options, misuse and abort. */
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type CompareOptions, type CompareSource, comparePages } from "../../src/index.ts";
import { openSmallSite } from "../cli/support/small-site.ts";

const folder = mkdtempSync(join(tmpdir(), "siteatlas-pages-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SITE = "https://example.com";
const LIST = [`${SITE}/a`, `${SITE}/b`];

async function compare(
  a: CompareSource,
  b: CompareSource,
  options?: CompareOptions,
): Promise<{ pages: string[]; summary: object | undefined }> {
  const pages: string[] = [];
  let summary: object | undefined;
  for await (const item of comparePages(a, b, options)) {
    if (item.kind === "page") pages.push(`${item.in} ${item.url.replace(SITE, "")}`);
    else summary = item;
  }
  return { pages, summary };
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("comparePages", () => {
  it("compares iterables, files, file: URLs and bytes", async () => {
    const csv = file("crawl.csv", `URL,Status\n${SITE}/b,200\n${SITE}/c,200\n`);
    const expected = ["a /a", "both /b", "b /c"];
    async function* stream(): AsyncGenerator<string> {
      yield* LIST;
    }
    expect((await compare(LIST, { file: csv })).pages).toEqual(expected);
    expect((await compare(stream(), { file: pathToFileURL(csv) })).pages).toEqual(expected);
    expect((await compare(new Set(LIST), { bytes: createReadStream(csv) })).pages).toEqual(expected);
  });

  it("compares a site with a folder", async () => {
    const site = await openSmallSite();
    const origin = new URL(site.url).origin;
    const dist = join(folder, "dist");
    mkdirSync(join(dist, "posts"), { recursive: true });
    for (const name of ["posts/first.html", "index.html", "404.html", ".hidden.html", "a?b#c%.html"])
      writeFileSync(join(dist, name), "");
    const options = { origin, ignore: ["html"], walk: { allowPrivateNetworks: true } } as const;
    const { pages, summary } = await compare(site.url, { folder: dist }, options);
    expect(pages).toContain(`both ${origin}/posts/first`);
    expect(pages.filter((page) => page.startsWith("b "))).toEqual([
      `b ${origin}/`,
      `b ${origin}/a%3Fb%23c%25.html`,
    ]);
    // The small site has a missing sitemap and a truncated one.
    expect(summary).toMatchObject({ a: { type: "site", partial: true }, b: { type: "folder", urls: 3 } });
  });

  it("reports what it cannot read in the summary", async () => {
    const log = file("access.log", 'h - - [17/Nov/2026:09:00:00 +0000] "GET /a HTTP/1.1" 200 1\n');
    expect((await compare(LIST, { file: log })).summary).toMatchObject({
      b: { problem: "no-origin", urls: 0 },
    });
    expect((await compare(LIST, { file: log }, { origin: SITE })).pages).toEqual(["both /a", "a /b"]);
    const binary = file("binary", "\0\u0001\u0002");
    expect((await compare(LIST, { file: binary })).summary).toMatchObject({ b: { problem: "binary" } });
    const { summary } = await compare(LIST, ["nonsense", "/path", "", `${SITE}/a`]);
    expect(summary).toMatchObject({ b: { urls: 1, dropped: { invalid: 1, relative: 1 } } });
  });

  it("takes only a text that starts with a slash for a path", async () => {
    const { pages, summary } = await compare(["n/a", "/b", "page.html", `${SITE}/a`], LIST, { origin: SITE });
    expect(pages).toEqual(["both /a", "both /b"]);
    expect(summary).toMatchObject({ a: { urls: 2, dropped: { invalid: 2 } } });
  });

  it("reads a short list with control characters, and counts paths of a short table", async () => {
    const list = file("list.txt", `${SITE}/a\u001b[31m\n${SITE}/b\n`);
    expect((await compare(LIST, { file: list })).summary).toMatchObject({
      both: 1,
      b: { type: "urls", urls: 2 },
    });
    const table = file("paths.csv", "Page path,Views\n/a,5\n/b,3\n");
    expect((await compare(LIST, { file: table })).summary).toMatchObject({ b: { dropped: { relative: 2 } } });
    expect((await compare(LIST, { file: table }, { origin: SITE })).pages).toEqual(["both /a", "both /b"]);
  });

  it("reads a URL with a comma from a table with one column, and from a list", async () => {
    const urls = Array.from({ length: 6 }, (_, at) => `${SITE}/artikel,${at}.html`);
    const expected = urls.map((url) => `both ${url.slice(SITE.length)}`);
    const column = file("one.csv", `URL\n${urls.join("\n")}\n`);
    expect((await compare(urls, { file: column })).pages).toEqual(expected);
    expect((await compare(urls, { file: column, type: "csv", column: "URL" })).pages).toEqual(expected);
    const quoted = file("quoted.csv", `"URL"\n"${urls.join('"\n"')}"\n`);
    expect((await compare(urls, { file: quoted })).pages).toEqual(expected);
    expect((await compare(urls, { file: file("commas.txt", urls.join("\n")) })).pages).toEqual(expected);
    const table = file("noheader.csv", urls.map((url, at) => `${url.replace(",", "-")},20${at}`).join("\n"));
    expect((await compare([], { file: table })).pages[0]).toBe("b /artikel-0.html");
  });

  it("finds a column of paths by its content", async () => {
    const table = file("path.csv", "id,path\n1,/a\n2,/b\n");
    expect((await compare(LIST, { file: table }, { origin: SITE })).pages).toEqual(["both /a", "both /b"]);
  });

  it("leaves out URLs that the filter rejects", async () => {
    const { pages, summary } = await compare(LIST, LIST, { filter: (url) => url.endsWith("a") });
    expect(pages).toEqual(["both /a"]);
    expect(summary).toMatchObject({ a: { dropped: { filter: 1 } } });
  });

  it("throws for misuse, at the call", () => {
    const wrong =
      (a: unknown, options?: unknown): (() => unknown) =>
      () =>
        comparePages(a as CompareSource, LIST, options as CompareOptions);
    expect(wrong(LIST, { ignore: ["http"] })).toThrow(TypeError);
    expect(wrong(LIST, { origin: "example.com" })).toThrow("option origin must be an http or https origin");
    expect(wrong(LIST, { statuses: ["2"] })).toThrow("statuses");
    expect(wrong(LIST, { colum: 1 })).toThrow("unknown option");
    expect(wrong({ folder: "dist" })).toThrow("needs the option origin");
    expect(wrong({ file: "a", typ: "csv" })).toThrow("typ");
    expect(wrong(7)).toThrow(TypeError);
    expect(wrong(undefined)).toThrow(TypeError);
  });

  it("throws the error of the file system for a missing file", async () => {
    await expect(compare(LIST, { file: join(folder, "missing") })).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("throws the reason of an abort, and leaves no temporary files", async () => {
    const temporary = join(folder, "temporary");
    mkdirSync(temporary);
    const controller = new AbortController();
    const reason = new Error("enough");
    function* endless(): Generator<string> {
      for (let at = 0; ; at++) {
        if (at === 500_000) controller.abort(reason);
        yield `${SITE}/${at}`;
      }
    }
    const options = { signal: controller.signal, temporaryFolder: temporary };
    await expect(compare(LIST, endless(), options)).rejects.toBe(reason);
    expect(readdirSync(temporary)).toEqual([]);
  });

  it("deletes temporary files if the caller leaves the loop", async () => {
    const temporary = join(folder, "left");
    mkdirSync(temporary);
    function* many(): Generator<string> {
      for (let at = 0; at < 410_000; at++) yield `${SITE}/${at}`;
    }
    for await (const item of comparePages(many(), LIST, { temporaryFolder: temporary })) {
      expect(item.kind).toBe("page");
      expect(readdirSync(temporary)).toHaveLength(1);
      break;
    }
    expect(readdirSync(temporary)).toEqual([]);
  });
});
