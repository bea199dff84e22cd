/**
 * Limits that no server can hit exactly, because of clocks and sockets. These tests pass exact times and byte
 * counts to the code that decides: the limit itself is allowed, anything above is not, and zero allows nothing.
 * The tests with real servers are in request-limits.test.ts and in walk/limits-table.test.ts.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ResponseTimeouts, type TimeLimits } from "../../src/fetch/response-timeouts.ts";
import { createDeadline, TimeoutError, timeLeft } from "../../src/fetch/timeout-signal.ts";
import { DocumentLimits } from "../../src/walk/document/document-limits.ts";
import { readLimits, type WalkLimits } from "../../src/walk/options.ts";

const NONE = Number.POSITIVE_INFINITY;
const START = 123_456.789;

/** Whether the observed value exceeds the limit. */
type IsOver = (limit: number, amount: number) => boolean;

const clockOf = (limits: Partial<TimeLimits>): ResponseTimeouts =>
  new ResponseTimeouts({ headersMs: NONE, idleMs: NONE, requestMs: NONE, bytesPerSecond: 0, ...limits });

/** A clock after waiting this long for the headers. */
const afterHeaders = (clock: ResponseTimeouts, ms: number): ResponseTimeouts => {
  clock.start(START);
  clock.arrive(START + ms);
  return clock;
};

const meterOf = (limits: WalkLimits, used = NONE): DocumentLimits =>
  new DocumentLimits(readLimits(limits), () => used);

/** A meter of parse time, and a function that simulates parsing. */
function cpuMeter(cpuMs: number): { run: (wallMs: number, cpuMs: number) => DocumentLimits } {
  const now = { wall: 5, cpu: 7 };
  const clock = { wallMs: () => now.wall, cpuMs: () => now.cpu, recentCpuMs: () => now.cpu };
  const meter = new DocumentLimits(readLimits({ cpuMs }), () => 0, clock);
  const run = (wallMs: number, spentMs: number): DocumentLimits => {
    meter.measure(() => {
      now.wall += wallMs;
      now.cpu += spentMs;
    });
    return meter;
  };
  return { run };
}

const DECIDERS: Readonly<Record<string, IsOver>> = {
  // The limits of time.
  "any time": (limit, ms) => timeLeft(limit, ms) < 0,
  headersMs: (limit, ms) => {
    const clock = clockOf({ headersMs: limit });
    clock.start(0);
    return clock.left(ms) < 0;
  },
  "headersMs, with a pause that the server did not cause": (limit, ms) => {
    const clock = clockOf({ headersMs: limit });
    clock.start(0);
    clock.stop(1);
    clock.start(1_000_001);
    return clock.left(1_000_000 + ms) < 0;
  },
  idleMs: (limit, ms) => {
    const clock = afterHeaders(clockOf({ idleMs: limit }), 1_000_000);
    clock.start(0);
    return clock.left(ms) < 0;
  },
  "idleMs of a later chunk": (limit, ms) => {
    const clock = afterHeaders(clockOf({ idleMs: limit }), 10);
    clock.start(0);
    clock.arrive(1_000_000);
    clock.start(5_000_000);
    return clock.left(5_000_000 + ms) < 0;
  },
  "requestMs before the headers": (limit, ms) => {
    const clock = clockOf({ requestMs: limit });
    clock.start(0);
    return clock.left(ms) < 0;
  },
  "requestMs of headers, a chunk and the current wait": (limit, ms) => {
    const clock = afterHeaders(clockOf({ requestMs: limit }), 0);
    clock.start(1000);
    clock.arrive(1000 + ms - 1);
    // The reader took its time.
    clock.start(9_000_000);
    return clock.left(9_000_001) < 0;
  },
  cpuMs: (limit, ms) => cpuMeter(limit).run(ms, ms).breach !== undefined,
  "cpuMs of two chunks": (limit, ms) => {
    const { run } = cpuMeter(limit);
    run(0.5, 0.5);
    return run(ms - 0.5, ms - 0.5).breach !== undefined;
  },
};

describe.each(Object.entries(DECIDERS))("%s", (_, isOver) => {
  it.each([
    [0, 1, true],
    [1, 1, false],
    [1, 2, true],
    [1, 1.001, true],
    [30_000, 1, false],
    [30_000, 30_000, false],
    [30_000, 30_000.001, true],
    [30_000, 30_001, true],
    [NONE, 1e15, false],
  ])("limit %d, observed %d: over is %s", (limit, amount, expected) => {
    expect(isOver(limit, amount)).toBe(expected);
  });
});

it("a limit of zero is exceeded before any wait", () => {
  for (const name of ["headersMs", "requestMs"] as const) {
    const clock = clockOf({ [name]: 0 });
    clock.start(START);
    expect(clock.left(START)).toBeLessThan(0);
  }
  const clock = afterHeaders(clockOf({ idleMs: 0 }), 10);
  clock.start(START);
  expect(clock.left(START)).toBeLessThan(0);
  // A system clock that is too coarse to measure it.
  expect(cpuMeter(0).run(0, 0).breach).toMatchObject({ code: "limit.cpu" });
});

it("cpuMs uses the smaller of wall time and CPU time", () => {
  expect(cpuMeter(10).run(11, 10).breach).toBeUndefined();
  expect(cpuMeter(10).run(10, 11).breach).toBeUndefined();
  expect(cpuMeter(10).run(11, 11).breach).toEqual({
    code: "limit.cpu",
    value: "11 ms; limits.cpuMs allows 10",
  });
});

