/**
 * Writes docs/issues.md from the one table of issue codes; with `--check` it writes nothing and fails
 * when the page is stale. It compiles the table itself, so that no stale build can answer for it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** @typedef {Readonly<Record<string, import("../packages/siteatlas/src/issue-texts.ts").IssueInfo>>} IssueTable */

const sourceFile = fileURLToPath(new URL("../packages/siteatlas/src/issue-texts.ts", import.meta.url));
const pageFile = fileURLToPath(new URL("../docs/issues.md", import.meta.url));

/** What a code starts with → heading. A code without a dot goes with the document as a whole. */
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

const strictBehaviour = { drop: "the entry is dropped", fail: "the document is invalid" };

const introduction = `<!-- Generated from packages/siteatlas/src/issue-texts.ts by \`npm run docs:issues\`. Do not edit. -->

# Issue codes

What a stranger's server or file does wrong is never an exception. It becomes an issue: a value with one
of the codes below, a severity, the URL of the document and, where that helps, the line and the offending
text. At most 100 issues of a document are kept, at most 10 of one code; all are counted.

- **error**: something was lost.
- **warning**: something was repaired, dropped or passed over.
- **info**: allowed or harmless, but worth knowing.

The column "strict" says what \`strict: true\` does beyond reporting.
`;

/**
 * @param {IssueTable} table
 * @returns {string} Markdown
 */
export function issuePage(table) {
  /** @type {Map<string, string[]>} */
  const groups = new Map();
  for (const [code, info] of Object.entries(table)) {
    const prefix = code.includes(".") ? code.slice(0, code.indexOf(".")) : "content";
    const rows = groups.get(prefix) ?? [];
    groups.set(prefix, rows);
    rows.push(
      `| \`${code}\` | ${info.severity} | ${escapeCell(info.message)} | ` +
        `${info.strict ? strictBehaviour[info.strict] : ""} | ${info.spec ? `[spec](${info.spec})` : ""} |`,
    );
  }
  const sections = [...groups].map(
    ([prefix, rows]) =>
      `## ${headings.get(prefix) ?? prefix}\n\n| code | severity | meaning | strict | specification |\n` +
      `|---|---|---|---|---|\n${rows.join("\n")}\n`,
  );
  return [introduction, ...sections].join("\n");
}

/** @param {string} text */
function escapeCell(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

/** @returns {Promise<IssueTable>} */
async function readTable() {
  const { outputFiles } = buildSync({
    entryPoints: [sourceFile],
    bundle: true,
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  const code = outputFiles[0]?.text ?? "";
  const { issueTable } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  return issueTable;
}

/** @returns {string | undefined} */
function currentPage() {
  try {
    return readFileSync(pageFile, "utf8");
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = issuePage(await readTable());
  if (!process.argv.includes("--check")) {
    writeFileSync(pageFile, page);
  } else if (page !== currentPage()) {
    console.error("docs/issues.md is stale: run `npm run docs:issues`");
    process.exitCode = 1;
  } else {
    console.log("docs/issues.md is up to date");
  }
}
