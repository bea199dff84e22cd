/** Turns the values of a record into table cells. Nested values become JSON strings. */

import { jsonLine } from "../../escape/json.ts";
import { dateText } from "../../model/format-date.ts";
import type { DatePrecision } from "../../model/model.ts";
import { FIELDS, type FieldName, type PageRecord } from "../../output/page-fields.ts";

export type Cell = string | number | boolean | undefined;

export function readCell(record: PageRecord, name: FieldName): Cell {
  const value = record[name];
  if (value === undefined) return undefined;
  const { type } = FIELDS[name];
  if (type === "date") return readDate(record, name);
  return type === "json" ? jsonLine(value) : (value as Cell);
}

/** The date as text, with the precision that the site gives, such as `2026-11`. */
export function readDate(record: PageRecord, name: FieldName): string | undefined {
  const value = record[name] as Date | undefined;
  return value === undefined ? undefined : dateText(value, precisionOf(record, name));
}

function precisionOf(record: PageRecord, name: FieldName): DatePrecision | undefined {
  return name === "lastmod" ? record.lastmod_precision : record.published_precision;
}
