/**
 * Prometheus metrics of a worker or scheduler, and the HTTP server for the metrics and the health of the process.
 *
 * Counters end in `_total` and exist from the start with 0, because a rate cannot be computed from a counter that
 * appears with its first event (https://prometheus.io/docs/practices/instrumentation/).
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { showValue } from "../check/rules.ts";
import type { Outcome } from "../model/visit.ts";
import type { WorkerEvent } from "../worker/worker.ts";

const HELP = {
  legs_total: "Finished parts of visits",
  visits_total: "Finished visits, by outcome",
  requests_total: "Requests sent to sites",
  bytes_total: "Bytes received from sites, on the wire",
  pages_total: "Pages read",
  changes_total: "Pages added, changed or removed since the previous visit",
  refused_total: "Commits rejected because another worker had claimed the site",
  crashes_total: "Visits that ended in a crash of their walker process",
  quarantined_total: "Sites quarantined",
  lost_total: "Visits that lost their lease",
  stopped_total: "Visits ended by the stop list",
  errors_total: "Failures of the fleet itself: database, queue, store",
  fed_total: "Sites put into a queue, including those already in it",
  leg_seconds: "Duration of finished parts of visits",
  visits_active: "Visits in progress",
  queue_size: "Sites in Redis: waiting, active or delayed",
  lag_seconds: "How long the oldest site that could be visited has been waiting",
} as const;

export type MetricName = keyof typeof HELP;

/** Upper bounds of the buckets of `leg_seconds`, in seconds. */
const BUCKETS: readonly number[] = [0.1, 0.3, 1, 3, 10, 30, 60, 120, 300];

/** All values of the label `outcome` of `visits_total`. */
const OUTCOMES: Readonly<Record<Outcome, true>> = {
  ...{ found: true, empty: true, disallowed: true, unreachable: true, paused: true },
};

const COUNTED: Readonly<Partial<Record<WorkerEvent["kind"], MetricName>>> = {
  refused: "refused_total",
  crashed: "crashes_total",
  quarantined: "quarantined_total",
  lost: "lost_total",
  stopped: "stopped_total",
  error: "errors_total",
};

/** The metrics that each kind of process has from its start. */
const OF_PROCESS: Readonly<Record<"worker" | "scheduler", readonly MetricName[]>> = {
  worker: [
    ...([
      "legs_total",
      "visits_total",
      "requests_total",
      "bytes_total",
      "pages_total",
      "changes_total",
    ] as const),
    ...Object.values(COUNTED),
    "leg_seconds",
  ],
  scheduler: ["fed_total", "errors_total"],
};

type ReadGauge = () => number | Promise<number>;

export class Metrics {
  readonly #values: Map<string, number> = new Map();
  readonly #gauges: Map<MetricName, ReadGauge> = new Map();
  /** For each bucket of `leg_seconds`, the number of legs that took at most the bound of the bucket. */
  #buckets: number[] | undefined;

  /** @param process the metrics of this kind of process start with 0. @default metrics appear with their first value */
  constructor(process?: "worker" | "scheduler") {
    for (const name of process === undefined ? [] : OF_PROCESS[process]) {
      if (name === "leg_seconds") this.#buckets = BUCKETS.map(() => 0);
      else if (name !== "visits_total") this.add(name, 0);
      else for (const outcome of Object.keys(OUTCOMES)) this.add(name, 0, outcomeLabel(outcome));
    }
  }

  add(name: MetricName, by: number = 1, labels: string = ""): void {
    const key = name + labels;
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  /** Registers a gauge. Its value is read each time the metrics are fetched. */
  gauge(name: MetricName, read: ReadGauge): void {
    this.#gauges.set(name, read);
  }

  take(event: WorkerEvent): void {
    if (event.kind === "leg") {
      const { requests, bytes, pages, changes, isOver, outcome } = event.result;
      this.add("legs_total");
      this.#observe(event.ms / 1000);
      this.add("requests_total", requests);
      this.add("bytes_total", bytes);
      this.add("pages_total", pages);
      if (event.request.visit > 1) this.add("changes_total", changes);
      if (isOver) this.add("visits_total", 1, outcomeLabel(outcome));
      return;
    }
    const counter = COUNTED[event.kind];
    if (counter !== undefined) this.add(counter);
  }

  #observe(seconds: number): void {
    this.#buckets ??= BUCKETS.map(() => 0);
    for (const [at, bound] of BUCKETS.entries()) if (seconds <= bound) this.#buckets[at]!++;
    this.add("leg_seconds", seconds, "_sum");
    this.add("leg_seconds", 1, "_count");
  }

