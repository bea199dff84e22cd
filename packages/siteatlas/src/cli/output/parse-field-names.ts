/** Parses the value of `--fields`. If a name is unknown, suggests a similar name. */

import { nearestName } from "../../check/suggest-name.ts";
import { FIELD_NAMES, FIELDS, type FieldName } from "../../output/page-fields.ts";
import { OutputError } from "../process/output-error.ts";

/** Parses names that are separated by commas. @throws {OutputError} for an unknown name */
export function readFields(text: string): FieldName[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) {
    throw new OutputError("--fields must name at least one field", { exitCode: 2, hint: fieldsHint() });
  }
  return [...new Set(names.map(readField))];
}

function readField(name: string): FieldName {
  if (Object.hasOwn(FIELDS, name)) return name as FieldName;
  throw new OutputError(`unknown field ${JSON.stringify(name)}`, { exitCode: 2, hint: fieldsHint(name) });
}

function fieldsHint(name?: string): string {
  const nearest = name === undefined ? undefined : nearestField(name);
  return `${nearest === undefined ? "" : `Did you mean ${nearest}? `}Fields: ${FIELD_NAMES.join(", ")}`;
}

/** The names that other programs use for these fields. */
const OTHER_NAMES: ReadonlyMap<string, FieldName> = new Map([
  ["loc", "url"],
  ["lastmodified", "lastmod"],
  ["lastmodraw", "lastmod_text"],
  ["changefrequency", "changefreq"],
  ["language", "lang"],
  ["hreflang", "alternates"],
  ["source", "sitemap"],
  ["date", "published"],
]);

function nearestField(name: string): string | undefined {
  return OTHER_NAMES.get(name.toLowerCase().replace(/[^a-z]/g, "")) ?? nearestName(name, FIELD_NAMES);
}
