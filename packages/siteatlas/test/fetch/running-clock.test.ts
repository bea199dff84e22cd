/** A clock that stops with the process. The times are injected. */
import { describe, expect, it, onTestFinished } from "vitest";
import { RunningClock } from "../../src/fetch/running-clock.ts";

/** A clock, and a function that lets time pass: on both clocks, or on one of them. */
function fakeClock(): { clock: RunningClock; pass: (monotonicMs: number, wallMs?: number) => void } {
  const time = { monotonic: 1000, wall: 1_000_000 };
  const clock = new RunningClock({
    now: () => time.monotonic,
    monotonic: () => time.monotonic,
    wall: () => time.wall,
  });
  return {
    clock,
    pass: (monotonicMs, wallMs = monotonicMs) => {
      time.monotonic += monotonicMs;
      time.wall += wallMs;
    },
  };
}

describe("a running clock", () => {
  it("runs like any other while the process runs", () => {
    const { clock, pass } = fakeClock();
    onTestFinished(clock.hold());
    const from = clock.now();
    for (let i = 0; i < 100; i++) {
      pass(500);
      expect(clock.now() - from).toBe(500 * (i + 1));
    }
    expect(clock.pauses).toBe(0);
  });

  it("stops while the process is stopped (Ctrl-Z, SIGSTOP)", () => {
    const { clock, pass } = fakeClock();
    onTestFinished(clock.hold());
    const from = clock.now();
    pass(400);
    clock.now();
    pass(3_600_000);
    expect(clock.now() - from).toBe(400);
    expect(clock.pauses).toBe(1);
    pass(100);
    expect(clock.now() - from).toBe(500);
    expect(clock.pauses).toBe(1);
  });

  it("notices that the machine slept, though the monotonic clock does not", () => {
    const { clock, pass } = fakeClock();
    onTestFinished(clock.hold());
    clock.now();
    pass(100, 3_600_000);
    expect(clock.pauses).toBe(1);
  });

  it("a busy machine and a time of day that is set back are not pauses", () => {
    const { clock, pass } = fakeClock();
    onTestFinished(clock.hold());
    const from = clock.now();
    pass(2000);
    expect(clock.now() - from).toBe(2000);
    pass(100, -3_600_000);
    expect(clock.now() - from).toBe(2100);
    expect(clock.pauses).toBe(0);
  });

  it("notices nothing while it is not held", () => {
    const { clock, pass } = fakeClock();
    pass(3_600_000);
    expect(clock.pauses).toBe(0);
    const from = clock.now();
    onTestFinished(clock.hold());
    pass(1000);
    expect(clock.now() - from).toBe(1000);
  });
});