  /**
   * All metrics in Prometheus' text format
   * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format). If a gauge cannot be read, such
   * as one that queries the database, its value is NaN.
   */
  async text(): Promise<string> {
    const lines: string[] = [];
    for (const [name, help] of Object.entries(HELP) as [MetricName, string][]) {
      const gauge = this.#gauges.get(name);
      const own = [...this.#values].filter(([key]) => key === name || key.startsWith(`${name}{`));
      const buckets = name === "leg_seconds" ? this.#buckets : undefined;
      if (gauge === undefined && buckets === undefined && own.length === 0) continue;
      const full = `siteatlas_fleet_${name}`;
      const type = gauge !== undefined ? "gauge" : buckets !== undefined ? "histogram" : "counter";
      lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${type}`);
      if (gauge !== undefined) lines.push(`${full} ${await readGauge(gauge)}`);
      for (const [key, value] of own) lines.push(`siteatlas_fleet_${key} ${value}`);
      if (buckets !== undefined) lines.push(...this.#histogram(full, buckets));
    }
    return `${lines.join("\n")}\n`;
  }

  #histogram(full: string, buckets: readonly number[]): string[] {
    const count = this.#values.get("leg_seconds_count") ?? 0;
    return [
      ...BUCKETS.map((bound, at) => `${full}_bucket{le="${bound}"} ${buckets[at]}`),
      `${full}_bucket{le="+Inf"} ${count}`,
      `${full}_sum ${this.#values.get("leg_seconds_sum") ?? 0}`,
      `${full}_count ${count}`,
    ];
  }
}

function outcomeLabel(outcome: string): string {
  return `{outcome="${outcome}"}`;
}

async function readGauge(read: ReadGauge): Promise<number> {
  try {
    return await read();
  } catch {
    return Number.NaN;
  }
}

export interface ServeMetricsOptions {
  /**
   * Throws if the process cannot work now, such as without its database. `/readyz` then has the status 503.
   * @default the process can always work
   */
  readonly check?: (() => Promise<unknown>) | undefined;
}

/**
 * Serves the metrics over HTTP. With the address `9464`, only this machine can fetch them. With `0.0.0.0:9464`, the
 * server listens on all interfaces. `/livez` responds as long as the process runs, `/readyz` says whether it can work.
 */
export async function serveMetrics(
  metrics: Metrics,
  where: string,
  { check = async () => {} }: ServeMetricsOptions = {},
): Promise<{ port: number; close: () => void }> {
  const address = readAddress(where);
  if (address === undefined) {
    throw new TypeError(`Cannot listen on ${showValue(where)}: it is not PORT or ADDRESS:PORT`);
  }
  const { host, port } = address;
  const server: Server = createServer(async (request, response) => {
    if (request.url === "/metrics") {
      const text = await metrics.text();
      response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" }).end(text);
    } else if (request.url === "/livez") response.writeHead(200, PLAIN).end("ok\n");
    else if (request.url === "/readyz") {
      const isReady = await check().then(
        () => true,
        () => false,
      );
      // The response does not contain the reason, because the reason may name servers.
      response.writeHead(isReady ? 200 : 503, PLAIN).end(isReady ? "ok\n" : "not ready\n");
    } else response.writeHead(404).end();
  });
  server.unref();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

const PLAIN = { "content-type": "text/plain; charset=utf-8" };

/**
 * Parses a port or an address with a port: `9464` or `0.0.0.0:9464`. Returns undefined if the text is neither, or the
 * port is above 65535.
 */
export function readAddress(where: string): { host: string; port: number } | undefined {
  const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d{1,5})$/.exec(where) ?? [];
  return port === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}
