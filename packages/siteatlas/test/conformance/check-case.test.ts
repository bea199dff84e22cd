/**
 * The checker itself: it accepts a correct parser, and names the case and the split where a wrong one fails.
 */
import { describe, expect, test } from "vitest";
import type { Entry, Page, Sitemap } from "../../src/model/model.ts";
import { pageArray } from "../../src/model/page-array.ts";
import type { Expected, Fixture } from "../support/fixtures.ts";
import { checkCase, type ParseApi } from "./check-case.ts";

const A = "https://www.example.com/a";
const B = "https://www.example.com/b";

describe("checkCase", () => {
  test("accepts a parser that joins its chunks", async () => {
    expect(
      await checkCase(
        fixture({}),
        lineParser((chunks) => [chunks.join("")]),
      ),
    ).toEqual([]);
  });

  test("names the split where a parser joins or cuts URLs", async () => {
    const problems = await checkCase(
      fixture({}),
      lineParser((chunks) => chunks),
    );
    expect(problems.some((problem) => problem.startsWith("Q01-lines: byte by byte: "))).toBe(true);
    expect(problems.some((problem) => /^Q01-lines: split at \d+: /.test(problem))).toBe(true);
  });

  test.each<[string, Partial<Expected>]>([
    ["pages", { pages: [A] }],
    ["children", { children: [A] }],
    ["pageCount", { pageCount: 3 }],
    ["ends", { pageCount: 2, ends: [A, A] }],
    ["kind", { kind: "index" }],
    ["format", { format: "xml" }],
    ["codes", { codes: ["content.empty"] }],
    ["quiet", { quiet: true }],
    ["firstPage", { firstPage: { priority: 0.5 } }],
    ["an absent field", { firstPage: { title: null } }],
    ["fields", { fields: [{ title: "another" }] }],
    ["a date's precision", { fields: [{ title: "t", lastModified: "2024-01-02" }] }],
    ["duplicateCount", { duplicateCount: 1 }],
    ["strict", { strict: { pages: [A] } }],
    ["strict failure", { strict: { kind: "invalid", code: "xml.bare-ampersand" } }],
  ])("notices wrong %s", async (_, expected) => {
    const problems = await checkCase(
      fixture(expected),
      lineParser((chunks) => [chunks.join("")]),
    );
    expect(problems).not.toEqual([]);
  });

  test("accepts the right fields", async () => {
    const fields = [{ title: "t", lastModified: "2024-01" }];
    const problems = await checkCase(
      fixture({ fields }),
      lineParser((chunks) => [chunks.join("")]),
    );
    expect(problems).toEqual([]);
  });
});

function fixture(expected: Partial<Expected>): Fixture {
  return {
    group: "none",
    name: "Q01-lines",
    input: new TextEncoder().encode(`${A}\n${B}\n`),
    expected: { id: "Q01", title: "lines", url: A, policy: "", pages: [A, B], ...expected },
  };
}

/** A parser of URL lists that parses what `arrange` makes of the chunks. */
function lineParser(arrange: (chunks: string[]) => string[]): ParseApi {
  const read = async (source: Parameters<ParseApi["parseSitemap"]>[0]): Promise<Page[]> => {
    const chunks: string[] = [];
    if (source instanceof Uint8Array) chunks.push(new TextDecoder().decode(source));
    else for await (const chunk of source) chunks.push(new TextDecoder().decode(chunk as Uint8Array));
    return arrange(chunks).flatMap((text) => text.split("\n").flatMap(pageOf));
  };
  return {
    parseSitemap: async (source) => sitemapOf(await read(source)),
    async *parseEntries(source): AsyncGenerator<Entry> {
      for (const page of await read(source)) yield { kind: "page", page };
      for (const issue of sitemapOf([]).issues) yield { kind: "issue", issue };
    },
  };
}

function pageOf(url: string): Page[] {
  const lastModified = { text: "2024-01", value: new Date("2024-01-01"), precision: "month" } as const;
  return url === "" ? [] : [{ url, title: "t", lastModified }];
}

function sitemapOf(pages: readonly Page[]): Sitemap {
  const issues = [
    { code: "text.comment", severity: "info", url: A },
    { code: "url.space", severity: "warning", url: A },
  ] as const;
  return {
    kind: "pages",
    format: "text",
    url: A,
    pages: pageArray([...pages]),
    subSitemaps: [],
    issues,
    issueCount: 2,
    duplicateCount: 0,
  };
}
