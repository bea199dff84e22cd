/**
 * Bundles a TypeScript file with the library's sources into one file for plain Node. So a measurement runs in a
 * process of its own, without a test runner in its heap and without other tests.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** A measurement takes seconds. One that takes longer has found a problem. */
const TIMEOUT_MS = 30_000;

export interface Child {
  /** Path of the bundle. */
  readonly file: string;
  /** Runs it and parses its output as JSON. */
  run(...args: readonly string[]): Promise<unknown>;
  remove(): void;
}

export async function bundleChild(entry: URL, timeoutMs: number = TIMEOUT_MS): Promise<Child> {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-limits-"));
  const file = join(folder, "child.mjs");
  await build({
    entryPoints: [fileURLToPath(entry)],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    // undici is CommonJS.
    banner: {
      js: `import { createRequire } from "node:module";const require = createRequire(import.meta.url);`,
    },
    // The package resolves these to its build. Use the sources instead.
    alias: {
      "#platform": source("decode/platform-node.ts"),
      "#shortcuts": source("parse/fast/shortcuts-node.ts"),
    },
  });
  return {
    file,
    run: async (...args) => {
      // Temporary files that the measurement leaves are found in its own folder.
      const own = mkdtempSync(join(folder, "tmp-"));
      try {
        return await runNode(["--expose-gc", file, ...args], timeoutMs, { ...process.env, TMPDIR: own });
      } finally {
        rmSync(own, { recursive: true, force: true });
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runNode(args: readonly string[], timeout: number, env: NodeJS.ProcessEnv): Promise<unknown> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout, env }, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`Not done after ${timeout} ms: ${args.slice(2).join(" ")}`));
      else if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}
