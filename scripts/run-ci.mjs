/**
 * Runs the parts of ci-parts.mjs: `.ci/run` all of them, `.ci/run NAME…` the named ones and what they need,
 * `.ci/run --list` prints them. `--installed` skips the installation (`npm run check`).
 *
 * The output of a part is printed when the part ends, so that parts that run at the same time do not mix their lines.
 * The last line is `N passed, N failed`. Exit code 1: a part failed. Exit code 2: there is no part of that name.
 *
 * Uses nothing but Node's own modules: on a new machine it runs before `npm ci`.
 */
import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PARTS } from "./ci-parts.mjs";
import { countTests, failedTests } from "./count-tests.mjs";

/** @typedef {import("./ci-parts.mjs").Part} Part */

/**
 * @typedef {object} Result
 * @property {Part} part
 * @property {string} verdict `ok`, or why it failed
 * @property {number} seconds
 * @property {number} cpuSeconds the processor time of all its processes; 0 if it was ended
 * @property {number} passed
 * @property {number} failed
 */

const root = fileURLToPath(new URL("..", import.meta.url));
export const TOOLS_SECONDS = 100;
/** A part is ended after this many times its budget: the budgets are those of a machine without other work. */
const OVERRUN = 6;
/** From SIGTERM to SIGKILL, for a part that is out of time. */
const GRACE_MS = 10_000;

/**
 * The named parts and what they need, in the order of the list; all of them if none is named.
 *
 * @param {readonly Part[]} parts
 * @param {readonly string[]} names
 * @returns {Part[]}
 */
export function selectParts(parts, names) {
  const wanted = new Set(names.length > 0 ? names : parts.map(({ name }) => name));
  // A set visits what is added while it is read.
  for (const name of wanted) {
    const part = parts.find((each) => each.name === name);
    if (part === undefined) throw new RangeError(`There is no part "${name}"`);
    for (const need of part.needs ?? []) wanted.add(need);
  }
  return parts.filter(({ name }) => wanted.has(name));
}

/**
 * With a part in front that installs the Debian packages that the parts use and this machine does not have.
 *
 * @param {readonly Part[]} parts
 * @returns {readonly Part[]}
 */
function withTools(parts) {
  const missing = [...new Set(parts.flatMap(({ tools = [] }) => tools))].filter((tool) => !hasTool(tool));
  if (missing.length === 0) return parts;
  const sudo = process.getuid?.() === 0 ? "" : "sudo ";
  const install = `env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${missing.join(" ")}`;
  /** @type {Part} */
  const tools = {
    ...{ name: "tools", seconds: TOOLS_SECONDS, lane: "side" },
    command: `${sudo}apt-get update -qq && ${sudo}${install}`,
  };
  const using = parts.map((part) =>
    part.tools?.some((tool) => missing.includes(tool))
      ? { ...part, needs: [...(part.needs ?? []), "tools"] }
      : part,
  );
  return [tools, ...using];
}

/** @param {string} tool a Debian package */
function hasTool(tool) {
  // The server is in a folder of its own, apart from the client.
  if (tool === "postgresql") return existsSync("/usr/lib/postgresql");
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, tool)));
}

/** Whether `npm ci` ran since the lockfile was written. */
function hasModules() {
  const [lock, installed] = [join(root, "package-lock.json"), join(root, "node_modules/.package-lock.json")];
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

/**
 * Runs each part as soon as its lane and its needs allow it.
 *
 * @param {readonly Part[]} parts
 * @param {(line: string) => void} print
 * @returns {Promise<Result[]>} in the order of `parts`
 */
export async function runParts(parts, print) {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-ci-"));
  /** @type {Map<string, Promise<Result>>} */
  const results = new Map();
  try {
    // Last, because each of them waits for all parts before it.
    const isAlone = (/** @type {Part} */ { lane }) => lane === "alone";
    for (const part of [...parts.filter((each) => !isAlone(each)), ...parts.filter(isAlone)]) {
      const isBefore = (/** @type {Part} */ other) =>
        isAlone(part) || other.lane === part.lane || part.needs?.includes(other.name);
      const before = parts.filter(isBefore).flatMap(({ name }) => results.get(name) ?? []);
      const result = Promise.all(before).then((ended) => {
        const lost = ended.find((each) => each.failed > 0 && part.needs?.includes(each.part.name));
        if (lost !== undefined) return notRun(part, lost.part.name, print);
        return runPart(part, folder, print);
      });
      results.set(part.name, result);
    }
    const ended = await Promise.all(results.values());
    for (const line of failedTests(folder)) print(`FAILED ${line}`);
    return ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Part} part
 * @param {string} need
 * @param {(line: string) => void} print
 * @returns {Result}
 */
function notRun(part, need, print) {
  const verdict = `FAILED (not run: ${need} failed)`;
  print(`--- ${part.name}: ${verdict}`);
  return { part, verdict, seconds: 0, cpuSeconds: 0, passed: 0, failed: 1 };
}

/**
 * @param {Part} part
 * @param {string} folder for its output and its reports
 * @param {(line: string) => void} print
 * @returns {Promise<Result>}
 */
async function runPart(part, folder, print) {
  const { name } = part;
  const [log, reports] = [join(folder, `${name}.log`), join(folder, name)];
  mkdirSync(reports);
  print(`--- ${name}: started`);
  const startedAt = performance.now();
  const times = join(folder, `${name}.times`);
  const { code, isLate } = await runCommand(part, log, {
    ...{ CI: "true", TEST_REPORT_DIR: reports, TIMES_FILE: times },
  });
  const cpuSeconds = readCpuSeconds(times);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const counts = part.isTestRun ? countTests(reports) : { passed: code === 0 ? 1 : 0, failed: 0 };
  const isGood = code === 0 && counts.passed > 0;
  // A run can fail without a failed test: a file does not load, no test was found, no time is left.
  const failed = isGood ? counts.failed : Math.max(1, counts.failed);
  const verdict = isGood
    ? "ok"
    : `FAILED (${isLate ? `not done within ${OVERRUN} times ${part.seconds} s` : (code ?? "killed")})`;
  print(`--- ${name}\n${readFileSync(log, "utf8")}--- ${name}: ${verdict} after ${seconds} s`);
  return { part, verdict, seconds, cpuSeconds, passed: counts.passed, failed };
}

/**
 * Reads what `times` of bash wrote. Its second line is for the processes that bash started: `1m2.345s 0m0.678s`.
 *
 * @param {string} file
 */
function readCpuSeconds(file) {
  if (!existsSync(file)) return 0;
  const [, children = ""] = readFileSync(file, "utf8").split("\n");
  const spent = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, min, sec]) => 60 * Number(min) + Number(sec),
  );
  return Math.round(spent.reduce((sum, each) => sum + each, 0));
}

