import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { replaceFile } from "../../src/files/replace-file.ts";
import { TemporaryPath } from "../../src/files/temporary-files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "siteatlas-files-"));
  return () => rmSync(folder, { recursive: true, force: true });
});
const START = ".pages.csv.";

/** The id of a process that has ended. */
const deadPid = spawnSync(process.execPath, ["--version"]).pid;

/** The first name of this process, to make others of it. */
async function ownName(): Promise<string> {
  const temporary = await TemporaryPath.create(folder, START);
  temporary.release();
  return basename(temporary.withEnding("new"));
}

function leave(name: string): string {
  writeFileSync(join(folder, name), "");
  return name;
}

it("deletes temporary files of processes that no longer exist", async () => {
  const name = await ownName();
  const dead = name.replace(`-${process.pid}-`, `-${deadPid}-`);
  leave(dead);
  leave(`${dead}-journal`);
  // Of an earlier process with the same id.
  leave(name);
  mkdirSync(join(folder, dead.replace(".new", ".changes")));
  leave(dead.replace(".new", ".changes/lines"));
  await ownName();
  expect(readdirSync(folder)).toEqual([]);
});

it("keeps files that are or may be in use, and files of other programs", async () => {
  const name = await ownName();
  const used = await TemporaryPath.create(folder, START);
  const dead = name.replace(`-${process.pid}-`, `-${deadPid}-`);
  const kept = [
    leave(basename(used.withEnding("new"))),
    // Another process that runs.
    leave(name.replace(`-${process.pid}-`, `-${process.ppid}-`)),
    // Another machine: its processes cannot be seen here.
    leave(dead.replace(/[\da-f]{6}-/, "000000-")),
    // The temporary file of another target.
    leave(dead.replace("pages", "images")),
    leave(`.pages.csv.${deadPid}.new`),
    leave(`${dead}.txt`),
  ];
  await ownName();
  expect(readdirSync(folder).sort()).toEqual(kept.sort());
  used.release();
  await ownName();
  expect(readdirSync(folder)).toHaveLength(kept.length - 1);
});

it("a folder that cannot be read causes no additional error", async () => {
  await expect(TemporaryPath.create(join(folder, "missing"), START)).resolves.toBeInstanceOf(TemporaryPath);
});

it("replaceFile deletes temporary files of an earlier process", async () => {
  leave((await ownName()).replace(`-${process.pid}-`, `-${deadPid}-`));
  await replaceFile(join(folder, "pages.csv"), (file) => file.writeFile("new"));
  expect(readdirSync(folder)).toEqual(["pages.csv"]);
});
