/** Metrics for Prometheus, spans for OpenTelemetry. */
import { trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Metrics, openTelemetry, serveMetrics, type WorkerEvent } from "siteatlas-fleet";
import { expect, test } from "vitest";

const LEG: WorkerEvent = {
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

test("a part of a visit is a span with its result", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  const tell = await openTelemetry();
  tell(LEG);
  tell({ kind: "quarantined", host: "bad.example", reason: "it crashed" });
  const [leg, quarantined] = exporter.getFinishedSpans();
  expect(leg).toMatchObject({
    name: "siteatlas_fleet.leg",
    attributes: { host: "example.com", pages: 20, epoch: 5 },
  });
  expect(leg!.duration[0] * 1000 + leg!.duration[1] / 1e6).toBeCloseTo(250, 0);
  expect(quarantined).toMatchObject({
    name: "siteatlas_fleet.quarantined",
    status: { message: "it crashed" },
  });
});
