/** Defines the Parquet columns of a page. Other tables can include these columns. */
import { checkArgument } from "../check/check-options.ts";
import { callable, listOf, oneOf } from "../check/rules.ts";
import { defaultFields, FIELD_NAMES, FIELDS, type FieldName, type PageRecord } from "./page-fields.ts";
import type { ParquetColumn } from "./parquet-table.ts";

/**
 * The columns of a page, in the order of the fields. Other tables can add their own columns:
 *
 *     const columns = [
 *       { name: "site", type: "string", isRequired: true, value: (row) => row.site },
 *       ...pageColumns((row) => row.page),
 *     ] satisfies ParquetColumn<{ site: string; page: PageRecord }>[];
 *
 * @param read returns the page of a row
 */
export function pageColumns<Row>(
  read: (row: Row) => PageRecord,
  fields: readonly FieldName[] = defaultFields({ isTyped: true }),
): ParquetColumn<Row>[] {
  checkArgument("pageColumns", "read", callable(), read);
  checkArgument("pageColumns", "fields", listOf(oneOf(...FIELD_NAMES), "an array of field names"), fields);
  return fields.map((name) => {
    const { type, isRequired = false, isFreeText = false } = FIELDS[name];
    return { name, type, isRequired, isAscii: !isFreeText, value: (row) => read(row)[name] };
  });
}
