/** Which format the name of a file means. */

export type Format = "urls" | "ndjson" | "json" | "csv" | "tsv" | "tree" | "parquet" | "sqlite";

const EXTENSIONS: ReadonlyMap<string, Format> = new Map([
  ["txt", "urls"],
  ["urls", "urls"],
  ["ndjson", "ndjson"],
  ["jsonl", "ndjson"],
  ["json", "json"],
  ["csv", "csv"],
  ["tsv", "tsv"],
  ["tab", "tsv"],
  ["tree", "tree"],
  ["parquet", "parquet"],
  ["pq", "parquet"],
  ["sqlite", "sqlite"],
  ["sqlite3", "sqlite"],
  ["db", "sqlite"],
]);

/** By the name's ending; `.gz` behind it does not matter for formats of text, and fits no others. */
export function formatOfFile(path: string): Format | undefined {
  const match = /\.([a-z0-9]+)(\.gz)?$/i.exec(path);
  const format = EXTENSIONS.get(match?.[1]?.toLowerCase() ?? "");
  return isBinary(format) && match?.[2] !== undefined ? undefined : format;
}

export function isBinary(format: Format | undefined): boolean {
  return format === "parquet" || format === "sqlite";
}