/** The process groups of the parts that run. @type {Set<number>} */
const groups = new Set();

/**
 * @param {Part} part
 * @param {string} log
 * @param {Readonly<Record<string, string>>} env
 * @returns {Promise<{ code: number | null, isLate: boolean }>}
 */
async function runCommand({ command, seconds }, log, env) {
  const output = openSync(log, "w");
  // A group of its own, so that a signal reaches all processes that it starts.
  const child = spawn("bash", ["-c", `${command}\ncode=$?; times > "$TIMES_FILE"; exit $code`], {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const group = /** @type {number} */ (child.pid);
  groups.add(group);
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      signalGroup(group, "SIGTERM");
    },
    OVERRUN * 1000 * seconds,
  );
  const lastTimer = setTimeout(() => signalGroup(group, "SIGKILL"), OVERRUN * 1000 * seconds + GRACE_MS);
  /** @type {number | null} */
  const code = await new Promise((resolve) => child.once("exit", resolve));
  clearTimeout(timer);
  clearTimeout(lastTimer);
  if (isLate) signalGroup(group, "SIGKILL");
  groups.delete(group);
  return { code: isLate ? null : code, isLate };
}

/** @param {number} group @param {NodeJS.Signals} signal */
function signalGroup(group, signal) {
  try {
    process.kill(-group, signal);
  } catch {
    // All of its processes have ended.
  }
}

/** @param {readonly Part[]} parts */
function describeParts(parts) {
  return parts
    .map(
      ({ name, seconds, lane, command }) =>
        `${name.padEnd(10)} ${String(seconds).padStart(4)} s  ${lane.padEnd(6)} ${command}`,
    )
    .join("\n");
}

/** @param {readonly string[]} args @returns {Promise<number>} the exit code */
async function main(args) {
  /** @type {readonly Part[]} */
  let parts;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { list: { type: "boolean" }, installed: { type: "boolean" } },
      allowPositionals: true,
    });
    if (values.list) {
      console.log(describeParts(PARTS));
      return 0;
    }
    const selected = selectParts(PARTS, positionals);
    const isInstalled = values.installed || (positionals.length > 0 && hasModules());
    parts = isInstalled
      ? selected.filter(({ name }) => name !== "install" || positionals.includes(name))
      : selected;
    if (!values.installed) parts = withTools(parts);
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}. The parts are:\n${describeParts(PARTS)}`);
    return 2;
  }
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
    process.once(signal, () => {
      for (const group of groups) signalGroup(group, "SIGTERM");
      process.exit(130);
    });
  }
  const startedAt = performance.now();
  const results = await runParts(parts, console.log);
  console.log();
  console.log("  time  processor");
  for (const { part, verdict, seconds, cpuSeconds } of results)
    console.log(
      `${String(seconds).padStart(5)}s ${String(cpuSeconds).padStart(9)}s  ${part.name.padEnd(10)} ${verdict}`,
    );
  const all = Math.round((performance.now() - startedAt) / 1000);
  const sum = (/** @type {"passed" | "failed" | "cpuSeconds"} */ key) =>
    results.reduce((total, each) => total + each[key], 0);
  const minutes = (/** @type {number} */ time) => `${Math.floor(time / 60)} min ${time % 60} s`;
  console.log(`${minutes(all)} in all, ${minutes(sum("cpuSeconds"))} of processor time`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2));
