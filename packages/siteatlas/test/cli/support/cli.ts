/**
 * Runs the command line like a user: bundled from the sources, as a process in an empty folder, against real
 * servers on loopback. Its environment contains only the given variables, and no settings of the user.
 *
 * `startCli` and `runShell` start a process of their own. `runCli` shares processes between runs where a run cannot
 * notice it (see cli-host.mjs), because most of the time of these tests would be the start of Node. With
 * `CLI_PROCESSES=own` every run has a process of its own.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, inject, onTestFinished } from "vitest";
import { buildCli as buildFiles } from "../../../../../scripts/build-cli.mjs";
import { HostedRuns } from "./hosted-runs.ts";

const PACKAGE = new URL("../../../", import.meta.url);
const path = (relative: string): string => fileURLToPath(new URL(relative, PACKAGE));

/** Shared by all test files of a run of vitest. */
let folder: string;
let metafile: Metafile;
let hosts: HostedRuns;

/** Builds the command line before the tests of a file, unless another test file did. */
export function buildCli(): void {
  beforeAll(async () => {
    folder = inject("cliFolder");
    metafile = await buildOnce();
    hosts = new HostedRuns(mainFile());
  });
  afterAll(() => hosts.close());
}

async function buildOnce(): Promise<Metafile> {
  const [lock, result] = [join(folder, "building"), join(folder, "metafile.json")];
  while (!existsSync(result)) {
    try {
      mkdirSync(lock);
    } catch {
      // Another worker builds it.
      await delay(50);
      continue;
    }
    try {
      // For tests that run it as another user.
      chmodSync(folder, 0o755);
      mkdirSync(join(folder, "dist"), { recursive: true });
      copyFileSync(path("package.json"), join(folder, "package.json"));
      rmSync(join(folder, "node_modules"), { force: true });
      symlinkSync(path("../../node_modules"), join(folder, "node_modules"), "dir");
      writeFileSync(`${result}.new`, JSON.stringify(await buildFiles(join(folder, "dist/cli"))));
      renameSync(`${result}.new`, result);
    } finally {
      rmdirSync(lock);
    }
  }
  return JSON.parse(readFileSync(result, "utf8"));
}

function mainFile(): string {
  return join(folder, "dist/cli/main.js");
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
  /** Runs it in a process of its own. */
  readonly own?: boolean;
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
  const child = spawn(process.execPath, [mainFile(), ...args], {
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
  if (canShare(args, options)) {
    const { env = {}, cwd = emptyFolder() } = options;
    return hosts.run({ args, env: { ...cleanEnvironment(), ...env }, cwd });
  }
  const child = startCli(args, options);
  child.stdin.end(options.input ?? "");
  return endOf(child);
}

/** Whether the run reads no stdin, and its process has no properties that are set when Node starts. */
function canShare(args: readonly string[], { env = {}, input, uid, own = false }: CliOptions): boolean {
  const isOwn = own || process.env["CLI_PROCESSES"] === "own" || input !== undefined || uid !== undefined;
  return (
    !isOwn &&
    !args.some((arg) => /^(?:.*=)?-$/.test(arg) || /^-v{2,}$/.test(arg)) &&
    Object.keys(env).every((name) => !/^(?:NODE_|LC_|LANG|TZ|SSL_|UV_)/.test(name))
  );
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
  const child = spawn("bash", ["--norc", "--noprofile", "-c", script], {
    cwd,
    env: { ...cleanEnvironment(), SITEATLAS: `${process.execPath} ${mainFile()}` },
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
