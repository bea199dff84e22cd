/**
 * How long the command line takes to start: `--version` within 1.5 times an empty script plus 30 ms, both
 * taken in turns in one run, so that whatever else the machine does falls on both.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const ROUNDS = 25;

let folder: string;

/** Compiled file by file, as it is published: a bundle would start faster. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "siteatlas-start-"));
  const args = ["-p", path("tsconfig.json"), "--noCheck", "--outDir", join(folder, "dist")];
  const { status } = spawnSync(process.execPath, [path("../../node_modules/typescript/bin/tsc"), ...args]);
  expect(status).toBe(0);
  copyFileSync(path("package.json"), join(folder, "package.json"));
  symlinkSync(path("../../node_modules"), join(folder, "node_modules"), "dir");
  writeFileSync(join(folder, "empty.js"), "");
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function timeOf(...args: readonly string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { env: { PATH: process.env["PATH"] ?? "" } });
  expect(status).toBe(0);
  return performance.now() - startedAt;
}

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

it("--version starts about as fast as an empty script", () => {
  const empty: number[] = [];
  const version: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    empty.push(timeOf(join(folder, "empty.js")));
    version.push(timeOf(join(folder, "dist/cli/main.js"), "--version"));
  }
  const [base, taken] = [median(empty), median(version)];
  console.log(`empty script ${base.toFixed(0)} ms, --version ${taken.toFixed(0)} ms (medians of ${ROUNDS})`);
  expect(taken).toBeLessThanOrEqual(1.5 * base + 30);
});
