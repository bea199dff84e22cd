/**
 * Counts pages by the month of their last modification, from 1990 to 2049, and chooses the months of a chart. Dates
 * before and after these years are mistakes. One counter is for all earlier dates, another one for all later dates.
 */

const FIRST_YEAR = 1990;
const MONTHS = 12 * 60;

/** Dates far from all others are outliers if they are at most this share of all dates. */
const OUTLIERS = 1 / 200;
/**
 * Outliers must also be separated from the other dates by empty months. The empty months must be at least this share of
 * all months of the chart.
 */
const OUTLIER_GAP = 1 / 3;

export interface MonthRange {
  readonly from: number;
  /** The last month of the range. It is included. */
  readonly to: number;
}

export const ALL_MONTHS: MonthRange = { from: 0, to: MONTHS - 1 };

export class MonthCounts {
  /** Number of pages per month. The first and the last element count earlier and later dates. */
  readonly #counts: Uint32Array = new Uint32Array(MONTHS + 2);
  total = 0;

  /** Adds pages. @param month the result of `monthOf` */
  add(month: number, pages = 1): void {
    this.#counts[month + 1]! += pages;
    this.total += pages;
  }

  /**
   * Returns the months to show in a chart, without outliers: a single page dated 2049 would make all other years tiny.
   * Returns undefined if no month has a page.
   *
   * @param range only its last month is used. Later dates are ignored
   */
  range({ to: newest }: MonthRange = ALL_MONTHS): MonthRange | undefined {
    let from = 0;
    let to = newest;
    while (from <= newest && this.#at(from) === 0) from++;
    while (to > from && this.#at(to) === 0) to--;
    if (from > newest) return undefined;
    for (;;) {
      const [start, end] = [this.#inner(from, to), this.#inner(to, from)];
      if (start === from && end === to) return { from, to };
      // Move only one end per round, because the range gets shorter. The next round compares gaps with the new length.
      if (start !== from) from = start;
      else to = end;
    }
  }

  /** Number of pages before and after these months. */
  outside({ from, to }: MonthRange): { readonly before: number; readonly after: number } {
    return { before: this.#sum(-1, from - 1), after: this.#sum(to + 1, MONTHS) };
  }

  /**
   * The number of pages per month in each bin of a chart. A bin has one or several months. The values are averages,
   * because not all bins have the same number of months, and sums would show waves that the site does not have.
   *
   * @param count maximum number of bins. No bin is shorter than a month
   * @param unfinished the current month, which has few pages because it is not over. It does not lower the value of its
   *   bin, unless it is alone in the bin
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

  /** The counts by name of the month, such as `2024-05`. Empty months are omitted. */
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

  /**
   * Returns the first month from `start` to `end` that is not an outlier: the month after the longest gap. Returns
   * `start` if it finds no outlier. If `start` is after `end`, searches backwards.
   */
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

/**
 * The number of a month: 0 for January 1990, 1 for February 1990. Returns -1 for all dates before 1990. Returns
 * `MONTHS` for all dates after 2049.
 */
export function monthOf(date: Date): number {
  const month = (date.getUTCFullYear() - FIRST_YEAR) * 12 + date.getUTCMonth();
  return Math.min(Math.max(month, -1), MONTHS);
}

/** The name of a month, such as `2024-05`. */
export function monthName(month: number): string {
  return `${FIRST_YEAR + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
}
