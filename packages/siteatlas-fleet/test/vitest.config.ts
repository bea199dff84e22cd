/**
 * The tests of the fleet run apart from the others: they start their own Redis, PostgreSQL and processes, and test the
 * build (`npm run build`).
 */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const { TEST_REPORT_DIR: reportDir } = process.env;

/** The files that take longest. They start first, so that the others run beside them. */
const LONGEST = ["chaos", "end-to-end", "politeness", "commit-protocol", "crashing-sites"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return files.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ["packages/siteatlas-fleet/test/**/*.test.ts"],
    // More than there are cores: most tests spend their time waiting for leases, pauses and servers.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 240_000,
    hookTimeout: 60_000,
    reporters: reportDir
      ? ["default", ["json", { outputFile: `${reportDir}/vitest-fleet-${process.pid}.json` }]]
      : ["default"],
  },
});
