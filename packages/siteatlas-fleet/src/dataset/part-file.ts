/**
 * Writes a part file, which is a Parquet file with some rows of a dataset, to the local disk. When it is complete, it
 * is moved into the store. The file is created when the first row is added, so a site without changes or pages gets no
 * empty file.
 */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { type ParquetColumn, ParquetTable } from "siteatlas/output";
import type { Dataset } from "../model/visit.ts";
import { ROW_NAMES } from "./datasets.ts";

export class PartFile<Row> {
  readonly dataset: Dataset;
  readonly path: string;
  readonly #columns: readonly ParquetColumn<Row>[];
  readonly #metadata: Readonly<Record<string, string>>;
  #file: number | undefined;
  #table: ParquetTable<Row> | undefined;

  constructor(
    dataset: Dataset,
    path: string,
    columns: readonly ParquetColumn<Row>[],
    metadata: Readonly<Record<string, string>> = {},
  ) {
    this.dataset = dataset;
    this.path = path;
    this.#columns = columns;
    this.#metadata = metadata;
  }

  get rowCount(): number {
    return this.#table?.rowCount ?? 0;
  }

  get byteCount(): number {
    return this.#table?.byteCount ?? 0;
  }

  /**
   * Adds a row. It is synchronous, because a walk does not wait for each page. @throws the error of an earlier write
   */
  add(row: Row): void {
    this.#table ??= this.#open();
    void this.#table.add(row);
    if (this.#table.failure !== undefined) throw this.#table.failure;
  }

  #open(): ParquetTable<Row> {
    const file = openSync(this.path, "wx", 0o600);
    this.#file = file;
    const sink = {
      write(bytes: Uint8Array): void {
        for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from);
      },
    };
    return new ParquetTable(sink, this.#columns, { name: ROW_NAMES[this.dataset], metadata: this.#metadata });
  }

  /** Completes the file. Returns false if it has no rows. */
  async end(): Promise<boolean> {
    await this.#table?.end();
    this.#close();
    return this.rowCount > 0;
  }

  discard(): void {
    this.#close();
    rmSync(this.path, { force: true });
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}
