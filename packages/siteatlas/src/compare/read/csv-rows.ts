/**
 * Splits text into the rows of a table (RFC 4180). Cells in quotes may contain delimiters, quotes and line breaks.
 *
 * Lenient: text after the closing quote of a cell belongs to the cell. If a quote is not closed within `MAX_LINE`
 * characters, its line is dropped and counted as broken, and reading continues with the next line.
 */
import type { FactCounts } from "../source-facts.ts";
import { MAX_LINE } from "./text-lines.ts";

export type Delimiter = "," | ";" | "\t" | "|";

/** The cells of a row. */
export type Row = readonly string[];

export async function* csvRows(
  texts: AsyncIterable<string>,
  delimiter: Delimiter,
  facts: FactCounts,
): AsyncGenerator<readonly Row[]> {
  const reader = new CsvReader(delimiter, facts);
  for await (const text of texts) yield reader.push(text);
  yield reader.end();
}

export class CsvReader {
  readonly #delimiter: Delimiter;
  readonly #facts: FactCounts;
  /** Text that was not split yet: at most one row. */
  #text = "";
  #isSkipping = false;

  constructor(delimiter: Delimiter, facts: FactCounts) {
    this.#delimiter = delimiter;
    this.#facts = facts;
  }

  push(text: string): Row[] {
    this.#text += text;
    // A row is complete when the character after it is known: `\r` may be the first half of `\r\n`, and `"` the first
    // half of `""`.
    return this.#read(this.#text.length - 1, false);
  }

  end(): Row[] {
    this.#text += "\n\n";
    return this.#read(this.#text.length - 1, true);
  }

  /** Reads the rows that end before this position. */
  #read(limit: number, isEnd: boolean): Row[] {
    const rows: Row[] = [];
    let at = 0;
    while (at < limit) {
      if (this.#isSkipping) {
        const next = lineEnd(this.#text, at);
        if (next < 0 || next > limit) {
          at = limit;
          break;
        }
        at = afterLine(this.#text, next);
        this.#isSkipping = false;
        continue;
      }
      const row: string[] = [];
      const end = this.#readRow(at, limit, row);
      if (end < 0) {
        if (!isEnd && limit - at <= MAX_LINE) break;
        this.#isSkipping = true;
        this.#facts.drop(lineEnd(this.#text, at) < 0 ? "too-long" : "broken");
        continue;
      }
      at = end;
      if (row.length > 1 || row[0] !== "") rows.push(row);
    }
    this.#text = this.#text.slice(at);
    return rows;
  }

  /** Reads one row. Returns the position after it, or -1 if it does not end before the limit. */
  #readRow(start: number, limit: number, row: string[]): number {
    const text = this.#text;
    let at = start;
    for (;;) {
      let cell = "";
      if (text[at] === '"') {
        let from = at + 1;
        for (;;) {
          const quote = text.indexOf('"', from);
          if (quote < 0 || quote >= limit) return -1;
          if (text[quote + 1] !== '"') {
            cell += text.slice(from, quote);
            at = quote + 1;
            break;
          }
          cell += text.slice(from, quote + 1);
          from = quote + 2;
        }
      }
      const end = this.#cellEnd(at);
      if (end < 0 || end >= limit) return -1;
      cell += text.slice(at, end);
      row.push(cell);
      if (text[end] !== this.#delimiter) return afterLine(text, end);
      at = end + 1;
    }
  }

  /** Position of the next delimiter or line end. */
  #cellEnd(start: number): number {
    const text = this.#text;
    const delimiter = this.#delimiter.charCodeAt(0);
    for (let at = start; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === 0x0a || code === 0x0d) return at;
    }
    return -1;
  }
}

function lineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) return at;
  }
  return -1;
}

function afterLine(text: string, end: number): number {
  return text[end] === "\r" && text[end + 1] === "\n" ? end + 2 : end + 1;
}
