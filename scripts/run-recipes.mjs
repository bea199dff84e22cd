/**
 * Runs the recipes of examples/ with the built command line against the acceptance site of the tests, and fails
 * when one of them does not give what it promises. Part of `npm run examples`.
 */
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const examples = join(root, "examples");
const timeLimitMs = 60_000;

/**
 * @typedef {object} Recipe
 * @property {string} name the file in examples/
 * @property {(run: (script: string) => Promise<string>, site: Site) => Promise<boolean>} works
 */

/**
 * @typedef {object} Site
 * @property {ReadonlySet<string>} expected the pages that there are to be found
 */

/** The lines of a text, each read as JSON. @param {string} output */
const records = (output) =>
  output
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** @type {readonly Recipe[]} */
const recipes = [
  {
    name: "indexnow.mjs",
    async works(run, { expected }) {
      const output = await run(
        `siteatlas sync "$SITE" --snapshot indexnow.gz -q | INDEXNOW_KEY=abc INDEXNOW_ALL=1 node "$EXAMPLES/indexnow.mjs"`,
      );
      const bodies = records(output);
      const urls = bodies.flatMap(({ urlList }) => urlList);
      return bodies.every(({ key, host }) => key === "abc" && host !== "") && isAll(urls, expected);
    },
  },
  {
    name: "rag-list.mjs",
    async works(run, { expected }) {
      const output = await run(`siteatlas sync "$SITE" --snapshot rag.gz -q | node "$EXAMPLES/rag-list.mjs"`);
      const [first, ...tasks] = records(output);
      return (
        first.action === "clear" &&
        tasks.every(({ action }) => action === "upsert") &&
        isAll(
          tasks.map(({ url }) => url),
          expected,
        )
      );
    },
  },
  {
    name: "warm-cache.mjs",
    async works(run, { expected }) {
      // Those of the site itself: nothing but this machine is asked for anything.
      const urls = [...expected].filter((url) => new URL(url).hostname === "127.0.0.1");
      const output = await run(
        `siteatlas sync "$SITE" --snapshot warm.gz -q -f urls | grep '^http://127.0.0.1:' | node "$EXAMPLES/warm-cache.mjs"`,
      );
      const counts = output.match(/(?<=: )\d+$/gm) ?? [];
      return urls.length > 100 && counts.reduce((sum, count) => sum + Number(count), 0) === urls.length;
    },
  },
  {
    name: "github-action.yml",
    async works(run) {
      const step = stepScript(readFileSync(join(examples, "github-action.yml"), "utf8"), "sync");
      const setUp = "export GITHUB_OUTPUT=outputs; : > outputs; rm -f changes.ndjson";
      const first = await run(`${setUp}\n${step}\ncat outputs; tail -n 1 changes.ndjson`);
      const second = await run(`${setUp}\n${step}\ncat outputs; tail -n 1 changes.ndjson`);
      const isRight = (/** @type {string} */ output, /** @type {boolean} */ changed) =>
        output.startsWith(`changed=${changed}\n`) && output.includes('"kind":"summary"');
      return isRight(first, true) && isRight(second, false);
    },
  },
];

/** @param {readonly string[]} urls @param {ReadonlySet<string>} expected */
function isAll(urls, expected) {
  return urls.length === expected.size && urls.every((url) => expected.has(url));
}

/** The script of the step with this id. @param {string} workflow @param {string} id */
function stepScript(workflow, id) {
  const [, indent = "", script = ""] =
    new RegExp(`- id: ${id}\\n +run: \\|\\n( +)([^]*?)\\n(?=(?!\\1) *\\S)`).exec(workflow) ?? [];
  return script.replaceAll(`\n${indent}`, "\n");
}

/** @returns {Promise<boolean>} whether all of them work */
export async function runRecipes() {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-recipes-"));
  try {
    const openSite = await loadAcceptanceSite(folder);
    installCommand(join(folder, "bin"));
    let failed = 0;
    for (const { name, works } of recipes) {
      // A new one for each: some of its answers depend on how often they were asked for.
      const { site, expected } = await openSite();
      const work = mkdtempSync(join(folder, "work-"));
      const error = await works((script) => runShell(script, work, folder, site.url), { expected }).then(
        (isRight) => (isRight ? undefined : "Not what was expected"),
        (/** @type {Error} */ { message }) => message,
      );
      await site.close();
      console.log(`${error === undefined ? "ok    " : "FAILED"} examples/${name}`);
      if (error !== undefined) {
        failed++;
        console.error(error);
      }
    }
    return failed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `siteatlas`, `npx siteatlas` and `npx --yes siteatlas` are the one that was built. @param {string} bin */
export function installCommand(bin) {
  const main = join(root, "packages/siteatlas/dist/cli/main.js");
  mkdirSync(bin);
  const start = `exec "${process.execPath}" "${main}" "$@"\n`;
  writeFileSync(join(bin, "siteatlas"), `#!/bin/sh\n${start}`);
  writeFileSync(join(bin, "npx"), `#!/bin/sh\n[ "$1" = --yes ] && shift\nshift\n${start}`);
  for (const name of ["siteatlas", "npx"]) chmodSync(join(bin, name), 0o755);
}

/**
 * As GitHub runs a step.
 *
 * @param {string} script
 * @param {string} cwd
 * @param {string} folder
 * @param {string} site
 */
export async function runShell(script, cwd, folder, site) {
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd,
    env: {
      PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
      SITE: site,
      EXAMPLES: examples,
      SITEATLAS_HOMEPAGE_LINKS: "always",
      SITEATLAS_ALLOW_PRIVATE: "true",
      SITEATLAS_BACKOFF: "1ms",
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeLimitMs,
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [output, messages, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`Exit code ${code}\n${messages}`);
  return output;
}

/**
 * The site of the tests, without the test runner.
 *
 * @param {string} folder
 * @returns {Promise<() => Promise<Site & { site: { url: string; close(): Promise<void> } }>>}
 */
export async function loadAcceptanceSite(folder) {
  const outfile = join(folder, "acceptance-site.mjs");
  await build({
    entryPoints: [join(root, "packages/siteatlas/test/walk/acceptance-site.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "error",
    plugins: [
      {
        name: "no-runner",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^vitest$/ }, () => ({ path: "vitest", namespace: "runner" }));
          onLoad({ filter: /.*/, namespace: "runner" }, () => ({
            contents: "export const onTestFinished = () => {};",
          }));
        },
      },
    ],
  });
  const { openAcceptanceSite } = await import(pathToFileURL(outfile).href);
  return openAcceptanceSite;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await runRecipes()) ? 0 : 1;
