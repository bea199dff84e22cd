/**
 * Start-up time of the command line, compared with an empty script. Both are measured in turns, so that other
 * load of the machine affects both. `--version`: within 1.5 times an empty script plus 30 ms.
 * The first line of `ls` on a site of 75 sitemaps: 300 ms on a quiet machine (`npm run bench:start`), where an
 * empty script takes 35. Here six times that and 100 ms: three processes take part, so that a busy machine is
 * harder on it than on an empty script. What it loads is counted in test/cli/loaded-modules.test.ts.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { buildCli } from "../../../../scripts/build-cli.mjs";

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const ROUNDS = 25;

let folder: string;

/** The published bundle. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "siteatlas-start-"));
  copyFileSync(path("package.json"), join(folder, "package.json"));
  symlinkSync(path("../../node_modules"), join(folder, "node_modules"), "dir");
  writeFileSync(join(folder, "empty.js"), "");
  await buildCli(join(folder, "dist/cli"));
});

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

/** The site runs in another process, because this one is busy with measuring. */
async function openSite(): Promise<string> {
  const site = spawn(process.execPath, [path("../../bench/cli/ready-site.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void site.kill());
  const [url] = (await once(createInterface(site.stdout), "line")) as [string];
  return url;
}

async function timeToFirstLine(url: string): Promise<number> {
  const startedAt = performance.now();
  const args = [join(folder, "dist/cli/main.js"), "ls", url, "--format", "urls", "--quiet"];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const [first] = (await Promise.race([once(child.stdout, "data"), ended])) as [unknown];
  const ms = performance.now() - startedAt;
  child.kill("SIGKILL");
  await ended;
  expect(String(first)).toMatch(/^http:/);
  return ms;
}

it("ls prints its first line quickly", async () => {
  const url = await openSite();
  await timeToFirstLine(url);
  const empty: number[] = [];
  const first: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    empty.push(timeOf(join(folder, "empty.js")));
    first.push(await timeToFirstLine(url));
  }
  const [base, taken] = [median(empty), median(first)];
  console.log(`empty script ${base.toFixed(0)} ms, first line ${taken.toFixed(0)} ms (medians of ${ROUNDS})`);
  expect(taken).toBeLessThanOrEqual(6 * base + 100);
});
