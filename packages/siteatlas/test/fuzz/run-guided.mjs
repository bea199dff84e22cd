/**
 * `npm run fuzz:guided -- --minutes 30`: runs the fuzz targets with coverage feedback, one after the other, each for
 * an equal share of the time. Prints executions, coverage at the start and at the end, and findings. Exit code 1 if
 * there is a finding.
 *
 * `--target NAME` runs one target, and may be repeated. `--root FOLDER` (or FUZZ_ROOT) is the folder of the chroot,
 * `--mirror URL` (or FUZZ_MIRROR) the mirror of Debian for it (prepare-engine.mjs). Inputs with new coverage are kept in
 * .cache/fuzz/corpus, and inputs of findings in .cache/fuzz/findings. Both are ignored by git.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { bundleTargets, writeSeeds } from "./bundle-targets.mjs";
import { prepareEngine } from "./prepare-engine.mjs";
import { TARGETS } from "./target-table.mjs";

/** @typedef {typeof TARGETS[number]} Target */
/** @typedef {{ readonly coverage: number, readonly features: number, readonly inputs: number }} Coverage */
/**
 * @typedef {object} Result
 * @property {string} name
 * @property {number} executions
 * @property {number} seconds
 * @property {Coverage | undefined} start
 * @property {Coverage | undefined} end
 * @property {readonly string[]} findings files
 * @property {boolean} hasFailed
 */

const cache = fileURLToPath(new URL("../../../../.cache/fuzz/", import.meta.url));
/** Milliseconds for one input. The targets have a limit of their own, in CPU time. */
const TIMEOUT_MS = 20_000;
const MEMORY_MIB = 3072;
/** 0: libFuzzer uses inputs of any length from the start. By default it prefers short ones for hours. */
const LENGTH_CONTROL = 0;

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    target: { type: "string", multiple: true },
    root: { type: "string", default: process.env["FUZZ_ROOT"] },
    mirror: { type: "string", default: process.env["FUZZ_MIRROR"] },
  },
});

async function main() {
  const minutes = Number(options.minutes);
  if (!(minutes > 0)) throw new RangeError(`--minutes must be a number above 0: ${options.minutes}`);
  const unknown = options.target?.find((name) => TARGETS.every((target) => target.name !== name));
  if (unknown !== undefined) {
    throw new RangeError(`--target ${unknown} is not one of ${TARGETS.map(({ name }) => name).join(", ")}`);
  }
  const targets = TARGETS.filter(({ name }) => options.target?.includes(name) ?? true);
  const engine = prepareEngine(options.root, options.mirror);
  for (const folder of ["build", "seeds", "corpus", "findings", "tmp"]) {
    rmSync(join(engine.folder, folder), { recursive: true, force: true });
    mkdirSync(join(engine.folder, folder), { recursive: true });
  }
  await bundleTargets(join(engine.folder, "build"));
  await writeSeeds(join(engine.folder, "seeds"));
  cpSync(fileURLToPath(new URL("dictionary.txt", import.meta.url)), join(engine.folder, "dictionary.txt"));
  const seconds = Math.max(5, Math.floor((minutes * 60) / targets.length));
  /** @type {Result[]} */
  const results = [];
  for (const target of targets) {
    writeInputs(engine.folder, target);
    results.push(await runTarget(engine, target, seconds));
    keepInputs(engine.folder, target);
  }
  printTable(results);
  return results.every(({ findings, hasFailed }) => findings.length === 0 && !hasFailed);
}

/** Writes the inputs that earlier runs kept. @param {string} folder @param {Target} target */
function writeInputs(folder, { name }) {
  const corpus = join(folder, "corpus", name);
  mkdirSync(corpus, { recursive: true });
  if (existsSync(join(cache, "corpus", name)))
    cpSync(join(cache, "corpus", name), corpus, { recursive: true });
}

/** @param {string} folder @param {Target} target */
function keepInputs(folder, { name }) {
  for (const kind of ["corpus", "findings"]) {
    const from = join(folder, kind, name);
    if (existsSync(from)) cpSync(from, join(cache, kind, name), { recursive: true });
  }
}

