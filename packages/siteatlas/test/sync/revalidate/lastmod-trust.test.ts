/** The score of dates: what lowers it, and by how much. */
import { describe, expect, it } from "vitest";
import { DateMeter, type LastmodTrust, WEAK_SCORE } from "../../../src/sync/revalidate/lastmod-trust.ts";

const NOW = new Date("2026-11-16T10:00:00Z");

const measureDates = (lines: readonly string[], ...facts: ConstructorParameters<typeof DateMeter>) => {
  const meter = new DateMeter(...facts);
  // In two batches, as a long sitemap arrives.
  meter.add(lines.slice(0, 7));
  meter.add(lines.slice(7));
  return meter.trust()!;
};

/** Pages with these dates. */
const measure = (...dates: readonly (string | undefined)[]): LastmodTrust =>
  measureDates(
    dates.map((date, at) => `https://example.com/${at}${date === undefined ? "" : `\tlastModified=${date}`}`),
    NOW,
  );
const days = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `2026-01-${String(at + 1).padStart(2, "0")}`);
const times = <T>(count: number, value: T): T[] => Array<T>(count).fill(value);

describe("the score of a sitemap", () => {
  it("is 1 for different days", () => {
    expect(measure(...days(20)).score).toBe(1);
  });

  it("is low if all pages have the same instant", () => {
    expect(measure(...times(20, "2026-05-01T10:00:00"))).toMatchObject({ score: 0.2, bulk: 1, sameDay: 0 });
  });

  it("is not perfect if all pages have the same day, but a new date is not weak", () => {
    const trust = measure(...times(20, "2026-05-01"));
    expect(trust).toMatchObject({ score: 0.5, bulk: 0, sameDay: 1 });
    expect(trust.score).toBeGreaterThanOrEqual(WEAK_SCORE);
  });

  it.each([
    [18, 0.55],
    [17, 1],
  ])("with %i of 20 pages of one day is %d", (same, score) => {
    expect(measure(...times(same, "2026-05-01"), ...days(20 - same)).score).toBe(score);
  });

  it("says nothing about the same day of few pages", () => {
    expect(measure(...times(9, "2026-05-01")).score).toBe(1);
  });

  it("is low if all dates are the time of the request, by our clock or by that of the server", () => {
    const lines = days(20).map(
      (_, at) => `https://example.com/${at}\tlastModified=2026-11-13T10:00:${at + 10}Z`,
    );
    const skewMs = -3 * 24 * 3_600_000;
    expect(measureDates(lines, NOW)).toMatchObject({ score: 1, generated: 0 });
    expect(measureDates(lines, NOW, undefined, skewMs)).toMatchObject({ score: 0.1, generated: 1 });
  });

  it("is exact to 0.1 % when more dates differ than are counted", () => {
    const second = (at: number): string => new Date(1_700_000_000_000 + at * 1000).toISOString().slice(0, 19);
    const dates = Array.from({ length: 60_000 }, (_, at) =>
      at % 2 === 0 ? "2020-01-01T00:00:00" : second(at),
    );
    expect(measure(...dates).bulk).toBe(0.5);
  });

  it("is 0 without dates", () => {
    expect(measure(...times(20, undefined)).score).toBe(0);
  });
});
