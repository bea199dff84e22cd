/**
 * `npm run test:hostile`: runs the cases of the hostile suite, each in processes of its own, two at a time,
 * and prints a table: measured values and their limits, the expected outcome and the actual one.
 * `-- --only sec-H` runs the cases whose id starts with this, `-- --failed` prints only cases that fail,
 * `-- --markdown FILE` also writes the table to a file. Exit code 1 if a case fails.
 *
 * For values that depend on the load of the machine (time, memory, the event loop), the best of three runs
 * counts. The second and third run without other cases.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { describeRow, markdownTable, tableHead, tableRow } from "./table.mjs";

/** @typedef {import("./client.ts").CaseInfo & { readonly file: string }} Case */
/** @typedef {import("./client.ts").CaseResult} CaseResult */

const here = fileURLToPath(new URL(".", import.meta.url));
const source = (/** @type {string} */ path) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));
const PARALLEL = 2;
const TRIES = 3;
/** Ends a case that hangs, beyond its own limits. */
const CASE_TIMEOUT_MS = 60_000;
/** The files of `cases/` by the letter of their ids, and the number of cases in each. */
const CATALOGUE = {
  C: { file: "dns-tcp-tls.ts", count: 17 },
  H: { file: "headers.ts", count: 18 },
  B: { file: "bodies.ts", count: 18 },
  E: { file: "compression.ts", count: 17 },
  R: { file: "redirects.ts", count: 14 },
  U: { file: "urls-and-ssrf.ts", count: 16 },
  X: { file: "xml.ts", count: 22 },
  T: { file: "robots-and-text.ts", count: 12 },
  M: { file: "links.ts", count: 3 },
  S: { file: "site-traps.ts", count: 13 },
  O: { file: "shown-text.ts", count: 8 },
  L: { file: "local-files.ts", count: 8 },
};
/** Cases that run the command line. */
const NEED_COMMAND_LINE = ["sec-O06", "sec-L06", "sec-L07", "sec-L08"];
/** harness.ts has the cases that test the harness itself. */
const HARNESS = "sec-0-";

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    failed: { type: "boolean", default: false },
    markdown: { type: "string" },
  },
});

const folder = mkdtempSync(join(tmpdir(), "siteatlas-hostile-"));
async function runSuite() {
  const startedAt = performance.now();
  makeAuthority();
  const wanted = (await listCases()).filter(({ id }) => id.startsWith(options.only));
  if (wanted.length === 0) throw new RangeError(`No case starts with ${options.only}`);
  if (options.only === "") checkCatalogue(wanted);
  if (wanted.some(({ id }) => NEED_COMMAND_LINE.includes(id))) await bundleCommandLine();
  console.log(tableHead());
  const results = await runAll(wanted);
  const rows = wanted.map((hostile, at) => describeRow(hostile, /** @type {CaseResult} */ (results[at])));
  const failed = results.filter(({ failures }) => failures.length > 0);
  console.log();
  const lines = failed.flatMap(({ id, failures }) => failures.map((text) => `${id}: ${text}`));
  for (const line of lines) console.log(line);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const closing = `${countsOf(results).join(", ")}, in ${seconds} s`;
  console.log(closing);
  if (options.markdown !== undefined) writeFileSync(options.markdown, markdownTable(rows, closing));
  report(results.length - failed.length, failed.length, lines);
  return failed.length === 0;
}

/** Checks that every case exists exactly once. @param {readonly Case[]} cases */
function checkCatalogue(cases) {
  const ids = cases.map(({ id }) => String(id)).filter((id) => !id.startsWith(HARNESS));
  const all = Object.entries(CATALOGUE).flatMap(([group, { count }]) =>
    Array.from({ length: count }, (_, n) => `sec-${group}${String(n + 1).padStart(2, "0")}`),
  );
  const wrong = [
    ...all.filter((id) => !ids.includes(id)),
    ...ids.filter((id, at) => !all.includes(id) || ids.indexOf(id) !== at),
  ];
  if (wrong.length > 0) throw new RangeError(`Missing, unknown or twice: ${wrong.join(", ")}`);
}

