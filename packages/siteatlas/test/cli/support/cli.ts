/**
 * The command line as its users get it: bundled from the sources, run as a process of its own in an empty
 * folder, against real servers on loopback. Its environment holds nothing that is not given.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { buildCli as buildFiles } from "../../../../../scripts/build-cli.mjs";

const PACKAGE = new URL("../../../", import.meta.url);
const path = (relative: string): string => fileURLToPath(new URL(relative, PACKAGE));

let folder: string;
let metafile: Metafile;

/** Builds it before the tests of a file. */
export function buildCli(): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteatlas-cli-"));
    // For tests that run it as somebody else.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "dist"));
    copyFileSync(path("package.json"), join(folder, "package.json"));
    symlinkSync(path("../../node_modules"), join(folder, "node_modules"), "dir");
    metafile = await buildFiles(join(folder, "dist/cli"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** The sources that went into a file of the bundle, such as `main.js`; undefined for what is none. */
export function sourcesOf(name: string): string[] | undefined {
  const [, output] = Object.entries(metafile.outputs).find(([path]) => basename(path) === name) ?? [];
  return output && Object.keys(output.inputs);
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** Who runs it. */
  readonly uid?: number | undefined;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts it; whoever asks ends it. Gone when the test is over. */
export function startCli(
  args: readonly string[],
  { env = {}, cwd, uid }: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const main = join(folder, "dist/cli/main.js");
  const child = spawn(process.execPath, [main, ...args], {
    cwd: cwd ?? emptyFolder(),
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: "pipe",
    ...(uid !== undefined && { uid }),
  });
  child.stdin.on("error", () => {});
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs it to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = startCli(args, options);
  child.stdin.end(options.input ?? "");
  return endOf(child);
}

export async function endOf(child: ChildProcessWithoutNullStreams): Promise<CliResult> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** With `$SITEATLAS` as the command, for what only a shell does. */
export async function runShell(script: string, cwd: string = emptyFolder()): Promise<CliResult> {
  const main = join(folder, "dist/cli/main.js");
  const child = spawn("bash", ["--norc", "--noprofile", "-c", script], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", SITEATLAS: `${process.execPath} ${main}` },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  return endOf(child);
}

/** Gone when the test is over. */
export function emptyFolder(): string {
  const created = mkdtempSync(join(tmpdir(), "siteatlas-run-"));
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  return created;
}

/** What differs from run to run: where the site is, how long things took. */
export function steady(output: string, base: string): string {
  const { host } = new URL(base);
  return output
    .replaceAll(base, "http://site.test")
    .replaceAll(host, "site.test")
    .replace(/\b\d+(?:\.\d)? (?:ms|s)\b/g, "# ms")
    .replace(/"ms":\d+/g, '"ms":0')
    .replace(/,"waitMs":\d+/g, "");
}
