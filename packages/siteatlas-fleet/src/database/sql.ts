/** The SQL of this package is in files: `sql/queries` and `sql/migrations`. */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("../../sql/", import.meta.url);

export type QueryName =
  | "add-sites"
  | "claim"
  | "commit"
  | "due"
  | "pause"
  | "quarantine"
  | "release"
  | "renew"
  | "tenants"
  | "unlease";

const texts = new Map<QueryName, string>();

/** The text of `sql/queries/<name>.sql`. */
export function query(name: QueryName): string {
  let text = texts.get(name);
  if (text === undefined) {
    text = readFileSync(new URL(`queries/${name}.sql`, folder), "utf8");
    texts.set(name, text);
  }
  return text;
}

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
}

/** In their order. */
export function migrations(): Migration[] {
  const names = readdirSync(new URL("migrations/", folder)).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({
    number: Number.parseInt(name, 10),
    name,
    text: readFileSync(new URL(`migrations/${name}`, folder), "utf8"),
  }));
}
