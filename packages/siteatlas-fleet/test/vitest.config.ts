/**
 * The tests of the fleet run apart from the others: they start their own Redis, PostgreSQL and processes, and test the
 * build (`npm run build`).
 */
import { defineConfig } from "vitest/config";
import { longestFirst } from "../../../scripts/longest-first.mjs";

const { TEST_REPORT_DIR: reportDir } = process.env;

const LONGEST = [
  ...["chaos", "end-to-end", "giant-site", "politeness", "store/directory-store", "store/s3-store"],
  ...["support/servers", "recrawl", "cli/status", "outages", "commit-protocol", "crashing-sites"],
];

export default defineConfig({
  test: {
    include: ["packages/siteatlas-fleet/test/**/*.test.ts"],
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(LONGEST) },
    // Against a test that hangs. How long a visit takes depends on the machine.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    reporters: reportDir
      ? ["default", ["json", { outputFile: `${reportDir}/vitest-fleet-${process.pid}.json` }]]
      : ["default"],
  },
});
