/** `siteatlas-fleet feed`: runs a scheduler until a signal ends it. */
import { Metrics, serveMetrics } from "../../monitoring/metrics.ts";
import { Feeder } from "../../queue/enqueue-due-sites.ts";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { log, logError } from "../messages.ts";
import { untilSignal } from "../signals.ts";
import { checkServers } from "./check-servers.ts";

export async function runFeed(connections: Connections, options: CommandOptions<"feed">): Promise<void> {
  const metrics = new Metrics("scheduler");
  const frontier = connections.busyFrontier();
  const redis = await connections.redis();
  const feeder = new Feeder({
    frontier,
    redis,
    everyMs: options.every,
    highWater: options.highWater,
    perDomain: options.perDomain,
    rescanMs: options.rescan,
    backoffMs: options.backoff,
    onError: (error) => {
      metrics.add("errors_total");
      logError(error);
    },
    onFed: (sites) => metrics.add("fed_total", sites),
  });
  metrics.gauge("queue_size", () => feeder.queueSize);
  metrics.gauge("lag_seconds", () => frontier.lagSeconds());
  const check = (): Promise<unknown> => checkServers(frontier, redis);
  if (options.metrics !== undefined) await serveMetrics(metrics, options.metrics, { check });
  await feeder.start();
  const ended = untilSignal();
  log("feeding");
  await ended;
  await feeder.close();
}
