/**
 * sec-O01: control and bidi characters of arguments, settings, variables and file names never reach the terminal. Every
 * message shows them as escapes, such as `\u001b`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NEVER_SHOWN } from "../../escape/hostile-text.ts";
import { openSite, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const BAD = "x\u001b]0;t\u0007\u001b[2J\u009b\u202ey\u2066\u200b\r\nz";
const GIVEN = `https://x.test/${BAD}`;

function expectEscaped(...texts: readonly string[]): void {
  for (const text of texts) for (const line of text.split("\n")) expect(line).not.toMatch(NEVER_SHOWN);
}

describe("arguments", () => {
  it.each<[string, readonly string[]]>([
    ["a site", ["ls", BAD]],
    ["a URL", ["ls", `http://${BAD}/`]],
    ["a command", [BAD]],
    ["one too many", ["robots", "x.test", BAD]],
    ["a topic", ["help", BAD]],
    ["a flag", ["ls", "x.test", `--${BAD}`]],
    ["a flag of no command", [`--${BAD}`]],
    ["a flag with a value", ["ls", "x.test", `--${BAD}=${BAD}`]],
    ["an action", ["snapshot", BAD, BAD]],
    ["a shell", ["completion", BAD]],
    ["a file", ["parse", BAD]],
    ["a file with an extension", ["parse", `${BAD}.xml`]],
    ["two snapshots", ["diff", BAD, `${BAD}2`]],
    ["a snapshot", ["snapshot", "show", BAD]],
    ["a settings file", ["ls", "x.test", "--config", BAD]],
    ["a settings program", ["ls", "x.test", "--config", `${BAD}.mjs`]],
    ["a log file", ["ls", "x.test", "--log-file", `${BAD}/x`]],
    ["an output file", ["ls", "http://127.0.0.1:1/", "--retries", "0", "-o", `${BAD}/x.csv`]],
    ["an extension", ["ls", "http://127.0.0.1:1/", "--retries", "0", "-o", `x.${BAD}`]],
    ["a certificate", ["ls", "x.test", "--cacert", BAD]],
    ["a file with a password", ["ls", "x.test", "--auth-file", BAD]],
    ["a list of paths", ["robots", "x.test", "--can-fetch", BAD]],
    ...[
      ...["format", "limit", "delay", "allow", "header", "proxy", "auth", "include", "known", "known-path"],
      ...["fields", "since", "max-bytes", "cross-host", "progress", "color", "deadline", "user-agent"],
    ].map((name): [string, string[]] => [
      `--${name}`,
      ["ls", "http://127.0.0.1:1/", "--retries", "0", `--${name}`, BAD],
    ]),
    ["--webhook", ["watch", "x.test", "--webhook", BAD]],
    ["--every", ["watch", "x.test", "--every", BAD]],
    ["--snapshot", ["sync", "http://127.0.0.1:1/", "--retries", "0", "--snapshot", `${BAD}/x`]],
  ])("%s", async (_, args) => {
    const { stdout, stderr } = await runCli(args);
    expect(stderr).not.toBe("");
    expectEscaped(stdout, stderr);
  });

  it("on standard input", async () => {
    const { stdout, stderr } = await runCli(["ls", "-", "--retries", "0"], { input: `${BAD}\n${GIVEN}\n` });
    expectEscaped(stdout, stderr);
  });
});

describe("settings", () => {
  it.each<[string, object]>([
    ["a name", { [BAD]: 1 }],
    ["a value", { delay: BAD }],
    ["a list", { header: [BAD] }],
    ["an object", { allow: { [BAD]: BAD } }],
  ])("%s", async (_, settings) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "s.json"), JSON.stringify(settings));
    const { code, stdout, stderr } = await runCli(["ls", "x.test", "--config", "s.json"], { cwd });
    expect(code).toBe(2);
    expectEscaped(stdout, stderr);
  });

  it("the name of their file", async () => {
    const cwd = emptyFolder();
    const name = `${BAD}.json`;
    for (const text of ["{", "[]", '{"nosuch": 1}', '{"delay": "x"}', '{"delay": {}}']) {
      writeFileSync(join(cwd, name), text);
      const { code, stdout, stderr } = await runCli(["ls", "x.test", "--config", name], { cwd });
      expect(code).toBe(2);
      expectEscaped(stdout, stderr);
    }
    writeFileSync(join(cwd, `${BAD}.mjs`), "throw new TypeError('x')");
    const thrown = await runCli(["ls", "x.test", "--config", `${BAD}.mjs`], { cwd });
    expectEscaped(thrown.stdout, thrown.stderr);
  });

  it("variables", async () => {
    const env = { SITEATLAS_DELAY: BAD, [`SITEATLAS_${BAD}`]: BAD };
    const { stdout, stderr } = await runCli(["ls", "x.test"], { env });
    expectEscaped(stdout, stderr);
  });
});

describe("file names", () => {
  it("of outputs, snapshots and logs", async () => {
    const site = await openSite((base) => ({ "/sitemap.xml": urlset([`${base}/a`]) }));
    const cwd = emptyFolder();
    const name = BAD.replaceAll("/", "");
    const open = [site.url, "--allow-private"];
    for (const args of [
      ["ls", ...open, "-o", `${name}.csv`],
      ["ls", ...open, "-o", `${name}.csv`],
      ["ls", ...open, "--log-file", `${name}.log`, "-o", `${name}.unknown`],
      ["sync", ...open, "--snapshot", `${name}.gz`, "-v"],
      ["snapshot", "show", `${name}.gz`],
      ["snapshot", "export", `${name}.gz`],
      ["diff", `${name}.gz`, `${name}.gz`],
      ["parse", `${name}.csv`],
    ]) {
      const { stdout, stderr } = await runCli(args, { cwd });
      expectEscaped(stdout, stderr);
    }
  });

  it("of folders", async () => {
    const cwd = emptyFolder();
    const name = BAD.replaceAll("/", "");
    mkdirSync(join(cwd, name));
    for (const args of [
      ["parse", name],
      ["snapshot", "show", name],
      ["ls", "x.test", "--config", name],
      ["ls", name],
    ]) {
      const { stdout, stderr } = await runCli(args, { cwd });
      expectEscaped(stdout, stderr);
    }
  });
});
