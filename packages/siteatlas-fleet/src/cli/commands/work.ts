/** `siteatlas-fleet work`: runs a worker until a signal ends it. */
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { availableParallelism, hostname } from "node:os";
import { join } from "node:path";
import { claimStore } from "../../dataset/store-owner.ts";
import { userAgentOf, type WalkerSettings } from "../../model/visit-settings.ts";
import { Metrics, serveMetrics } from "../../monitoring/metrics.ts";
import { openTelemetry } from "../../monitoring/opentelemetry-spans.ts";
import { NameLookup } from "../../processes/name-lookup.ts";
import { ProcessWalkers } from "../../processes/process-pool.ts";
import { AddressLimits } from "../../queue/address-limits.ts";
import { type RedisClient, volatileSettings } from "../../queue/queues.ts";
import { VERSION } from "../../version.ts";
import { type AdmitVisit, admitByAddress } from "../../worker/admit-visit.ts";
import { FleetWorker, type WorkerEvent } from "../../worker/worker.ts";
import type { Connections } from "../connections.ts";
import { errorText } from "../error-text.ts";
import type { CommandOptions } from "../flags.ts";
import { count, log } from "../messages.ts";
import { untilSignal } from "../signals.ts";
import { UsageError } from "../usage-error.ts";
import { checkServers } from "./check-servers.ts";

type WorkOptions = CommandOptions<"work">;

const TRY_KNOWN = { always: true, "when-empty": "when-empty", never: false } as const;

export async function runWorker(connections: Connections, options: WorkOptions): Promise<void> {
  const metrics = new Metrics("worker");
  const trace = options.otel ? await openTelemetry() : undefined;
  const userAgent = userAgentOf(options.contact ?? "", VERSION);
  if (userAgent === undefined) {
    throw new UsageError(
      "--contact is missing, or is not an http, https or mailto URL",
      "Pass the URL of a page that explains who visits and how to reach you",
    );
  }
  const { lease: leaseMs } = options;
  const holder = `${hostname()}-${process.pid}-${randomBytes(4).toString("hex")}`;
  const frontier = connections.busyFrontier({ holder, leaseMs }, 8);
  refuseUnknownShards(options.shards, await frontier.shards());
  const store = await connections.store();
  await claimStore(frontier.pool, store);
  // Open the port first. If the port is in use, the command fails, and must not leave a running worker behind.
  let check = async (): Promise<void> => {
    throw new Error("The worker is starting");
  };
  const endpoint =
    options.metrics === undefined
      ? undefined
      : await serveMetrics(metrics, options.metrics, { check: () => check() });
  const redis = await connections.redis();
  const volatile = await volatileSettings(redis);
  if (volatile.length > 0 && !options.allowVolatile) {
    throw new UsageError(
      `Redis may lose or evict jobs: ${volatile.join(", ")}`,
      "Change the settings of the server, or pass --allow-volatile",
    );
  }
  const folder = await makeFolder(await connections.folder());
  try {
    const walkers = new ProcessWalkers({
      settings: walkerSettings(options, userAgent, connections.storeUrl, folder),
      count: options.walkers ?? availableParallelism(),
      memoryMb: options.memory,
    });
    const { jobs, shards, every, minEvery, maxEvery } = options;
    // Limits per address need the addresses of sites. With a proxy, they are unknown: the proxy looks up the names.
    const admit = options.proxy === undefined ? admission(options, redis) : undefined;
    const worker = new FleetWorker({
      frontier,
      redis,
      walkers,
      concurrency: jobs,
      leaseMs,
      sliceMs: options.slice,
      pack: { store, folder, everyMs: options.pack },
      admit,
      schedule: { everySeconds: every / 1000, minSeconds: minEvery / 1000, maxSeconds: maxEvery / 1000 },
      onEvent: (event) => {
        metrics.take(event);
        trace?.(event);
        const line = eventLine(event);
        if (line !== undefined && (!options.quiet || event.kind !== "leg")) log(line);
      },
      ...(shards !== undefined && { shards }),
    });
    metrics.gauge("visits_active", () => worker.size);
    check = async () => {
      if (worker.isDraining) throw new Error("The worker is ending");
      await checkServers(frontier, redis);
    };
    await workUntilSignal(worker).finally(() => walkers.close());
  } finally {
    await rm(folder, { recursive: true, force: true });
    endpoint?.close();
  }
}

