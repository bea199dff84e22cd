import { describe, expect, it } from "vitest";
import { backoffMs, isRetryable, retryAfterMs } from "../../src/fetch/retry.ts";

describe("which responses are retried", () => {
  // H10 to H16, RFC 9110 section 15.
  it.each([408, 425, 429, 500, 502, 503, 504, 520, 524, 599])("%d can", (status) => {
    expect(isRetryable(status)).toBe(true);
  });
  it.each([200, 204, 206, 301, 304, 400, 401, 403, 404, 410, 501, 505])("%d cannot", (status) => {
    expect(isRetryable(status)).toBe(false);
  });
});

describe("backoff", () => {
  it("is random between 0 and the doubled base (full jitter)", () => {
    expect([0, 1, 2].map((tries) => backoffMs(tries, 100, () => 1))).toEqual([100, 200, 400]);
    expect(backoffMs(3, 100, () => 0)).toBe(0);
    expect(backoffMs(0, 0)).toBe(0);
    const waits = Array.from({ length: 200 }, () => backoffMs(1, 100));
    expect(Math.min(...waits)).toBeLessThan(60);
    expect(Math.max(...waits)).toBeGreaterThan(140);
    expect(Math.max(...waits)).toBeLessThanOrEqual(200);
  });
});

describe("Retry-After (RFC 9110 section 10.2.3)", () => {
  const now = Date.UTC(2024, 0, 2, 3, 4, 5);
  it.each<[string | undefined, number | undefined]>([
    [undefined, undefined],
    ["7", 7000],
    [" 120 ", 120_000],
    ["0", 0],
    ["999999999", 999_999_999_000],
    ["Tue, 02 Jan 2024 03:04:15 GMT", 10_000],
    ["Tue, 02 Jan 2024 03:04:00 GMT", 0],
    ["Fri, 31 Dec 9999 23:59:59 GMT", Date.UTC(9999, 11, 31, 23, 59, 59) - now],
    // sec-H16
    ["-1", undefined],
    ["1.5", undefined],
    ["9".repeat(400), undefined],
    ["soon", undefined],
    ["", undefined],
    ["not a date GMT", undefined],
    // Without a zone, the zone of the machine would apply.
    ["Tue, 02 Jan 2024 03:04:15", undefined],
  ])("%j", (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});
