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
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Against a test that hangs. How long a visit takes depends on the machine.
    testTimeout: 600_000,
    hookTimeout: 300_000,
    reporters: reportDir
      ? ["default", ["json", { outputFile: `${reportDir}/vitest-fleet-${process.pid}.json` }]]
      : ["default"],
  },
});
