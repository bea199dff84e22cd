/** The metrics of a watch as text, and the endpoint that serves them. */
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Health, serveMetrics } from "../../../../src/cli/commands/watch/metrics-server.ts";
import { WatchMetrics } from "../../../../src/cli/commands/watch/watch-metrics.ts";
import type { SyncSummary } from "../../../../src/sync/sync-summary.ts";

const IDLE = { running: 0, lagMs: 0, overdue: [] } as const;

/** The value of each sample, by its name and labels. */
function samplesOf(metrics: string): Map<string, number> {
  const lines = metrics.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [, name = "", value = ""] = /^([a-z_]+(?:\{[a-z]+="(?:[^"\\]|\\.)*"\})?) (\S+)$/.exec(line) ?? [];
      expect([line, name]).toEqual([line, expect.stringMatching(/./)]);
      return [name, Number(value)];
    }),
  );
}

describe("the text", () => {
  test("has every counter from the start, and one HELP and TYPE line per metric", () => {
    const all = new WatchMetrics().text(IDLE, []);
    const samples = samplesOf(all);
    for (const name of [
      ...["changed", "unchanged", "failed"].map((outcome) => `syncs_total{outcome="${outcome}"}`),
      ...["added", "changed", "removed", "relisted"].map((kind) => `changes_total{kind="${kind}"}`),
      ...["done", "failed"].map((outcome) => `reloads_total{outcome="${outcome}"}`),
      ...["requests_total", "received_bytes_total", "sites", "syncs_running", "syncs_overdue"],
      ...["lag_seconds", "sync_duration_seconds_count", "sync_duration_seconds_sum"],
    ]) {
      expect([name, samples.get(`siteatlas_watch_${name}`)]).toEqual([name, 0]);
    }
    const families = [...all.matchAll(/^# TYPE (\w+) (counter|gauge|histogram)$/gm)];
    const names = families.map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...all.matchAll(/^# HELP (\w+) \S/gm)].map(([, name]) => name)).toEqual(names);
    for (const [, name, type] of families)
      expect([name, name!.endsWith("_total")]).toEqual([name, type === "counter"]);
  });

  test("adds up syncs, requests, bytes and changes", () => {
    const metrics = new WatchMetrics();
    const summary = { asked: 3, bytes: 500, added: 2, changed: 1, removed: 4, relisted: 0 } as SyncSummary;
    for (const ms of [50, 700, 7_200_000]) metrics.addSync("changed", ms);
    for (let time = 0; time < 2; time++) {
      metrics.addRequests(summary);
      metrics.addChanges(summary);
    }
    const samples = samplesOf(metrics.text({ running: 2, lagMs: 1500, overdue: ["a"] }, []));
    expect(Object.fromEntries(samples)).toMatchObject({
      'siteatlas_watch_syncs_total{outcome="changed"}': 3,
      siteatlas_watch_requests_total: 6,
      siteatlas_watch_received_bytes_total: 1000,
      'siteatlas_watch_changes_total{kind="removed"}': 8,
      siteatlas_watch_syncs_running: 2,
      siteatlas_watch_syncs_overdue: 1,
      siteatlas_watch_lag_seconds: 1.5,
      'siteatlas_watch_sync_duration_seconds_bucket{le="0.1"}': 1,
      'siteatlas_watch_sync_duration_seconds_bucket{le="1"}': 2,
      'siteatlas_watch_sync_duration_seconds_bucket{le="3600"}': 2,
      'siteatlas_watch_sync_duration_seconds_bucket{le="+Inf"}': 3,
      siteatlas_watch_sync_duration_seconds_sum: 7200.75,
      siteatlas_watch_sync_duration_seconds_count: 3,
    });
  });

  test("has gauges of each site, which appear with their first value", () => {
    const known = {
      succeededAt: 5000,
      intervalMs: 900_000,
      failures: 0,
      pages: 7,
      pending: 1,
      deliveries: 2,
    };
    const unknown = {
      succeededAt: undefined,
      intervalMs: 900_000,
      failures: 2,
      pages: undefined,
      pending: undefined,
      deliveries: undefined,
    };
    const sites = [
      { url: "https://a.test/", ...known },
      { url: 'https://b.test/"\n\\', ...unknown },
    ];
    const samples = samplesOf(new WatchMetrics().text(IDLE, sites));
    const own = [...samples].filter(([name]) => name.includes("{site="));
    expect(Object.fromEntries(own)).toEqual({
      'siteatlas_watch_site_last_success_timestamp_seconds{site="https://a.test/"}': 5,
      'siteatlas_watch_site_interval_seconds{site="https://a.test/"}': 900,
      'siteatlas_watch_site_interval_seconds{site="https://b.test/\\"\\n\\\\"}': 900,
      'siteatlas_watch_site_failures{site="https://a.test/"}': 0,
      'siteatlas_watch_site_failures{site="https://b.test/\\"\\n\\\\"}': 2,
      'siteatlas_watch_site_pages{site="https://a.test/"}': 7,
      'siteatlas_watch_site_pending_removals{site="https://a.test/"}': 1,
      'siteatlas_watch_site_outbox_deliveries{site="https://a.test/"}': 2,
    });
    expect(samples.get("siteatlas_watch_sites")).toBe(2);
    expect(samples.has("siteatlas_watch_outbox_deliveries")).toBe(false);
    const outbox = { deliveries: 3, oldestAt: Date.now() + 60_000 };
    const more = samplesOf(new WatchMetrics().text(IDLE, sites, outbox));
    expect(more.get("siteatlas_watch_outbox_deliveries")).toBe(3);
    // A clock that was set back does not make the age negative.
    expect(more.get("siteatlas_watch_outbox_oldest_seconds")).toBe(0);
  });
});

describe("the endpoint", () => {
  let health: Health;

  async function open(): Promise<
    (path: string, method?: string, host?: string) => Promise<[number, string]>
  > {
    health = { isHealthy: true, facts: { status: "ok" } };
    const source = { metrics: () => "a 1\n", health: () => health };
    const server = await serveMetrics(source, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    return (path, method = "GET", host = new URL(server.address).host) =>
      new Promise((resolve, reject) => {
        const options = { method, headers: { host }, agent: false };
        request(server.address + path, options, (response) => {
          text(response).then((body) => resolve([response.statusCode!, body]), reject);
        })
          .on("error", reject)
          .end();
      });
  }

  test("serves metrics and health, and nothing else", async () => {
    const ask = await open();
    expect(await ask("/metrics")).toEqual([200, "a 1\n"]);
    expect(await ask("/metrics", "HEAD")).toEqual([200, ""]);
    expect(await ask("/healthz?full")).toEqual([200, '{"status":"ok"}\n']);
    health = { isHealthy: false, facts: { status: "overdue" } };
    expect(await ask("/healthz")).toEqual([503, '{"status":"overdue"}\n']);
    expect((await ask("/"))[0]).toBe(404);
    expect((await ask("/metrics", "POST"))[0]).toBe(405);
  });

  test("on loopback answers only to addresses and localhost, because of DNS rebinding", async () => {
    const ask = await open();
    expect((await ask("/metrics", "GET", "attacker.test:9464"))[0]).toBe(403);
    expect((await ask("/metrics", "GET", "localhost:9464"))[0]).toBe(200);
    expect((await ask("/metrics", "GET", "[::1]:9464"))[0]).toBe(200);
  });

  test("fails with a hint if the port is in use", async () => {
    const source = { metrics: () => "", health: () => health };
    const first = await serveMetrics(source, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => first.close());
    const port = Number(new URL(first.address).port);
    await expect(serveMetrics(source, { host: "127.0.0.1", port })).rejects.toMatchObject({
      message: `cannot serve metrics on 127.0.0.1:${port}: another program uses this port`,
      exitCode: 2,
    });
  });
});
