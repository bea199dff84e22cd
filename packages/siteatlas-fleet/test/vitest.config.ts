/**
 * The tests of the fleet, apart from the others: they start Redis, PostgreSQL and processes of their own, and run on
 * the build (`npm run build`).
 */
import { defineConfig } from "vitest/config";

const { TEST_REPORT_DIR: reportDir } = process.env;

export default defineConfig({
  test: {
    include: ["packages/siteatlas-fleet/test/**/*.test.ts"],
    // Most of them wait most of the time: for leases, pauses and servers.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: reportDir
      ? ["default", ["json", { outputFile: `${reportDir}/vitest-fleet-${process.pid}.json` }]]
      : ["default"],
  },
});
