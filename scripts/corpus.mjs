/**
 * Compares siteatlas with independent readers on a folder of documents: `npm run corpus -- FOLDER`. The folder has
 * `sitemaps/`, `feeds/` and `robots/`; a file of `robots/` is named after its host. Needs a build.
 *
 * Prints how many documents and verdicts are equal, the class of each difference, and every difference without a class.
 * Fails if there is one. `--json FILE` writes all counts, `--library PATH` takes another build (its
 * dist/parse/index.js), to compare two versions.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Comparison, KINDS } from "./corpus/compare.mjs";
import { reportLines } from "./corpus/report.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "string" }, library: { type: "string" } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("Usage: npm run corpus -- FOLDER [--json FILE] [--library PATH]");
  process.exit(2);
}

const path = values.library ?? "packages/siteatlas/dist/parse/index.js";
const comparison = new Comparison(await import(pathToFileURL(resolve(path)).href));
for (const kind of KINDS) {
  for (const name of readdirSync(join(folder, kind)).sort()) {
    await comparison.add(kind, name, readFileSync(join(folder, kind, name)));
  }
}
for (const line of reportLines(comparison)) console.log(line);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(comparison, null, 2)}\n`);
process.exitCode = Object.values(comparison.tables).some(({ unexplained }) => unexplained > 0) ? 1 : 0;
