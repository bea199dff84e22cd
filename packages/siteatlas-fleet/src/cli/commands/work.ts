/** `siteatlas-fleet work`: visits sites until it is told to end. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { availableParallelism, hostname } from "node:os";
import { join } from "node:path";
import type { WalkLimits } from "siteatlas";
import { volatileSettings } from "../../queues.ts";
import type { ScheduleOptions } from "../../schedule.ts";
import { userAgentOf, type WalkerSettings } from "../../settings.ts";
import { VERSION } from "../../version.ts";
import { ProcessWalkers } from "../../walkers/process-walkers.ts";
import { FleetWorker, type WorkerEvent } from "../../worker.ts";
import { type Connections, UsageError } from "../connections.ts";

export interface WorkOptions {
  readonly contact?: string;
  readonly concurrency: number;
  readonly walkers?: number;
  readonly memory: number;
  readonly shards?: readonly number[];
  readonly lease: number;
  readonly slice: number;
  readonly leg: number;
  readonly stuck: number;
  readonly every: number;
  readonly minEvery: number;
  readonly maxEvery: number;
  readonly perHost: number;
  readonly delay: number;
  readonly robots: boolean;
  readonly guess: keyof typeof GUESSES;
  readonly crossHost: "follow" | "same-site" | "none";
  readonly maxSitemaps?: number;
  readonly maxBytes?: number;
  readonly allow?: readonly string[];
  readonly proxy?: string;
  readonly allowVolatile: boolean;
  readonly visitor?: string;
  readonly quiet: boolean;
}

/** The words of `--guess`. */
export const GUESSES = { always: true, "when-empty": "when-empty", never: false } as const;

export interface RunningWorker {
  readonly worker: FleetWorker;
  /** Gives back what is not over, and closes everything of its own. */
  end(): Promise<void>;
}

export async function work(
  connections: Connections,
  options: WorkOptions,
  onEvent: (event: WorkerEvent) => void,
): Promise<RunningWorker> {
  const userAgent = userAgentOf(options.contact ?? "", VERSION);
  if (userAgent === undefined) {
    throw new UsageError(
      "--contact is missing, or no URL: of a page that says who visits, and how to reach you",
    );
  }
  const leaseMs = options.lease * 1000;
  const holder = `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  const frontier = connections.busyFrontier({ holder, leaseMs }, 8);
  await frontier.shards();
  const redis = connections.redis();
  const wrong = await volatileSettings(redis);
  if (wrong.length > 0 && !options.allowVolatile) {
    throw new UsageError(
      `Redis would lose or evict jobs: ${wrong.join("; ")} (--allow-volatile works with it)`,
    );
  }
  const folder = await makeFolder(await connections.folder());
  const walkers = new ProcessWalkers({
    settings: walkerSettings(options, userAgent, connections.storeUrl, folder),
    count: options.walkers ?? availableParallelism(),
    memoryMb: options.memory,
  });
  const worker = new FleetWorker({
    frontier,
    redis,
    walkers,
    concurrency: options.concurrency,
    leaseMs,
    sliceMs: options.slice * 1000,
    schedule: scheduleOf(options),
    onEvent,
    ...(options.shards !== undefined && { shards: options.shards }),
  });
  await worker.start();
  return {
    worker,
    async end() {
      await worker.drain();
      await walkers.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** For the files of this worker. Removes those of workers of this machine that were killed. */
async function makeFolder(parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const [, host, pid] = /^worker-(.+)-(\d+)-\w+$/.exec(name) ?? [];
    if (host !== hostname() || isRunning(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `worker-${hostname()}-${process.pid}-`));
}

/** Another process than this one. */
function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function scheduleOf({ every, minEvery, maxEvery }: WorkOptions): ScheduleOptions {
  return { everySeconds: every, minSeconds: minEvery, maxSeconds: maxEvery };
}

function walkerSettings(
  options: WorkOptions,
  userAgent: string,
  store: string,
  folder: string,
): WalkerSettings {
  const { perHost, delay, robots, crossHost, allow, proxy, visitor } = options;
  return {
    store,
    folder,
    userAgent,
    concurrency: perHost,
    delayMs: delay,
    respectRobots: robots,
    guess: GUESSES[options.guess],
    crossHost,
    limits: limitsOf(options),
    legMs: options.leg * 1000,
    stuckMs: options.stuck * 1000,
    ...(allow !== undefined && { allow }),
    ...(proxy !== undefined && { proxy }),
    ...(visitor !== undefined && { visitor }),
  };
}

function limitsOf({ maxSitemaps, maxBytes }: WorkOptions): WalkLimits {
  return {
    ...(maxSitemaps !== undefined && { sitemaps: maxSitemaps }),
    ...(maxBytes !== undefined && { totalBytes: maxBytes }),
  };
}
