/** Reads the SQL files of this package. Each file is read only once. */
import { readFileSync } from "node:fs";

/** The folder with the SQL files, in its folders `queries` and `migrations`. */
export const SQL_FOLDER: URL = new URL("../../sql/", import.meta.url);

const texts = new Map<string, string>();

/** Returns the text of `sql/queries/<name>.sql`. */
export function query(name: string): string {
  const text = texts.get(name) ?? readFileSync(new URL(`queries/${name}.sql`, SQL_FOLDER), "utf8");
  texts.set(name, text);
  return text;
}