it("after a while, cpuMs uses the smaller of both for each chunk", () => {
  const { run } = cpuMeter(10);
  run(0, 100);
  run(2, 2);
  run(4, 9);
  expect(run(9, 4).breach).toBeUndefined();
  expect(run(1, 1).breach).toMatchObject({ code: "limit.cpu" });
});

it("names the exceeded limit", () => {
  const clock = clockOf({ headersMs: 10, idleMs: 20, requestMs: 25 });
  clock.start(0);
  expect(clock.error(11).message).toBe("The headers took more than 10 ms");
  clock.arrive(10);
  clock.start(0);
  expect(clock.error(21).message).toBe("The body paused for more than 20 ms");
  expect(clock.left(16)).toBe(-1);
  expect(clock.error(16).message).toBe("The request took more than 25 ms");
});

describe("bytesPerSecond (row 9)", () => {
  /** Whether this many bytes are too few for this waiting time. */
  const isTooSlow = (bytesPerSecond: number, bytes: number, ms: number, idleMs = 100): boolean => {
    const clock = afterHeaders(clockOf({ bytesPerSecond, idleMs }), 50_000);
    clock.start(0);
    clock.arrive(ms / 2);
    clock.start(1_000_000);
    clock.arrive(1_000_000 + ms / 2);
    return clock.isTooSlow(bytes);
  };

  it.each([
    [0, 0, 10_000, false],
    [1, 10, 10_000, false],
    [1, 9, 10_000, true],
    [1024, 10_240, 10_000, false],
    [1024, 10_239, 10_000, true],
    [1024, 10_240, 10_001, true],
    [1024, 0, 10_000, true],
    // Infinity means no limit.
    [NONE, 0, 10_000, false],
  ])("%d: %d bytes in %d ms: too slow is %s", (bytesPerSecond, bytes, ms, expected) => {
    expect(isTooSlow(bytesPerSecond, bytes, ms)).toBe(expected);
  });

  it.each([
    [0, 1, true],
    [1, 1, false],
    [1, 2, true],
    [10_000, 10_000, false],
    [10_000, 10_001, true],
    [NONE, 1e9, false],
  ])("is checked after waiting more than idleMs %d: after %d, %s", (idleMs, ms, expected) => {
    expect(isTooSlow(1024, 0, ms, idleMs)).toBe(expected);
  });
});

describe("compressionRatio (row 17)", () => {
  const FROM = 8 * 1024 * 1024;

  /** Decodes a number of bytes into another, with either way of counting them. */
  const breachOf = (compressionRatio: number, bytes: number, used: number): (string | undefined)[] => {
    const file = meterOf({ compressionRatio });
    file.takeBytes(used - 1);
    file.takeBytes(1);
    const coded = meterOf({ compressionRatio }, used);
    // More bytes were received than decompressed.
    const both = meterOf({ compressionRatio }, used + 1_000_000);
    both.takeBytes(used);
    return [file, coded, both].map((meter) => {
      for (const _ of meter.pieces(new Uint8Array(bytes)));
      return meter.breach?.value;
    });
  };
  const all = (value: string | undefined): (string | undefined)[] => [value, value, value];

  it.each([
    // Ratio, decoded bytes, encoded bytes, reported value.
    [0, FROM, 1, undefined],
    [0, FROM + 1, FROM + 1, "1; limits.compressionRatio allows 0"],
    [1, FROM + 1, FROM + 1, undefined],
    [1, FROM + 2, FROM + 1, "2; limits.compressionRatio allows 1"],
    [1000, 9_000_000, 9000, undefined],
    [1000, 9_000_001, 9000, "1001; limits.compressionRatio allows 1000"],
    [1000, 9_000_000, 8999, "1001; limits.compressionRatio allows 1000"],
    [0.5, 9_000_000, 18_000_000, undefined],
    [0.5, 9_000_001, 18_000_000, "1; limits.compressionRatio allows 0.5"],
    [NONE, 9_000_000, 1, undefined],
    // Up to 8 MiB the ratio is not checked.
    [1000, FROM, 1, undefined],
    [1000, FROM + 1, 1, `${FROM + 1}; limits.compressionRatio allows 1000`],
  ])("%d: %d bytes of %d: %s", (ratio, bytes, used, value) => {
    expect(breachOf(ratio, bytes, used)).toEqual(all(value));
  });

  it("applies to inner layers, whose size is not visible", () => {
    const meter = meterOf({ compressionRatio: 1000 });
    meter.takeBytes(9000);
    expect(meter.mayInflate(9_000_000, 0)).toBe(true);
    expect(meter.mayInflate(1, 0)).toBe(true);
    expect(meter.mayInflate(1, 0)).toBe(false);
    expect(meter.breach).toEqual({ code: "gzip.bomb", value: "1001; limits.compressionRatio allows 1000" });
  });
});

describe("a deadline (timeMs, row 33)", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("of zero aborts at once", () => {
    const { signal } = createDeadline(undefined, 0, "The walk");
    expect(signal.reason).toBeInstanceOf(TimeoutError);
  });

  it.each([1, 2, 300, 3_600_000, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1])(
    "of %d ms aborts one millisecond later, whatever timers do",
    (ms) => {
      const { signal } = createDeadline(undefined, ms, "The walk");
      vi.advanceTimersByTime(ms);
      expect(signal.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect(signal.reason).toBeInstanceOf(TimeoutError);
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it("without a time sets no timer", () => {
    const { signal } = createDeadline(undefined, NONE, "The walk");
    expect(vi.getTimerCount()).toBe(0);
    expect(signal.aborted).toBe(false);
  });
});
