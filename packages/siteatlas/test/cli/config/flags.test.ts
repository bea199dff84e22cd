/** The table of flags is complete and without collisions, and its values are parsed. */
import { describe, expect, it } from "vitest";
import { nearestName } from "../../../src/check/suggest-name.ts";
import { commands } from "../../../src/cli/config/command-table.ts";
import {
  environmentName,
  type Flag,
  flagName,
  flags,
  SETTING_NAMES,
  type SettingName,
} from "../../../src/cli/config/flags.ts";
import { readDuration, readHeader, readSize } from "../../../src/cli/config/parse-value.ts";
import { readSettings, type SettingsFile } from "../../../src/cli/config/settings.ts";
import { walkOptions } from "../../../src/cli/config/walk-options.ts";
import { DEFAULT_LIMITS, type WalkOptions } from "../../../src/walk/options.ts";

/** Every option of the library: the compiler reports a missing one. */
const OPTIONS: Readonly<Record<keyof WalkOptions, "flag" | "code">> = {
  useRobots: "flag",
  useKnownPaths: "flag",
  knownPaths: "flag",
  extraKnownPaths: "flag",
  useHomepageLinks: "flag",
  htmlSitemaps: "flag",
  useLlmsTxt: "flag",
  respectRobots: "flag",
  normalizeHomepageUrl: "flag",
  recurseListCallback: "flag",
  recurseCallback: "code",
  signal: "code",
  client: "code",
  userAgent: "flag",
  headers: "flag",
  auth: "flag",
  proxy: "flag",
  ca: "flag",
  insecure: "flag",
  allowPrivateNetworks: "flag",
  allow: "flag",
  concurrency: "flag",
  delayMs: "flag",
  randomDelayMs: "flag",
  useCrawlDelay: "flag",
  crossHost: "flag",
  httpsOnly: "flag",
  limits: "flag",
  onEvent: "code",
  onRequest: "code",
  onPause: "code",
  strict: "flag",
};

describe("the table of flags", () => {
  const options = SETTING_NAMES.map((name) => {
    const { converted, option = converted }: Flag = flags[name];
    return option;
  });

  it.each(Object.keys(DEFAULT_LIMITS))("has a flag for the limit %s", (limit) => {
    expect(options).toContain(`limits.${limit}`);
  });

  it.each(Object.entries(OPTIONS).filter(([name, how]) => how === "flag" && name !== "limits"))(
    "has a flag for the option %s",
    (name) => {
      // `--no-known` is useKnownPaths, `--known` is knownPaths.
      expect(options).toContain(name === "useKnownPaths" ? "knownPaths" : name);
    },
  );

  it("has each name, short name and option once", () => {
    const shorts = SETTING_NAMES.map((name) => flags[name].short).filter((short) => short !== undefined);
    expect(new Set(shorts).size).toBe(shorts.length);
    const limits = options.filter((option) => option?.startsWith("limits."));
    expect(new Set(limits).size).toBe(limits.length);
  });

  it("has each flag in some command, with one name everywhere", () => {
    const used = new Set(commands.flatMap(({ settings }) => settings));
    expect(SETTING_NAMES.filter((name) => !used.has(name))).toEqual([]);
    expect([flagName("maxDepth"), environmentName("maxDepth")]).toEqual(["max-depth", "SITEATLAS_MAX_DEPTH"]);
  });

  it("shows the actual defaults", () => {
    for (const name of SETTING_NAMES) {
      const { option, text, read }: Flag = flags[name];
      if (!option?.startsWith("limits.")) continue;
      const [, shown = ""] = /\(([^()]+)\)$/.exec(text) ?? [];
      const limit = option.slice("limits.".length) as keyof typeof DEFAULT_LIMITS;
      expect([name, read(shown)]).toEqual([name, DEFAULT_LIMITS[limit]]);
    }
  });
});

describe("values", () => {
  it.each([
    ["500ms", 500],
    ["30", 30_000],
    ["1.5m", 90_000],
    ["7d", 604_800_000],
    ["none", Number.POSITIVE_INFINITY],
  ])("%s is a time", (text, ms) => {
    expect(readDuration(text)).toBe(ms);
  });

  it.each(["delay", "randomDelay", "backoff"] as const)("--%s is a wait, which must end", (name) => {
    const { read }: Flag = flags[name];
    expect(read("30s")).toBe(30_000);
    expect(() => read("none")).toThrow(/^must be a time such as 500ms or 30s$/);
  });

  it.each([
    ["10MiB", 10_485_760],
    ["500kB", 500_000],
    ["1024", 1024],
  ])("%s is a size", (text, bytes) => {
    expect(readSize(text)).toBe(bytes);
  });

  it("headers have a name and cannot start another header", () => {
    expect(readHeader("X-Key:  a: b ")).toEqual(["x-key", "a: b"]);
    expect(() => readHeader("X-Key: a\r\nEvil: 1")).toThrow("must not contain line breaks");
    expect(() => readHeader("nothing")).toThrow("must be 'Name: value'");
  });
});

