/**
 * The tests of the fleet, apart from the others: they start Redis, PostgreSQL and processes of their own, and run on
 * the build (`npm run build`).
 */
import { defineConfig } from "vitest/config";

const { TEST_REPORT_DIR: reportDir } = process.env;

export default defineConfig({
  test: {
    include: ["packages/siteatlas-fleet/test/**/*.test.ts"],
    // They share two cores with the servers and workers that they start.
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: reportDir
      ? ["default", ["json", { outputFile: `${reportDir}/vitest-fleet-${process.pid}.json` }]]
      : ["default"],
  },
});
