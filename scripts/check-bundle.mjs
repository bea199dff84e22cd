/**
 * Checks `siteatlas/parse` as a browser gets it: the build, resolved by the package's own conditions,
 * bundled and minified, holds no Node built-in and stays under its size. Needs a build; the sources are
 * not consulted. Whether that very bundle also works is what test-browser.mjs asks.
 */
import { builtinModules } from "node:module";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Maximum size of all modules together, minified and gzipped. README.md promises these sizes. */
export const MAX_GZIPPED = 30 * 1024;
/** The same, minified by esbuild alone. It keeps the code behind `FAST`. */
export const MAX_GZIPPED_BY_ESBUILD = 36_000;

/** `process.`, `Buffer.from`, `require("zlib")`, `"node:zlib"`; not `process:` or `x.require(`. */
const nodeText =
  /(?<![\w$.])(?:process(?:\.|\[)|Buffer(?:\.|\()|require\(|__dirname|__filename|setImmediate\()|["'`]node:/g;

const builtins = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));

/**
 * @typedef {object} Bundle
 * @property {string} text minified by terser
 * @property {string} [textByEsbuild] minified by esbuild alone
 * @property {import("esbuild").Metafile} metafile
 */

/**
 * @param {Bundle} bundle
 * @returns {string[]} what is wrong with it
 */
export function bundleProblems({ text, textByEsbuild = "", metafile }) {
  const problems = [];
  for (const [path, { imports }] of Object.entries(metafile.inputs)) {
    if (/-node\b/.test(path)) problems.push(`${path} is for Node alone`);
    for (const { path: imported, external } of imports) {
      if (external || builtins.has(imported)) problems.push(`${path} imports ${imported}`);
    }
  }
  for (const { index, 0: found } of text.matchAll(nodeText)) {
    const context = text.slice(Math.max(0, index - 30), index + 30);
    problems.push(`${found} is in the text: …${context}…`);
  }
  const size = gzipSync(text, { level: 9 }).length;
  if (size >= MAX_GZIPPED) problems.push(`${size} bytes gzipped, ${MAX_GZIPPED} are allowed`);
  const sizeByEsbuild = gzipSync(textByEsbuild).length;
  if (sizeByEsbuild >= MAX_GZIPPED_BY_ESBUILD) {
    problems.push(
      `${sizeByEsbuild} bytes gzipped if esbuild minifies, ${MAX_GZIPPED_BY_ESBUILD} are allowed`,
    );
  }
  return problems;
}

/**
 * Minified by terser, as webpack and Rollup do it: it leaves out what is behind `FAST` (parse/fast/shortcuts-web.ts), as
 * Rolldown and Vite do, and esbuild on its own does not.
 * @returns {Promise<Required<Bundle>>}
 */
export async function bundleForBrowser() {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from "siteatlas/parse";`, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    platform: "browser",
    format: "esm",
    minify: true,
    metafile: true,
    write: false,
    logLevel: "error",
  });
  const textByEsbuild = outputFiles[0]?.text ?? "";
  const { code = "" } = await minify(textByEsbuild, {
    module: true,
    compress: { passes: 3, ecma: 2020, unsafe_arrows: true, keep_fargs: false },
  });
  return { text: code, textByEsbuild, metafile };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const bundle = await bundleForBrowser();
  const { text, textByEsbuild, metafile } = bundle;
  const problems = bundleProblems(bundle);
  for (const problem of problems) console.error(problem);
  console.log(
    `siteatlas/parse for browsers: ${Object.keys(metafile.inputs).length} modules, ${text.length} characters ` +
      `minified, ${gzipSync(text, { level: 9 }).length} bytes gzipped ` +
      `(minified by esbuild alone: ${gzipSync(textByEsbuild).length})`,
  );
  console.log(problems.length === 0 ? "Bundle: no problem" : `Bundle: ${problems.length} problem(s)`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