function named(values: object): SettingsFile {
  return { path: "siteatlas.config.json", source: "named", values: values as Record<string, unknown> };
}

describe("settings", () => {
  const names = SETTING_NAMES;

  it("come from flags, then the environment, then the file", () => {
    const file = named({ concurrency: 1, maxDepth: 1, delay: 0.5 });
    const environment = { SITEATLAS_CONCURRENCY: "2", SITEATLAS_MAX_DEPTH: "2" };
    const settings = readSettings({ names, flags: { concurrency: "3" }, environment, files: [file] });
    expect(settings).toEqual({ concurrency: 3, maxDepth: 2, delay: 500 });
  });

  it.each<
    [flags: object, environment: object, file: object, expected: object, without: readonly SettingName[]]
  >([
    [{ output: "a.parquet" }, {}, { format: "csv" }, { output: "a.parquet" }, ["format"]],
    [{ output: "a.parquet" }, { SITEATLAS_FORMAT: "csv" }, {}, {}, ["format"]],
    [{ output: "a.csv" }, {}, { json: true }, {}, ["json"]],
    [{}, { SITEATLAS_OUTPUT: "a.csv" }, { format: "json" }, { output: "a.csv" }, ["format"]],
    [{ output: "a.csv", format: "tsv" }, {}, {}, { format: "tsv" }, []],
    [{ format: "tsv" }, {}, { output: "a.csv" }, { format: "tsv", output: "a.csv" }, []],
    [{ json: true }, {}, { format: "csv" }, { json: true }, ["format"]],
    // An extension without a format overrides nothing.
    [{ output: "pages" }, {}, { format: "csv" }, { output: "pages", format: "csv" }, []],
    [{ verbose: 2 }, {}, { quiet: true }, { verbose: 2 }, ["quiet"]],
    [{ quiet: true }, { SITEATLAS_VERBOSE: "1" }, {}, { quiet: true }, ["verbose"]],
  ])(
    "override each other if they answer the same question: %j %j %j",
    (given, environment, values, expected, without) => {
      const settings = readSettings({
        names: SETTING_NAMES,
        flags: given,
        environment: environment as Record<string, string>,
        files: [named(values)],
      });
      expect(settings).toMatchObject(expected);
      for (const name of without) expect(settings).not.toHaveProperty(name);
    },
  );

  it("become options of the library", () => {
    const environment = {
      SITEATLAS_ROBOTS: "no",
      SITEATLAS_KNOWN: "false",
      SITEATLAS_HEADER: "a: 1\nb: 2, 3",
      SITEATLAS_HOMEPAGE_LINKS: "always",
      SITEATLAS_DEADLINE: "10m",
      SITEATLAS_MAX_PAGES: "none",
    };
    expect(walkOptions(readSettings({ names, flags: {}, environment, files: [] }))).toEqual({
      useRobots: false,
      useKnownPaths: false,
      headers: { a: "1", b: "2, 3" },
      useHomepageLinks: true,
      limits: { timeMs: 600_000, urls: Number.POSITIVE_INFINITY },
    });
  });

  it("are named in errors, but secrets are not repeated", () => {
    const read = (environment: Record<string, string>, values: Record<string, unknown> = {}) =>
      readSettings({ names, flags: {}, environment, files: [named(values)] });
    expect(() => read({ SITEATLAS_RETRIES: "many" })).toThrow(
      'SITEATLAS_RETRIES must be a whole number, not "many"',
    );
    expect(() => read({ SITEATLAS_HEADER: "hunter2" })).toThrow(
      /^SITEATLAS_HEADER must be 'Name: value', such as 'Cookie: a=b'$/,
    );
    expect(() => read({}, { concurency: 1 })).toThrow(
      'unknown setting "concurency" in siteatlas.config.json',
    );
    expect(() => read({}, { retries: {} })).toThrow("retries in siteatlas.config.json must be a string");
  });
});

describe("nearest names", () => {
  it.each([
    ["lss", "ls"],
    ["sttas", "stats"],
    ["fidn", "find"],
    ["example", undefined],
  ])("%s is %s", (typed, meant) => {
    expect(
      nearestName(
        typed,
        commands.map(({ name }) => name),
      ),
    ).toBe(meant);
  });
});
