/**
 * Private Redis servers on loopback, for tests that kill them: one server, or a cluster of masters and replicas. They
 * have the settings that a fleet requires (append-only file, no eviction) and end with the process that started them.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort, makeDirectory, removeDirectory, startServer, until } from "./private-server.mjs";

const run = promisify(execFile);
const PORT_TRIES = 5;

/**
 * @typedef {object} RedisOptions
 * @property {boolean} [appendonly] default true: data survives `kill()`
 * @property {number} [port]
 * @property {string} [dir] `stop()` does not remove it
 * @property {readonly string[]} [args] further arguments of redis-server; override the defaults
 */

/**
 * @typedef {object} Redis
 * @property {number} port
 * @property {string} url
 * @property {string} dir
 * @property {number} pid of the current or last process
 * @property {(signal?: NodeJS.Signals) => Promise<void>} kill SIGKILL by default; waits for the end, except for SIGSTOP and SIGCONT
 * @property {() => Promise<void>} restart on the same port, with the same directory; ends a running server first
 * @property {() => Promise<void>} stop
 */

/**
 * @param {RedisOptions} [options]
 * @returns {Promise<Redis>}
 */
export async function startRedis({ appendonly = true, port: wanted, dir: given, args = [] } = {}) {
  const dir = given ?? makeDirectory("redis");
  /** @param {number} port */
  const launch = (port) =>
    startServer({
      command: "redis-server",
      args: [
        ...["--bind", "127.0.0.1", "--port", String(port), "--dir", dir],
        ...["--appendonly", appendonly ? "yes" : "no", "--appendfsync", "everysec", "--save", ""],
        ...["--maxmemory-policy", "noeviction", "--hash-max-listpack-value", "512"],
        ...args,
      ],
      dir,
      log: join(dir, "redis.log"),
      endSignal: "SIGKILL",
      isReady: (pid) => isAnswering(port, pid),
    });
  let port = wanted ?? (await freePort());
  let server = await tryPorts(
    () => launch(port),
    async () => {
      if (wanted === undefined) port = await freePort();
      return wanted === undefined;
    },
  );
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    dir,
    get pid() {
      return server.pid;
    },
    kill: (signal = "SIGKILL") => server.kill(signal),
    async restart() {
      await server.kill("SIGTERM");
      server = await launch(port);
    },
    async stop() {
      await server.kill("SIGKILL");
      if (given === undefined) removeDirectory(dir);
    },
  };
}

/**
 * Another process may take the port between the check and its use.
 *
 * @template T
 * @param {() => Promise<T>} launch
 * @param {() => Promise<boolean>} another whether there is another port to try
 */
async function tryPorts(launch, another) {
  for (let tries = 1; ; tries++) {
    try {
      return await launch();
    } catch (error) {
      const isTaken = /address already in use/i.test(String(error));
      if (!isTaken || tries === PORT_TRIES || !(await another())) throw error;
    }
  }
}

/** @param {number} port @param {number} pid */
async function isAnswering(port, pid) {
  if ((await askRedis(port, "PING").catch(() => "")) !== "PONG") return false;
  return (await askRedis(port, "INFO", "server")).includes(`process_id:${pid}\r`);
}

/**
 * The response to one command, as redis-cli prints it.
 *
 * @param {number} port
 * @param {...string} command
 */
export async function askRedis(port, ...command) {
  const { stdout } = await run("redis-cli", ["-p", String(port), ...command], { timeout: 5000 });
  return stdout.trimEnd();
}

/** @typedef {{ readonly port: number, readonly pid: number, readonly isMaster: boolean }} ClusterNode */

/**
 * @typedef {object} RedisCluster
 * @property {readonly ClusterNode[]} nodes after the start or the last `killMaster()`
 * @property {readonly number[]} ports
 * @property {() => Promise<{ readonly killed: number, readonly promoted: number }>} killMaster
 *   sends SIGKILL to one master, waits until a replica has taken over and all slots are served; returns their ports
 * @property {(port: number) => Promise<void>} restart starts a killed node again, as a replica of the new master
 * @property {() => Promise<void>} stop
 */

