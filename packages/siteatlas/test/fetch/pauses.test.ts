/** A pause of the process is not a timeout: the request waits on, or gets a further try. The clock is injected. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ClosableClient } from "../../src/fetch/client/client.ts";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import { fetchResource, type Resource } from "../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../src/fetch/politeness.ts";
import { RunningClock } from "../../src/fetch/running-clock.ts";
import type { Routes } from "../support/http-server.ts";
import { open } from "./client/client-suite.ts";

const HOUR_MS = 3_600_000;

let client: ClosableClient;
beforeAll(() => {
  client = createNodeClient({ allowPrivateNetworks: true });
});
afterAll(() => client.close());

/** A real clock that can be set forward, as if the process had been stopped. */
function stoppableClock(): { clock: RunningClock; stop: (ms: number) => void } {
  let stoppedMs = 0;
  const now = (): number => performance.now() + stoppedMs;
  return {
    clock: new RunningClock({ now, monotonic: now, wall: now }),
    stop: (ms) => {
      stoppedMs += ms;
    },
  };
}

/** Each request stops the process, and gets its response from the route after that. */
async function fetchWith(
  routes: readonly ((respond: (body: string) => void, cut: () => void) => void)[],
  limits: { readonly headersMs?: number; readonly idleMs?: number; readonly retries?: number } = {},
  stopMs: readonly number[] = [HOUR_MS],
): Promise<{ resource: Resource; requests: number; issues: string[] }> {
  const { clock, stop } = stoppableClock();
  const all: Routes = (_request, response) => {
    const at = server.requests.length - 1;
    stop(stopMs[at] ?? 0);
    routes[at]?.(
      (body) => response.end(body),
      () => response.destroy(),
    );
  };
  const server = await open(all);
  const issues: string[] = [];
  const resource = await fetchResource(`${server.url}/a`, {
    client,
    gate: gateOf(client),
    rules: () => ({ concurrency: 2, delayMs: 0 }),
    headers: () => ({}),
    signal: new AbortController().signal,
    report: (code, value) => issues.push(`${code} ${value}`),
    clock,
    limits: {
      redirects: 10,
      retries: 0,
      retryAfterMs: 1000,
      backoffMs: 5,
      headersMs: 20_000,
      idleMs: 20_000,
      requestMs: 30_000,
      wireBytes: 1_000_000,
      bytesPerSecond: 0,
      ...limits,
    },
  });
  if (resource.kind === "body") resource.cancel();
  return { resource, requests: server.requests.length, issues };
}

const AGAIN = "http.retry the process was stopped meanwhile";
const silent = (): void => {};

it("does not count the time in which the process was stopped", async () => {
  const { resource, requests, issues } = await fetchWith([(respond) => respond("body")]);
  expect(resource).toMatchObject({ kind: "body", status: 200 });
  expect(requests).toBe(1);
  expect(issues).toEqual([]);
});

it("sends a request again that times out after a pause", async () => {
  const { resource, requests, issues } = await fetchWith([silent, (respond) => respond("body")], {
    headersMs: 200,
  });
  expect(resource).toMatchObject({ kind: "body", status: 200 });
  expect(requests).toBe(2);
  expect(issues).toEqual([AGAIN]);
});

it("sends a request again whose connection broke during a pause, as often as there are pauses", async () => {
  const cut = (_respond: unknown, destroy: () => void): void => destroy();
  const { resource, requests, issues } = await fetchWith([cut, cut, cut, (respond) => respond("body")], {}, [
    HOUR_MS,
    HOUR_MS,
    HOUR_MS,
  ]);
  expect(resource).toMatchObject({ kind: "body", status: 200 });
  expect(requests).toBe(4);
  expect(issues).toEqual([AGAIN, AGAIN, AGAIN]);
});

it("does not send a request again that times out without a pause", async () => {
  const { resource, requests } = await fetchWith([silent], { headersMs: 200 }, []);
  expect(resource).toMatchObject({ kind: "failed", code: "http.timeout" });
  expect(requests).toBe(1);
});

it("gives one further try per pause", async () => {
  const { resource, requests, issues } = await fetchWith([silent, silent], { headersMs: 200 });
  expect(resource).toMatchObject({ kind: "failed", code: "http.timeout" });
  expect(requests).toBe(2);
  expect(issues).toEqual([AGAIN]);
});
