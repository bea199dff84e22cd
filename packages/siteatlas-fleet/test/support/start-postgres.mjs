/**
 * A private PostgreSQL server on loopback, for tests that kill it: created by initdb in a temporary directory, without
 * passwords, with an empty database `fleet`. It ends with the process that started it. PostgreSQL refuses to run as
 * root; then it runs as the user `postgres` or `nobody`.
 */
import { execFile } from "node:child_process";
import { chownSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort, makeDirectory, removeDirectory, startServer } from "./private-server.mjs";

const run = promisify(execFile);
const DEBIAN = "/usr/lib/postgresql";
/** How long the remains of a killed server may block a restart. */
const RESTART_MS = 10_000;
const IN_THE_WAY = /shared memory block .* still in use|lock file .* already exists|address already in use/i;

/** Without durability, for tests that do not kill the server. */
const FAST = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/**
 * @typedef {object} PostgresOptions
 * @property {Readonly<Record<string, string | number>>} [settings] as in postgresql.conf; override the defaults
 * @property {boolean} [fast] no fsync, for tests that do not kill it. Default false
 */

/**
 * @typedef {object} Postgres
 * @property {number} port
 * @property {string} url of the database `fleet`
 * @property {string} dir
 * @property {number} pid of the current or last postmaster
 * @property {(signal?: NodeJS.Signals) => Promise<void>} kill SIGKILL by default; waits for the end of the postmaster, except for SIGSTOP and SIGCONT
 * @property {() => Promise<void>} restart on the same port, with the same data; ends a running server first
 * @property {() => Promise<string>} backUp with pg_dump; returns the file
 * @property {(file: string) => Promise<void>} restore with pg_restore, in place of the current database
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
    // In files of the cluster: what a killed server leaves in /dev/shm would stay there.
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
      // Also ends all child processes, and frees the shared memory.
      endSignal: "SIGQUIT",
      isReady: (pid) => isReady(join(data, "postmaster.pid"), pid),
      user,
    });
  let server = await launchInTime(launch);
  const login = ["-h", "127.0.0.1", "-p", String(port), "-U", "postgres"];
  await call("createdb", [...login, "fleet"]);
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
    async backUp() {
      const file = join(dir, `${Date.now()}.dump`);
      await call("pg_dump", [...login, "--format=custom", `--file=${file}`, "fleet"]);
      return file;
    },
    restore: async (file) => {
      await call("dropdb", [...login, "--force", "fleet"]);
      await call("createdb", [...login, "fleet"]);
      await call("pg_restore", [...login, "--exit-on-error", "--dbname=fleet", file]);
    },
    async stop() {
      await server.kill("SIGQUIT");
      removeDirectory(dir);
    },
  };
}

/**
 * The child processes of a killed postmaster take a moment to end, and keep its shared memory until then.
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
 * Like pg_ctl: the first line is the pid, the last one the state. A killed server leaves the file.
 *
 * @param {string} file
 * @param {number} pid
 */
function isReady(file, pid) {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines[0] === String(pid) && lines[7]?.trim() === "ready";
}

/** The newest version in the folder of Debian; an empty path means PATH. */
function findBinaries() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).map(Number) : [];
  const newest = versions.filter((version) => existsSync(join(DEBIAN, String(version), "bin", "postgres")));
  return newest.length === 0 ? "" : join(DEBIAN, String(Math.max(...newest)), "bin");
}

/** The user to run it as; `undefined` if this process does not run as root. */
function ordinaryUser() {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = readFileSync("/etc/passwd", "utf8");
  for (const name of ["postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(passwd) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("Cannot run PostgreSQL as root: there is no user postgres or nobody");
}
