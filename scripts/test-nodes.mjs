/**
 * Runs the library's tests on other major versions of Node: `npm run test:nodes` on all of them,
 * `npm run test:nodes -- 24` on one. The binaries come from the npm packages `node-<platform>-<arch>`,
 * into .cache/nodes/, outside the lockfile: always the newest release of a major version.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countTests } from "./count-tests.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache", "nodes");
const binaryPackage = `node-${process.platform}-${process.arch}`;
const majors = process.argv.length > 2 ? process.argv.slice(2) : ["22", "24", "26"];

/**
 * @param {string} major
 * @returns {string} path of the binary
 */
function installNode(major) {
  const folder = join(cache, major);
  const binary = join(folder, "node_modules", binaryPackage, "bin", "node");
  if (existsSync(binary)) return binary;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Its own package.json keeps npm from taking the workspace above for the project.
  writeFileSync(join(folder, "package.json"), `{ "private": true }\n`);
  const install = ["install", "--no-package-lock", "--no-audit", "--no-fund", `${binaryPackage}@${major}`];
  const { status } = spawnSync("npm", install, { cwd: folder, stdio: "inherit" });
  if (status !== 0 || !existsSync(binary)) throw new Error(`Cannot install ${binaryPackage}@${major}`);
  return binary;
}

/**
 * @param {string} binary
 * @param {string} reports folder for the JSON reports
 * @returns {boolean} whether all tests passed
 */
function runTests(binary, reports) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const { status } = spawnSync(binary, [vitest, "run", "packages"], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, TEST_REPORT_DIR: reports },
  });
  return status === 0;
}

const reportFolder = process.env["TEST_REPORT_DIR"] || join(root, ".cache", "test-reports");
const summary = majors.map((major) => {
  const binary = installNode(major);
  const version = spawnSync(binary, ["--version"], { encoding: "utf8" }).stdout.trim();
  const reports = join(reportFolder, `node-${version}`);
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports, { recursive: true });
  const ok = runTests(binary, reports);
  const { passed, failed } = countTests(reports);
  return {
    ok,
    line: `Node ${version} ${ok ? "passed" : "FAILED"}: ${passed} tests passed, ${failed} failed`,
  };
});
for (const { line } of summary) console.log(line);
process.exitCode = summary.every(({ ok }) => ok) ? 0 : 1;