/** `153 of 153 cases as expected`, and those of the harness. @param {readonly CaseResult[]} results */
function countsOf(results) {
  const own = results.filter(({ id }) => id.startsWith(HARNESS));
  const cases = results.filter(({ id }) => !id.startsWith(HARNESS));
  const count = (/** @type {readonly CaseResult[]} */ list) =>
    `${list.filter(({ failures }) => failures.length === 0).length} of ${list.length}`;
  return [
    ...(cases.length > 0 ? [`${count(cases)} cases as expected`] : []),
    ...(own.length > 0 ? [`${count(own)} of the harness`] : []),
  ];
}

/** Creates the authority that signs the certificates of the cases. The clients trust it. */
function makeAuthority() {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", join(folder, "ca-key.pem"), "-out", join(folder, "ca.pem")];
  execFileSync(
    "openssl",
    ["req", "-x509", ...key, ...files, "-days", "1", "-subj", "/CN=siteatlas test authority"],
    {
      stdio: "ignore",
    },
  );
}

/** Bundles each group with the library's sources and reads its list of cases. */
async function listCases() {
  const groups = Object.entries({ ...CATALOGUE, 0: { file: "harness.ts" } });
  const only = /^sec-(\w)/.exec(options.only)?.[1]?.toUpperCase();
  const files = groups.flatMap(([group, { file }]) => (only === undefined || group === only ? file : []));
  const lists = files.map(async (name) => {
    const file = join(folder, name.replace(".ts", ".mjs"));
    await bundleGroup(name, file);
    const infos = /** @type {import("./client.ts").CaseInfo[]} */ (JSON.parse(await runNode([file, "list"])));
    return infos.map((info) => ({ ...info, file }));
  });
  return (await Promise.all(lists)).flat();
}

/** @type {import("esbuild").BuildOptions} */
const BUNDLE = {
  bundle: true,
  platform: "node",
  format: "esm",
  logLevel: "error",
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  // The package resolves these to its build. Use the sources instead.
  alias: {
    "#platform": source("decode/platform-node.ts"),
    "#shortcuts": source("parse/fast/shortcuts-node.ts"),
  },
};

/** @param {string} name @param {string} outfile */
async function bundleGroup(name, outfile) {
  await build({
    ...BUNDLE,
    stdin: {
      contents: `import { main } from "./client.ts"; import { cases } from "./cases/${name}"; await main(cases);`,
      resolveDir: here,
      sourcefile: `${name}.entry.ts`,
      loader: "ts",
    },
    outfile,
  });
}

/** The command line, with folder and manifest as in the package. */
async function bundleCommandLine() {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "0.0.0" }));
  await build({
    ...BUNDLE,
    entryPoints: [source("cli/main.ts")],
    outdir: join(folder, "dist/cli"),
    outExtension: { ".js": ".mjs" },
    splitting: true,
  });
}

