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

/** Formats of findings, for `lint` and `check`, and the file extensions that select them. */
const REPORT_EXTENSIONS = {
  text: ["txt"],
  json: ["json"],
  sarif: ["sarif"],
  github: ["github"],
  junit: ["xml"],
  markdown: ["md", "markdown"],
} as const;

export type ReportFormat = keyof typeof REPORT_EXTENSIONS;

export const REPORT_FORMATS: readonly ReportFormat[] = Object.keys(REPORT_EXTENSIONS) as ReportFormat[];

/** The format of findings that the extension of a file selects. */
export function reportFormatOfFile(path: string): ReportFormat | undefined {
  const [, extension = ""] = /\.([a-z]+)$/i.exec(path) ?? [];
  return REPORT_FORMATS.find((name) =>
    (REPORT_EXTENSIONS[name] as readonly string[]).includes(extension.toLowerCase()),
  );
}

/** Formats of `siteatlas report`, and the file extensions that select them. */
const SITE_REPORT_EXTENSIONS = {
  html: ["html", "htm"],
  markdown: ["md", "markdown"],
  json: ["json"],
} as const;

export type SiteReportFormat = keyof typeof SITE_REPORT_EXTENSIONS;

export const SITE_REPORT_FORMATS: readonly SiteReportFormat[] = Object.keys(
  SITE_REPORT_EXTENSIONS,
) as SiteReportFormat[];

export function siteReportExtensions(): string[] {
  return SITE_REPORT_FORMATS.map((name) => `.${SITE_REPORT_EXTENSIONS[name][0]}`);
}

/** The format that the extension of a file selects. A final `.gz` is ignored. */
export function siteReportFormatOfFile(path: string): SiteReportFormat | undefined {
  const [, extension = ""] = /\.([a-z]+)(?:\.gz)?$/i.exec(path) ?? [];
  return SITE_REPORT_FORMATS.find((name) =>
    (SITE_REPORT_EXTENSIONS[name] as readonly string[]).includes(extension.toLowerCase()),
  );
}
