/** What a worker or a feeder has done, for Prometheus: counters from its events, and an endpoint that gives them. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { WorkerEvent } from "./worker.ts";

const HELP = {
  legs_total: "Legs that were walked",
  visits_total: "Visits that came to their end, by outcome",
  requests_total: "Requests that were sent to sites",
  bytes_total: "Bytes that sites sent, on the wire",
  pages_total: "Pages that were read",
  changes_total: "Pages that were added, changed or removed since the visit before",
  refused_total: "Commits that came too late",
  crashes_total: "Walking processes that ended with a leg under way",
  quarantined_total: "Sites that were quarantined",
  lost_total: "Visits whose lease was lost",
  stopped_total: "Visits that were ended by the stop list",
  errors_total: "Failures of our own parts",
  fed_total: "Sites that were put into a queue",
  leg_seconds_sum: "Time that legs took, in all",
  visits_active: "Sites that are visited now",
  queue_size: "Sites in Redis: waiting, with a worker, or for later",
  lag_seconds: "For how long the site is due that waits longest",
} as const;

export type MetricName = keyof typeof HELP;

export class Metrics {
  readonly #values: Map<string, number> = new Map();
  readonly #gauges: Map<MetricName, () => number> = new Map();

  add(name: MetricName, by: number = 1, labels: string = ""): void {
    const key = name + labels;
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  /** Read when it is asked for. */
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

  /** https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format */
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

/** `9464` listens on this machine alone, `0.0.0.0:9464` everywhere. */
export async function serveMetrics(
  metrics: Metrics,
  where: string,
): Promise<{ port: number; close: () => void }> {
  const { host, port } = readAddress(where);
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

function readAddress(where: string): { host: string; port: number } {
  const [, host = "127.0.0.1", port] = /^(?:(.+):)?(\d+)$/.exec(where) ?? [];
  if (port === undefined)
    throw new TypeError(`Cannot listen on ${JSON.stringify(where)}: PORT or ADDRESS:PORT`);
  return { host, port: Number(port) };
}
