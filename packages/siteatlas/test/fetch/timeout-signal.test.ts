import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { createDeadline, sleep, TimeoutError, unlessAborted } from "../../src/fetch/timeout-signal.ts";
import { watchLeftovers } from "../support/http-server.ts";

const listeners = (signal: AbortSignal): number => getEventListeners(signal, "abort").length;
const reason = new Error("not any more");

describe("deadline", () => {
  it("aborts after its time", async () => {
    const { signal } = createDeadline(undefined, 10, "The test");
    // On a busy machine the time may be up before there is a listener.
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    expect(signal.reason).toBeInstanceOf(TimeoutError);
    expect(signal.reason).toMatchObject({
      code: "SITEATLAS_TIMEOUT",
      message: "The test took more than 10 ms",
    });
  });

  it("aborts with its parent, also if the parent is aborted already", () => {
    const parent = new AbortController();
    const deadline = createDeadline(parent.signal, 1000, "The test");
    parent.abort(reason);
    expect(deadline.signal.reason).toBe(reason);
    expect(createDeadline(parent.signal, 1000, "The test").signal.reason).toBe(reason);
    deadline.clear();
  });

  it("leaves nothing behind", async () => {
    const check = watchLeftovers();
    const parent = new AbortController();
    const deadline = createDeadline(parent.signal, 10_000, "The test");
    expect(listeners(parent.signal)).toBe(1);
    deadline.clear();
    expect(listeners(parent.signal)).toBe(0);
    await check();
  });

  it("may have many listeners and many children without a warning", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const parent = new AbortController();
    const deadlines = Array.from({ length: 20 }, () => createDeadline(parent.signal, 1000, "The test"));
    for (let n = 0; n < 20; n++) deadlines[0]!.signal.addEventListener("abort", () => n);
    await sleep(5, new AbortController().signal);
    for (const deadline of deadlines) deadline.clear();
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });

  it.each([2 ** 31, 1e15, Number.POSITIVE_INFINITY])("%d ms do not end at once", async (ms) => {
    const deadline = createDeadline(undefined, ms, "The test");
    await sleep(20, new AbortController().signal);
    expect(deadline.signal.aborted).toBe(false);
    deadline.clear();
  });
});

describe("sleep", () => {
  it("rejects when the signal aborts, and leaves no timer", async () => {
    const check = watchLeftovers();
    const controller = new AbortController();
    const sleeping = sleep(10_000, controller.signal);
    controller.abort(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(() => sleep(1, controller.signal)).toThrow(reason);
    await check();
  });

  it("leaves no listener", async () => {
    const { signal } = new AbortController();
    await sleep(1, signal);
    expect(listeners(signal)).toBe(0);
  });
});

describe("unlessAborted", () => {
  it("settles like the promise, and leaves no listener", async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
    expect(listeners(signal)).toBe(0);
  });

  it("does not wait for a promise that never settles", async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(new Promise(() => {}), controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(unlessAborted(new Promise(() => {}), controller.signal)).rejects.toBe(reason);
  });

  it("handles a later rejection of the promise", async () => {
    const controller = new AbortController();
    controller.abort(reason);
    await expect(unlessAborted(Promise.reject(new Error("late")), controller.signal)).rejects.toBe(reason);
  });
});
