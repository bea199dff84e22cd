/**
 * Counts pages by the month of their last modification, from 1990 to 2049, and chooses the months of a chart. Earlier
 * and later dates are mistakes and have one count each.
 */

const FIRST_YEAR = 1990;
const MONTHS = 12 * 60;

/** A few distant dates are outliers if they are at most this share of all dates. */
const OUTLIERS = 1 / 200;
/** Outliers must also be separated from the other dates by empty months of at least this share of the axis. */
const OUTLIER_GAP = 1 / 3;

export interface MonthRange {
  readonly from: number;
  /** The last month, inclusive. */
  readonly to: number;
}

export const ALL_MONTHS: MonthRange = { from: 0, to: MONTHS - 1 };

export class MonthCounts {
  /** Counts per month, with one more at each end for earlier and later dates. */
  readonly #counts: Uint32Array = new Uint32Array(MONTHS + 2);
  total = 0;

  /** @param month from `monthOf` */
  add(month: number): void {
    this.#counts[month + 1]!++;
    this.total++;
  }

  /** The months to show, without outliers: one page of 2049 would hide the differences between years. */
  range({ to: newest }: MonthRange = ALL_MONTHS): MonthRange | undefined {
    let from = 0;
    let to = newest;
    while (from <= newest && this.#at(from) === 0) from++;
    while (to > from && this.#at(to) === 0) to--;
    if (from > newest) return undefined;
    for (;;) {
      const [start, end] = [this.#inner(from, to), this.#inner(to, from)];
      if (start === from && end === to) return { from, to };
      // One end per round: the next round compares gaps with the shorter axis.
      if (start !== from) from = start;
      else to = end;
    }
  }

  /** Number of pages before and after these months. */
  outside({ from, to }: MonthRange): { readonly before: number; readonly after: number } {
    return { before: this.#sum(-1, from - 1), after: this.#sum(to + 1, MONTHS) };
  }

  /**
   * The pages per month in this number of bins, at most one bin per month. The values are averages: bins differ in
   * their number of months, so sums would show waves that the site does not have.
   *
   * @param unfinished the current month. It does not lower a bin that it shares with other months
   */
  densities({ from, to }: MonthRange, count: number, unfinished?: number): number[] {
    const months = to - from + 1;
    const size = Math.min(count, months);
    return Array.from({ length: size }, (_, bin) => {
      const [start, end] = [Math.ceil((bin * months) / size), Math.ceil(((bin + 1) * months) / size)];
      const density = this.#density(from + start, from + end - 1);
      if (from + end - 1 !== unfinished || end - start === 1) return density;
      return Math.max(density, this.#density(from + start, from + end - 2));
    });
  }

  /** `2024-05` → count, without empty months. */
  byName({ from, to }: MonthRange = ALL_MONTHS): Record<string, number> {
    const counts: Record<string, number> = {};
    for (let month = from; month <= to; month++) {
      if (this.#at(month) > 0) counts[monthName(month)] = this.#at(month);
    }
    return counts;
  }

  #at(month: number): number {
    return this.#counts[month + 1]!;
  }

  #density(from: number, to: number): number {
    return this.#sum(from, to) / (to - from + 1);
  }

  #sum(from: number, to: number): number {
    let sum = 0;
    for (let month = from; month <= to; month++) sum += this.#at(month);
    return sum;
  }

  /** The start of the axis without outliers at `start`: after the longest gap that makes the axis much shorter. */
  #inner(start: number, end: number): number {
    const step = start < end ? 1 : -1;
    const least = OUTLIER_GAP * (Math.abs(end - start) + 1);
    let sum = 0;
    let previous = start;
    let longest = 0;
    let inner = start;
    for (let month = start; month !== end + step; month += step) {
      if (this.#at(month) === 0) continue;
      if (sum > this.total * OUTLIERS) break;
      const gap = Math.abs(month - previous) - 1;
      if (gap >= least && gap > longest) {
        longest = gap;
        inner = month;
      }
      sum += this.#at(month);
      previous = month;
    }
    return inner;
  }
}

/** Returns -1 before 1990, and one more than the last month after 2049. */
export function monthOf(date: Date): number {
  const month = (date.getUTCFullYear() - FIRST_YEAR) * 12 + date.getUTCMonth();
  return Math.min(Math.max(month, -1), MONTHS);
}

/** `2024-05` */
export function monthName(month: number): string {
  return `${FIRST_YEAR + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
}
