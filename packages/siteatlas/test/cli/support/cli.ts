/**
 * Runs the command line like a user: bundled from the sources, as a process in an empty folder, against real
 * servers on loopback. Its environment contains only the given variables, and no settings of the user.
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

/** Builds the command line before the tests of a file. */
export function buildCli(): void {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "siteatlas-cli-"));
    // For tests that run it as another user.
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "dist"));
    copyFileSync(path("package.json"), join(folder, "package.json"));
    symlinkSync(path("../../node_modules"), join(folder, "node_modules"), "dir");
    metafile = await buildFiles(join(folder, "dist/cli"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** The sources of a file of the bundle, such as `main.js`; undefined for other files. */
export function sourcesOf(name: string): string[] | undefined {
  const [, output] = Object.entries(metafile.outputs).find(([path]) => basename(path) === name) ?? [];
  return output && Object.keys(output.inputs);
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly cwd?: string;
  /** The user that runs it. */
  readonly uid?: number | undefined;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function cleanEnvironment(): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "", XDG_CONFIG_HOME: join(folder, "settings") };
}

/** Starts the command line. The caller ends it; it is killed at the end of the test. */
export function startCli(
  args: readonly string[],
  { env = {}, cwd, uid }: CliOptions = {},
): ChildProcessWithoutNullStreams {
  const main = join(folder, "dist/cli/main.js");
  const child = spawn(process.execPath, [main, ...args], {
    cwd: cwd ?? emptyFolder(),
    env: { ...cleanEnvironment(), ...env },
    stdio: "pipe",
    ...(uid !== undefined && { uid }),
  });
  child.stdin.on("error", () => {});
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs the command line to its end. */
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

/** Runs a shell script with `$SITEATLAS` as the command. */
export async function runShell(script: string, cwd: string = emptyFolder()): Promise<CliResult> {
  const main = join(folder, "dist/cli/main.js");
  const child = spawn("bash", ["--norc", "--noprofile", "-c", script], {
    cwd,
    env: { ...cleanEnvironment(), SITEATLAS: `${process.execPath} ${main}` },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  return endOf(child);
}

/** Removed at the end of the test. */
export function emptyFolder(): string {
  const created = mkdtempSync(join(tmpdir(), "siteatlas-run-"));
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
  return created;
}

/** Replaces what differs between runs: the address of the site and times. */
export function steady(output: string, base: string): string {
  const { host } = new URL(base);
  return output
    .replaceAll(base, "http://site.test")
    .replaceAll(host, "site.test")
    .replace(/\b\d+(?:\.\d)? (?:ms|s)\b/g, "# ms")
    .replace(/"ms":\d+/g, '"ms":0')
    .replace(/,"waitMs":\d+/g, "");
}
