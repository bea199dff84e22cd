/** The fields of a page that somebody asked for by name, and what they probably meant where there is none. */
import { FIELD_NAMES, FIELDS, type FieldName } from "../../output/page-record.ts";
import { nearestName } from "../nearest.ts";
import { OutputError } from "./output-error.ts";

/**
 * The names in `url,lastmod,title`, in this order.
 *
 * @throws {OutputError} for a name that is none
 */
export function readFields(text: string): FieldName[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (names.length === 0) {
    throw new OutputError("Cannot write no fields at all", { exitCode: 2, hint: fieldsHint() });
  }
  return [...new Set(names.map(readField))];
}

function readField(name: string): FieldName {
  if (Object.hasOwn(FIELDS, name)) return name as FieldName;
  throw new OutputError(`There is no field ${JSON.stringify(name)}`, { exitCode: 2, hint: fieldsHint(name) });
}

function fieldsHint(name?: string): string {
  const nearest = name === undefined ? undefined : nearestField(name);
  return `${nearest === undefined ? "" : `did you mean ${nearest}? `}Fields are ${FIELD_NAMES.join(", ")}`;
}

/** What people call these columns elsewhere. */
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
