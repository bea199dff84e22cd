/**
 * Tests run on the sources, not on the build. In CI each run also leaves its counts as JSON, for the
 * closing line of .ci/run.
 */
import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig, type ViteUserConfig } from "vitest/config";
import { longestFirst } from "./scripts/longest-first.mjs";

const source = (path: string) => fileURLToPath(new URL(`packages/siteatlas/src/${path}`, import.meta.url));

const { TEST_REPORT_DIR: reportDir } = process.env;
const fuzzFactor = Math.max(1, Number(process.env.FUZZ_FACTOR ?? "1"));

const LONGEST = [
  ...["walk/process-model", "conformance/conformance", "conformance/conformance-size", "properties/prefixes"],
  ...["cli/output/interrupted-files", "cli/commands/watch", "cli/process/interrupt", "cli/commands/sync"],
  ...["cli/messages/network-faults", "cli/terminal/live-lines", "differential/mutated-documents"],
  ...["differential/learning", "sync/snapshot/forged-snapshot", "cli/messages/silent-host", "sync/kill"],
];

/** Files that mock a module, read the state of a module, or measure or watch the process. */
const ISOLATED = [
  ...["decode/inflate-web", "output/parquet-package", "sync/long-sections"],
  ...["fetch/politeness", "fetch/politeness-of-many-walks", "fetch/timeout-signal", "walk/many-walks"],
  ...["fetch/fetch-resource", "fetch/client/node-client"],
  ...["fetch/barren-streams", "fetch/content-coding", "model/issue-value", "compare/read/log-line"],
  ...["compare/sort/record-sorter", "walk/document/document-limits", "walk/hostile-servers", "walk/leaving"],
].map((name) => `packages/siteatlas/test/${name}.test.ts`);

const include = ["packages/*/test/**/*.test.ts", "scripts/test/**/*.test.ts"];
// Measurements want the machine to themselves: npm run test:limits. The fleet has a configuration of its own.
const exclude = [...configDefaults.exclude, "packages/*/test/limits/**", "packages/siteatlas-fleet/**"];

/** Settings of all runs: test/limits and test/runtimes add theirs. */
export const base: ViteUserConfig = {
  resolve: {
    alias: [
      { find: "#platform", replacement: source("decode/platform-node.ts") },
      { find: "#shortcuts", replacement: source("parse/fast/shortcuts-node.ts") },
      { find: /^siteatlas\/output$/, replacement: source("output/index.ts") },
      { find: /^siteatlas\/escape$/, replacement: source("escape/index.ts") },
      { find: /^siteatlas\/parse$/, replacement: source("parse/index.ts") },
      { find: /^siteatlas$/, replacement: source("index.ts") },
    ],
  },
  test: {
    globalSetup: [
      fileURLToPath(new URL("packages/siteatlas/test/cli/support/bundle-folder.ts", import.meta.url)),
    ],
    // Many tests wait for timers and processes. With three workers, two cores are busy.
    maxWorkers: 3,
    sequence: { sequencer: longestFirst(LONGEST) },
    // Against a test that hangs. How long a test takes depends on the machine and on its other work.
    testTimeout: 600_000 * fuzzFactor,
    hookTimeout: 300_000,
    reporters: reportDir
      ? ["default", ["json", { outputFile: `${reportDir}/vitest-${process.version}-${process.pid}.json` }]]
      : ["default"],
  },
};

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    projects: [
      { extends: true, test: { name: "isolated", include: ISOLATED } },
      // These files share a process per worker: to start one and to load the sources takes a second of processor time.
      {
        extends: true,
        test: { name: "shared", include, exclude: [...exclude, ...ISOLATED], isolate: false },
      },
    ],
  },
});
