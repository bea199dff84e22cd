/** Numbers about the pages of one sitemap, for rules about the sitemap as a whole. */
import type { DateValue, Page } from "../../model/model.ts";

/** Maximum number of origins that are remembered per sitemap. */
const MAX_ORIGINS = 8;

/** A date that many pages of a sitemap have. */
export interface CommonDate {
  /** The date. */
  readonly date: DateValue;
  /** Number of pages that have it. */
  readonly count: number;
}

/** Numbers about the pages of one sitemap. */
export class PageStats {
  /** Number of pages. */
  pages = 0;
  /** Number of pages with a date that could be read. */
  dated = 0;
  /** Number of dates without a time. */
  daysOnly = 0;
  /** The newest date that is not in the future, in milliseconds since 1970. */
  newest: number = Number.NEGATIVE_INFINITY;
  /** Number of pages with a priority. */
  priorities = 0;
  /** Number of pages with a change frequency. */
  frequencies = 0;
  /** Whether all priorities are the same. */
  isPriorityConstant = true;
  /** Number of pages with a news block. */
  news = 0;
  /** Number of pages with `<mobile:mobile/>`. */
  mobile = 0;
  /** Origins of the pages. At most 8 are kept. */
  readonly origins: Set<string> = new Set();
  readonly #now: number;
  #origin = "\n";
  #priority: number | undefined;
  #date = "";
  #dateVotes = 0;
  #dateCount = 0;
  #dateValue: DateValue | undefined;

  constructor(now: Date) {
    this.#now = now.getTime();
  }

  /** Adds a page. */
  add(page: Page): void {
    this.pages++;
    const { lastModified, priority, changeFrequency } = page;
    if (lastModified?.value !== undefined) this.#addDate(lastModified, lastModified.value);
    if (priority !== undefined) {
      this.priorities++;
      this.#priority ??= priority;
      if (priority !== this.#priority) this.isPriorityConstant = false;
    }
    if (changeFrequency !== undefined) this.frequencies++;
    if (page.news !== undefined) this.news++;
    if (page.mobile !== undefined) this.mobile++;
    if (!page.url.startsWith(this.#origin)) this.#addOrigin(page.url);
  }

  /**
   * The date that most pages have, and how many have it. The number may be too small if fewer than half of the pages
   * have the same date.
   */
  get commonDate(): CommonDate | undefined {
    return this.#dateValue && { date: this.#dateValue, count: this.#dateCount };
  }

  /** Finds the majority with one counter (Boyer and Moore), because a map of all dates would grow with the site. */
  #addDate(date: DateValue, value: Date): void {
    this.dated++;
    if (date.precision !== "time") this.daysOnly++;
    const ms = value.getTime();
    if (ms > this.newest && ms <= this.#now) this.newest = ms;
    if (date.text === this.#date) {
      this.#dateVotes++;
      this.#dateCount++;
    } else if (this.#dateVotes > 0) this.#dateVotes--;
    else {
      this.#date = date.text;
      this.#dateValue = date;
      this.#dateVotes = 1;
      this.#dateCount = 1;
    }
  }

  #addOrigin(url: string): void {
    const slash = url.indexOf("/", 8);
    const origin = slash < 0 ? `${url}/` : url.slice(0, slash + 1);
    this.#origin = origin;
    if (this.origins.size < MAX_ORIGINS) this.origins.add(origin.slice(0, -1));
  }
}
