/**
 * Runs the examples of README.md and docs/*.md against the built package, each in a process of its own,
 * and fails when one of them throws. Every `js` and `ts` block runs, unless the line before it (blank
 * lines aside) is `<!-- not run -->`. Types of `ts` blocks are stripped, not checked. Then come the recipes of
 * examples/ (run-recipes.mjs).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { runRecipes } from "./run-recipes.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Inside the workspace, so that `siteatlas` resolves to the package as its users see it. */
const workFolder = join(root, ".cache", "doc-examples");
const timeLimitMs = 30_000;

/**
 * @typedef {object} Example
 * @property {string} language
 * @property {number} line of the opening fence, from 1
 * @property {string} code
 * @property {boolean} runs
 */

/**
 * @param {string} markdown
 * @returns {Example[]}
 */
export function readExamples(markdown) {
  /** @type {Example[]} */
  const examples = [];
  const lines = markdown.split("\n");
  let lastText = "";
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const fence = /^(\s*)(`{3,}|~{3,})\s*(\w*)/.exec(line);
    if (!fence) {
      if (line.trim()) lastText = line.trim();
      continue;
    }
    const [, indent = "", marks = "", language = ""] = fence;
    const start = i + 1;
    do i++;
    while (i < lines.length && !lines[i]?.trim().startsWith(marks));
    if (["js", "mjs", "ts"].includes(language)) {
      const body = lines.slice(start, i).map((text) => text.replace(indent, ""));
      examples.push({
        language,
        line: start,
        code: `${body.join("\n")}\n`,
        runs: lastText !== "<!-- not run -->",
      });
    }
    lastText = "";
  }
  return examples;
}

/**
 * @param {string} page path relative to the root
 * @param {Example} example
 * @returns {boolean} whether it ended well
 */
function runExample(page, example) {
  const file = join(workFolder, `${basename(page, ".md")}-${example.line}.mjs`);
  const isTypeScript = example.language === "ts";
  writeFileSync(file, isTypeScript ? transformSync(example.code, { loader: "ts" }).code : example.code);
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", timeout: timeLimitMs });
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${page}:${example.line}`);
  if (status !== 0) console.error(stderr || `No answer within ${timeLimitMs} ms`);
  return status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(workFolder, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  let ran = 0;
  let failed = 0;
  for (const page of ["README.md", ...docs.sort().map((name) => `docs/${name}`)]) {
    for (const example of readExamples(readFileSync(join(root, page), "utf8"))) {
      if (!example.runs) continue;
      ran++;
      if (!runExample(page, example)) failed++;
    }
  }
  console.log(`Examples: ${ran} run, ${failed} failed`);
  const isCooked = await runRecipes();
  process.exitCode = failed > 0 || ran === 0 || !isCooked ? 1 : 0;
}
