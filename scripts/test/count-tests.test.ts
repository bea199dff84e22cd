import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { countTests, failedTests } from "../count-tests.mjs";

test("adds up the reports of a folder, and names what failed", () => {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-reports-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const assertionResults = [
    { status: "passed", fullName: "a good one", failureMessages: [] },
    { status: "failed", fullName: "linear twice as much", failureMessages: ["expected 3.4 < 3\n  at here"] },
  ];
  const vitest = { numPassedTests: 1, numFailedTests: 1, testResults: [{ assertionResults }] };
  const ours = { numPassedTests: 152, numFailedTests: 1, failures: ["sec-X05: blocked for 210 ms"] };
  mkdirSync(join(folder, "hostile"));
  writeFileSync(join(folder, "vitest.json"), JSON.stringify(vitest));
  writeFileSync(join(folder, "hostile", "hostile.json"), JSON.stringify(ours));
  expect(countTests(folder)).toEqual({ passed: 153, failed: 2 });
  expect(failedTests(folder).toSorted()).toEqual([
    "linear twice as much: expected 3.4 < 3",
    "sec-X05: blocked for 210 ms",
  ]);
});
