/**
 * Runs the examples of README.md and docs/*.md against the built package, each in a process of its own,
 * and fails when one of them throws. Every `js` and `ts` block runs, unless the line before it (blank
 * lines aside) is `<!-- not run -->`. Below `<!-- run on a test site -->`, https://example.com/ is the acceptance site of
 * the tests, and the example must print something. Types of `ts` blocks are stripped, not checked. Then come the
 * commands of README.md (run-readme-commands.mjs) and the recipes of examples/ (run-recipes.mjs).
 */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { transformSync } from "esbuild";
import { runReadmeCommands } from "./run-readme-commands.mjs";
import { loadAcceptanceSite, runRecipes } from "./run-recipes.mjs";

const execFileAsync = promisify(execFile);

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
 * @property {boolean} isOnSite whether it reads https://example.com/, and a test site takes its place
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
        isOnSite: lastText === "<!-- run on a test site -->",
      });
    }
    lastText = "";
  }
  return examples;
}

/**
 * @param {string} page path relative to the root
 * @param {Example} example
 * @param {Awaited<ReturnType<typeof loadAcceptanceSite>>} openSite
 * @returns {Promise<boolean>} whether it ended well
 */
async function runExample(page, example, openSite) {
  const file = join(workFolder, `${basename(page, ".md")}-${example.line}.mjs`);
  const isTypeScript = example.language === "ts";
  const code = isTypeScript ? transformSync(example.code, { loader: "ts" }).code : example.code;
  const opened = example.isOnSite ? await openSite() : undefined;
  writeFileSync(file, opened === undefined ? code : onSite(code, opened.site.url));
  const error = await execFileAsync(process.execPath, [file], { cwd: workFolder, timeout: timeLimitMs }).then(
    ({ stdout }) => (example.isOnSite && stdout === "" ? "It printed nothing" : undefined),
    ({ stderr }) => stderr || `No answer within ${timeLimitMs} ms`,
  );
  await opened?.site.close();
  console.log(`${error === undefined ? "ok    " : "FAILED"} ${page}:${example.line}`);
  if (error !== undefined) console.error(error);
  return error === undefined;
}

/** @param {string} code @param {string} url */
function onSite(code, url) {
  if (!code.includes("https://example.com/"))
    throw new Error("The example does not read https://example.com/");
  return code.replaceAll("https://example.com/", `${url}/`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(workFolder, { recursive: true, force: true });
  mkdirSync(workFolder, { recursive: true });
  const docs = readdirSync(join(root, "docs")).filter((name) => name.endsWith(".md"));
  const openSite = await loadAcceptanceSite(workFolder);
  let ran = 0;
  let failed = 0;
  for (const page of ["README.md", ...docs.sort().map((name) => `docs/${name}`)]) {
    for (const example of readExamples(readFileSync(join(root, page), "utf8"))) {
      if (!example.runs) continue;
      ran++;
      if (!(await runExample(page, example, openSite))) failed++;
    }
  }
  console.log(`Examples: ${ran} run, ${failed} failed`);
  const areCommandsRight = await runReadmeCommands();
  const areRecipesRight = await runRecipes();
  process.exitCode = failed > 0 || ran === 0 || !areCommandsRight || !areRecipesRight ? 1 : 0;
}
