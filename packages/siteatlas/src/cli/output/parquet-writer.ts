/** Writes pages as Parquet, to a file or stdout. */

import type { FieldName, PageRecord } from "../../output/page-fields.ts";
import { pageColumns } from "../../output/parquet-columns.ts";
import { ParquetTable } from "../../output/parquet-table.ts";
import { toOutputError } from "../process/output-error.ts";
import type { ByteOutput } from "./buffered-output.ts";
import type { PageWriter } from "./page-writer.ts";

export async function createParquetWriter(
  output: ByteOutput,
  target: string,
  fields: readonly FieldName[],
  metadata: Readonly<Record<string, string>>,
): Promise<PageWriter> {
  await ParquetTable.load();
  const columns = pageColumns((record: PageRecord) => record, fields);
  const table = new ParquetTable(output, columns, { name: "page", metadata });
  return {
    write: (record) => table.add(record),
    end: async (isCut) => {
      try {
        await table.end();
      } catch (error) {
        await output.discard();
        throw toOutputError(error, target);
      }
      return output.commit(isCut);
    },
    abort: () => output.discard(),
  };
}
