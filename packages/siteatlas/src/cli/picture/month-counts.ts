/** How many pages were last modified in each month, from 1990 to 2049: what is outside is no date of a page. */

const FIRST_YEAR = 1990;
const MONTHS = 12 * 60;

export interface MonthRange {
  readonly from: number;
  /** The last one, included. */
  readonly to: number;
}

export class MonthCounts {
  readonly #counts: Uint32Array = new Uint32Array(MONTHS);
  total = 0;

  /** `month` is what `monthOf` gave. */
  add(month: number): void {
    this.#counts[month]!++;
    this.total++;
  }

  /**
   * The months that matter. A handful of pages from 1999 or with a date of next century would press all others
   * into a corner: up to one in 200 at the lower end, one in 1000 at the upper, are left out.
   */
  range(): MonthRange | undefined {
    if (this.total === 0) return undefined;
    const from = this.#monthAt(Math.floor(this.total / 200));
    return { from, to: Math.max(from, this.#monthAt(this.total - 1 - Math.floor(this.total / 1000))) };
  }

  /** The counts of these months in so many bins, or one for each month when there are fewer. */
  bins({ from, to }: MonthRange, count: number): number[] {
    const months = to - from + 1;
    const size = Math.min(count, months);
    const bins = new Array<number>(size).fill(0);
    for (let i = 0; i < months; i++) bins[Math.floor((i * size) / months)]! += this.#counts[from + i]!;
    return bins;
  }

  /** `2024-05` → count, without empty months. */
  toJSON(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [month, count] of this.#counts.entries()) if (count > 0) counts[monthName(month)] = count;
    return counts;
  }

  /** The month of the page with this rank, by date. */
  #monthAt(rank: number): number {
    let before = 0;
    for (const [month, count] of this.#counts.entries()) {
      before += count;
      if (before > rank) return month;
    }
    return MONTHS - 1;
  }
}

/** `undefined` for what is outside. */
export function monthOf(date: Date): number | undefined {
  const month = (date.getUTCFullYear() - FIRST_YEAR) * 12 + date.getUTCMonth();
  return month >= 0 && month < MONTHS ? month : undefined;
}

/** `2024-05` */
export function monthName(month: number): string {
  return `${FIRST_YEAR + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}`;
}
