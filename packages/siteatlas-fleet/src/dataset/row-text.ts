/**
 * Rows of a dataset as JSON, from the walker process to the worker: an array of rows. A row is an array of values in
 * the order of the columns, without the host, which the worker knows. Dates are numbers, and nulls at the end are left
 * out.
 */
import type { ParquetColumn } from "siteatlas/output";
import type { Dataset } from "../model/visit.ts";
import { VALUE_COLUMNS } from "./datasets.ts";

export function rowText<Row>(columns: readonly ParquetColumn<Row>[], row: Row): string {
  const values = columns.slice(1).map(({ value: read }) => {
    const value = read(row) ?? null;
    return value instanceof Date ? value.getTime() : value;
  });
  while (values.at(-1) === null) values.pop();
  return JSON.stringify(values);
}

/**
 * Reads rows. The text comes from a process that reads untrusted bytes, so every value is checked.
 *
 * @throws {TypeError} if a value does not fit its column
 */
export function readRowTexts(dataset: Dataset, host: string, text: string): (readonly unknown[])[] {
  const rows: unknown = JSON.parse(text);
  if (!Array.isArray(rows)) throw new TypeError(`The rows of ${dataset} are not an array`);
  return rows.map((given: unknown) => {
    if (!Array.isArray(given)) throw new TypeError(`A row of ${dataset} is not an array`);
    return VALUE_COLUMNS[dataset].map((column, at) => (at === 0 ? host : readValue(column, given[at - 1])));
  });
}

function readValue({ name, type, isRequired }: ParquetColumn<never>, value: unknown): unknown {
  if (value === undefined || value === null) {
    if (isRequired) throw new TypeError(`A row has no ${name}`);
    return undefined;
  }
  if (type === "json") return value;
  const expected = type === "string" || type === "boolean" ? type : "number";
  if (typeof value !== expected || (type === "integer" && !Number.isSafeInteger(value))) {
    throw new TypeError(`A row has a ${name} of the wrong type`);
  }
  return type === "date" ? new Date(value as number) : value;
}
