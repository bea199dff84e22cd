/** Bundles the fuzz targets with the library's sources, one file per target, and writes their seeds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { TARGETS } from "./target-table.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const source = (/** @type {string} */ path) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** @type {import("esbuild").BuildOptions} */
const BUNDLE = {
  bundle: true,
  platform: "node",
  target: "node20",
  logLevel: "error",
  // The package resolves these to its build. Use the sources instead.
  alias: {
    "#platform": source("decode/platform-node.ts"),
    "#shortcuts": source("parse/fast/shortcuts-node.ts"),
  },
};

/** Writes NAME.js for each target. @param {string} folder */
export async function bundleTargets(folder) {
  await build({
    ...BUNDLE,
    // Jazzer.js instruments CommonJS modules while they are loaded.
    format: "cjs",
    entryPoints: TARGETS.map(({ name }) => join(here, "targets", `${name}.ts`)),
    outdir: folder,
  });
}

/** Writes a folder NAME with one file per seed for each target. @param {string} folder */
export async function writeSeeds(folder) {
  const seedsOf = await loadSeeds();
  for (const { name } of TARGETS) {
    mkdirSync(join(folder, name), { recursive: true });
    const inputs = await seedsOf(name);
    for (const [n, input] of inputs.entries()) writeFileSync(join(folder, name, String(n)), input);
  }
}

/** @returns {Promise<typeof import("./seeds.ts").seedsOf>} */
async function loadSeeds() {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-fuzz-seeds-"));
  const outfile = join(folder, "seeds.mjs");
  const require = `createRequire(${JSON.stringify(pathToFileURL(here).href)})`;
  try {
    await build({
      ...BUNDLE,
      format: "esm",
      entryPoints: [join(here, "seeds.ts")],
      outfile,
      // The modules find the fixtures relative to themselves. All that do so are in folders of test/.
      define: { "import.meta.url": JSON.stringify(pathToFileURL(join(here, "seeds.ts")).href) },
      banner: { js: `import { createRequire } from "node:module"; const require = ${require};` },
    });
    const { seedsOf } = await import(pathToFileURL(outfile).href);
    return seedsOf;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
