/**
 * `npm run test:hostile`: runs the cases of the hostile suite, each in processes of its own, two at a time,
 * and prints a table of them. `-- --only sec-H` runs those whose id begins so, `-- --failed` prints only what
 * is not as expected. Exit code 1 if anything is not.
 *
 * Figures that a busy machine can spoil (time, memory, the event loop) count as the best of three runs.
 */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

/** @typedef {import("./client.ts").CaseInfo & { readonly file: string }} Case */
/** @typedef {import("./client.ts").CaseResult} CaseResult */

const here = fileURLToPath(new URL(".", import.meta.url));
const platform = fileURLToPath(new URL("../../src/decode/platform-node.ts", import.meta.url));
const PARALLEL = 2;
const TRIES = 3;
/** A case has bounds of its own; this one ends what hangs. */
const CASE_TIMEOUT_MS = 30_000;

const columns = /** @type {const} */ ([
  ["case", 8],
  ["", 5],
  ["ms", 6],
  ["bound", 6],
  ["cpu ms", 7],
  ["wire KiB", 9],
  ["inflated", 9],
  ["RSS MiB", 8],
  ["lag ms", 7],
]);

const { values: options } = parseArgs({
  options: { only: { type: "string", default: "" }, failed: { type: "boolean", default: false } },
});

const folder = mkdtempSync(join(tmpdir(), "siteatlas-hostile-"));
try {
  process.exitCode = (await runSuite()) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function runSuite() {
  const startedAt = performance.now();
  makeAuthority();
  const wanted = (await listCases()).filter(({ id }) => id.startsWith(options.only));
  if (wanted.length === 0) throw new RangeError(`No case begins with ${options.only}`);
  printHead();
  const results = await runAll(wanted);
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  for (const { id, failures } of results) for (const text of failures) console.log(`${id}: ${text}`);
  console.log(`\n${results.length} hostile cases in ${seconds} s`);
  console.log(`${results.length - failed} passed, ${failed} failed`);
  report(results.length - failed, failed);
  return failed === 0;
}

/** The authority that signs the certificates of the cases, which the clients trust. */
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

/** Bundles each group with the library's sources, and asks each for its cases. */
async function listCases() {
  const groups = readdirSync(here).filter((name) => /^group-\w\.ts$/.test(name));
  const only = /^sec-(\w)/.exec(options.only)?.[1]?.toLowerCase();
  const files = groups.filter((name) => only === undefined || name === `group-${only}.ts`);
  /** @type {Case[]} */
  const cases = [];
  for (const name of files) {
    const file = join(folder, name.replace(".ts", ".mjs"));
    await bundleGroup(name, file);
    const infos = /** @type {import("./client.ts").CaseInfo[]} */ (JSON.parse(await runNode([file, "list"])));
    cases.push(...infos.map((info) => ({ ...info, file })));
  }
  return cases;
}

/** @param {string} name @param {string} outfile */
async function bundleGroup(name, outfile) {
  await build({
    stdin: {
      contents: `import { main } from "./client.ts"; import { cases } from "./${name}"; await main(cases);`,
      resolveDir: here,
      sourcefile: `${name}.entry.ts`,
      loader: "ts",
    },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [
      {
        name: "platform",
        // The package leads `#platform` to its build; here the sources are asked.
        setup: ({ onResolve }) => onResolve({ filter: /^#platform$/ }, () => ({ path: platform })),
      },
    ],
  });
}

/** @param {readonly Case[]} cases */
async function runAll(cases) {
  /** @type {CaseResult[]} */
  const results = [];
  let next = 0;
  let printed = 0;
  const work = async () => {
    while (next < cases.length) {
      const at = next++;
      results[at] = await runCase(/** @type {Case} */ (cases[at]));
      for (let result = results[printed]; result !== undefined; result = results[++printed]) {
        printRow(/** @type {Case} */ (cases[printed]), result);
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return results;
}

/** @param {Case} hostile */
async function runCase(hostile) {
  for (let tries = 1; ; tries++) {
    const result = await tryCase(hostile);
    const isNoise = result.noise.length > 0 && result.noise.length === result.failures.length;
    if (!isNoise || tries === TRIES) return result;
  }
}

/**
 * @param {Case} hostile
 * @returns {Promise<CaseResult>}
 */
async function tryCase({ id, file }) {
  const own = mkdtempSync(join(folder, `${id}-`));
  const [client, server] = [join(own, "client"), join(own, "server")];
  for (const path of [client, server]) mkdirSync(path);
  const env = {
    ...process.env,
    TMPDIR: client,
    HOSTILE_TMPDIR: server,
    HOSTILE_AUTHORITY: folder,
    NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
  };
  try {
    return JSON.parse(await runNode(["--expose-gc", file, "client", id], env));
  } catch (error) {
    const nothing = { ms: 0, cpuMs: 0, wireBytes: 0, inflatedBytes: 0, rssMiB: 0, blockedMs: 0 };
    return { id, outcome: "died", failures: [String(error)], noise: [], note: "", ...nothing };
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
      if (error?.killed) reject(new Error(`Not done after ${CASE_TIMEOUT_MS} ms`));
      else if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

// ---------------------------------------------------------------- the table

function printHead() {
  console.log(`${columns.map(([name, width]) => name.padEnd(width)).join(" ")} server => outcome`);
}

/** @param {Case} hostile @param {CaseResult} result */
function printRow({ id, server, bounds }, result) {
  const isGood = result.failures.length === 0;
  if (options.failed && isGood) return;
  const cells = [
    id,
    isGood ? "ok" : "FAIL",
    result.ms.toFixed(0),
    bounds.ms === undefined ? "" : String(bounds.ms),
    result.cpuMs.toFixed(0),
    (result.wireBytes / 1024).toFixed(1),
    (result.inflatedBytes / 1024).toFixed(1),
    result.rssMiB.toFixed(1),
    result.blockedMs.toFixed(0),
  ];
  const row = cells.map((cell, at) => cell.padEnd(/** @type {number} */ (columns[at]?.[1]))).join(" ");
  const note = result.note === "" ? "" : ` (${result.note})`;
  console.log(`${row} ${server} => ${result.outcome}${note}`);
}

/** For the closing line of .ci/run (scripts/count-tests.mjs). @param {number} passed @param {number} failed */
function report(passed, failed) {
  const { TEST_REPORT_DIR: reports } = process.env;
  if (!reports) return;
  const counts = { numPassedTests: passed, numFailedTests: failed };
  writeFileSync(join(reports, `hostile-${process.pid}.json`), JSON.stringify(counts));
}
