/**
 * Checks the text of the repository against a list of phrases that readers had to read twice, and against sentences
 * and table cells that are too long.
 *
 * `prose-baseline.json` holds how many findings each file had when the check was introduced. A file may not have more
 * than that. `--write` lowers the baseline to what there is now; it never raises the total. `--all` prints the
 * findings of the baseline, too.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readProse } from "./read-prose.mjs";

/** Phrases to avoid. Each has a hint: better words, or a rule. */
const PHRASES = [
  [/\bwhoever\b/i, "name the actor"],
  [/\bnobody\b/i, "name the actor"],
  [/\bsomebody\b/i, "name the actor"],
  [/\bso many\b/i, 'say the number, or "up to N"'],
  [/\bso long\b/i, "say how long"],
  [/\ball the same\b/i, "leave it out"],
  [/, too(?=[.,):;]|$)/i, 'write "also" before the verb, or leave it out'],
  [/\bbe had\b/i, "fetch, read, get"],
  [/\b(is|are) told\b/i, "report"],
  [/\bnone of\b/i, "say what is not"],
  [/\b(is|are) no (?!longer\b)/i, "is not a"],
  [/\bstands? (still|in|on|below)\b/i, "is listed in, is below, does not change"],
  [/\bstrangers?\b/i, "untrusted"],
  [/\bagain and again\b/i, "repeatedly"],
  [/\bfor ever\b/i, "without end"],
];
const MAX_SENTENCE_WORDS = 35;
const MAX_CELL_WORDS = 25;

/** Files and folders whose text is checked. */
const ROOTS = [
  "packages/siteatlas/src",
  "packages/siteatlas-fleet/src",
  "scripts",
  ".ci/run",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "README.md",
  "packages/siteatlas-fleet/README.md",
  "docs/parsing.md",
  "docs/rows.md",
];
/** This list names the phrases. */
const EXCEPT = ["scripts/check-prose.mjs", "scripts/test/check-prose.test.ts"];

const root = fileURLToPath(new URL("..", import.meta.url));
const baselineFile = join(root, "scripts/prose-baseline.json");

/**
 * @param {string} path
 * @param {string} source
 * @returns {string[]} one line for each finding
 */
export function findProseProblems(path, source) {
  return readProse(path, source).flatMap(({ kind, line, text }) =>
    problemsOf(kind, text).map((problem) => `${path}:${line}: ${problem}`),
  );
}

/** @param {import("./read-prose.mjs").Piece["kind"]} kind @param {string} text @returns {string[]} */
function problemsOf(kind, text) {
  const problems = PHRASES.flatMap(([phrase, advice]) => {
    const found = /** @type {RegExp} */ (phrase).exec(text);
    return found === null ? [] : [`"${excerpt(text, found)}": ${advice}`];
  });
  if (kind === "header" && text === "") problems.push("a table header is empty");
  if (kind === "cell" && countWords(text) > MAX_CELL_WORDS)
    problems.push(
      `a table cell of ${countWords(text)} words, at most ${MAX_CELL_WORDS}: "${text.slice(0, 60)}…"`,
    );
  if (kind === "text")
    for (const sentence of text.split(/(?<=[.!?])["')]*\s+(?=[A-Z"'(])/)) {
      if (countWords(sentence) > MAX_SENTENCE_WORDS)
        problems.push(
          `a sentence of ${countWords(sentence)} words, at most ${MAX_SENTENCE_WORDS}: "${sentence.slice(0, 60)}…"`,
        );
    }
  return problems;
}

/** @param {string} text @param {RegExpExecArray} found */
function excerpt(text, { index, 0: { length } }) {
  return text.slice(Math.max(0, index - 25), index + length + 15).trim();
}

/** @param {string} text */
function countWords(text) {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/**
 * What is new, against a baseline of findings per file.
 *
 * @param {ReadonlyMap<string, readonly string[]>} found by file
 * @param {Readonly<Record<string, number>>} baseline
 * @returns {string[]}
 */
export function aboveBaseline(found, baseline) {
  return [...found].flatMap(([path, problems]) => (problems.length > (baseline[path] ?? 0) ? problems : []));
}

/**
 * @param {ReadonlyMap<string, readonly string[]>} found by file
 * @param {Readonly<Record<string, number>>} baseline
 * @returns {Record<string, number>}
 */
export function lowerBaseline(found, baseline) {
  const counts = [...found].map(([path, { length }]) => /** @type {const} */ ([path, length]));
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const allowed = Object.values(baseline).reduce((sum, count) => sum + count, 0);
  if (total > allowed) throw new RangeError(`Cannot raise the baseline from ${allowed} to ${total} findings`);
  return Object.fromEntries(counts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** @returns {string[]} */
function listFiles() {
  return ROOTS.flatMap((path) => {
    if (!existsSync(join(root, path))) return [];
    if (/\.\w+$|run$/.test(path)) return [path];
    const names = readdirSync(join(root, path), { recursive: true, encoding: "utf8" });
    return names.filter((name) => /\.(ts|mjs)$/.test(name)).map((name) => `${path}/${name}`);
  }).filter((path) => !EXCEPT.includes(path));
}

function main() {
  const { values } = parseArgs({ options: { write: { type: "boolean" }, all: { type: "boolean" } } });
  /** @type {Map<string, readonly string[]>} */
  const found = new Map();
  for (const path of listFiles()) {
    const problems = findProseProblems(path, readFileSync(join(root, path), "utf8"));
    if (problems.length > 0) found.set(path, problems);
  }
  /** @type {Record<string, number>} */
  const baseline = JSON.parse(readFileSync(baselineFile, "utf8"));
  if (values.write)
    writeFileSync(baselineFile, `${JSON.stringify(lowerBaseline(found, baseline), null, 2)}\n`);
  const shown = values.all ? [...found.values()].flat() : values.write ? [] : aboveBaseline(found, baseline);
  const isGood = values.all || shown.length === 0;
  for (const line of shown) console.log(line);
  const verdict = isGood ? "no new problem" : `${shown.length} problems in files that may not have more`;
  console.log(`Prose: ${verdict}, ${[...found.values()].flat().length} in all`);
  return isGood;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && !main()) process.exitCode = 1;
