/**
 * Counts pages by the day of their date, from 1990 to 2049: one counter per day, so that all counts are exact and the
 * memory is the same for any site. Earlier and later dates have one counter each.
 */
import { monthOf } from "./modified-by-month.ts";

export const DAY_MS = 86_400_000;
const FIRST_DAY: number = Date.UTC(1990, 0) / DAY_MS;
const DAYS: number = Date.UTC(2050, 0) / DAY_MS - FIRST_DAY;

/** The month (`monthOf`) of each day. A lookup is faster than a `Date`. */
const MONTH_OF_DAY: Int16Array = Int16Array.from({ length: DAYS + 2 }, (_, index) =>
  monthOf(new Date((FIRST_DAY + index - 1) * DAY_MS)),
);

/** The index of a time: 0 is before 1990, `DAYS` + 1 is after 2049. */
export function dayIndexOf(time: number): number {
  const day = Math.floor(time / DAY_MS) - FIRST_DAY + 1;
  return day < 0 ? 0 : day > DAYS ? DAYS + 1 : day;
}

export function monthOfDay(index: number): number {
  return MONTH_OF_DAY[index]!;
}

/** The name of a day, such as `2026-09-03`. */
export function dayName(index: number): string {
  return new Date((FIRST_DAY + index - 1) * DAY_MS).toISOString().slice(0, 10);
}

export class DayCounts {
  readonly #counts: Uint32Array = new Uint32Array(DAYS + 2);

  add(index: number): void {
    this.#counts[index]!++;
  }

  at(index: number): number {
    return this.#counts[index] ?? 0;
  }

  /** Sum of the days from `from` to `to`, which is included. */
  sum(from: number, to: number): number {
    let sum = 0;
    for (let index = Math.max(from, 0); index <= to && index < this.#counts.length; index++)
      sum += this.#counts[index]!;
    return sum;
  }

  /** Counts by name of the day. Empty days are omitted. */
  byName(from: number, to: number): Record<string, number> {
    const counts: Record<string, number> = {};
    for (let index = Math.max(from, 1); index <= Math.min(to, DAYS); index++) {
      if (this.at(index) > 0) counts[dayName(index)] = this.at(index);
    }
    return counts;
  }
}