/** Creates the function that limits visits per address and network. Undefined if the flags set no limit. */
function admission(
  { addressRate, networkRate, dns }: WorkOptions,
  redis: RedisClient,
): AdmitVisit | undefined {
  const [perAddress, perNetwork] = [addressRate, networkRate].map((rate) =>
    rate === Number.POSITIVE_INFINITY ? undefined : rate,
  );
  if (perAddress === 0)
    throw new UsageError('--address-rate: 0 would allow no visit; pass "none" for no limit');
  if (perNetwork === 0)
    throw new UsageError('--network-rate: 0 would allow no visit; pass "none" for no limit');
  if (perAddress === undefined && perNetwork === undefined) return undefined;
  return admitByAddress(openNames(dns), new AddressLimits({ redis, perAddress, perNetwork }));
}

function openNames(servers: readonly string[] | undefined): NameLookup {
  try {
    return new NameLookup({ servers });
  } catch {
    throw new UsageError(`--dns: ${servers!.join(",")} is not a list of IP addresses`);
  }
}

async function workUntilSignal(worker: FleetWorker): Promise<void> {
  try {
    await worker.start();
  } catch (error) {
    await worker.drain(0);
    throw error;
  }
  const ended = untilSignal();
  log("working");
  await ended;
  log(`stopping: waiting for ${count(worker.size, "visit")}`);
  await worker.drain();
}

function refuseUnknownShards(shards: readonly number[] = [], total: number): void {
  const unknown = shards.find((shard) => shard >= total);
  if (unknown === undefined) return;
  throw new UsageError(`--shards: the fleet has no shard ${unknown}, only 0 to ${total - 1}`);
}

/** Undefined for events that only spans need. */
function eventLine(event: WorkerEvent): string | undefined {
  switch (event.kind) {
    case "claimed":
    case "committed":
    case "ended":
      return undefined;
    case "leg": {
      const { host, visit, leg } = event.request;
      const { outcome, pages, requests, isOver } = event.result;
      const what = `${outcome}, ${count(pages, "page")}, ${count(requests, "request")}`;
      return `${host}: ${what}, visit ${visit} part ${leg + 1}${isOver ? "" : ", more to come"}`;
    }
    case "refused":
      return `${event.request.host}: commit rejected, another worker has claimed the site`;
    case "error":
      return `${event.host ?? "worker"}: error: ${errorText(event.error)}`;
    case "crashed":
    case "quarantined":
      return `${event.host}: ${event.kind}: ${event.reason}`;
    case "lost":
      return `${event.host}: lease lost`;
    case "stopped":
      return `${event.host}: stopped by the stop list`;
  }
}

/** Creates a temporary folder for this worker, and removes the folders of killed workers on this machine. */
async function makeFolder(parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const [, host, pid] = /^worker-(.+)-(\d+)-\w+$/.exec(name) ?? [];
    if (host !== hostname() || isRunning(Number(pid))) continue;
    await rm(join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `worker-${hostname()}-${process.pid}-`));
}

/** Whether another process has this id. In a restarted container, this process may have the id of the killed worker. */
function isRunning(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function walkerSettings(
  options: WorkOptions,
  userAgent: string,
  store: string,
  folder: string,
): WalkerSettings {
  const { concurrency, delay, respectRobots, crossHost, maxSitemaps, maxTotalBytes, allow, proxy, visitor } =
    options;
  return {
    store,
    folder,
    userAgent,
    concurrency,
    delayMs: delay,
    respectRobots,
    guess: TRY_KNOWN[options.tryKnown],
    crossHost,
    limits: {
      ...(maxSitemaps !== undefined && { sitemaps: maxSitemaps }),
      ...(maxTotalBytes !== undefined && { totalBytes: maxTotalBytes }),
    },
    legMs: options.leg,
    stuckMs: options.stuck,
    ...(allow !== undefined && { allow }),
    ...(options.dns !== undefined && { dns: options.dns }),
    ...(proxy !== undefined && { proxy }),
    ...(visitor !== undefined && { visitor }),
  };
}
