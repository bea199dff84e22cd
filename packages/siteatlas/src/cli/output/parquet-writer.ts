/**
 * Writes pages as a Parquet file, in the order in which the site declares them: the table of
 * `output/parquet-table.ts` in a file that takes its place when it is whole, or on stdout.
 */
import { pageColumns } from "../../output/page-columns.ts";
import type { FieldName, PageRecord } from "../../output/page-record.ts";
import { ParquetTable } from "../../output/parquet-table.ts";
import type { PageWriter } from "./open-writer.ts";
import { toOutputError } from "./output-error.ts";
import type { ByteSink } from "./text-output.ts";

export class ParquetPageWriter implements PageWriter {
  readonly #sink: ByteSink;
  readonly #target: string;
  readonly #table: ParquetTable<PageRecord>;

  constructor(
    sink: ByteSink,
    target: string,
    fields: readonly FieldName[],
    metadata: Readonly<Record<string, string>>,
  ) {
    this.#sink = sink;
    this.#target = target;
    const columns = pageColumns((record: PageRecord) => record, fields);
    this.#table = new ParquetTable(sink, columns, { name: "page", metadata });
  }

  write(record: PageRecord): void | Promise<void> {
    return this.#table.add(record);
  }

  async end(isCut?: boolean): Promise<string | undefined> {
    try {
      await this.#table.end();
    } catch (error) {
      await this.abort();
      throw toOutputError(error, this.#target);
    }
    return this.#sink.commit(isCut);
  }

  abort(): Promise<void> {
    return this.#sink.discard();
  }
}
