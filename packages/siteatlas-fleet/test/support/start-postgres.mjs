/**
 * A private PostgreSQL cluster on loopback, for tests that kill it: made by initdb in a temporary directory,
 * without passwords, with an empty database `fleet`. It ends with the process that started it. PostgreSQL does
 * not run as root: then it runs as the user `postgres`, or `nobody`.
 */
import { execFile } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort, makeDirectory, removeDirectory, startServer } from "./private-server.mjs";

const run = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";
/** So long what a killed server left behind may be in the way. */
const RESTART_MS = 10_000;
const IN_THE_WAY = /shared memory block .* still in use|lock file .* already exists|address already in use/i;

/** For tests that do not crash it: nothing is waited for. */
const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/**
 * @typedef {object} PostgresOptions
 * @property {Readonly<Record<string, string | number>>} [settings] as in postgresql.conf; they win
 * @property {boolean} [fast] nothing is synced: for tests that do not kill it. Default false
 */

/**
 * @typedef {object} Postgres
 * @property {number} port
 * @property {string} url of the database `fleet`
 * @property {string} dir
 * @property {number} pid of the postmaster that runs, or ran last
 * @property {(signal?: NodeJS.Signals) => Promise<void>} kill SIGKILL unless told; waits for the end of the postmaster (not for SIGSTOP and SIGCONT)
 * @property {() => Promise<void>} restart on the same port, with the same data; ends it first if it runs
 * @property {() => Promise<void>} stop
 */

/**
 * @param {PostgresOptions} [options]
 * @returns {Promise<Postgres>}
 */
export async function startPostgres({ settings = {}, fast = false } = {}) {
  const bin = findBinaries();
  const user = ordinaryUser();
  const dir = makeDirectory("postgres");
  if (user !== undefined) chownSync(dir, user.uid, user.gid);
  const data = join(dir, "data");
  const env = { PATH: process.env["PATH"], LC_ALL: "C", HOME: dir };
  /** @param {string} name @param {readonly string[]} args */
  const call = (name, args) => run(join(bin, name), args, { cwd: dir, env, timeout: 60_000, ...user });

  const initial = [
    "-A",
    "trust",
    "-U",
    "postgres",
    "-E",
    "UTF8",
    "--locale=C",
    "--no-sync",
    "--no-instructions",
  ];
  await call("initdb", [...initial, "-D", data]);
  const port = await freePort();
  const all = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: dir,
    max_connections: 200,
    // Files of the cluster itself: what a killed server leaves in /dev/shm nobody would remove.
    dynamic_shared_memory_type: "mmap",
    ...(fast && FAST),
    ...settings,
  };
  const launch = () =>
    startServer({
      command: join(bin, "postgres"),
      args: ["-D", data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
      dir,
      log: join(dir, "postgres.log"),
      // Ends all its children, too, and gives back the shared memory.
      endSignal: "SIGQUIT",
      isReady: (pid) => isReady(join(data, "postmaster.pid"), pid),
      user,
    });
  let server = await launchInTime(launch);
  await call("createdb", ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "fleet"]);
  return {
    port,
    url: `postgres://postgres@127.0.0.1:${port}/fleet`,
    dir,
    get pid() {
      return server.pid;
    },
    kill: (signal = "SIGKILL") => server.kill(signal),
    async restart() {
      await server.kill("SIGINT");
      server = await launchInTime(launch);
    },
    async stop() {
      await server.kill("SIGQUIT");
      removeDirectory(dir);
    },
  };
}

/**
 * The children of a killed postmaster need a moment to notice, and hold its shared memory until then.
 *
 * @template T
 * @param {() => Promise<T>} launch
 */
async function launchInTime(launch) {
  const from = performance.now();
  for (;;) {
    try {
      return await launch();
    } catch (error) {
      if (!IN_THE_WAY.test(String(error)) || performance.now() - from > RESTART_MS) throw error;
      await wait(100);
    }
  }
}

/**
 * As pg_ctl does it: the first line is the process, the last one its state. A killed one leaves its file.
 *
 * @param {string} file
 * @param {number} pid
 */
function isReady(file, pid) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines[0] === String(pid) && lines[7]?.trim() === "ready";
}

/** Where Debian keeps them, the newest version; an empty path means PATH. */
function findBinaries() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = versions.filter((version) => existsSync(join(DEBIAN, String(version), "bin", "postgres")));
  return newest.length === 0 ? "" : join(DEBIAN, String(Math.max(...newest)), "bin");
}

/** Who runs it; `undefined` when we are no root ourselves. */
function ordinaryUser() {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = readFileSync("/etc/passwd", "utf8");
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(passwd) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("Cannot run PostgreSQL as root: there is no user postgres or nobody");
}
