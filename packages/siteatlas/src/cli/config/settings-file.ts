/**
 * Finds and reads settings files.
 *
 * - `--config FILE` names the only file that is read. A .js or .mjs file is executed, with all rights of the user.
 * - Without `--config`, two files are read if they exist: config.json in the user's configuration folder, and
 *   siteatlas.config.json in the current directory. The user's file overrides the other one.
 * - siteatlas.config.json is untrusted, because the directory may be an unpacked archive or a cloned repository. It is
 *   never executed, a message says that it is used, and it must not contain settings with a `risk` (flags.ts).
 */
import { existsSync, type Stats, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { logLine } from "../../escape/log-line.ts";
import { readSmallFile } from "../../files/read-small-file.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import { jsonFaultPlace } from "./json-fault.ts";
import type { SettingsFile } from "./settings.ts";

const FOUND_NAME = "siteatlas.config.json";
const PROGRAM_NAMES = ["siteatlas.config.js", "siteatlas.config.mjs"];
/** Maximum size of a settings file in bytes. The file may be a symbolic link to a file that would fill the memory. */
const MAX_BYTES = 1024 * 1024;

export interface SettingsFiles {
  /** The files that were read. Each file overrides those after it. */
  readonly files: readonly SettingsFile[];
  /** The name of a .js or .mjs file in the current directory. It was ignored, because it is a program. */
  readonly ignored?: string | undefined;
}

interface Places {
  readonly directory: string;
  /** The file that the user names with `--config`. */
  readonly given: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Reads all settings files. @throws {UsageError} for a file that is missing or contains no settings */
export async function readSettingsFiles({ directory, given, environment }: Places): Promise<SettingsFiles> {
  if (given !== undefined) return { files: [await readNamedFile(directory, given)] };
  const own = userSettingsPath(environment);
  const found = join(directory, FOUND_NAME);
  return {
    files: [
      ...(own !== undefined && existsSync(own) ? [readJsonFile(own, logLine(own), "user")] : []),
      ...(existsSync(found) ? [readJsonFile(found, FOUND_NAME, "found")] : []),
    ],
    ignored: PROGRAM_NAMES.find((name) => existsSync(join(directory, name))),
  };
}

/**
 * The path of the settings file in the user's configuration folder
 * (https://specifications.freedesktop.org/basedir-spec/latest/).
 */
function userSettingsPath(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_CONFIG_HOME: folder = "" } = environment;
  // Ignore a relative path, as the specification demands: it would name a folder of the current directory.
  if (isAbsolute(folder)) return join(folder, "siteatlas", "config.json");
  const home = homeFolder();
  return isAbsolute(home) ? join(home, ".config", "siteatlas", "config.json") : undefined;
}

function homeFolder(): string {
  try {
    return homedir();
  } catch {
    // The user id has no entry in /etc/passwd, as in some containers.
    return "";
  }
}

async function readNamedFile(directory: string, given: string): Promise<SettingsFile> {
  const path = resolve(directory, given);
  const name = logLine(given);
  if (statOf(path, name).isDirectory()) throw new UsageError(`cannot read ${name}: it is a folder`);
  if (!/\.(?:json|m?js)$/.test(path))
    throw new UsageError(`cannot read ${name}: a settings file ends with .json, .js or .mjs`);
  const values = path.endsWith(".json") ? parseJson(readText(path, name), name) : await runModule(path, name);
  return { path: name, source: "named", values: checkValues(values, name) };
}

function readJsonFile(path: string, name: string, source: "user" | "found"): SettingsFile {
  const stats = statOf(path, name);
  if (stats.isDirectory()) throw new UsageError(`cannot read ${name}: it is a folder`);
  // A read from a named pipe would never return.
  if (!stats.isFile()) throw new UsageError(`cannot read ${name}: it is not a regular file`);
  return { path: name, source, values: checkValues(parseJson(readText(path, name), name), name) };
}

function statOf(path: string, name: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    throw new UsageError(`cannot read ${name}: ${systemReason(error)}`);
  }
}

function checkValues(values: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof values === "object" && values !== null && !Array.isArray(values)) {
    return values as Record<string, unknown>;
  }
  throw new UsageError(`${name} must contain an object, such as { "concurrency": 4 }`);
}

function readText(path: string, name: string): string {
  let text: string | undefined;
  try {
    text = readSmallFile(path, MAX_BYTES);
  } catch (error) {
    throw new UsageError(`cannot read ${name}: ${systemReason(error)}`);
  }
  return text ?? tooLarge(name);
}

function tooLarge(name: string): never {
  throw new UsageError(`cannot read ${name}: it is larger than 1 MiB`);
}

function parseJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`cannot read ${name}: it is not valid JSON (${jsonFaultPlace(text)})`);
  }
}

async function runModule(path: string, name: string): Promise<unknown> {
  try {
    const { default: values } = (await import(pathToFileURL(path).href)) as { default?: unknown };
    return typeof values === "function" ? await values() : values;
  } catch (error) {
    // Node's message about a missing module is shown. All other messages are hidden, because they may quote a password
    // of the file.
    const { code, name: kind = "an error", stack = "" } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
    if (code === "ERR_MODULE_NOT_FOUND") throw new UsageError(`cannot read ${name}: ${systemReason(error)}`);
    const [, line] = /:(\d+)(?::\d+)?\)?$/m.exec(lineOf(stack, path)) ?? [];
    const where = line === undefined ? "" : ` in line ${line}`;
    throw new UsageError(
      `cannot read ${name}: it throws ${logLine(kind, { maxLength: 40 })}${where}`,
      `See its message with node ${name}`,
    );
  }
}

/** Returns the first line of the stack trace that names the file. */
function lineOf(stack: string, path: string): string {
  const { href } = pathToFileURL(path);
  return stack.split("\n").find((line) => line.includes(href) || line.includes(`${path}:`)) ?? "";
}
