/**
 * Merges the settings of all sources. Flags override environment variables (SITEATLAS_*), which override the settings
 * files. A list is not merged with the list of another source, but replaces it. Settings with the same purpose (RIVALS)
 * also override each other: the file extension of the flag `-o` overrides the `format` of a settings file.
 */

import { nearestName } from "../../check/suggest-name.ts";
import { logLine } from "../../escape/log-line.ts";
import { UsageError } from "../process/usage-error.ts";
import { environmentName, type Flag, flagName, flags, type SettingName, type Settings } from "./flags.ts";
import { formatOfFile } from "./output-formats.ts";

/** The value of a setting before it is parsed. */
export type RawValue = string | boolean | number | readonly (string | number)[];
export type RawSettings = Readonly<Partial<Record<SettingName, RawValue>>>;

export interface SettingsFile {
  /** The path of the file, as messages show it. */
  readonly path: string;
  /**
   * How the file was found. `named`: the user passed `--config`. `user`: it is in the user's configuration folder.
   * `found`: it is in the current directory.
   */
  readonly source: "named" | "user" | "found";
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SettingsSources {
  /** The settings of the command. Other settings in the environment and the files are ignored. */
  readonly names: readonly SettingName[];
  readonly flags: RawSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The settings files. Each file overrides those after it. */
  readonly files: readonly SettingsFile[];
}

/**
 * Merges and parses the settings.
 *
 * @throws {UsageError} for an invalid value, and for a name in a file that is unknown or not allowed there
 */
export function readSettings(sources: SettingsSources): Settings {
  const { names, environment, files } = sources;
  for (const file of files) checkNames(file);
  const settings: Partial<Record<SettingName, unknown>> = {};
  const ranks: Ranks = new Map();
  const take = (name: SettingName, raw: RawValue, rank: number, where: string): void => {
    settings[name] = readSetting(name, raw, where);
    ranks.set(name, rank);
  };
  for (const name of names) {
    const fromEnvironment = environment[environmentName(name)];
    const file = files.find(({ values }) => isGiven(values[name]));
    if (sources.flags[name] !== undefined) {
      take(name, sources.flags[name], RANK.flag, `--${flagName(name)}`);
    } else if (fromEnvironment !== undefined && fromEnvironment !== "") {
      take(name, split(name, fromEnvironment), RANK.environment, environmentName(name));
    } else if (file !== undefined) {
      const { path, values } = file;
      take(name, plain(values[name], name, path), RANK.file + files.indexOf(file), `${name} in ${path}`);
    }
  }
  for (const rivals of RIVALS) dropWeaker(settings, rivals, ranks);
  dropWeakerAuthorization(settings, ranks);
  checkRobots(settings as Settings);
  return settings as Settings;
}

/** Returns the settings in `names` that the file contains. */
export function namesIn({ values }: SettingsFile, names: readonly SettingName[]): readonly SettingName[] {
  return names.filter((name) => isGiven(values[name]));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** The rank of a source. A source with a lower rank overrides others. The files have the ranks 2, 3, … */
const RANK = { flag: 0, environment: 1, file: 2 } as const;
type Ranks = Map<SettingName, number>;

/** Groups of settings with the same purpose. Of each group, only the settings of one source are used. */
const RIVALS: readonly (readonly SettingName[])[] = [
  ["format", "json", "output"],
  ["quiet", "verbose"],
  ["auth", "authFile"],
  ["robots", "respectRobots"],
  ["robots", "crawlDelay"],
];

/**
 * Drops a setting if another one of the group is from a source that overrides it. `output` is never dropped, because it
 * also names the file.
 */
function dropWeaker(
  settings: Partial<Record<SettingName, unknown>>,
  rivals: readonly SettingName[],
  ranks: Ranks,
): void {
  const given = rivals.filter(
    (name) => ranks.has(name) && (name !== "output" || formatOfFile(settings[name] as string) !== undefined),
  );
  const strongest = Math.min(...given.map((name) => ranks.get(name)!));
  for (const name of given) if (name !== "output" && ranks.get(name)! > strongest) delete settings[name];
}

/** Rejects settings that contradict each other: one needs the rules of robots.txt, another one forbids to read it. */
function checkRobots({ robots, respectRobots, crawlDelay }: Settings): void {
  const flag = respectRobots ? "--respect-robots" : crawlDelay ? "--crawl-delay" : undefined;
  if (robots !== false || flag === undefined) return;
  throw new UsageError(
    `${flag} and --no-robots contradict each other: the rules are in robots.txt`,
    "Remove one of them.",
  );
}

/** Of `auth`, `authFile` and an Authorization header, keeps only those of the source that overrides the others. */
function dropWeakerAuthorization(settings: Partial<Record<SettingName, unknown>>, ranks: Ranks): void {
  const headers = (settings["header"] ?? []) as NonNullable<Settings["header"]>;
  const isOther = ([name]: readonly [string, string]): boolean => name !== "authorization";
  if (headers.every(isOther)) return;
  const own = ranks.get("header")!;
  for (const name of ["auth", "authFile"] as const) {
    if (settings[name] === undefined) continue;
    if (ranks.get(name)! > own) delete settings[name];
    else if (ranks.get(name)! < own) settings["header"] = headers.filter(isOther);
  }
}

/**
 * Splits an environment variable with several values. They are separated by line breaks, because headers and globs may
 * contain commas.
 */
function split(name: SettingName, text: string): RawValue {
  return flags[name].many ? text.split("\n").filter((line) => line.trim() !== "") : text;
}

function plain(value: unknown, name: string, path: string): RawValue {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
  if (isList) return value as readonly string[];
  throw new UsageError(`${name} in ${path} must be a string, a number, a boolean or a list of strings`);
}

function checkNames({ path, source, values }: SettingsFile): void {
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(flags, name)) {
      if (source === "found") checkRisk(name as SettingName, path);
      continue;
    }
    const nearest = nearestName(name, Object.keys(flags));
    const shown = logLine(name, { maxLength: 60 });
    throw new UsageError(
      `unknown setting "${shown}" in ${path}`,
      nearest === undefined ? undefined : `Did you mean ${nearest}?`,
    );
  }
}

