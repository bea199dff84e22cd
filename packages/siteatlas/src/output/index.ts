/**
 * The public names of `siteatlas/output`: a page as one flat row, and a writer of Parquet files. It needs
 * hyparquet-writer beside it, which is an optional peer of the package.
 */
export { pageColumns } from "./page-columns.ts";
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
} from "./page-record.ts";
export {
  type ColumnType,
  type ParquetColumn,
  type ParquetSink,
  ParquetTable,
  type ParquetTableOptions,
} from "./parquet-table.ts";
