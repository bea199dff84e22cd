/**
 * Bundles a TypeScript file and the library's sources into one file that plain Node runs, so that a
 * measurement has a process of its own: no test runner in its heap, no other test beside it.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** Every measurement takes seconds: one that takes longer has found what it was looking for. */
const TIMEOUT_MS = 30_000;

export interface Child {
  /** The bundle, for who wants to start it in another way. */
  readonly file: string;
  /** Runs it; gives what it printed, read as JSON. */
  run(...args: readonly string[]): Promise<unknown>;
  remove(): void;
}

export async function bundleChild(entry: URL): Promise<Child> {
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
    // The package leads these to its build; here the sources are asked.
    alias: {
      "#platform": source("decode/platform-node.ts"),
      "#shortcuts": source("parse/shortcuts-node.ts"),
    },
  });
  return {
    file,
    run: (...args) => runNode(["--expose-gc", file, ...args]),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runNode(args: readonly string[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`Not done after ${TIMEOUT_MS} ms: ${args.slice(2).join(" ")}`));
      else if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}
