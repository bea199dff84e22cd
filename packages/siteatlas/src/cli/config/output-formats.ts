/** The output formats, and the file extensions that select them. */

/** The file extensions of each format. Hints for users name the first one. */
const EXTENSIONS = {
  urls: ["txt", "urls"],
  ndjson: ["ndjson", "jsonl"],
  json: ["json"],
  csv: ["csv"],
  tsv: ["tsv", "tab"],
  tree: ["tree"],
  parquet: ["parquet", "pq"],
  sqlite: ["sqlite", "sqlite3", "db"],
} as const;

export type Format = keyof typeof EXTENSIONS;

export const FORMATS: readonly Format[] = Object.keys(EXTENSIONS) as Format[];

export function mainExtension(format: Format): string {
  return `.${EXTENSIONS[format][0]}`;
}

/**
 * The format that the extension of a file selects. For text formats, a final `.gz` is ignored. A binary format with
 * `.gz` is not supported.
 */
export function formatOfFile(path: string): Format | undefined {
  const [, extension = "", gzip] = /\.([a-z0-9]+)(\.gz)?$/i.exec(path) ?? [];
  const format = FORMATS.find((name) =>
    (EXTENSIONS[name] as readonly string[]).includes(extension.toLowerCase()),
  );
  return isBinary(format) && gzip !== undefined ? undefined : format;
}

export function isBinary(format: Format | undefined): boolean {
  return format === "parquet" || format === "sqlite";
}
