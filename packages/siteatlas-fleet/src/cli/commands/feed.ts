/** `siteatlas-fleet feed`: runs a scheduler until a signal ends it. */
import { Metrics, serveMetrics } from "../../monitoring/metrics.ts";
import { Feeder } from "../../queue/enqueue-due-sites.ts";
import type { Connections } from "../connections.ts";
import type { CommandOptions } from "../flags.ts";
import { log, logError } from "../messages.ts";
import { untilSignal } from "../signals.ts";

export async function runFeed(connections: Connections, options: CommandOptions<"feed">): Promise<void> {
  const metrics = new Metrics();
  const feeder = new Feeder({
    frontier: connections.busyFrontier(),
    redis: await connections.redis(),
    everyMs: options.every,
    highWater: options.highWater,
    perDomain: options.perDomain,
    rescanMs: options.rescan,
    backoffMs: options.backoff,
    onError: logError,
    onFed: (sites) => metrics.add("fed_total", sites),
  });
  metrics.gauge("queue_size", () => feeder.queueSize);
  metrics.gauge("lag_seconds", () => feeder.lagSeconds);
  if (options.metrics !== undefined) await serveMetrics(metrics, options.metrics);
  await feeder.start();
  const ended = untilSignal();
  log("feeding");
  await ended;
  await feeder.close();
}
