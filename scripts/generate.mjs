/**
 * Writes every file that is generated from a table of the library or from its package.json; with `--check` it writes nothing and fails
 * when one of them is stale. It compiles the tables itself, so that it never reads a stale build.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { issueCodes, issuePage } from "./generate/issues.mjs";
import { knownLocationsPage } from "./generate/known-locations.mjs";
import { limitOptions, limitPage } from "./generate/limits.mjs";
import { lintRulesPage } from "./generate/lint-rules.mjs";
import { optionPage } from "./generate/options.mjs";
import { versionConstant } from "./generate/version.mjs";

const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const model = "packages/siteatlas/src/model";
const { issueTable } = await load(`${model}/issue-table.ts`);
const flagTables = await load("packages/siteatlas/src/cli/config/flags.ts");
const { lintRules } = await load("packages/siteatlas/src/lint/rules/all-rules.ts");
const { pageRules } = await load("packages/siteatlas/src/page-check/rules/all-page-rules.ts");
const { knownPathTable } = await load("packages/siteatlas/src/discover/known-paths.ts");
const { LIMIT_NAMES, limitOf } = await load(`${model}/limits.ts`);
const limits = Object.fromEntries(LIMIT_NAMES.map((/** @type {string} */ name) => [name, limitOf(name)]));

const { version } = JSON.parse(contentOf("packages/siteatlas/package.json"));

/** @type {Readonly<Record<string, (current: string) => string>>} */
const outputs = {
  "docs/issues.md": () => issuePage(issueTable),
  "docs/options.md": () => optionPage(flagTables),
  "docs/known-locations.md": () => knownLocationsPage(knownPathTable),
  "docs/lint-rules.md": () => lintRulesPage(lintRules, pageRules),
  "docs/limits.md": (current) => limitPage(current, limits),
  [`${model}/generated/issue-codes.ts`]: () => issueCodes(issueTable),
  [`${model}/generated/limits.ts`]: () => limitOptions(limits),
  [`${model}/generated/version.ts`]: () => versionConstant(version),
};

const isCheck = process.argv.includes("--check");
for (const [name, generate] of Object.entries(outputs)) {
  const current = contentOf(name);
  const text = generate(current);
  if (!isCheck) writeFileSync(pathOf(name), text);
  else if (text !== current) {
    console.error(`${name} is stale: run \`npm run generate\``);
    process.exitCode = 1;
  }
}

/** @param {string} name */
async function load(name) {
  const { outputFiles } = buildSync({
    entryPoints: [pathOf(name)],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    logLevel: "silent",
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? "")}`);
}

/** @param {string} name */
function contentOf(name) {
  try {
    return readFileSync(pathOf(name), "utf8");
  } catch {
    return "";
  }
}
