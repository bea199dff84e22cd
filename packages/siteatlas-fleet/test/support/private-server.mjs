/**
 * Shared code of the private servers of the tests: a free port, a temporary directory, and a process that ends with
 * the process that started it.
 *
 * A shell does the cleanup. It waits for its input to close, which also happens after a SIGKILL. Then it ends the
 * processes in `pids`, unmounts what a test has mounted and removes the directory. An `exit` handler would not run
 * after a SIGKILL.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Ends a wait for something that never happens. Long, because a busy machine is no reason to fail. */
const PATIENCE_MS = 240_000;
const POLL_MS = 40;
const LOG_LINES = 15;
/** Below the ephemeral ports: there, a client that tries a closed port could connect to itself. */
const LOWEST_PORT = 15_000;
const HIGHEST_PORT = 32_000;

const REAPER = `
cat > /dev/null
for file in "$1"/pids/*; do kill -s "$(cat "$file")" "\${file##*/}"; done
is_left() { for file in "$1"/pids/*; do kill -0 "\${file##*/}" && return 0; done; return 1; }
tries=0
while [ $tries -lt 50 ] && is_left "$1"; do sleep 0.1; tries=$((tries + 1)); done
for file in "$1"/pids/*; do kill -9 "\${file##*/}"; done
while read -r _ folder _; do case "$folder" in "$1"/*) umount -l "$folder";; esac; done < /proc/mounts
rm -rf "$1" || { sleep 1; rm -rf "$1"; }
`;

/** @type {string | undefined} */
let home;
/** @type {Set<number>} */
const givenPorts = new Set();

/** The directory of this process, created at the first call. */
function openHome() {
  if (home !== undefined) return home;
  home = mkdtempSync(join(tmpdir(), "siteatlas-fleet-"));
  // If the tests run as root, PostgreSQL runs as another user and must reach its own directory.
  chmodSync(home, 0o711);
  mkdirSync(join(home, "pids"));
  const reaper = spawn("sh", ["-c", REAPER, "reaper", home], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  reaper.unref();
  reaper.stdin.on("error", () => {});
  /** @type {import("node:net").Socket} */ (reaper.stdin).unref();
  return home;
}

/**
 * Creates a directory that is removed when this process ends.
 *
 * @param {string} name prefix of its name
 */
export function makeDirectory(name) {
  return mkdtempSync(join(openHome(), `${name}-`));
}

/** @param {string} dir */
export function removeDirectory(dir) {
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/**
 * Ends a process with this signal when this process ends.
 *
 * @param {import("node:child_process").ChildProcess} child
 * @param {NodeJS.Signals} endSignal
 */
export function noteProcess(child, endSignal) {
  if (child.pid === undefined) return;
  const note = join(openHome(), "pids", String(child.pid));
  writeFileSync(note, endSignal.slice(3));
  child.once("exit", () => rmSync(note, { force: true }));
}

/** An unused port of 127.0.0.1 that was not returned before. */
export async function freePort() {
  for (;;) {
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT);
    if (givenPorts.has(port) || !(await isFree(port))) continue;
    givenPorts.add(port);
    return port;
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/**
 * Polls until the condition is true. Throws with `what` after `ms`.
 *
 * @param {() => boolean | Promise<boolean>} isTrue
 * @param {string} what
 * @param {number} [ms]
 */
export async function until(isTrue, what, ms = PATIENCE_MS) {
  const from = performance.now();
  while (!(await isTrue())) {
    if (performance.now() - from > ms) throw new Error(`Not within ${ms} ms: ${what}`);
    await wait(POLL_MS);
  }
}

/**
 * @typedef {object} Launch
 * @property {string} command
 * @property {readonly string[]} args
 * @property {string} dir working directory
 * @property {string} log file for its output, outside of `dir`
 * @property {NodeJS.Signals} endSignal ends it quickly and cleanly
 * @property {(pid: number) => boolean | Promise<boolean>} isReady whether this process answers, and not another one on its port
 * @property {{ readonly uid: number, readonly gid: number } | undefined} [user]
 */

/**
 * @typedef {object} Running
 * @property {number} pid
 * @property {() => boolean} isRunning
 * @property {(signal: NodeJS.Signals) => Promise<void>} kill waits for its end, except for SIGSTOP and SIGCONT
 */

/**
 * Starts a server and waits until it answers. Throws with the end of its log if it ends before.
 *
 * @param {Launch} launch
 * @returns {Promise<Running>}
 */
export async function startServer({ command, args, dir, log, endSignal, isReady, user }) {
  const output = openSync(log, "a");
  const child = spawn(command, args, {
    cwd: dir,
    // Ctrl-C must reach only this process.
    detached: true,
    stdio: ["ignore", output, output],
    env: { PATH: process.env["PATH"], LC_ALL: "C", HOME: dir },
    ...user,
  });
  closeSync(output);
  /** @type {Error | undefined} */
  let failure;
  let hasEnded = false;
  const ended = new Promise((resolve) => {
    child.once("error", (error) => {
      failure = error;
      hasEnded = true;
      resolve(undefined);
    });
    child.once("exit", () => {
      hasEnded = true;
      resolve(undefined);
    });
  });
  const pid = child.pid ?? 0;
  noteProcess(child, endSignal);
  const name = basename(command);
  try {
    await until(async () => hasEnded || (await isReady(pid)), `${name} answers`);
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
  if (failure !== undefined) throw new Error(`Cannot start ${name}: is it installed?`, { cause: failure });
  if (hasEnded) throw new Error(`${name} ended at once. The end of its log:\n${readTail(log)}`);
  return {
    pid,
    isRunning: () => !hasEnded,
    async kill(signal) {
      if (!hasEnded) child.kill(signal);
      if (signal !== "SIGSTOP" && signal !== "SIGCONT") await ended;
    },
  };
}

/** @param {string} log */
function readTail(log) {
  if (!existsSync(log)) return "(none)";
  return readFileSync(log, "utf8").trimEnd().split("\n").slice(-LOG_LINES).join("\n");
}
