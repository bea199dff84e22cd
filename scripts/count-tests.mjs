/** Adds up the JSON reports that test runs leave in a folder (TEST_REPORT_DIR), for the last lines of .ci/run. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The part of vitest's report that is read here. The other runners of this repository write the counts and `failures`.
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

/**
 * @param {string} folder its subfolders count too
 * @returns {string[]} the tests that failed, each with the first line of its reason
 */
export function failedTests(folder) {
  return readReports(folder).flatMap(({ testResults = [], failures = [] }) => [
    ...failures,
    ...testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages[0]?.split("\n")[0] ?? ""}`),
  ]);
}
