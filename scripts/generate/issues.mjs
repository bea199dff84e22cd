/** What is generated from the table of issue codes: docs/issues.md, model/generated/issue-codes.ts. */

/** @typedef {Readonly<Record<string, import("../../packages/siteatlas/src/model/issue-table.ts").IssueInfo>>} IssueTable */

/** What a code starts with → heading. */
const headings = new Map([
  ["content", "The document as a whole"],
  ["gzip", "Compression"],
  ["encoding", "Encoding"],
  ["xml", "XML"],
  ["ns", "Namespaces"],
  ["entry", "Entries"],
  ["index", "Sitemap indexes"],
  ["urlset", "Sitemaps"],
  ["url", "URLs"],
  ["priority", "Priority"],
  ["changefreq", "Change frequency"],
  ["date", "Dates"],
  ["text", "Text"],
  ["news", "News"],
  ["image", "Images"],
  ["video", "Videos"],
  ["hreflang", "Alternates"],
  ["rss", "RSS"],
  ["json", "JSON Feed"],
  ["robots", "robots.txt"],
  ["limit", "Limits"],
]);

const strictBehavior = { drop: "the entry is dropped", fail: "the document is invalid" };

const introduction = `<!-- Generated from packages/siteatlas/src/model/issue-table.ts by \`npm run generate\`. Do not edit. -->

# Issue codes

A mistake in a document or a failing server never throws. It becomes an issue: a value with one of the codes
below, a severity, the URL of the document and, if known, the line and the offending text. siteatlas keeps at
most 100 issues per document and 10 per code, and counts all of them.

- **error**: something was lost.
- **warning**: something was repaired, dropped or skipped.
- **info**: allowed or harmless.

The column "strict" says what \`strict: true\` does beyond reporting.
`;

/**
 * @param {IssueTable} table
 * @returns {string} Markdown
 */
export function issuePage(table) {
  const sections = [...groupsOf(table)].map(([group, rows]) => {
    const lines = rows.map(
      ([code, { severity, message, strict, spec }]) =>
        `| \`${code}\` | ${severity} | ${escapeCell(message)} | ` +
        `${strict ? strictBehavior[strict] : ""} | ${spec ? `[spec](${spec})` : ""} |`,
    );
    return (
      `## ${headings.get(group) ?? group}\n\n| code | severity | meaning | strict | specification |\n` +
      `|---|---|---|---|---|\n${lines.join("\n")}\n`
    );
  });
  return [introduction, ...sections].join("\n");
}

/** @param {string} text */
function escapeCell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/**
 * By what the codes start with. A code without a dot goes with the document as a whole.
 * @param {IssueTable} table
 */
function groupsOf(table) {
  /** @type {Map<string, [code: string, info: IssueTable[string]][]>} */
  const groups = new Map();
  for (const row of Object.entries(table)) {
    const group = row[0].includes(".") ? row[0].slice(0, row[0].indexOf(".")) : "content";
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return groups;
}

/**
 * @param {IssueTable} table
 * @returns {string} TypeScript
 */
export function issueCodes(table) {
  const rows = Object.entries(table);
  const refusals = rows.filter(([, { rejects }]) => rejects);
  const setOf = (/** @type {readonly string[]} */ codes) =>
    `new Set([\n${wrapped(codes.map((code) => `"${code}",`).join(" "), "  ")}\n])`;
  const strictly = (/** @type {"drop" | "fail"} */ action) =>
    setOf(rows.filter(([, { strict }]) => strict === action).map(([code]) => code));
  const severities = severityRows(table);
  const ofSeverity = (/** @type {string} */ severity) =>
    setOf(severities.filter((row) => row.severity === severity).map(({ name }) => name));
  return `// Generated from model/issue-table.ts by \`npm run generate\`. Do not edit.

/**
 * How serious an issue is. \`error\`: data was lost. \`warning\`: it was repaired, dropped or skipped. \`info\`: allowed or
 * harmless.
 */
export type Severity = "error" | "warning" | "info";

/** Strict mode drops the entry that has the issue, or ends the document as invalid. */
export type StrictAction = "drop" | "fail";

/** Every code that siteatlas can report. */
export type IssueCode =
${wrapped(rows.map(([code]) => `| "${code}"`).join(" "), "  ")};

/** Why the parser rejects a document: the reason of an invalid sitemap. */
export const refusals = {
${refusals.map(([code, { message }]) => `  "${code}": "${message}",`).join("\n")}
} as const;

/** Codes, and groups such as \`http\`. */
export const errors: ReadonlySet<string> = ${ofSeverity("error")};

/** Exceptions in the groups above. Codes that are in no set are also warnings. */
export const warnings: ReadonlySet<string> = ${ofSeverity("warning")};

export const infos: ReadonlySet<string> = ${ofSeverity("info")};

export const dropping: ReadonlySet<IssueCode> = ${strictly("drop")};

export const failing: ReadonlySet<IssueCode> = ${strictly("fail")};
`;
}

/**
 * A group whose codes are mostly errors is one row, and its other codes are exceptions: half the bytes.
 * @param {IssueTable} table
 */
function severityRows(table) {
  return [...groupsOf(table)].flatMap(([group, rows]) => {
    const errors = rows.filter(([, { severity }]) => severity === "error").length;
    const isErrors = errors > rows.length / 2;
    const exceptions = rows
      .filter(([code, { severity }]) => severity !== (isErrors && code.includes(".") ? "error" : "warning"))
      .map(([name, { severity }]) => ({ name, severity }));
    return isErrors ? [{ name: group, severity: "error" }, ...exceptions] : exceptions;
  });
}

/**
 * Words in lines of at most 110 characters, each behind the indent.
 * @param {string} text
 * @param {string} indent
 * @returns {string}
 */
function wrapped(text, indent) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (indent.length + line.length > 110) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines.map((line) => indent + line).join("\n");
}
