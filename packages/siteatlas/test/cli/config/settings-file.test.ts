/**
 * Settings files: which are read, what a file in the current directory may contain, and messages about files that
 * cannot be read, which repeat nothing of the file.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Flag, flags, type SettingName } from "../../../src/cli/config/flags.ts";
import { readSettings } from "../../../src/cli/config/settings.ts";
import { readSettingsFiles } from "../../../src/cli/config/settings-file.ts";
import { UsageError } from "../../../src/cli/process/usage-error.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";
import { openSmallSite } from "../support/small-site.ts";

buildCli();

const NO_USER = { XDG_CONFIG_HOME: "/nonexistent" };

async function problemOf(name: string, content: string): Promise<UsageError> {
  const directory = emptyFolder();
  writeFileSync(join(directory, name), content);
  const read = readSettingsFiles({ directory, given: name, environment: NO_USER });
  const error: unknown = await read.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(`${(error as UsageError).message} ${(error as UsageError).hint}`).not.toContain("S1tePw");
  return error as UsageError;
}

describe("JSON", () => {
  it.each([
    ['{"delay": "2s", "auth": S1tePw-ZEBRA}', "line 1, column 25"],
    ['{\n  "auth": "u:S1tePw",\n}', "line 3, column 1"],
    ['{\r\n  "auth": "u:S1tePw\n"}', "line 2, column 11"],
    ['{"auth": "u:S1tePw" "delay": 1}', "line 1, column 21"],
    ['{"auth": "u:S1tePw"', "line 1, column 20"],
    ['{"auth": "u:S1tePw"} S1tePw', "line 1, column 22"],
    ['{"header": ["a: S1tePw", tru]}', "line 1, column 26"],
    ['{"retries": 01, "auth": "u:S1tePw"}', "line 1, column 13"],
    ["", "line 1, column 1"],
    // Deep values and long strings do not overflow the stack.
    [`${"[".repeat(100_000)}S1tePw`, "line 1, column 102"],
    [`{"auth": "${"S1tePw".repeat(150_000)}`, "line 1, column 10"],
  ])("%.60j", async (content, place) => {
    expect(() => JSON.parse(content)).toThrow();
    const { message } = await problemOf("a.json", content);
    expect(message).toBe(`cannot read a.json: it is not valid JSON (${place})`);
  });
});

describe("a module", () => {
  it.each([
    ["\n\nthrow new TypeError('bad S1tePw');", "it throws TypeError in line 3"],
    ["export default () => {\n  throw new Error('bad S1tePw');\n};", "it throws Error in line 2"],
    ["throw null;", "it throws an error"],
  ])("%j", async (content, why) => {
    const { message, hint } = await problemOf("a.mjs", content);
    expect(message).toBe(`cannot read a.mjs: ${why}`);
    expect(hint).toBe("See its message with node a.mjs");
  });

  it.each(["a.yaml", "a.cjs", "a"])("ends with .js or .mjs: %s does not", async (name) => {
    const { message } = await problemOf(name, "limit: 4");
    expect(message).toBe(`cannot read ${name}: a settings file ends with .json, .js or .mjs`);
  });

  it("with a syntax error", async () => {
    const { message } = await problemOf("a.mjs", "export default { auth: S1tePw S1tePw };");
    expect(message).toMatch(/^cannot read a\.mjs: it throws \w+Error(?: in line 1)?$/);
  });
});

// ---------------------------------------------------------------- in the current directory

/** The settings that a file in the current directory may not contain. */
const REFUSED: readonly SettingName[] = [
  ...([
    "snapshot",
    "snapshots",
    "onChange",
    "history",
    "hosts",
    "metrics",
    "webhook",
    "webhookSecretFile",
    "output",
    "force",
    "csvRaw",
    "updateBaseline",
    "write",
    "state",
    "png",
    "pdf",
    "browser",
    "header",
    "auth",
  ] as const),
  ...(["authFile", "proxy", "cacert", "insecure", "allow", "allowPrivate", "quiet", "logFile"] as const),
];

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = emptyFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

