/** No message shows an error code of the operating system. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { systemReason } from "../../../src/cli/process/system-reason.ts";
import { buildCli, emptyFolder, runCli, runShell } from "../support/cli.ts";

buildCli();

describe("systemReason", () => {
  it.each([
    [
      Object.assign(new Error("ENOENT: no such file or directory, open 'x'"), { code: "ENOENT" }),
      "no such file or folder",
    ],
    [
      Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" }),
      "connection refused",
    ],
    [
      Object.assign(new Error("ESTALE: stale file handle, open 'a, b'"), { code: "ESTALE" }),
      "stale file handle",
    ],
    [Object.assign(new Error("EXDEV: not allowed, rename 'a' -> 'b'"), { code: "EXDEV" }), "not allowed"],
    [new Error("Unexpected token"), "Unexpected token"],
  ])("%s", (error, reason) => {
    expect(systemReason(error)).toBe(reason);
  });
});

describe("messages about files", () => {
  it.each([
    [["ls", "a.test", "--config", "folder"], "cannot read folder: it is a folder"],
    [
      ["ls", "a.test", "--config", "folder/none.json"],
      "cannot read folder/none.json: no such file or folder",
    ],
    [["ls", "a.test", "--log-file", "folder"], "cannot write folder: it is a folder"],
    [["ls", "a.test", "--log-file", "none/log"], "cannot write none/log: the folder none does not exist"],
    [
      ["ls", "a.test", "-o", "/proc/a.csv"],
      "cannot write /proc/a.csv: the folder /proc accepts no new files",
    ],
    [["parse", "none.xml"], "cannot read none.xml: no such file or folder"],
    [["parse", "file.xml/none.xml"], "cannot read file.xml/none.xml: a part of the path is not a folder"],
    [["snapshot", "show", "none.gz"], "cannot read none.gz: no such file"],
    [
      ["snapshot", "show", "file.xml/none.gz"],
      "cannot read file.xml/none.gz: a part of the path is not a folder",
    ],
    [
      ["ls", "a.test", "-o", "file.xml/a.csv"],
      "cannot write file.xml/a.csv: a part of the path is not a folder",
    ],
    [
      ["ls", "a.test", "-o", `${"a".repeat(300)}.csv`],
      `cannot write ${"a".repeat(300)}.csv: the name is too long`,
    ],
  ])("%j", async (args, message) => {
    if (message.includes("/proc") && process.platform !== "linux") return;
    const cwd = emptyFolder();
    mkdirSync(join(cwd, "folder"));
    writeFileSync(join(cwd, "file.xml"), "");
    const { code, stderr } = await runCli(args, { cwd });
    expect([code, stderr.split("\n")[0]]).toEqual([2, `error: ${message}`]);
    expect(stderr).not.toMatch(/\bE[A-Z]{3,}\b/);
  });
});

it.skipIf(process.platform === "win32")("a current directory that was deleted is a usage error", async () => {
  const cwd = emptyFolder();
  const { stdout, stderr } = await runShell(
    `mkdir ${cwd}/gone; cd ${cwd}/gone; rmdir ${cwd}/gone; $SITEATLAS ls a.test; echo $?`,
  );
  expect([stdout, stderr]).toEqual([
    "2\n",
    "error: the current directory does not exist any more\n  Change to another folder: cd ~\n",
  ]);
});

describe("a full disk", () => {
  it.each(["--help", "--version", "help limits", "ls --help", "ls -h"])("ends %s quietly", async (args) => {
    const { stderr, stdout } = await runShell(`$SITEATLAS ${args} > /dev/full; echo $?`);
    expect([stdout, stderr]).toEqual(["1\n", ""]);
  });

  it("is reported for data", async () => {
    const { stderr, stdout } = await runShell("$SITEATLAS completion bash > /dev/full; echo $?");
    expect([stdout, stderr]).toEqual(["1\n", "error: cannot write stdout: no space left on the device\n"]);
  });
});