/**
 * @param {{ readonly masters?: number, readonly replicas?: number }} [options] `replicas` of all masters together
 * @returns {Promise<RedisCluster>}
 */
export async function startRedisCluster({ masters = 3, replicas = 3 } = {}) {
  if (replicas % masters !== 0) throw new RangeError("Cannot share the replicas evenly among the masters");
  /** @type {(Redis & { readonly busPort: number })[]} */
  const servers = await Promise.all(Array.from({ length: masters + replicas }, startClusterNode));
  const ports = servers.map(({ port }) => port);
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()));
  };
  /** @type {Set<number>} */
  const dead = new Set();
  /** @type {ClusterNode[]} */
  let nodes = [];
  const refresh = async () => {
    nodes = await Promise.all(
      servers.map(async ({ port, pid }) => ({
        port,
        pid,
        isMaster: !dead.has(port) && (await isMaster(port)),
      })),
    );
  };
  const settled = () => {
    const alive = ports.filter((port) => !dead.has(port));
    return until(() => isWhole(alive, ports.length), "the cluster is whole");
  };
  try {
    const places = servers.map(({ port, busPort }) => `127.0.0.1:${port}@${busPort}`);
    const each = String(replicas / masters);
    const args = ["--cluster", "create", ...places, "--cluster-replicas", each, "--cluster-yes"];
    await run("redis-cli", args, { timeout: 30_000 });
    await settled();
    await refresh();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get nodes() {
      return nodes;
    },
    ports,
    async killMaster() {
      await refresh();
      const candidates = servers.filter(({ port }) =>
        nodes.some((node) => node.port === port && node.isMaster),
      );
      for (const master of candidates) {
        const [replica] = await replicasOf(master.port);
        if (replica === undefined) continue;
        dead.add(master.port);
        await master.kill();
        await until(() => isMaster(replica), `the replica at port ${replica} takes over`);
        await settled();
        await refresh();
        return { killed: master.port, promoted: replica };
      }
      throw new Error("Cannot kill a master: none has a replica left");
    },
    async restart(port) {
      await servers.find((server) => server.port === port)?.restart();
      dead.delete(port);
      await settled();
      await refresh();
    },
    stop,
  };
}

/** @returns {Promise<Redis & { readonly busPort: number }>} */
async function startClusterNode() {
  const busPort = await freePort();
  const redis = await startRedis({
    args: [
      ...["--cluster-enabled", "yes", "--cluster-port", String(busPort), "--cluster-node-timeout", "2000"],
      // Otherwise a replica waits up to 5 s for other candidates.
      ...["--repl-diskless-sync-delay", "0"],
    ],
  });
  return Object.assign(redis, { busPort });
}

/** @param {number} port */
async function isMaster(port) {
  return (await askRedis(port, "ROLE")).startsWith("master");
}

/** The ports of its connected replicas. @param {number} port */
async function replicasOf(port) {
  const text = await askRedis(port, "INFO", "replication");
  return [...text.matchAll(/^slave\d+:ip=[^,]*,port=(\d+),state=online/gm)].map(([, found]) => Number(found));
}

/**
 * Whether all live nodes report that every slot is served, know each other, and are connected to their master.
 *
 * @param {readonly number[]} alive
 * @param {number} known
 */
async function isWhole(alive, known) {
  const views = await Promise.all(
    alive.map(async (port) => {
      const [cluster, replication] = await Promise.all([
        askRedis(port, "CLUSTER", "INFO"),
        askRedis(port, "INFO", "replication"),
      ]);
      const isLinked = replication.includes("role:master") || replication.includes("master_link_status:up");
      return (
        isLinked && cluster.includes("cluster_state:ok") && cluster.includes(`cluster_known_nodes:${known}`)
      );
    }),
  ).catch(() => [false]);
  if (!views.every(Boolean)) await wait(50);
  return views.every(Boolean);
}
