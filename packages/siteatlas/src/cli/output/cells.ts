/** The values of a record as cells of a table: texts, numbers and truth values, nothing nested. */
import { dateText } from "../../date-text.ts";
import type { DatePrecision } from "../../model.ts";
import { FIELDS, type FieldName, type PageRecord } from "../../output/page-record.ts";
import { jsonLine } from "../../sinks/json.ts";

export type Cell = string | number | boolean | undefined;

export function readCell(record: PageRecord, name: FieldName): Cell {
  const value = record[name];
  if (value === undefined) return undefined;
  const { type } = FIELDS[name];
  if (type === "date") return readDate(record, name);
  return type === "json" ? jsonLine(value) : (value as Cell);
}

/** As precise as it is, see `dateText`. */
export function readDate(record: PageRecord, name: FieldName): string | undefined {
  const value = record[name] as Date | undefined;
  return value === undefined ? undefined : dateText(value, precisionOf(record, name));
}

function precisionOf(record: PageRecord, name: FieldName): DatePrecision | undefined {
  return name === "lastmod" ? record.lastmod_precision : record.published_precision;
}
