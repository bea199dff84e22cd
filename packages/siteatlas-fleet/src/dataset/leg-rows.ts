/**
 * The rows of one leg for one dataset. A few rows are kept as text, and the worker writes them together with the rows
 * of other sites. Many rows go to a part file of their own.
 */
import type { ParquetColumn } from "siteatlas/output";
import type { Dataset } from "../model/visit.ts";
import { VALUE_COLUMNS } from "./datasets.ts";
import { PartFile } from "./part-file.ts";
import { readRowTexts, rowText } from "./row-text.ts";

/** Maximum length of rows that are kept as text, in UTF-16 units: about 3,000 pages. */
const MAX_TEXT = 512 * 1024;

export class LegRows<Row> {
  readonly dataset: Dataset;
  readonly file: PartFile<readonly unknown[]>;
  readonly #host: string;
  readonly #columns: readonly ParquetColumn<Row>[];
  /** The rows as text. Undefined if they are in the file. */
  #texts: string[] | undefined;
  #length = 0;

  /** @param mayPack whether few rows are kept as text */
  constructor(
    file: PartFile<readonly unknown[]>,
    columns: readonly ParquetColumn<Row>[],
    { host, mayPack }: { readonly host: string; readonly mayPack: boolean },
  ) {
    this.dataset = file.dataset;
    this.file = file;
    this.#host = host;
    this.#columns = columns;
    this.#texts = mayPack ? [] : undefined;
  }

  add(row: Row): void {
    if (this.#texts === undefined) return this.file.add(this.#columns.map(({ value }) => value(row)));
    const text = rowText(this.#columns, row);
    this.#texts.push(text);
    this.#length += text.length;
    if (this.#length > MAX_TEXT) this.#spill();
  }

  /** The rows as text, or undefined if there are none, or if they are in the file. */
  get text(): string | undefined {
    return this.#texts === undefined || this.#texts.length === 0 ? undefined : `[${this.#texts.join()}]`;
  }

  #spill(): void {
    const rows = readRowTexts(this.dataset, this.#host, this.text!);
    this.#texts = undefined;
    for (const row of rows) this.file.add(row);
  }
}

/** Creates a part file for rows that are arrays of values. */
export function valuesFile(
  dataset: Dataset,
  path: string,
  metadata?: Readonly<Record<string, string>>,
): PartFile<readonly unknown[]> {
  return new PartFile(dataset, path, VALUE_COLUMNS[dataset], metadata);
}
