/**
 * Puts the settings together: what is on the command line goes before the environment (SITEATLAS_*), that
 * before the settings file, and that before the defaults. A list of a nearer place replaces that of a
 * farther one, it does not add to it. So it is with settings that answer the same question: the file's name
 * behind `-o` goes before the `format` of a settings file.
 */
import { logLine } from "../sinks/log-line.ts";
import { environmentName, type Flag, flagName, flags, type SettingName, type Settings } from "./flags.ts";
import { nearestName } from "./nearest.ts";
import { formatOfFile } from "./output/file-format.ts";
import { UsageError } from "./usage-error.ts";

/** As written: a text, a truth value or a number of a settings file, or several texts. */
export type RawValue = string | boolean | number | readonly (string | number)[];
export type RawSettings = Readonly<Partial<Record<SettingName, RawValue>>>;

/** A settings file that was read. */
export interface SettingsFile {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export interface SettingsSources {
  /** What the command knows; other settings of environment and file are for other commands. */
  readonly names: readonly SettingName[];
  readonly flags: RawSettings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly file: SettingsFile | undefined;
}

/** @throws {UsageError} for a value that cannot be read, and for a name in the file that is none */
export function readSettings(sources: SettingsSources): Settings {
  const { names, environment, file } = sources;
  if (file !== undefined) checkNames(file);
  const settings: Partial<Record<SettingName, unknown>> = {};
  const ranks: Ranks = new Map();
  const take = (name: SettingName, raw: RawValue, rank: Rank, where: string): void => {
    settings[name] = readSetting(name, raw, where);
    ranks.set(name, rank);
  };
  for (const name of names) {
    const fromEnvironment = environment[environmentName(name)];
    const fromFile = file?.values[name];
    if (sources.flags[name] !== undefined) {
      take(name, sources.flags[name], RANK.flag, `--${flagName(name)}`);
    } else if (fromEnvironment !== undefined && fromEnvironment !== "") {
      take(name, split(name, fromEnvironment), RANK.environment, environmentName(name));
    } else if (fromFile !== undefined && fromFile !== null) {
      take(name, plain(fromFile, name, file!.path), RANK.file, `${name} in ${file!.path}`);
    }
  }
  for (const rivals of RIVALS) dropFarther(settings, rivals, ranks);
  return settings as Settings;
}

const RANK = { flag: 0, environment: 1, file: 2 } as const;
type Rank = (typeof RANK)[keyof typeof RANK];
type Ranks = Map<SettingName, Rank>;

/** These say the same thing in different words. */
const RIVALS: readonly (readonly SettingName[])[] = [
  ["format", "json", "output"],
  ["quiet", "verbose"],
];

/** What a farther place says is as if it were not said. A file is written to in any case. */
function dropFarther(
  settings: Partial<Record<SettingName, unknown>>,
  rivals: readonly SettingName[],
  ranks: Ranks,
): void {
  const speaking = rivals.filter(
    (name) => ranks.has(name) && (name !== "output" || formatOfFile(settings[name] as string) !== undefined),
  );
  const nearest = Math.min(...speaking.map((name) => ranks.get(name)!));
  for (const name of speaking) if (name !== "output" && ranks.get(name)! > nearest) delete settings[name];
}

/** Several values in a variable stand on lines of their own: headers and globs may hold commas. */
function split(name: SettingName, text: string): RawValue {
  return flags[name].many ? text.split("\n").filter((line) => line.trim() !== "") : text;
}

function plain(value: unknown, name: string, path: string): RawValue {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number") return value;
  const isList =
    Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number");
  if (isList) return value as readonly string[];
  throw new UsageError(`${name} in ${path} is neither a text, a number, a truth value nor a list of texts`);
}

function checkNames({ path, values }: SettingsFile): void {
  for (const name of Object.keys(values)) {
    if (Object.hasOwn(flags, name)) continue;
    const nearest = nearestName(name, Object.keys(flags));
    const shown = logLine(name, { maxLength: 60 });
    throw new UsageError(
      `There is no setting "${shown}" (in ${path})`,
      nearest === undefined ? undefined : `Did you mean ${nearest}?`,
    );
  }
}

function readSetting(name: SettingName, raw: RawValue, where: string): unknown {
  const flag: Flag = flags[name];
  if (raw === false && flag.negated !== undefined) return false;
  // A switch or a counter has nothing behind it on the command line.
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

/** A header or a proxy may hold a password: it is not repeated. */
const SECRET: ReadonlySet<SettingName> = new Set(["header", "proxy"]);

/** What a message repeats of a value. The path of a webhook is its password. */
function shownValue(name: SettingName, text: string): string {
  if (SECRET.has(name)) return "";
  if (name !== "webhook") return ` "${logLine(text, { maxLength: 80 })}"`;
  const [, scheme = "", place = ""] = /^([a-z][a-z\d+.-]*:\/\/)?([^/?#]*)/i.exec(text) ?? [];
  const host = place.slice(place.lastIndexOf("@") + 1);
  const rest = text.length > scheme.length + place.length ? "/…" : "";
  return ` "${logLine(`${scheme}${host}${rest}`, { maxLength: 80 })}"`;
}

function readOne(name: SettingName, flag: Flag, text: string, where: string): unknown {
  try {
    return flag.read(text);
  } catch (error) {
    throw new UsageError(`${where}${shownValue(name, text)} ${(error as Error).message}`);
  }
}
