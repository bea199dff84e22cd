/**
 * Adds up the JSON reports that test runs left in a folder (vitest.config.ts, TEST_REPORT_DIR).
 * `node scripts/count-tests.mjs FOLDER` prints `<passed> <failed>`, for the closing line of .ci/run.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @param {string} folder its subfolders count too
 * @returns {{ passed: number, failed: number }}
 */
export function countTests(folder) {
  let passed = 0;
  let failed = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".json")) continue;
    const report = JSON.parse(readFileSync(join(folder, name), "utf8"));
    passed += report.numPassedTests;
    failed += report.numFailedTests;
  }
  return { passed, failed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2];
  if (!folder) throw new TypeError("Usage: node scripts/count-tests.mjs FOLDER");
  const { passed, failed } = countTests(folder);
  console.log(`${passed} ${failed}`);
}
