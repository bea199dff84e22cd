/**
 * Finds and reads siteatlas.config.js, .mjs or .json in the current directory, or the file that `--config`
 * names. The first two are programs: they run with the rights of whoever starts us, as those of any other
 * tool do.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { SettingsFile } from "./settings.ts";
import { UsageError } from "./usage-error.ts";

const NAMES = ["siteatlas.config.js", "siteatlas.config.mjs", "siteatlas.config.json"];

/** @throws {UsageError} for a file that is not there or that does not hold settings */
export async function readSettingsFile(
  directory: string,
  given: string | undefined,
): Promise<SettingsFile | undefined> {
  const path = given === undefined ? findFile(directory) : resolve(directory, given);
  if (path === undefined) return undefined;
  if (!existsSync(path)) throw new UsageError(`Cannot read ${given}: there is no such file`);
  const name = given ?? basename(path);
  const values = path.endsWith(".json") ? readJson(path, name) : await readProgram(path, name);
  if (typeof values !== "object" || values === null || Array.isArray(values)) {
    throw new UsageError(`Cannot read ${name}: it holds no object`, 'Such as { "concurrency": 4 }');
  }
  return { path: name, values: values as Record<string, unknown> };
}

function findFile(directory: string): string | undefined {
  return NAMES.map((name) => join(directory, name)).find((path) => existsSync(path));
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new UsageError(`Cannot read ${name}: ${(error as Error).message}`);
  }
}

async function readProgram(path: string, name: string): Promise<unknown> {
  try {
    const { default: values } = (await import(pathToFileURL(path).href)) as { default?: unknown };
    return typeof values === "function" ? await values() : values;
  } catch (error) {
    throw new UsageError(`Cannot read ${name}: ${(error as Error).message}`);
  }
}