/** @param {readonly Case[]} cases */
async function runAll(cases) {
  /** @type {CaseResult[]} */
  const results = [];
  let next = 0;
  let printed = 0;
  const lanes = new Lanes();
  const work = async () => {
    while (next < cases.length) {
      const at = next++;
      results[at] = await runCase(/** @type {Case} */ (cases[at]), lanes);
      for (let result = results[printed]; result !== undefined; result = results[++printed]) {
        if (options.failed && result.failures.length === 0) continue;
        console.log(tableRow(describeRow(/** @type {Case} */ (cases[printed]), result)));
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return results;
}

/** Runs cases in parallel, except for those that must run alone. */
class Lanes {
  #running = 0;
  #isTaken = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  /** @template T @param {boolean} alone @param {() => Promise<T>} work @returns {Promise<T>} */
  async run(alone, work) {
    while (this.#isTaken || (alone && this.#running > 0)) {
      await new Promise((resolve) => this.#waiting.push(() => resolve(undefined)));
    }
    this.#running++;
    this.#isTaken = alone;
    try {
      return await work();
    } finally {
      this.#running--;
      this.#isTaken = false;
      for (const wake of this.#waiting.splice(0)) wake();
    }
  }
}

/** @type {CaseResult["figures"]} */
const NOTHING = {
  ms: 0,
  cpuMs: 0,
  partMs: 0,
  partMiB: 0,
  wireBytes: 0,
  decodedBytes: 0,
  inflatedBytes: 0,
  heldBytes: 0,
  rssMiB: 0,
  blockedMs: 0,
  requests: 0,
  connections: 0,
};

/** @param {Case} hostile @param {Lanes} lanes */
async function runCase(hostile, lanes) {
  /** @type {CaseResult[]} */
  const results = [];
  for (const part of hostile.parts) results.push(await runPart(hostile, part, lanes));
  const result = results.reduce(merge);
  return hostile.mustFail.length > 0 ? invert(hostile, result) : result;
}

/** @param {Case} hostile @param {string} part @param {Lanes} lanes */
async function runPart(hostile, part, lanes) {
  for (let tries = 1; ; tries++) {
    const result = await lanes.run(tries > 1, () => tryCase(hostile, part));
    const isNoise = result.noise.length > 0 && result.noise.length === result.failures.length;
    if (!isNoise || tries === TRIES || hostile.mustFail.length > 0) return result;
  }
}

/**
 * Merges two results: the higher value of each. @param {CaseResult} one @param {CaseResult} other @returns
 * {CaseResult}
 */
function merge(one, other) {
  const names = /** @type {(keyof CaseResult["figures"])[]} */ (Object.keys(one.figures));
  const highest = names.map((name) => [name, Math.max(one.figures[name], other.figures[name])]);
  return {
    id: one.id,
    outcome: `${one.outcome}; ${other.outcome}`,
    failures: [...one.failures, ...other.failures],
    noise: [...one.noise, ...other.noise],
    figures: /** @type {CaseResult["figures"]} */ (Object.fromEntries(highest)),
    note: [one.note, other.note].filter((text) => text !== "").join("; "),
  };
}

/**
 * For cases of the harness: the expected problems must be found. @param {Case} hostile @param {CaseResult}
 * result @returns {CaseResult}
 */
function invert({ mustFail }, result) {
  const missed = mustFail.filter((fault) => !result.failures.some((text) => text.includes(fault)));
  return { ...result, failures: missed.map((fault) => `the harness did not find: ${fault}`), noise: [] };
}

/**
 * @param {Case} hostile
 * @param {string} part
 * @returns {Promise<CaseResult>}
 */
async function tryCase({ id, file }, part) {
  const own = mkdtempSync(join(folder, `${id}-`));
  const [client, server] = [join(own, "client"), join(own, "server")];
  for (const path of [client, server]) mkdirSync(path);
  const env = {
    ...process.env,
    TMPDIR: client,
    HOSTILE_TMPDIR: server,
    HOSTILE_AUTHORITY: folder,
    HOSTILE_COMMAND: join(folder, "dist/cli/main.mjs"),
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
  };
  try {
    return JSON.parse(await runNode(["--expose-gc", file, "client", id, part], env));
  } catch (error) {
    return { id, outcome: "died", failures: [`died: ${error}`], noise: [], note: "", figures: NOTHING };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<string>}
 */
function runNode(args, env = process.env) {
  return new Promise((resolve, reject) => {
    const settings = {
      timeout: CASE_TIMEOUT_MS,
      env,
      maxBuffer: 64 * 1024 * 1024,
      killSignal: /** @type {const} */ ("SIGKILL"),
    };
    execFile(process.execPath, args, settings, (error, stdout, stderr) => {
      if (error?.killed) reject(new Error(`Not finished after ${CASE_TIMEOUT_MS} ms`));
      else if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

/**
 * For the closing lines of .ci/run (scripts/count-tests.mjs).
 * @param {number} passed
 * @param {number} failed
 * @param {readonly string[]} failures
 */
function report(passed, failed, failures) {
  const { TEST_REPORT_DIR: reports } = process.env;
  if (!reports) return;
  const counted = { numPassedTests: passed, numFailedTests: failed, failures };
  writeFileSync(join(reports, `hostile-${process.pid}.json`), JSON.stringify(counted));
}

try {
  process.exitCode = (await runSuite()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
