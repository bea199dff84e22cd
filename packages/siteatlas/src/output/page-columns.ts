/** Pages as a table of Parquet: the columns of a `PageRecord`, alone or as a part of wider rows. */
import { FIELD_NAMES, FIELDS, type FieldName, type PageRecord } from "./page-record.ts";
import type { ParquetColumn } from "./parquet-table.ts";

/** Every page has them. */
const REQUIRED: ReadonlySet<FieldName> = new Set(["url", "sitemap", "kind"]);

/** Texts that may hold any character. The others are URLs as we write them, and words of ours. */
const FREE_TEXT: ReadonlySet<FieldName> = new Set([
  "title",
  "lang",
  "lastmod_text",
  "published_text",
  "url_text",
]);

/**
 * The columns of a page, in the order of the fields. Tables with more than that have columns of their own beside them:
 *
 *     const columns = [
 *       { name: "site", type: "string", isRequired: true, value: (row) => row.site },
 *       ...pageColumns((row) => row.page),
 *     ] satisfies ParquetColumn<{ site: string; page: PageRecord }>[];
 *
 * @param read the page that a row of the table is about
 */
export function pageColumns<Row>(
  read: (row: Row) => PageRecord,
  fields: readonly FieldName[] = FIELD_NAMES,
): ParquetColumn<Row>[] {
  return fields.map((name) => ({
    name,
    type: FIELDS[name].type,
    isRequired: REQUIRED.has(name),
    isAscii: !FREE_TEXT.has(name),
    value: (row) => read(row)[name],
  }));
}