/** Throws if a file in the current directory contains a setting that an untrusted file must not contain. */
function checkRisk(name: SettingName, path: string): void {
  const { risk }: Flag = flags[name];
  if (risk === undefined) return;
  throw new UsageError(
    `${path} in the current directory may not set ${name}: it ${risk}`,
    `If you trust the file, pass it with --config ${path}. Put your own settings into ~/.config/siteatlas/config.json.`,
  );
}

function readSetting(name: SettingName, raw: RawValue, where: string): unknown {
  const flag: Flag = flags[name];
  if (raw === false && flag.negated !== undefined) return false;
  if (raw === true && flag.value === undefined) return flag.counted ? 1 : true;
  if (flag.many) {
    const values = Array.isArray(raw) ? (raw as readonly (string | number)[]) : [raw as string | number];
    return values.map((value) => readOne(name, flag, String(value), where));
  }
  if (Array.isArray(raw)) return readOne(name, flag, raw.join(","), where);
  const text = String(raw);
  if (flag.negated === "too" && /^(?:false|no|off|none)$/i.test(text)) return false;
  return readOne(name, flag, text, where);
}

/** Settings that may contain a password or a secret path. Messages must not show their values. */
const SECRET: ReadonlySet<SettingName> = new Set(["auth", "header", "proxy", "webhook"]);

/** The end of an error message that shows the value. Empty if the value may be a secret. */
function shownValue(name: SettingName, text: string): string {
  return SECRET.has(name) ? "" : `, not "${logLine(text, { maxLength: 80 })}"`;
}

function readOne(name: SettingName, flag: Flag, text: string, where: string): unknown {
  try {
    return flag.read(text);
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`${where} ${message}${message.startsWith("must be") ? shownValue(name, text) : ""}`);
  }
}
