/** Metrics for Prometheus, spans for OpenTelemetry. */
import { trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Metrics, openTelemetry, serveMetrics, type WorkerEvent } from "siteatlas-fleet";
import { expect, test } from "vitest";

const LEG: Extract<WorkerEvent, { kind: "leg" }> = {
  kind: "leg",
  ms: 250,
  request: {
    host: "example.com",
    domain: "example.com",
    shard: 3,
    homepage: "https://example.com/",
    epoch: 5,
    visit: 2,
    leg: 0,
    began: "2026-11-15T00:00:00.000Z",
    snapshot: null,
    done: 0,
    failed: [],
    requestMs: null,
  },
  result: {
    outcome: "found",
    isOver: true,
    parts: [],
    sitemaps: [],
    gone: [],
    pageCount: 20,
    sitemapCount: 1,
    requests: 3,
    bytes: 1000,
    pages: 20,
    changes: 4,
    requestMs: 80,
  },
};

test("the endpoint serves counters and gauges at /metrics only", async () => {
  const metrics = new Metrics();
  metrics.take(LEG);
  metrics.take(LEG);
  metrics.take({ kind: "crashed", host: "example.com", reason: "SIGABRT" });
  metrics.gauge("visits_active", () => 7);
  const { port, close } = await serveMetrics(metrics, "0");
  try {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines).toContain("# TYPE siteatlas_fleet_pages_total counter");
    expect(lines).toContain("siteatlas_fleet_pages_total 40");
    expect(lines).toContain('siteatlas_fleet_visits_total{outcome="found"} 2');
    expect(lines).toContain("siteatlas_fleet_changes_total 8");
    expect(lines).toContain("siteatlas_fleet_crashes_total 1");
    expect(lines).toContain("# TYPE siteatlas_fleet_visits_active gauge");
    expect(lines).toContain("siteatlas_fleet_visits_active 7");
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  } finally {
    close();
  }
});

test("all counters of a process exist from the start, with 0", async () => {
  const lines = (await new Metrics("worker").text()).split("\n");
  for (const name of ["errors", "crashes", "quarantined", "lost", "refused", "requests", "legs"]) {
    expect(lines).toContain(`siteatlas_fleet_${name}_total 0`);
  }
  for (const outcome of ["found", "empty", "disallowed", "unreachable", "paused"]) {
    expect(lines).toContain(`siteatlas_fleet_visits_total{outcome="${outcome}"} 0`);
  }
  expect(lines).toContain("siteatlas_fleet_leg_seconds_count 0");
  const scheduler = (await new Metrics("scheduler").text()).split("\n");
  expect(scheduler).toContain("siteatlas_fleet_fed_total 0");
  expect(scheduler).toContain("siteatlas_fleet_errors_total 0");
});

test("durations are a histogram, with cumulative buckets", async () => {
  const metrics = new Metrics("worker");
  for (const ms of [50, 250, 2000, 1_000_000]) metrics.take({ ...LEG, ms });
  const lines = (await metrics.text()).split("\n").filter((line) => line.includes("leg_seconds"));
  expect(lines).toEqual([
    "# HELP siteatlas_fleet_leg_seconds Duration of finished parts of visits",
    "# TYPE siteatlas_fleet_leg_seconds histogram",
    'siteatlas_fleet_leg_seconds_bucket{le="0.1"} 1',
    'siteatlas_fleet_leg_seconds_bucket{le="0.3"} 2',
    'siteatlas_fleet_leg_seconds_bucket{le="1"} 2',
    'siteatlas_fleet_leg_seconds_bucket{le="3"} 3',
    'siteatlas_fleet_leg_seconds_bucket{le="10"} 3',
    'siteatlas_fleet_leg_seconds_bucket{le="30"} 3',
    'siteatlas_fleet_leg_seconds_bucket{le="60"} 3',
    'siteatlas_fleet_leg_seconds_bucket{le="120"} 3',
    'siteatlas_fleet_leg_seconds_bucket{le="300"} 3',
    'siteatlas_fleet_leg_seconds_bucket{le="+Inf"} 4',
    "siteatlas_fleet_leg_seconds_sum 1002.3",
    "siteatlas_fleet_leg_seconds_count 4",
  ]);
});

test("a gauge that cannot be read is NaN, and the other metrics stay", async () => {
  const metrics = new Metrics("scheduler");
  metrics.gauge("lag_seconds", () => Promise.reject(new Error("the database is down")));
  metrics.gauge("queue_size", () => 3);
  const lines = (await metrics.text()).split("\n");
  expect(lines).toContain("siteatlas_fleet_lag_seconds NaN");
  expect(lines).toContain("siteatlas_fleet_queue_size 3");
});

test("/livez says that the process runs, /readyz whether it can work", async () => {
  let isUp = true;
  const check = async (): Promise<void> => {
    if (!isUp) throw new Error("postgres://user:secret@db is down");
  };
  const { port, close } = await serveMetrics(new Metrics(), "0", { check });
  const ask = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return [response.status, await response.text()];
  };
  try {
    expect(await ask("/livez")).toEqual([200, "ok\n"]);
    expect(await ask("/readyz")).toEqual([200, "ok\n"]);
    isUp = false;
    expect(await ask("/livez")).toEqual([200, "ok\n"]);
    expect(await ask("/readyz")).toEqual([503, "not ready\n"]);
  } finally {
    close();
  }
});

test("a visit is a span, and its parts, commits and faults are below it", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  const tell = await openTelemetry();
  const claimed = { domain: "example.com", visit: 2 };
  tell({ kind: "claimed", host: "example.com", ...claimed });
  tell({ kind: "claimed", host: "bad.example", ...claimed });
  tell(LEG);
  tell({ kind: "committed", request: LEG.request, ms: 20 });
  tell({ kind: "quarantined", host: "bad.example", reason: "it crashed" });
  tell({ kind: "ended", host: "bad.example" });
  tell({ kind: "ended", host: "example.com" });
  tell({ kind: "crashed", host: "example.com", reason: "after its end" });
  const spans = exporter.getFinishedSpans();
  expect(spans.map(({ name }) => name.replace("siteatlas_fleet.", ""))).toEqual([
    "leg",
    "commit",
    "quarantined",
    "visit",
    "visit",
    "crashed",
  ]);
  const [leg, commit, quarantined, badVisit, visit, crashed] = spans;
  expect(leg!.attributes).toMatchObject({
    "server.address": "example.com",
    "siteatlas_fleet.pages": 20,
    "siteatlas_fleet.epoch": 5,
  });
  const ms = ({ duration: [seconds, nanoseconds] }: ReadableSpan): number =>
    seconds * 1000 + nanoseconds / 1e6;
  expect(ms(leg!)).toBeCloseTo(250, 0);
  expect(ms(commit!)).toBeCloseTo(20, 0);
  expect(quarantined!.status.message).toBe("it crashed");
  // Legs, commits and faults are below the visit of their own site.
  const parents = [leg, commit, quarantined, crashed].map((span) => span!.parentSpanContext?.spanId);
  const [own, bad] = [visit, badVisit].map((span) => span!.spanContext().spanId);
  expect(parents).toEqual([own, own, bad, undefined]);
});
