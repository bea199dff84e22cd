/** Help texts and completion scripts, as golden files: whoever changes a flag sees what changes for people. */
import { describe, expect, it } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { type Flag, flags, SETTING_NAMES } from "../../src/cli/flags.ts";
import { commandHelp, flagTerm, programHelp } from "../../src/cli/help.ts";
import { buildCli, runCli, runShell } from "./support/cli.ts";

buildCli();

const options = { width: 100, color: false };

describe("help", () => {
  it("of the program leads with examples", async () => {
    const { code, stdout, stderr } = await runCli(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(programHelp({ ...options, isLong: true }));
    expect(stdout.indexOf("Examples")).toBeLessThan(stdout.indexOf("Commands"));
    await expect(stdout).toMatchFileSnapshot("golden/help.txt");
  });

  it.each(commands)("of $name", async (command) => {
    const long = commandHelp(command, { ...options, isLong: true });
    await expect(long).toMatchFileSnapshot(`golden/help-${command.name}.txt`);
    const short = commandHelp(command, { ...options, isLong: false });
    expect(short.split("\n").length).toBeLessThanOrEqual(60);
    for (const line of [...long.split("\n"), ...short.split("\n")])
      expect(line.length).toBeLessThanOrEqual(110);
  });

  it("is short with -h and long with --help", async () => {
    const [short, long] = [await runCli(["ls", "-h"]), await runCli(["ls", "--help"])];
    expect([short.code, long.code]).toEqual([0, 0]);
    const ls = commands.find(({ name }) => name === "ls")!;
    expect(short.stdout).toBe(commandHelp(ls, { ...options, isLong: false }));
    expect(long.stdout).toBe(commandHelp(ls, { ...options, isLong: true }));
    expect(short.stdout).toContain("more flags: siteatlas ls --help");
  });

  it("has the settings file, the units of bare numbers and the defaults of what can be chosen", () => {
    for (const command of commands) {
      const long = commandHelp(command, { ...options, isLong: true });
      const values = command.settings.map((name) => flags[name].value);
      expect(long.includes("--config FILE")).toBe(command.settings.length > 0);
      expect(long.includes("a number alone is seconds")).toBe(values.includes("TIME"));
      expect(long.includes("a number alone is bytes")).toBe(values.includes("SIZE"));
    }
    for (const [name, { text, words }] of Object.entries(flags as Record<string, Flag>)) {
      if (words !== undefined && !["kind", "stratify"].includes(name)) expect(text).toMatch(/\(default: /);
    }
    const { text } = flags.homepageLinks;
    expect(text).toContain("(default: when-empty; of find: always)");
  });

  it("has every flag of every command in it", () => {
    const all = commands.map((command) => commandHelp(command, { ...options, isLong: true })).join("");
    for (const name of SETTING_NAMES) expect(all).toContain(flagTerm(name));
  });
});

describe("completion", () => {
  it.each(["bash", "zsh", "fish"])("for %s", async (shell) => {
    const { code, stdout } = await runCli(["completion", shell]);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot(`golden/completion.${shell}`);
  });

  it("completes in bash", async () => {
    const { stdout, stderr } = await runShell(`
      eval "$($SITEATLAS completion bash)"
      complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _siteatlas; echo "\${COMPREPLY[*]}"; }
      complete_line siteatlas st
      complete_line siteatlas ls --max-d
      complete_line siteatlas ls --format nd
      complete_line siteatlas completion z
    `);
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual(["stats", "--max-depth --max-decoded-bytes", "ndjson", "zsh", ""]);
  });
});

describe("version", () => {
  it.each(["--version", "-V"])("%s", async (flag) => {
    const { code, stdout } = await runCli([flag]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
