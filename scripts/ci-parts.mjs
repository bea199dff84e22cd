/**
 * The list of what must hold: `.ci/run` and `npm run check` run these parts, and nothing else states them.
 *
 * Parts of one lane run one after the other, in this order. Lanes run at the same time, except `alone`: its parts
 * measure time or memory, so they start when every other part has ended. `main` holds the long test runs, which keep both
 * cores busy. `side` holds the parts that use one core, wait or are short.
 *
 * `seconds` is the time of a part on two cores without other work. scripts/test/ci.test.ts checks that the budgets on
 * the longest path add up to at most 20 minutes. A part that takes six times as long is ended and has failed.
 */

/**
 * @typedef {object} Part
 * @property {string} name
 * @property {number} seconds the budget
 * @property {"main" | "side" | "alone"} lane
 * @property {string} command for bash
 * @property {readonly string[]} [needs] the parts that must have passed before
 * @property {readonly string[]} [tools] the Debian packages that must be installed
 * @property {boolean} [isTestRun] counts as the tests that its runner reports; any other part counts as one
 */

const INSTALLED = ["install"];
const BUILT = ["build"];

/** @type {readonly Part[]} */
export const PARTS = [
  { name: "install", seconds: 100, lane: "main", command: "npm ci" },
  { name: "format", seconds: 15, lane: "side", command: "npm run format:check", needs: INSTALLED },
  { name: "lint", seconds: 20, lane: "side", command: "npm run lint", needs: INSTALLED },
  { name: "prose", seconds: 15, lane: "side", command: "npm run lint:prose", needs: INSTALLED },
  { name: "types", seconds: 30, lane: "side", command: "npm run types", needs: INSTALLED },
  { name: "layers", seconds: 15, lane: "side", command: "npm run layers", needs: INSTALLED },
  { name: "unused", seconds: 20, lane: "side", command: "npm run unused", needs: INSTALLED },
  { name: "docs", seconds: 15, lane: "side", command: "npm run docs:check", needs: INSTALLED },
  { name: "build", seconds: 30, lane: "main", command: "npm run build", needs: INSTALLED },
  {
    ...{ name: "tests", seconds: 270, lane: "main", command: "npm run test", needs: BUILT },
    ...{ tools: ["openssl", "zsh", "fish"], isTestRun: true },
  },
  {
    ...{ name: "fleet", seconds: 270, lane: "main", command: "npm run test:fleet", needs: BUILT },
    ...{ tools: ["redis-server", "postgresql", "prometheus"], isTestRun: true },
  },
  { name: "bundle", seconds: 20, lane: "side", command: "npm run bundle", needs: BUILT },
  {
    ...{ name: "browser", seconds: 80, lane: "side", command: "npm run test:browser", needs: BUILT },
    ...{ tools: ["chromium"], isTestRun: true },
  },
  // Memory and CPU time of processes of their own, whatever else is running.
  {
    ...{ name: "memory", seconds: 100, lane: "side", command: "npm run test:limits -- memory.test" },
    ...{ needs: INSTALLED, isTestRun: true },
  },
  {
    ...{ name: "linear", seconds: 80, lane: "main", command: "npm run test:limits -- linear.test" },
    ...{ needs: INSTALLED, isTestRun: true },
  },
  {
    ...{ name: "screens", seconds: 120, lane: "side", command: "npm run docs:cli -- --check" },
    ...{ needs: INSTALLED, tools: ["tmux", "openssl"] },
  },
  { name: "examples", seconds: 55, lane: "side", command: "npm run examples", needs: BUILT },
  { name: "package", seconds: 90, lane: "side", command: "npm run package -- --type-ends", needs: BUILT },
  { name: "bench", seconds: 60, lane: "alone", command: "npm run bench:smoke", needs: BUILT },
  { name: "guard", seconds: 30, lane: "alone", command: "npm run bench:guard", needs: BUILT },
  {
    ...{ name: "limits", seconds: 120, lane: "alone", needs: BUILT, isTestRun: true },
    command: "npm run test:limits -- --exclude '**/{memory,linear}.test.ts'",
  },
  {
    ...{ name: "hostile", seconds: 140, lane: "alone", command: "npm run test:hostile", needs: INSTALLED },
    ...{ tools: ["openssl"], isTestRun: true },
  },
];
