import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Client } from "../../src/fetch/client.ts";
import { type GateRules, gateOf, HostGate } from "../../src/fetch/host-gate.ts";
import { watchLeftovers } from "../support/http-server.ts";

const HOST = "www.example.com";
const TWO: GateRules = { concurrency: 2, delayMs: 0 };
const { signal } = new AbortController();
setMaxListeners(0, signal);
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Timers may be early by a millisecond. */
const SLACK = 1;

describe("gate", () => {
  it("lets two in at once, of 50, in order", async () => {
    const gate = new HostGate();
    const entered: number[] = [];
    let active = 0;
    let max = 0;
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const leave = await gate.enter(HOST, TWO, signal);
        entered.push(n);
        max = Math.max(max, ++active);
        await wait(1);
        active--;
        leave();
      }),
    );
    expect(max).toBe(2);
    expect(entered).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it("knows one host from another", async () => {
    const gate = new HostGate();
    const one = { concurrency: 1, delayMs: 0 };
    await Promise.all(["a", "b", "a:8080"].map((host) => gate.enter(host, one, signal)));
  });

  it("counts a leaving once", async () => {
    const gate = new HostGate();
    const leave = await gate.enter(HOST, TWO, signal);
    await gate.enter(HOST, TWO, signal);
    leave();
    leave();
    await gate.enter(HOST, TWO, signal);
    let isIn = false;
    gate.enter(HOST, TWO, signal).then(() => {
      isIn = true;
    });
    await wait(5);
    expect(isIn).toBe(false);
  });

  it("keeps the delay from one request to the next, also after the first has left", async () => {
    const gate = new HostGate();
    const times: number[] = [];
    for (let n = 0; n < 4; n++) {
      const leave = await gate.enter(HOST, { concurrency: 2, delayMs: 30 }, signal);
      times.push(performance.now());
      leave();
    }
    for (const [n, time] of times.entries()) {
      if (n > 0) expect(time - times[n - 1]!).toBeGreaterThanOrEqual(30 - SLACK);
    }
  });

  it("keeps a pause for everybody, the longest of several", async () => {
    const gate = new HostGate();
    const leave = await gate.enter(HOST, TWO, signal);
    const from = performance.now();
    const waiting = [1, 2, 3].map(() => gate.enter(HOST, { concurrency: 4, delayMs: 0 }, signal));
    gate.pause("another", 10_000);
    // Two are in already: the rules of the first who waits allow four.
    await Promise.all(waiting);
    expect(performance.now() - from).toBeLessThan(5000);
    gate.pause(HOST, 60);
    gate.pause(HOST, 20);
    leave();
    await gate.enter(HOST, { concurrency: 9, delayMs: 0 }, signal);
    expect(performance.now() - from).toBeGreaterThanOrEqual(60 - SLACK);
  });

  it("can be left while waiting, and leaves no timer", async () => {
    const check = watchLeftovers();
    const gate = new HostGate();
    gate.pause(HOST, 10_000);
    const controller = new AbortController();
    const reason = new Error("not any more");
    const waiting = gate.enter(HOST, TWO, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(() => gate.enter(HOST, TWO, controller.signal)).toThrow(reason);
    await check();
  });

  it("lets the next in when the one before gives up", async () => {
    const gate = new HostGate();
    const leave = await gate.enter(HOST, { concurrency: 1, delayMs: 0 }, signal);
    const controller = new AbortController();
    const first = gate.enter(HOST, { concurrency: 1, delayMs: 0 }, controller.signal);
    const second = gate.enter(HOST, TWO, signal);
    controller.abort();
    await expect(first).rejects.toThrow();
    await second;
    leave();
  });

  it("waits for more time than a timer knows", async () => {
    const gate = new HostGate();
    gate.pause(HOST, 2 ** 40);
    const controller = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const waiting = gate.enter(HOST, TWO, controller.signal);
    await wait(20);
    process.off("warning", onWarning);
    // TimeoutOverflowWarning: it would wake up every millisecond.
    expect(warnings).toEqual([]);
    controller.abort();
    await expect(waiting).rejects.toThrow();
  });

  it("belongs to its client", () => {
    const client: Client = () => Promise.reject(new Error());
    expect(gateOf(client)).toBe(gateOf(client));
    expect(gateOf(client)).not.toBe(gateOf(() => Promise.reject(new Error())));
  });
});
