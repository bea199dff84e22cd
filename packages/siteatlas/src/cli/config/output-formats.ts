/** The output formats, the file extensions that select them, and the formats of each command. */

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

const FORMATS: readonly Format[] = Object.keys(EXTENSIONS) as Format[];

/** Formats that write pages one by one, not as a tree. */
export type FlatFormat = Exclude<Format, "tree">;

const FLAT_FORMATS: readonly FlatFormat[] = FORMATS.filter((format) => format !== "tree");

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

/** The formats of `-f` that a command has. */
export interface CommandFormats<F extends string = string> {
  readonly names: readonly F[];
  /** Description of the output without `-f`. */
  readonly byDefault: string;
  /** Descriptions of some formats, for help texts. */
  readonly contents?: Readonly<Partial<Record<F, string>>>;
}

const PAGES = { names: FLAT_FORMATS, byDefault: "a listing on a terminal, urls in a pipe" } as const;
const FINDINGS = { names: REPORT_FORMATS, byDefault: "text" } as const;
const CHANGES = {
  byDefault: "a summary on a terminal, ndjson in a pipe",
  contents: { urls: "added and changed pages", ndjson: "one object per change" },
} as const;

type CompareName = "urls" | "ndjson" | "json" | "csv" | "tsv";
export type ChangeName = "urls" | "ndjson" | "json";

interface FormatTable {
  readonly ls: CommandFormats<Format>;
  readonly lint: CommandFormats<ReportFormat>;
  readonly check: CommandFormats<ReportFormat>;
  readonly report: CommandFormats<SiteReportFormat>;
  readonly compare: CommandFormats<CompareName>;
  readonly sync: CommandFormats<ChangeName>;
  readonly watch: CommandFormats<Exclude<ChangeName, "json">>;
  readonly diff: CommandFormats<ChangeName>;
  readonly snapshot: CommandFormats<FlatFormat>;
  readonly parse: CommandFormats<FlatFormat>;
}

/** The commands with `-f`. The check of the flag, help, completion and docs/cli.md read this table. */
export const commandFormats: FormatTable = {
  ls: { ...PAGES, names: FORMATS },
  lint: FINDINGS,
  check: FINDINGS,
  report: { names: SITE_REPORT_FORMATS, byDefault: "html" },
  compare: {
    names: ["urls", "ndjson", "json", "csv", "tsv"],
    byDefault: "a summary on a terminal, ndjson in a pipe, urls with --only",
  },
  sync: { ...CHANGES, names: ["urls", "ndjson", "json"] },
  // watch has no end, and a JSON array needs one.
  watch: { ...CHANGES, names: ["urls", "ndjson"] },
  diff: { ...CHANGES, names: ["urls", "ndjson", "json"] },
  snapshot: PAGES,
  parse: PAGES,
};

/** The formats of a command. @param command its name, with or without an action: `snapshot export` */
export function formatsOf(command: string): CommandFormats | undefined {
  const [name = ""] = command.split(" ");
  return Object.hasOwn(commandFormats, name) ? commandFormats[name as keyof FormatTable] : undefined;
}

/** The help text of `-f`: `urls, ndjson or json (default: ndjson)`. */
export function formatText(command: keyof FormatTable): string {
  const { names, byDefault, contents = {} }: CommandFormats = commandFormats[command];
  const listed = names.map((name) => (contents[name] === undefined ? name : `${name} (${contents[name]})`));
  return `${listed.slice(0, -1).join(", ")} or ${listed.at(-1)} (default: ${byDefault})`;
}