/**
 * @param {import("./prepare-engine.mjs").Engine} engine
 * @param {Target} target
 * @param {number} seconds
 * @returns {Promise<Result>}
 */
async function runTarget({ folder, seenAs, command }, { name, isSync, maxLength }, seconds) {
  console.log(`\n${name}: ${seconds} s`);
  const findings = join(folder, "findings", name);
  mkdirSync(findings, { recursive: true });
  const [program = "", ...before] = command;
  const args = [
    ...before,
    seenAs(`build/${name}.js`),
    seenAs(`corpus/${name}`),
    seenAs(`seeds/${name}`),
    ...(isSync ? ["--sync"] : []),
    `--includes=build/${name}.js`,
    `--timeout=${TIMEOUT_MS}`,
    "--",
    `-max_total_time=${seconds}`,
    `-max_len=${maxLength}`,
    `-len_control=${LENGTH_CONTROL}`,
    `-rss_limit_mb=${MEMORY_MIB}`,
    `-dict=${seenAs("dictionary.txt")}`,
    `-artifact_prefix=${seenAs(`findings/${name}`)}/`,
    "-use_value_profile=1",
    // By elapsed time. The targets have a limit of their own, and a busy machine must not cause a finding.
    "-report_slow_units=1000",
    "-print_final_stats=1",
  ];
  const env = { PATH: process.env["PATH"] ?? "", HOME: seenAs("tmp"), TMPDIR: seenAs("tmp") };
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  const startedAt = performance.now();
  const progress = new Progress();
  const reading = [child.stdout, child.stderr].map((stream) => progress.read(stream));
  const status = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
  await Promise.all(reading);
  const files = readdirSync(findings).map((file) => join(cache, "findings", name, file));
  const hasFailed = status !== 0;
  const { start, end, executions } = progress;
  if (hasFailed) console.log(progress.lastLines.join("\n"));
  const result = { name, executions, seconds: (performance.now() - startedAt) / 1000, start, end };
  return { ...result, findings: files, hasFailed };
}

/** Reads the output of libFuzzer. */
class Progress {
  /** @type {Coverage | undefined} */
  start;
  /** @type {Coverage | undefined} */
  end;
  executions = 0;
  /** @type {string[]} */
  lastLines = [];

  /** @param {import("node:stream").Readable} stream */
  async read(stream) {
    for await (const line of createInterface({ input: stream })) this.#take(line);
  }

  /** @param {string} line */
  #take(line) {
    const [, run, event, coverage, features, inputs] =
      /^#(\d+)\s+(\w+)\s+cov: (\d+) ft: (\d+) corp: (\d+)/.exec(line) ?? [];
    if (run === undefined) {
      this.lastLines = [...this.lastLines.slice(-60), line];
      return;
    }
    this.executions = Number(run);
    this.end = { coverage: Number(coverage), features: Number(features), inputs: Number(inputs) };
    if (event === "INITED") this.start = this.end;
    if (event === "pulse" || event === "INITED" || event === "DONE") console.log(line);
  }
}

/** @param {readonly Result[]} results */
function printTable(results) {
  console.log("\n| target | executions | per second | coverage | features | inputs | findings |");
  console.log("|---|---|---|---|---|---|---|");
  for (const { name, executions, seconds, start, end, findings, hasFailed } of results) {
    const growth = (/** @type {keyof Coverage} */ key) => `${start?.[key] ?? "?"} → ${end?.[key] ?? "?"}`;
    const figures = [
      executions,
      Math.round(executions / seconds),
      ...["coverage", "features", "inputs"].map((key) => growth(/** @type {keyof Coverage} */ (key))),
    ];
    const found = findings.length === 0 ? (hasFailed ? "failed" : "none") : findings.length;
    console.log(`| ${[name, ...figures, found].join(" | ")} |`);
  }
  for (const { findings } of results) for (const file of findings) console.log(`Finding: ${file}`);
}

process.exitCode = (await main()) ? 0 : 1;
