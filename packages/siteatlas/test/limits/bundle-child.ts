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

/** A measurement takes seconds of processor time. One that takes more has found a problem. */
const CPU_SECONDS = 60;
/** Against a child that waits forever. How long a measurement takes depends on the other work of the machine. */
const HANG_MS = 600_000;

export interface Child {
  /** Path of the bundle. */
  readonly file: string;
  /** Runs it and parses its output as JSON. */
  run(...args: readonly string[]): Promise<unknown>;
  remove(): void;
}

export async function bundleChild(entry: URL, cpuSeconds: number = CPU_SECONDS): Promise<Child> {
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
        return await runNode(["--expose-gc", file, ...args], cpuSeconds, { ...process.env, TMPDIR: own });
      } finally {
        rmSync(own, { recursive: true, force: true });
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runNode(args: readonly string[], cpuSeconds: number, env: NodeJS.ProcessEnv): Promise<unknown> {
  const limited = ["-c", 'ulimit -t "$0" && exec "$@"', String(cpuSeconds), process.execPath, ...args];
  return new Promise((resolve, reject) => {
    execFile("sh", limited, { timeout: HANG_MS, env }, (error, stdout, stderr) => {
      const done = args.slice(2).join(" ");
      if (error?.killed) reject(new Error(`Not done after ${HANG_MS} ms: ${done}`));
      else if (error?.signal === "SIGXCPU")
        reject(new Error(`Not done after ${cpuSeconds} s of CPU: ${done}`));
      else if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout));
    });
  });
}
