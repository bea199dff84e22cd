/** Help texts and completion scripts, as golden files: a changed flag shows what changes for users. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { commands, topics } from "../../src/cli/config/command-table.ts";
import { type Flag, flags } from "../../src/cli/config/flags.ts";
import { type CommandFormats, commandFormats, formatsOf } from "../../src/cli/config/output-formats.ts";
import { commandHelp, flagTerm, programHelp } from "../../src/cli/help.ts";
import { topicHelp } from "../../src/cli/help-topics.ts";
import { EXIT_TEXTS } from "../../src/cli/process/exit-codes.ts";
import { joined } from "../../src/cli/terminal/format-text.ts";
import { openSite, urlset } from "../support/test-site.ts";
import { buildCli, emptyFolder, runCli, runShell } from "./support/cli.ts";

buildCli();

const options = { width: 200, color: false };
const long = { ...options, isLong: true };
const short = { ...options, isLong: false };

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ["-c", ":"]).status === 0;
}

/** One screen. */
const MAX_LINES = 40;
const MAX_COLUMNS = 80;

const linesOf = (text: string): string[] => text.replace(/\n$/, "").split("\n");
const widest = (text: string): number => Math.max(...linesOf(text).map((line) => line.length));

describe("help", () => {
  it("of the program lists all commands and topics", async () => {
    const { code, stdout, stderr } = await runCli(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(programHelp(long));
    for (const { name } of commands) expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
    expect(stdout).toContain(`about ${joined(topics, "or")}\n`);
    expect(linesOf(stdout).length).toBeLessThanOrEqual(MAX_LINES);
    expect(widest(stdout)).toBeLessThanOrEqual(MAX_COLUMNS);
    await expect(stdout).toMatchFileSnapshot("golden/help.txt");
  });

  it.each(commands)("of $name fits 80 columns, and -h one screen", async (command) => {
    const [all, usual] = [commandHelp(command, long), commandHelp(command, short)];
    await expect(all).toMatchFileSnapshot(`golden/help-${command.name}.txt`);
    await expect(usual).toMatchFileSnapshot(`golden/usual-${command.name}.txt`);
    expect(linesOf(usual).length).toBeLessThanOrEqual(MAX_LINES);
    expect(widest(all)).toBeLessThanOrEqual(MAX_COLUMNS);
    expect(widest(usual)).toBeLessThanOrEqual(MAX_COLUMNS);
    expect(all).toMatch(/\nDocumentation: https:\/\/\S+\n$/);
  });

  it("of ls has the 17 usual flags first, in the order of use", () => {
    const terms = commandHelp(commands[0]!, short).matchAll(/^ {2}(?:-\w,| {3}) --([\w-]+)/gm);
    expect([...terms].map(([, name]) => name)).toEqual([
      ...["output", "format", "json", "fields", "include", "exclude", "since", "kind", "limit", "sample"],
      ...["unique", "header", "auth", "delay", "fail-on-partial", "verbose", "quiet"],
    ]);
  });

  it("says which flags can be repeated, and what each group chooses", () => {
    const all = commands.map((command) => commandHelp(command, long)).join("");
    for (const [name, { many }] of Object.entries(flags as Record<string, Flag>)) {
      if (many)
        expect([name, flags[name as keyof typeof flags].text]).toEqual([
          name,
          expect.stringContaining("can be repeated"),
        ]);
    }
    expect(all).toContain("fetch only sitemaps that match: '*news*'; can be");
    for (const name of ["tree", "find"]) {
      const text = commandHelp(commands.find((command) => command.name === name)!, long);
      expect(text).toContain("\nChoose sitemaps\n");
      expect(text).not.toContain("Choose pages");
    }
  });

  it("of limits says which commands take which", () => {
    const takers = (name: keyof typeof flags): string[] =>
      commands.filter(({ settings }) => settings.includes(name)).map((command) => command.name);
    expect(takers("maxPages")).toEqual([
      "ls",
      "tree",
      "find",
      "stats",
      "lint",
      "check",
      "report",
      "compare",
      "sync",
      "watch",
    ]);
    expect(takers("deadline")).toEqual([
      "ls",
      "tree",
      "find",
      "stats",
      "lint",
      "check",
      "report",
      "robots",
      "compare",
      "sync",
      "watch",
    ]);
    expect(takers("maxIssues")).toEqual([
      "ls",
      "tree",
      "find",
      "stats",
      "lint",
      "check",
      "report",
      "compare",
      "sync",
      "watch",
      "parse",
    ]);
    expect(takers("maxBytes")).toEqual(takers("deadline"));
    expect(topicHelp("limits", long)!.replace(/\s+/g, " ")).toContain(
      "apply to ls, tree, find, stats, lint, check, report, compare, sync and watch. The command robots accepts only --deadline, --max-bytes and the limits per request. The command parse accepts only the limits inside a document.",
    );
  });

  it("is short with -h and long with --help", async () => {
    const [usual, all] = [await runCli(["ls", "-h"]), await runCli(["ls", "--help"])];
    expect([usual.code, all.code]).toEqual([0, 0]);
    const ls = commands.find(({ name }) => name === "ls")!;
    expect(usual.stdout).toBe(commandHelp(ls, short));
    expect(all.stdout).toBe(commandHelp(ls, long));
    expect(usual.stdout).toMatch(
      /^More: siteatlas ls --help \(\d+ flags\), siteatlas help limits \(and timeouts\)$/m,
    );
  });

  it("has the settings file, the units of plain numbers and the defaults of choices", () => {
    for (const command of commands) {
      const all = commandHelp(command, long);
      const limits = topicHelp("limits", long)!;
      const values = command.settings
        .filter((name) => !limits.includes(flagTerm(name)))
        .map((name) => flags[name].value);
      expect(all.includes("--config FILE")).toBe(command.settings.length > 0);
      expect(all.includes("A plain number is seconds")).toBe(values.includes("TIME"));
      expect(all.includes("A plain number is bytes")).toBe(values.includes("SIZE"));
    }
    for (const [name, { text, words }] of Object.entries(flags as Record<string, Flag>)) {
      if (words !== undefined && !["kind", "stratify", "fields"].includes(name))
        expect(text).toMatch(/\(default: /);
    }
    expect(flags.homepageLinks.text).toContain("(default: when-empty)");
    const find = commands.find(({ name }) => name === "find")!;
    expect(commandHelp(find, long)).toContain("(default: always)");
  });

  it("of snapshot show has only the flags that show takes", async () => {
    const { stdout } = await runCli(["snapshot", "show", "--help"]);
    expect(stdout).toContain("siteatlas snapshot show <file> [flags]");
    const terms = [...stdout.matchAll(/^ {2}(?:-\w,| {3}) --([\w-]+)/gm)].map(([, name]) => name);
    expect(terms).toEqual([
      ...["output", "json", "verbose", "quiet", "force", "progress", "color", "log-file", "config"],
    ]);
    expect((await runCli(["help", "snapshot", "show"])).stdout).toBe(stdout);
    const exported = await runCli(["snapshot", "export", "--help"]);
    expect(exported.stdout).toContain("--since DATE");
    expect(exported.stdout).not.toContain("snapshot show");
  });

  it("of --strict says that it rejects files", async () => {
    const { stdout } = await runCli(["parse", "-", "--strict", "--help"]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("and reject files that are not well-formed");
  });

  it.each(topics)("on %s", async (topic) => {
    const { code, stdout, stderr } = await runCli(["help", topic]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(widest(stdout)).toBeLessThanOrEqual(MAX_COLUMNS);
    await expect(stdout).toMatchFileSnapshot(`golden/help-${topic}.txt`);
  });

  it("on exit codes has the same codes as the documentation", () => {
    const docs = readFileSync(new URL("../../../../docs/cli.md", import.meta.url), "utf8");
    const [, section = ""] = /\n## Exit codes\n(.*?)\n## /s.exec(`${docs}\n## `) ?? [];
    const codes = [...section.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, list = ""]) => list.split(", "));
    expect(codes).toEqual(Object.keys(EXIT_TEXTS));
  });

  it("has every flag, of a command or among the limits", () => {
    for (const { settings, ...command } of commands) {
      const all = commandHelp({ settings, ...command }, long) + topicHelp("limits", long)!;
      for (const name of settings) expect(all).toContain(flagTerm(name));
    }
  });

  it("by name is that of the command; an unknown name is an error", async () => {
    const [help, long] = [await runCli(["help", "ls"]), await runCli(["ls", "--help"])];
    expect(help.stdout).toBe(long.stdout);
    expect(await runCli(["help", "foo"])).toEqual({
      code: 2,
      stdout: "",
      stderr: 'error: no command or help topic "foo"\n  List them with siteatlas --help.\n',
    });
  });

  it.each([
    ["limit", "limits"],
    ["exitcodes", "exit-codes"],
    ["snapshots", "snapshot"],
  ])("on %s suggests %s", async (typed, name) => {
    const { code, stderr } = await runCli(["help", typed]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Did you mean "siteatlas help ${name}"?`);
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
      complete_line siteatlas he
      complete_line siteatlas help exit
      complete_line siteatlas snapshot e
      complete_line siteatlas ls --fields chan
      complete_line siteatlas ls --fields url,lastmod_t
      complete_line siteatlas ls --kind news,i
      complete_line siteatlas lint --format ''
      complete_line siteatlas watch -f ''
      complete_line siteatlas report --format = m
      complete_line siteatlas report --format =
      complete_line siteatlas ls --format=nd
      complete_line siteatlas ls --fields=url,lastmod_t
      complete_line siteatlas snapshot show --f
      complete_line siteatlas snapshot export --fo
    `);
    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual([
      ...["stats", "--max-depth --max-decoded-bytes", "ndjson", "zsh", "help", "exit-codes", "export"],
      ...["changefreq", "url,lastmod_text", "news,image", "text json sarif github junit markdown"],
      ...["urls ndjson", "markdown", "html markdown json", "--format=ndjson", "--fields=url,lastmod_text"],
      ...["--force", "--format --force", ""],
    ]);
  });

  it.skipIf(!isInstalled("fish"))("completes in fish", async () => {
    const { stdout, stderr } = await runShell(`
      $SITEATLAS completion fish > completion.fish
      for line in 'siteatlas he' 'siteatlas help exit' 'siteatlas snapshot e' 'siteatlas ls --fields url,lastmod_t' \
          'siteatlas check -f s' 'siteatlas snapshot show --for' 'siteatlas snapshot export --for'; do
        HOME=$PWD fish --no-config -c "source completion.fish; complete -C '$line'" | cut -f 1 | tr '\\n' ' '
        echo
      done
    `);
    expect(stderr).toBe("");
    expect(stdout.split("\n").map((line) => line.trim())).toEqual([
      ...["help", "exit-codes", "export", "url,lastmod_text", "sarif", "--force", "--force --format", ""],
    ]);
  });

  it.skipIf(!isInstalled("zsh"))("is valid for zsh", async () => {
    const { code, stderr } = await runShell(
      "$SITEATLAS completion zsh > _siteatlas; zsh --no-rcs -n _siteatlas",
    );
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("formats", () => {
  const takers = commands.filter(({ settings }) => settings.includes("format")).map(({ name }) => name);
  const every = new Set(Object.values<CommandFormats>({ ...commandFormats }).flatMap(({ names }) => names));

  it("are in the table for every command with -f, and in its help", () => {
    expect(Object.keys(commandFormats)).toEqual(takers);
    for (const name of takers) {
      const help = commandHelp(commands.find((command) => command.name === name)!, long);
      const [, row = ""] = /--format FORMAT +(.*?)\(default:/s.exec(help) ?? [];
      const words = row.replaceAll(/\([^)]*\)/g, "").match(/\w+/g)!;
      expect([name, words.filter((word) => word !== "or")]).toEqual([name, formatsOf(name)!.names]);
    }
  });

  it.each(takers)("%s accepts those of its row, and no other", async (name) => {
    const { names } = formatsOf(name)!;
    const [site, cwd] = [
      await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/a`]) })),
      emptyFolder(),
    ];
    await runCli(["sync", site.url, "--snapshot", "a.gz"], { cwd });
    const others: Record<string, string[]> = {
      compare: ["a.gz", "a.gz"],
      diff: ["a.gz", "a.gz"],
      snapshot: ["export", "a.gz"],
      parse: ["none.xml"],
      // Ends because the file does not exist.
      watch: ["--hosts", "none.txt"],
    };
    for (const format of every) {
      const { stderr } = await runCli([name, ...(others[name] ?? [site.url]), "-f", format], { cwd });
      const isRejected = stderr.includes(`siteatlas ${name} cannot write ${format}`);
      expect([format, isRejected]).toEqual([format, !names.includes(format)]);
    }
  });
});

describe("version", () => {
  it.each(["--version", "-V"])("%s", async (flag) => {
    const { code, stdout } = await runCli([flag]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
