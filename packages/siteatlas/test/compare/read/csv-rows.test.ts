import { describe, expect, it } from "vitest";
import { findTable } from "../../../src/compare/read/csv-column.ts";
import { CsvReader, type Row } from "../../../src/compare/read/csv-rows.ts";
import { MAX_LINE } from "../../../src/compare/read/text-lines.ts";
import { FactCounts } from "../../../src/compare/source-facts.ts";

function rowsOf(text: string, step = text.length, facts = new FactCounts()): Row[] {
  const reader = new CsvReader(",", facts);
  const rows: (readonly Row[])[] = [];
  for (let at = 0; at < text.length; at += step) rows.push(reader.push(text.slice(at, at + step)));
  return [...rows, reader.end()].flat();
}

describe("CsvReader", () => {
  it.each<[string, Row[]]>([
    [
      "a,b\nc,d\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\r\nc,d",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    [
      "a,b\rc,d\r",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ['"a,1","b ""x"""\n', [["a,1", 'b "x"']]],
    ['"two\r\nlines",b\n', [["two\r\nlines", "b"]]],
    ["\n\na\n\n", [["a"]]],
    [",\n", [["", ""]]],
    ['a "b" c,d\n', [['a "b" c', "d"]]],
    ['"a"b,c\n', [["ab", "c"]]],
    ['"",""\n', [["", ""]]],
    [
      '"a\nb,c\nd,e\n',
      [
        ["b", "c"],
        ["d", "e"],
      ],
    ],
  ])("reads %j in one piece and in small ones", (text, rows) => {
    for (const step of [text.length, 1, 2, 3]) expect(rowsOf(text, step)).toEqual(rows);
  });

  it("drops a row that is too long, and continues", () => {
    const facts = new FactCounts();
    const long = "x".repeat(2 * MAX_LINE);
    expect(rowsOf(`a,b\n${long}\nc,d\n`, 65_536, facts)).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    expect(facts.facts().dropped).toEqual({ "too-long": 1 });
  });

  it("drops the line of a quote that is not closed, and continues", () => {
    const facts = new FactCounts();
    const lines = "c,d\n".repeat(MAX_LINE / 2);
    const rows = rowsOf(`a,b\n"open,1\n${lines}`, 65_536, facts);
    expect(rows).toHaveLength(1 + MAX_LINE / 2);
    expect(facts.facts().dropped).toEqual({ broken: 1 });
  });
});

describe("findTable", () => {
  it.each<[string, string, object | undefined]>([
    [
      "Screaming Frog",
      "Address,Status Code\nhttps://e.com/,200\n",
      { column: 0, name: "Address", delimiter: "," },
    ],
    ["semicolons", "Nr;URL;Titel\n1;https://e.com/;a, b\n", { column: 1, name: "URL", delimiter: ";" }],
    ["tabs", "x\tpage_url\n1\thttps://e.com/\n", { column: 1, name: "page_url", delimiter: "\t" }],
    ["Search Console", "Top pages,Clicks\nhttps://e.com/,5\n", { column: 0, name: "Top pages" }],
    ["paths", "Page path,Views\n/a,5\n/b,6\n", { column: 0, name: "Page path" }],
    ["unknown names", "x,y\n1,https://e.com/\n2,https://e.com/b\n", { column: 1, name: "y" }],
    ["a title before the names", "All URLs\nStatus,Address\n200,https://e.com/\n", { column: 1 }],
    [
      "the better of two columns",
      "Redirect URL,URL\nhttps://e.com/a,https://e.com/b\n",
      { column: 1, name: "URL" },
    ],
    ["no names", "https://e.com/a,1\n".repeat(5), { column: 0, name: "1" }],
    ["one column", "URL\nhttps://e.com/\n", { column: 0, name: "URL" }],
    ["one quoted column", '"Address"\n"https://e.com/"\n', { column: 0, name: "Address" }],
    ["no URLs", "Name,Age\nBob,3\n", { column: -1 }],
    ["a list", "https://e.com/a\nhttps://e.com/b,c\n", undefined],
    ["a list with comments", "# a, b\nhttps://e.com/a\nhttps://e.com/b,c\n", undefined],
  ])("%s", (_, text, expected) => {
    const found = findTable(text);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  it("takes the column that the caller wants, by name or number", () => {
    const text = "From,To\nhttps://e.com/a,https://e.com/b\n";
    expect(findTable(text, "to")?.column).toBe(1);
    expect(findTable(text, "2")?.column).toBe(1);
    expect(findTable(text, "other")?.column).toBe(-1);
  });
});
