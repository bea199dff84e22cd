/** sec-O02: no cell is a formula, and an RFC 4180 reader gets the original text. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvCell } from "../../src/escape/csv.ts";
import { hostileText, settings } from "./hostile-text.ts";

describe("csvCell", () => {
  test.each([
    "=1+1",
    "+1",
    "-1",
    "@SUM(1)",
    "\tx",
    "\rx",
    "\nx",
    "＝1",
    "＋1",
    "－1",
    "＠a",
    "   =1",
    "\u00a0=1",
    "\u200b=1",
    "\ufeff=1",
    " \t =1",
    "\u0001=1",
    "'=1",
    "''@a",
  ])("sec-O02: puts an apostrophe before %j", (text) => {
    expect(readCsv(csvCell(text))).toEqual([[`'${text}`]]);
    expect(readCsv(csvCell(text, { raw: true }))).toEqual([[text]]);
  });

  test.each([
    ["plain", "plain"],
    ["1 + 1 = 2", "1 + 1 = 2"],
    ["it's", "it's"],
    ["'quoted'", "'quoted'"],
    ["a,b", '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ["two\nlines", '"two\nlines"'],
    [" blank", '" blank"'],
    ["", ""],
    [undefined, ""],
    [null, ""],
    [-5, "-5"],
    [0.5, "0.5"],
    [true, "true"],
  ])("%j is %j", (value, expected) => {
    expect(csvCell(value)).toBe(expected);
  });

  test("sec-O02: URLs are unchanged", () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        expect(readCsv(csvCell(url))).toEqual([[url]]);
      }),
      settings,
    );
  });

  test("a reader gets the original texts and no formula", () => {
    const table = fc.array(fc.array(hostileText, { minLength: 2, maxLength: 4 }), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(table, (rows) => {
        const file = rows.map((row) => `${row.map((text) => csvCell(text)).join(",")}\r\n`).join("");
        const read = readCsv(file);
        for (const cell of read.flat()) expect(cell).not.toMatch(/^\s*[=+\-@\t\r＝＋－＠]/);
        expect(read.map((row) => row.map(withoutApostrophe))).toEqual(rows);
        const raw = rows.map((row) => `${row.map((text) => csvCell(text, { raw: true })).join(",")}\r\n`);
        expect(readCsv(raw.join(""))).toEqual(rows);
      }),
      settings,
    );
  });
});

/** As the documentation of `csvCell` says. */
function withoutApostrophe(cell: string): string {
  const formula = /^'+[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]*[=+\-@\t\r\n＝＋－＠﹦﹢﹣﹫−]/u;
  return formula.test(cell) ? cell.slice(1) : cell;
}

/** Strict RFC 4180: quotes only at the start of a field, records end with CRLF. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at <= text.length) {
    let field = "";
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error("The quote is not closed");
        if (text[at] !== '"') field += text[at];
        else if (text[at + 1] === '"') field += text[++at];
        else break;
      }
      at++;
    } else {
      while (at < text.length && text[at] !== "," && !text.startsWith("\r\n", at)) {
        if (text[at] === '"' || text[at] === "\r" || text[at] === "\n") throw new Error("Not quoted");
        field += text[at++];
      }
    }
    row.push(field);
    if (text[at] === ",") {
      at++;
      continue;
    }
    rows.push(row);
    row = [];
    if (at === text.length) break;
    if (!text.startsWith("\r\n", at)) throw new Error("Text after a closing quote");
    at += 2;
    if (at === text.length) break;
  }
  return rows;
}
