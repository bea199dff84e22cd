/** The one table of flags: complete, without collisions, and what it makes of texts. */
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import {
  environmentName,
  type Flag,
  flagName,
  flagOfLimit,
  flags,
  SETTING_NAMES,
  type SettingName,
} from "../../src/cli/flags.ts";
import { nearestName } from "../../src/cli/nearest.ts";
import { readDuration, readHeader, readSize } from "../../src/cli/read-value.ts";
import { readSettings } from "../../src/cli/settings.ts";
import { walkOptions } from "../../src/cli/walk-options.ts";
import { DEFAULT_LIMITS, type WalkOptions } from "../../src/walk/options.ts";

/** Every option of the library; the compiler says when one is missing here. */
const OPTIONS: Readonly<Record<keyof WalkOptions, "flag" | "code">> = {
  useRobots: "flag",
  useKnownPaths: "flag",
  knownPaths: "flag",
  extraKnownPaths: "flag",
  useHomepageLinks: "flag",
  respectRobots: "flag",
  normalizeHomepageUrl: "flag",
  recurseListCallback: "flag",
  recurseCallback: "code",
  signal: "code",
  client: "code",
  userAgent: "flag",
  headers: "flag",
  proxy: "flag",
  allowPrivateNetworks: "flag",
  allow: "flag",
  concurrency: "flag",
  delayMs: "flag",
  useCrawlDelay: "flag",
  crossHost: "flag",
  httpsOnly: "flag",
  limits: "flag",
  onEvent: "code",
  strict: "flag",
};

describe("the table of flags", () => {
  const options = SETTING_NAMES.map((name) => flags[name].option);

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

  it("has each flag in some command, and names the same thing everywhere", () => {
    const used = new Set(commands.flatMap(({ settings }) => settings));
    expect(SETTING_NAMES.filter((name) => !used.has(name))).toEqual([]);
    expect([flagName("maxDepth"), environmentName("maxDepth")]).toEqual(["max-depth", "SITEATLAS_MAX_DEPTH"]);
    expect(flagOfLimit("urls")).toBe("--max-pages");
  });

  it("says the defaults as they are", () => {
    for (const name of SETTING_NAMES) {
      const { option, text, read }: Flag = flags[name];
      const [, shown] = /\(default: ([^)]+)\)$/.exec(text) ?? [];
      if (shown === undefined || !option?.startsWith("limits.")) continue;
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
  ])("%s is a span of time", (text, ms) => {
    expect(readDuration(text)).toBe(ms);
  });

  it.each([
    ["10MiB", 10_485_760],
    ["500kB", 500_000],
    ["1024", 1024],
  ])("%s is a size", (text, bytes) => {
    expect(readSize(text)).toBe(bytes);
  });

  it("headers have a name and nothing that could start another one", () => {
    expect(readHeader("X-Key:  a: b ")).toEqual(["x-key", "a: b"]);
    expect(() => readHeader("X-Key: a\r\nEvil: 1")).toThrow("holds what no header may hold");
    expect(() => readHeader("nothing")).toThrow("is not a header");
  });
});

describe("settings", () => {
  const names = SETTING_NAMES;

  it("go flag, environment, file", () => {
    const file = { path: "siteatlas.config.json", values: { concurrency: 1, maxDepth: 1, delay: 0.5 } };
    const environment = { SITEATLAS_CONCURRENCY: "2", SITEATLAS_MAX_DEPTH: "2" };
    const settings = readSettings({ names, flags: { concurrency: "3" }, environment, file });
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
    // A name that says nothing leaves it to whoever says something.
    [{ output: "pages" }, {}, { format: "csv" }, { output: "pages", format: "csv" }, []],
    [{ verbose: 2 }, {}, { quiet: true }, { verbose: 2 }, ["quiet"]],
    [{ quiet: true }, { SITEATLAS_VERBOSE: "1" }, {}, { quiet: true }, ["verbose"]],
  ])("of which the nearest counts: %j %j %j", (given, environment, values, expected, without) => {
    const settings = readSettings({
      names: SETTING_NAMES,
      flags: given,
      environment: environment as Record<string, string>,
      file: { path: "siteatlas.config.json", values: values as Record<string, unknown> },
    });
    expect(settings).toMatchObject(expected);
    for (const name of without) expect(settings).not.toHaveProperty(name);
  });

  it("become options of the library", () => {
    const environment = {
      SITEATLAS_ROBOTS: "no",
      SITEATLAS_KNOWN: "false",
      SITEATLAS_HEADER: "a: 1\nb: 2, 3",
      SITEATLAS_HOMEPAGE_LINKS: "always",
      SITEATLAS_DEADLINE: "10m",
      SITEATLAS_MAX_PAGES: "none",
    };
    expect(walkOptions(readSettings({ names, flags: {}, environment, file: undefined }))).toEqual({
      useRobots: false,
      useKnownPaths: false,
      headers: { a: "1", b: "2, 3" },
      useHomepageLinks: true,
      limits: { timeMs: 600_000, urls: Number.POSITIVE_INFINITY },
    });
  });

  it("name what is wrong, but no secret", () => {
    const read = (environment: Record<string, string>, values: Record<string, unknown> = {}) =>
      readSettings({ names, flags: {}, environment, file: { path: "siteatlas.config.json", values } });
    expect(() => read({ SITEATLAS_RETRIES: "many" })).toThrow(
      'SITEATLAS_RETRIES "many" is not a whole number',
    );
    expect(() => read({ SITEATLAS_HEADER: "hunter2" })).toThrow(/^SITEATLAS_HEADER is not a header/);
    expect(() => read({}, { concurency: 1 })).toThrow(
      'There is no setting "concurency" (in siteatlas.config.json)',
    );
    expect(() => read({}, { retries: {} })).toThrow("retries in siteatlas.config.json is neither");
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
