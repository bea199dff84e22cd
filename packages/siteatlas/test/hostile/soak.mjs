/**
 * `npm run soak -- --minutes 10`: hostile and ordinary sites, for a given time, in one process; see soak.ts.
 * This file bundles it with the library's sources, because Node 20 does not run TypeScript.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = mkdtempSync(join(tmpdir(), "siteatlas-soak-"));
const outfile = join(folder, "soak.mjs");
try {
  await build({
    entryPoints: [fileURLToPath(new URL("soak.ts", import.meta.url))],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    sourcemap: "inline",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    // The package resolves these to its build. Use the sources instead.
    alias: {
      "#platform": fileURLToPath(new URL("../../src/decode/platform-node.ts", import.meta.url)),
      "#shortcuts": fileURLToPath(new URL("../../src/parse/fast/shortcuts-node.ts", import.meta.url)),
    },
  });
  const node = spawn(
    process.execPath,
    ["--expose-gc", "--enable-source-maps", outfile, ...process.argv.slice(2)],
    {
      stdio: "inherit",
    },
  );
  process.exitCode = await new Promise((resolve) => node.once("exit", (code) => resolve(code ?? 1)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
