/**
 * Faults for a running fleet: processes, servers and connections end or hang, Redis loses its data, disks are full.
 * A seed determines which faults happen, when and for how long. Dead processes are started again.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type FaultProxy, startFaultProxy } from "./fault-proxy.mjs";
import { Fleet, type FleetOptions, type FleetProcess } from "./fleet.ts";
import { until } from "./private-server.mjs";
import { askRedis } from "./start-redis.mjs";

const LEASE_SECONDS = 5;

/** The kinds of faults, and the component that each concerns. A component has one fault at a time. */
const CONCERNS = {
  "worker killed with its walker processes": "worker",
  "worker killed alone": "worker",
  "walker process killed": "worker",
  "worker terminated": "worker",
  "worker stopped until others have its sites": "worker",
  "worker cut off until others have its sites": "worker",
  "scheduler killed": "scheduler",
  "Redis killed": "redis",
  "Redis flushed": "redis",
  "Redis connections reset": "redis",
  "Redis out of reach": "redis",
  "PostgreSQL killed": "postgres",
  "PostgreSQL connections reset": "postgres",
  "PostgreSQL out of reach": "postgres",
  "PostgreSQL out of reach for longer than a lease": "postgres",
  "store full": "disk",
  "temporary folder full": "disk",
  "compaction meanwhile": "compaction",
} as const satisfies Record<string, string>;

export type FaultKind = keyof typeof CONCERNS;

export const FAULT_KINDS = Object.keys(CONCERNS) as readonly FaultKind[];

/** Faults that make all current visits repeat their requests. One per round is enough. */
const COSTLY: readonly FaultKind[] = [
  "worker stopped until others have its sites",
  "worker cut off until others have its sites",
  "temporary folder full",
];

function redisAt({ port }: FaultProxy): string {
  return `redis://127.0.0.1:${port}`;
}

function databaseAt({ port }: FaultProxy): string {
  return `postgres://postgres@127.0.0.1:${port}/fleet`;
}

/** Uniform between 0 and 1, reproducible by seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The faults of each round: all kinds in turn, in random order. */
export function drawFaults(seed: number, rounds: number, perRound: number): FaultKind[][] {
  const random = createRandom(seed);
  const take = (kinds: FaultKind[]): FaultKind => kinds.splice(Math.floor(random() * kinds.length), 1)[0]!;
  let deck: FaultKind[] = [];
  let costly: FaultKind[] = [];
  return Array.from({ length: rounds }, () => {
    if (costly.length === 0) costly = [...COSTLY];
    const faults: FaultKind[] = [take(costly)];
    while (faults.length < perRound) {
      if (deck.length === 0)
        deck = FAULT_KINDS.filter((kind) => !COSTLY.includes(kind) && !faults.includes(kind));
      faults.splice(Math.floor(random() * (faults.length + 1)), 0, take(deck));
    }
    return faults;
  });
}

/** A process that is started again whenever it ends. */
class Supervised {
  readonly #start: () => FleetProcess;
  current: FleetProcess;
  #isOver = false;

  constructor(start: () => FleetProcess) {
    this.#start = start;
    this.current = this.#run();
  }

  #run(): FleetProcess {
    const started = this.#start();
    void started.ended.then(async () => {
      await wait(300);
      if (!this.#isOver) this.current = this.#run();
    });
    return started;
  }

  get isRunning(): boolean {
    const { exitCode, signalCode } = this.current.process;
    return exitCode === null && signalCode === null;
  }

  /** Sends SIGTERM after the process has installed its signal handlers. */
  async terminate(): Promise<number | null> {
    await until(() => this.isRunning && /^(working|feeding)$/m.test(this.current.output()), "it has started");
    return this.current.end();
  }

  /** Ends it for good. Returns its exit code. */
  async end(): Promise<number | null> {
    await until(() => this.isRunning, "it runs");
    this.#isOver = true;
    return this.terminate();
  }

