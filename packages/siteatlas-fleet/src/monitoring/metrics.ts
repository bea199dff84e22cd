/** Prometheus metrics of a worker or scheduler, and the endpoint that serves them. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { showValue } from "../check/rules.ts";
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
  leg_seconds_sum: "Total duration of finished parts of visits",
  visits_active: "Visits in progress",
  queue_size: "Sites in Redis: waiting, active or delayed",
  lag_seconds: "How long the oldest due site has been waiting",
} as const;

export type MetricName = keyof typeof HELP;

export class Metrics {
  readonly #values: Map<string, number> = new Map();
  readonly #gauges: Map<MetricName, () => number> = new Map();

  add(name: MetricName, by: number = 1, labels: string = ""): void {
    const key = name + labels;
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  /** Registers a gauge. Its value is read each time the metrics are fetched. */
  gauge(name: MetricName, read: () => number): void {
    this.#gauges.set(name, read);
  }

  take(event: WorkerEvent): void {
    if (event.kind === "leg") {
      const { requests, bytes, pages, changes, isOver, outcome } = event.result;
      this.add("legs_total");
      this.add("leg_seconds_sum", event.ms / 1000);
      this.add("requests_total", requests);
      this.add("bytes_total", bytes);
      this.add("pages_total", pages);
      if (event.request.visit > 1) this.add("changes_total", changes);
      if (isOver) this.add("visits_total", 1, `{outcome="${outcome}"}`);
    } else this.add(COUNTED[event.kind]);
  }

  /**
   * All metrics in Prometheus' text format
   * (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
   */
  text(): string {
    const lines: string[] = [];
    for (const [name, help] of Object.entries(HELP) as [MetricName, string][]) {
      const gauge = this.#gauges.get(name);
      const own = [...this.#values].filter(([key]) => key === name || key.startsWith(`${name}{`));
      if (gauge === undefined && own.length === 0) continue;
      const full = `siteatlas_fleet_${name}`;
      lines.push(`# HELP ${full} ${help}`, `# TYPE ${full} ${gauge === undefined ? "counter" : "gauge"}`);
      if (gauge !== undefined) lines.push(`${full} ${gauge()}`);
      for (const [key, value] of own) lines.push(`siteatlas_fleet_${key} ${value}`);
    }
    return `${lines.join("\n")}\n`;
  }
}

const COUNTED: Readonly<Record<Exclude<WorkerEvent["kind"], "leg">, MetricName>> = {
  refused: "refused_total",
  crashed: "crashes_total",
  quarantined: "quarantined_total",
  lost: "lost_total",
  stopped: "stopped_total",
  error: "errors_total",
};

/**
 * Serves the metrics over HTTP. With the address `9464`, only this machine can fetch them. With `0.0.0.0:9464`, the
 * server listens on all interfaces.
 */
export async function serveMetrics(
  metrics: Metrics,
  where: string,
): Promise<{ port: number; close: () => void }> {
  const address = readAddress(where);
  if (address === undefined) {
    throw new TypeError(`Cannot listen on ${showValue(where)}: it is not PORT or ADDRESS:PORT`);
  }
  const { host, port } = address;
  const server: Server = createServer((request, response) => {
    if (request.url !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": "text/plain; version=0.0.4; charset=utf-8" });
    response.end(metrics.text());
  });
  server.unref();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/**
 * Parses a port or an address with a port: `9464` or `0.0.0.0:9464`. Returns undefined if the text is neither, or the
 * port is above 65535.
 */
export function readAddress(where: string): { host: string; port: number } | undefined {
  const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d{1,5})$/.exec(where) ?? [];
  return port === undefined || Number(port) > 65_535 ? undefined : { host, port: Number(port) };
}