describe("a file in the current directory", () => {
  it("may not contain what runs, sends, writes or removes a protection", () => {
    const risky = Object.entries(flags as Record<string, Flag>).filter(([, { risk }]) => risk !== undefined);
    expect(risky.map(([name]) => name).toSorted()).toEqual([...REFUSED].toSorted());
  });

  it("is documented with these settings", () => {
    const page = readFileSync(new URL("../../../../../docs/cli.md", import.meta.url), "utf8");
    const [, list = ""] = /ends with an error and exit code 2: ((?:`\w+`(?:, )?)+)\./.exec(page) ?? [];
    const documented = [...list.matchAll(/\w+/g)].map(([name]) => name);
    expect(documented.sort()).toEqual([...REFUSED].sort());
  });

  it.each(REFUSED)("is refused with %s, whatever the value", async (name) => {
    for (const value of ["S1tePw", false, null]) {
      const directory = folderWith({ "siteatlas.config.json": JSON.stringify({ [name]: value }) });
      const found = await readSettingsFiles({ directory, given: undefined, environment: NO_USER });
      expect(() => readSettings({ names: [], flags: {}, environment: {}, files: found.files })).toThrow(
        `siteatlas.config.json in the current directory may not set ${name}: it ${(flags[name] as Flag).risk}`,
      );
    }
  });

  it("ends every command if it is refused", async () => {
    const cwd = folderWith({ "siteatlas.config.json": '{ "onChange": "touch S1tePw" }' });
    const { code, stdout, stderr } = await runCli(["parse", "-"], { cwd });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(
      "error: siteatlas.config.json in the current directory may not set onChange: it runs a command\n" +
        "  If you trust the file, pass it with --config siteatlas.config.json. Put your own settings into ~/.config/siteatlas/config.json.\n",
    );
  });

  it("may contain it if --config or SITEATLAS_CONFIG names the file", async () => {
    const site = await openSmallSite();
    const cwd = folderWith({ "siteatlas.config.json": '{ "header": "X-From: file" }' });
    const named = { SITEATLAS_CONFIG: "siteatlas.config.json" };
    for (const [args, env] of [
      [["--config", "siteatlas.config.json"], {}],
      [[], named],
    ] as const) {
      const before = site.requests.length;
      const { stderr } = await runCli(["ls", `${site.url}/posts.xml`, ...args], { cwd, env });
      expect(site.requests[before]?.headers).toMatchObject({ "x-from": "file" });
      expect(stderr).not.toContain("Settings from");
    }
  });

  it("is announced on stderr, but not with -q", async () => {
    const site = await openSmallSite();
    const cwd = folderWith({
      "siteatlas.config.json": '{ "concurrency": 1, "every": "1h", "userAgent": null }',
    });
    const args = ["ls", `${site.url}/posts.xml`];
    const { stdout, stderr } = await runCli(args, { cwd });
    expect(stderr.split("\n")[0]).toBe(
      "Settings from siteatlas.config.json in the current directory: concurrency",
    );
    expect(stdout).not.toContain("Settings");
    expect((await runCli([...args, "-q"], { cwd })).stderr).toBe("");
    const json = await runCli([...args, "--progress", "json"], { cwd });
    expect(JSON.parse(json.stderr.split("\n")[0]!)).toMatchObject({ event: "note" });
  });

  it.each(["siteatlas.config.js", "siteatlas.config.mjs"])("is not executed: %s", async (name) => {
    const program = `import { writeFileSync } from "node:fs"; writeFileSync("ran", ""); export default {};`;
    const cwd = folderWith({ [name]: program, "package.json": '{ "type": "module" }' });
    const { code, stderr } = await runCli(["parse", "-"], { cwd, input: "https://example.com/a\n" });
    expect(code).toBe(0);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    expect(stderr).toContain(
      `warning: ${name} in the current directory was not read, because it is a program\n  Execute it with --config ${name}.`,
    );
    await runCli(["parse", "-", "--config", name], { cwd, input: "https://example.com/a\n" });
    expect(existsSync(join(cwd, "ran"))).toBe(true);
  });

  it.each<[string, (path: string) => void, string]>([
    ["a named pipe", (path: string) => execFileSync("mkfifo", [path]), "it is not a regular file"],
    ["a link to a device", (path: string) => symlinkSync("/dev/zero", path), "it is not a regular file"],
    ["a folder", (path: string) => mkdirSync(path), "it is a folder"],
    ["too large", (path: string) => writeFileSync(path, " ".repeat(2 ** 20 + 1)), "it is larger than 1 MiB"],
    [
      "a link to a file of /proc without a size and an end",
      (path: string) => symlinkSync("/proc/self/pagemap", path),
      "it is larger than 1 MiB",
    ],
  ])("is refused if it is %s", async (name, create, why) => {
    if (name.includes("/proc") && !existsSync("/proc/self/pagemap")) return;
    const cwd = emptyFolder();
    create(join(cwd, "siteatlas.config.json"));
    const { code, stderr } = await runCli(["parse", "-"], { cwd });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: cannot read siteatlas.config.json: ${why}\n`,
    });
  });
});

describe("the user's own settings", () => {
  it("are in the configuration folder, and may contain everything", async () => {
    const site = await openSmallSite();
    const settings = JSON.stringify({ header: "X-From: user", quiet: true });
    for (const [name, variable] of [
      ["siteatlas/config.json", "XDG_CONFIG_HOME"],
      [".config/siteatlas/config.json", "HOME"],
    ] as const) {
      const before = site.requests.length;
      const folder = folderWith({ [name]: settings });
      const env = { XDG_CONFIG_HOME: "", [variable]: folder };
      const { stderr } = await runCli(["ls", `${site.url}/posts.xml`], { env });
      expect(site.requests[before]?.headers).toMatchObject({ "x-from": "user" });
      expect(stderr).toBe("");
    }
  });

  it("override those of the current directory, and are not read with --config", async () => {
    const folder = folderWith({ "siteatlas/config.json": '{ "httpsOnly": true }' });
    const directory = folderWith({
      "siteatlas.config.json": '{ "httpsOnly": false, "retries": 1, "maxDepth": 3 }',
      "named.json": '{ "retries": 2 }',
    });
    const environment = { XDG_CONFIG_HOME: folder, SITEATLAS_RETRIES: "5" };
    const read = async (given: string | undefined) => {
      const { files } = await readSettingsFiles({ directory, given, environment });
      return readSettings({ names: ["httpsOnly", "retries", "maxDepth"], flags: {}, environment, files });
    };
    expect(await read(undefined)).toEqual({ httpsOnly: true, retries: 5, maxDepth: 3 });
    expect(await read("named.json")).toEqual({ retries: 5 });
  });

  it("are not looked for in the current directory", async () => {
    const cwd = folderWith({ "relative/siteatlas/config.json": '{ "wrong": 1 }' });
    for (const folder of ["relative", "./relative", "../"]) {
      const env = { XDG_CONFIG_HOME: folder, HOME: emptyFolder() };
      expect((await runCli(["parse", "-"], { cwd, env, input: "https://example.com/\n" })).code).toBe(0);
    }
    const env = { XDG_CONFIG_HOME: "", HOME: "relative" };
    expect((await runCli(["parse", "-"], { cwd, env, input: "https://example.com/\n" })).code).toBe(0);
  });

  it("are named in messages with their path", async () => {
    const folder = folderWith({ "siteatlas/config.json": '{ "concurency": 1 }' });
    const { code, stderr } = await runCli(["parse", "-"], { env: { XDG_CONFIG_HOME: folder } });
    expect(code).toBe(2);
    expect(stderr).toContain(`unknown setting "concurency" in ${folder}/siteatlas/config.json`);
  });
});
