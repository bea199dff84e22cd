/**
 * Adds up the JSON reports that test runs left in a folder (vitest.config.ts, TEST_REPORT_DIR).
 * `node scripts/count-tests.mjs FOLDER` prints `<passed> <failed>`, for the closing line of .ci/run, and
 * `node scripts/count-tests.mjs --failed FOLDER` the tests that failed, each with the first line of its reason.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * What vitest writes, as far as it is read here. Runners of our own write the counts and `failures`.
 * @typedef {object} Report
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {{ assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[]} [testResults]
 * @property {string[]} [failures]
 */

/** @param {string} folder its subfolders count too @returns {Report[]} */
function readReports(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}

/**
 * @param {string} folder its subfolders count too
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(folder) {
  const reports = readReports(folder);
  return {
    passed: reports.reduce((sum, { numPassedTests }) => sum + numPassedTests, 0),
    failed: reports.reduce((sum, { numFailedTests }) => sum + numFailedTests, 0),
  };
}

/** @param {string} folder its subfolders count too @returns {string[]} */
export function failedTests(folder) {
  return readReports(folder).flatMap(({ testResults = [], failures = [] }) => [
    ...failures,
    ...testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.split("\n")[0] ?? ""}`),
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv.at(-1);
  if (process.argv.length < 3 || !folder)
    throw new TypeError("Usage: node scripts/count-tests.mjs [--failed] FOLDER");
  if (process.argv[2] === "--failed") {
    for (const line of failedTests(folder)) console.log(`FAILED ${line}`);
  } else {
    const { passed, failed } = countTests(folder);
    console.log(`${passed} ${failed}`);
  }
}