  kill(): void {
    this.#isOver = true;
    this.current.kill("SIGKILL");
  }
}

export interface ChaosOptions extends Pick<FleetOptions, "sites" | "giant" | "latencyMs"> {
  readonly seed: number;
  readonly workers: number;
  /** Sites visited at once by each worker. */
  readonly concurrency: number;
  /** Time over which the sites become due. */
  readonly spreadSeconds: number;
}

/** A fleet with faults. */
export class Chaos {
  readonly fleet: Fleet;
  /** The faults, with their times. */
  readonly log: string[] = [];
  /** Violations that were noticed during the faults. */
  readonly problems: string[] = [];
  /** One proxy for each worker, and one for all other processes. */
  readonly #redis: readonly FaultProxy[];
  readonly #postgres: readonly FaultProxy[];
  readonly #random: () => number;
  readonly #workers: readonly Supervised[];
  readonly #feeder: Supervised;
  readonly #isMounted: boolean;
  readonly #startedAt = performance.now();
  /** The last fault of each component: the next one waits for it. */
  readonly #turns: Map<string, Promise<unknown>> = new Map();

  private constructor(
    fleet: Fleet,
    proxies: { readonly redis: readonly FaultProxy[]; readonly postgres: readonly FaultProxy[] },
    isMounted: boolean,
    { workers, concurrency, seed }: ChaosOptions,
  ) {
    this.fleet = fleet;
    this.#redis = proxies.redis;
    this.#postgres = proxies.postgres;
    this.#isMounted = isMounted;
    this.#random = createRandom(seed);
    this.#feeder = new Supervised(() => fleet.feeder("--backoff", "1", "--rescan", "5"));
    const flags = ["--lease", String(LEASE_SECONDS), "--leg", "1", "--jobs", String(concurrency)];
    this.#workers = Array.from({ length: workers }, (_, number) => {
      const way = [
        ...["--redis", redisAt(this.#redis[number]!)],
        ...["--database", databaseAt(this.#postgres[number]!)],
      ];
      return new Supervised(() => fleet.worker(...flags, ...way));
    });
  }

  static async start(options: ChaosOptions): Promise<Chaos> {
    const { sites, giant, latencyMs, seed, spreadSeconds, workers } = options;
    const proxies: { redis: FaultProxy[]; postgres: FaultProxy[] } = { redis: [], postgres: [] };
    const startProxies = ({ port }: { readonly port: number }): Promise<FaultProxy[]> =>
      Promise.all(Array.from({ length: workers + 1 }, () => startFaultProxy({ port })));
    const fleet = await Fleet.start({
      ...{ sites, seed, fast: false, shards: 3 },
      ...(giant !== undefined && { giant }),
      ...(latencyMs !== undefined && { latencyMs }),
      redisUrl: async (redis) => {
        proxies.redis = await startProxies(redis);
        return redisAt(proxies.redis.at(-1)!);
      },
      databaseUrl: async (postgres) => {
        proxies.postgres = await startProxies(postgres);
        return databaseAt(proxies.postgres.at(-1)!);
      },
    });
    const isMounted = DISKS.map((name) => mountSmall(join(fleet.dir, name))).every(Boolean);
    await fleet.add(undefined, "--spread", String(spreadSeconds));
    return new Chaos(fleet, proxies, isMounted, options);
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Runs a fault after earlier ones of the same component. Returns how many sites were left before it. */
  fault(kind: FaultKind): Promise<number> {
    const concern = CONCERNS[kind];
    const before = this.#turns.get(concern) ?? Promise.resolve();
    const turn = before.then(async () => {
      const left = await this.fleet.left();
      const from = this.seconds;
      const detail = await this.#faults[kind]();
      const times = `${from.toFixed(1)}–${this.seconds.toFixed(1)} s`;
      this.log.push(`${times} ${kind}${detail === undefined ? "" : ` (${detail})`}, ${left} left`);
      return left;
    });
    this.#turns.set(concern, turn);
    return turn;
  }

  /** Ends all processes with SIGTERM. Returns their exit codes. */
  async end(): Promise<(number | null)[]> {
    return Promise.all([...this.#workers, this.#feeder].map((supervised) => supervised.end()));
  }

  /** Counts of events in the logs of the workers. */
  tally(): string {
    const text = this.fleet.processes.map(({ output }) => output()).join("\n");
    const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
    return `${count(/: lease lost$/gm)} leases lost, ${count(/: commit rejected/g)} commits refused, ${count(/: crashed: /g)} crashes`;
  }

  /** Writes the output of all processes to the folder `CHAOS_LOGS`. */
  keepLogs(name: string): void {
    const folder = process.env["CHAOS_LOGS"];
    if (folder === undefined) return;
    const texts = this.fleet.processes.map(({ pid, output }) => `--- process ${pid}\n${output()}`);
    writeFileSync(join(folder, `${name}.log`), [...this.log, ...texts].join("\n"));
  }

  async close(): Promise<void> {
    for (const supervised of [...this.#workers, this.#feeder]) supervised.kill();
    await Promise.all([...this.#redis, ...this.#postgres].map((proxy) => proxy.close()));
    if (this.#isMounted)
      for (const name of DISKS) execFileSync("umount", ["--lazy", join(this.fleet.dir, name)]);
    await this.fleet.close();
  }

  // ---------------------------------------------------------------- the faults

  readonly #faults: Readonly<Record<FaultKind, () => Promise<string | undefined>>> = {
    "worker killed with its walker processes": async () => {
      const { current } = this.#anyWorker();
      current.kill("SIGKILL");
      await current.ended;
      return undefined;
    },
    "worker killed alone": async () => {
      const { current } = this.#anyWorker();
      const walkers = walkersOf(current.pid);
      current.process.kill("SIGKILL");
      await until(() => !walkers.some(({ pid }) => isRunning(pid)), "its walker processes end as well").catch(
        ({ message }: Error) => this.problems.push(message),
      );
      return `${walkers.length} walker processes`;
    },
    "walker process killed": async () => {
      // Killing the process of a suspect would quarantine an innocent site.
      const walkers = this.#workers
        .flatMap(({ current }) => walkersOf(current.pid))
        .filter(({ isShared }) => isShared);
      if (walkers.length === 0) return "there was none";
      process.kill(walkers[Math.floor(this.#random() * walkers.length)]!.pid, "SIGKILL");
      return undefined;
    },
    "worker stopped until others have its sites": async () => {
      const { current } = await this.#workerOfLargest();
      current.kill("SIGSTOP");
      await wait(this.#untilOthersHaveIts());
      current.kill("SIGCONT");
      return undefined;
    },
    "worker cut off until others have its sites": async () => {
      const number = this.#workers.indexOf(await this.#workerOfLargest());
      // Its commits arrive later, and must be rejected.
      const ms = this.#untilOthersHaveIts();
      await Promise.all([this.#redis[number]!.blackhole(ms), this.#postgres[number]!.blackhole(ms)]);
      return undefined;
    },
    "worker terminated": async () => {
      const code = await this.#anyWorker().terminate();
      if (code !== 0) this.problems.push(`a worker ended with ${code} after SIGTERM`);
      return undefined;
    },
    "scheduler killed": async () => {
      this.#feeder.current.kill("SIGKILL");
      await this.#feeder.current.ended;
      return undefined;
    },
    "Redis killed": async () => {
      await this.fleet.redis.kill();
      await wait(this.#between(500, 3000));
      await this.fleet.redis.restart();
      return undefined;
    },
    "Redis flushed": async () => {
      await askRedis(this.fleet.redis.port, "FLUSHALL");
      return undefined;
    },
    "Redis connections reset": async () => {
      for (const proxy of this.#redis) proxy.reset();
      return undefined;
    },
    "Redis out of reach": async () => {
      const ms = this.#between(500, 1300 * LEASE_SECONDS);
      await Promise.all(this.#redis.map((proxy) => proxy.blackhole(ms)));
      return undefined;
    },
    "PostgreSQL killed": async () => {
      await this.fleet.postgres.kill();
      await wait(this.#between(200, 2000));
      await this.fleet.postgres.restart();
      return undefined;
    },
    "PostgreSQL connections reset": async () => {
      for (const proxy of this.#postgres) proxy.reset();
      return undefined;
    },
    "PostgreSQL out of reach": async () => {
      const ms = this.#between(500, 3000);
      await Promise.all(this.#postgres.map((proxy) => proxy.blackhole(ms)));
      return undefined;
    },
    "PostgreSQL out of reach for longer than a lease": async () => {
      const ms = 1000 * LEASE_SECONDS * this.#between(1.05, 1.3);
      await Promise.all(this.#postgres.map((proxy) => proxy.blackhole(ms)));
      return undefined;
    },
    "store full": () => this.#fill("store", this.#between(1000, 3000)),
    "temporary folder full": () => this.#fill("tmp", this.#between(500, 1200)),
    "compaction meanwhile": async () => {
      // Other faults may end it. The next compaction completes it.
      return this.fleet.run("compact").then(
        () => undefined,
        () => "failed",
      );
    },
  };

  async #fill(disk: (typeof DISKS)[number], ms: number): Promise<string | undefined> {
    if (!this.#isMounted) return "skipped: only root can mount a small disk";
    const file = join(this.fleet.dir, disk, ".filler");
    fillUp(file);
    await wait(ms);
    rmSync(file);
    return undefined;
  }

  #anyWorker(): Supervised {
    const running = this.#workers.filter(({ isRunning }) => isRunning);
    return running[Math.floor(this.#random() * running.length)] ?? this.#workers[0]!;
  }

  /** The worker that visits the last site of the farm, which takes longest; any worker if there is none. */
  async #workerOfLargest(): Promise<Supervised> {
    const { rows } = await this.fleet.pool
      .query<{ holder: string }>("select holder from lease where host = $1", [
        this.fleet.farm.sites.at(-1)!.host,
      ])
      .catch(() => ({ rows: [] }));
    const isHolder = ({ current: { pid } }: Supervised): boolean =>
      rows.some(({ holder }) => holder.includes(`-${pid}-`));
    return this.#workers.find(isHolder) ?? this.#anyWorker();
  }

  /** Its leases end after one lease, and BullMQ notices its stalled jobs within another one. */
  #untilOthersHaveIts(): number {
    return 1000 * LEASE_SECONDS * this.#between(1.5, 2.6);
  }

  #between(least: number, most: number): number {
    return least + (most - least) * this.#random();
  }
}

// ---------------------------------------------------------------- processes

/** The walker processes of a worker. */
function walkersOf(worker: number): { readonly pid: number; readonly isShared: boolean }[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, "latin1");
    } catch {
      // The process has ended.
      return "";
    }
  };
  const pids = read(`/proc/${worker}/task/${worker}/children`).split(" ").filter(Boolean).map(Number);
  return pids.map((pid) => ({ pid, isShared: read(`/proc/${pid}/cmdline`).includes("\0shared\0") }));
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}

// ---------------------------------------------------------------- disks

/** Folders on small disks: the store and the folder for temporary files. */
const DISKS = ["store", "tmp"] as const;
const DISK_MB = 48;

function mountSmall(path: string): boolean {
  if (process.getuid?.() !== 0) return false;
  mkdirSync(path, { recursive: true });
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_MB}m`, "tmpfs", path], { stdio: "ignore" });
    return true;
  } catch {
    // Root in a container without the right to mount.
    return false;
  }
}

function fillUp(file: string): void {
  for (let bytes = 2 ** 20; bytes >= 1; bytes = Math.floor(bytes / 16)) {
    const block = Buffer.alloc(bytes);
    try {
      while (statfsSync(join(file, "..")).bavail > 0) writeFileSync(file, block, { flag: "a" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}
