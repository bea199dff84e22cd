/**
 * The public names of `siteatlas/output`: pages as flat rows, and a writer of Parquet files. Only `ParquetTable` needs
 * hyparquet-writer, an optional peer dependency: `npm install hyparquet-writer`.
 */

export {
  FIELD_NAMES,
  FIELDS,
  type Field,
  type FieldName,
  type FieldType,
  kindOf,
  languageOf,
  type PageKind,
  type PageRecord,
  toRecord,
} from "./page-fields.ts";
export { pageColumns } from "./parquet-columns.ts";
export {
  type ColumnType,
  type ParquetColumn,
  type ParquetSink,
  ParquetTable,
  type ParquetTableOptions,
} from "./parquet-table.ts";
