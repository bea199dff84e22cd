/**
 * Scores how reliable the lastModified dates of a sitemap are. Many generators set the date of every page to the
 * time of the build or of the request. Then dates change while the pages do not, and a crawler that follows them
 * fetches every page each time.
 */
import { copyText } from "../snapshot/line-cursor.ts";

/** The score and the reasons for it. Each reason is a share of the pages, from 0 to 1. */
export interface LastmodTrust {
  /** The score, from 0 (unreliable) to 1 (reliable). */
  readonly score: number;
  /** Share of pages without a date. */
  readonly absent: number;
  /** Share of pages with the most frequent date, if that date includes a time of day. */
  readonly bulk: number;
  /**
   * Share of pages with the most frequent date, if that date has no time of day. Lowers the score only if it is at
   * least 0.9.
   */
  readonly sameDay: number;
  /** Share of pages dated at the time of the request, or at the Last-Modified header of the sitemap. */
  readonly generated: number;
  /** Share of pages with a date in the future. */
  readonly future: number;
  /**
   * Share of pages whose date changed while the rest of their data did not, when the sitemap last changed. If this
   * share is below 0.5, half of the previous value is stored instead.
   */
  readonly restamped: number;
}

/** A reason to distrust dates: the property of `LastmodTrust` with the share of pages that have this fault. */
export type LastmodReason = Exclude<keyof LastmodTrust, "score">;

/** If the score is lower, a new date is not a reason to fetch a page again. */
export const WEAK_SCORE = 0.5;

/** With fewer pages, equal dates prove nothing: the pages may really have been edited together. */
const MIN_PAGES = 10;
/**
 * A smaller share of pages with equal, generated or changed dates is ignored: sites with reliable dates also have it.
 */
const MIN_SHARE = 0.5;
/**
 * A smaller share of pages with the same day is ignored: on a site with reliable dates, many pages may have the same
 * day, but rarely nearly all.
 */
export const MIN_SAME_DAY = 0.9;
const GENERATED_MS = 10 * 60_000;
const FUTURE_MS = 24 * 3_600_000;
const FIELD = "\tlastModified=";
/** A date as snapshots write it. */
export const DATE: RegExp = /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d{1,3})?Z)?)?)?$/;
/** Length of a date without a time, such as `2026-05-01`. */
const DAY_LENGTH = 10;

/**
 * How much each reason lowers the score. A reason that applies to all pages multiplies the score by 1 minus its weight.
 */
const WEIGHTS: Readonly<Record<LastmodReason, number>> = {
  absent: 1,
  bulk: 0.8,
  // Lowers the score at most to WEAK_SCORE: if all pages were published on one day, a later date of a page is reliable.
  sameDay: 0.5,
  generated: 0.9,
  future: 1,
  restamped: 0.9,
};

/**
 * Maximum number of different dates that are counted. If there are more, the count of a date may be too low, by at most
 * 0.01 % of the pages. Stops a sitemap with a million pages that all have different dates.
 */
const MAX_DATES = 10_000;

/** Measures the dates of one sitemap. */
export class DateMeter {
  readonly #tomorrow: string;
  readonly #moments: readonly (readonly [from: string, to: string])[];
  readonly #counts: Map<string, number> = new Map();
  #total = 0;
  #absent = 0;
  #generated = 0;
  #future = 0;

  /**
   * @param madeAt the HTTP Last-Modified of the sitemap
   * @param skewMs how far the server's clock is ahead of the local clock. Negative if it is behind
   */
  constructor(askedAt: Date, madeAt?: Date, skewMs = 0) {
    // All dates have the same format, so they can be compared as text.
    this.#tomorrow = textOf(askedAt.getTime() + FUTURE_MS);
    const serverTime = new Date(askedAt.getTime() + skewMs);
    this.#moments = [askedAt, serverTime, ...(madeAt === undefined ? [] : [madeAt])].map((at) => [
      textOf(at.getTime() - GENERATED_MS),
      textOf(at.getTime() + GENERATED_MS),
    ]);
  }

  /** @param lines pages of the sitemap */
  add(lines: readonly string[]): void {
    this.#total += lines.length;
    for (const line of lines) {
      const text = dateOfLine(line);
      if (text === undefined) this.#absent++;
      else this.#addDate(text);
    }
  }

  #addDate(text: string): void {
    const count = this.#counts.get(text);
    if (count !== undefined) this.#counts.set(text, count + 1);
    else if (this.#counts.size < MAX_DATES) this.#counts.set(copyText(text), 1);
    else this.#lowerCounts();
    if (text > this.#tomorrow) this.#future++;
    const isTime = text.length > DAY_LENGTH;
    if (isTime && this.#moments.some(([from, to]) => text >= from && text <= to)) this.#generated++;
  }

  /**
   * Lowers all counts by 1 and drops dates with the count 0, to make room for frequent dates (algorithm of Misra and
   * Gries).
   */
  #lowerCounts(): void {
    for (const [text, count] of this.#counts) {
      if (count === 1) this.#counts.delete(text);
      else this.#counts.set(text, count - 1);
    }
  }

  /**
   * Returns the score and its reasons. Undefined for a sitemap without pages.
   *
   * @param restamped the value of `restamped` in the last snapshot
   */
  trust(restamped = 0): LastmodTrust | undefined {
    const total = this.#total;
    if (total === 0) return undefined;
    let [bulk, sameDay] = [0, 0];
    for (const [text, count] of this.#counts) {
      if (text.length <= DAY_LENGTH) sameDay = Math.max(sameDay, count);
      else bulk = Math.max(bulk, count);
    }
    const isMany = total >= MIN_PAGES;
    return rate({
      absent: share(this.#absent, total),
      bulk: isMany ? share(bulk, total) : 0,
      sameDay: isMany ? share(sameDay, total) : 0,
      generated: isMany ? share(this.#generated, total) : 0,
      future: share(this.#future, total),
      restamped,
    });
  }
}

/**
 * Returns the newest date in these lines of pages, as its line spells it, or `newest` if that is newer. Ignores texts that
 * are not a date.
 *
 * @param text lines, joined by line feeds
 * @param newest the newest date of the lines before
 */
export function newestDateOf(text: string, newest: string | undefined): string | undefined {
  let found = newest;
  for (let at = text.indexOf(FIELD); at >= 0; at = text.indexOf(FIELD, at)) {
    at += FIELD.length;
    let end = at;
    while (text.charCodeAt(end) > SPACE) end++;
    const date = text.slice(at, end);
    if ((found === undefined || date > found) && DATE.test(date)) found = copyText(date);
  }
  return found;
}

const SPACE = 0x20;

/** @param restamped number of pages where only the date changed since the last sync */
export function withRestamps(trust: LastmodTrust, restamped: number, pageCount: number): LastmodTrust {
  const moved = pageCount >= MIN_PAGES ? share(restamped, pageCount) : 0;
  // Without new restamping, each change of the sitemap halves the earlier value.
  return rate({ ...trust, restamped: moved >= MIN_SHARE ? moved : trust.restamped / 2 });
}

/**
 * Whether a sitemap was restamped since the last sync: most dates changed, nothing else did, and most new dates are the
 * same. An example is a generator that writes the current day into every page, every day.
 */
export function isRestamped({ bulk, sameDay }: LastmodTrust, restamped: number, pageCount: number): boolean {
  const isMany = pageCount >= MIN_PAGES && share(restamped, pageCount) >= MIN_SHARE;
  return isMany && Math.max(bulk, sameDay) >= MIN_SHARE;
}

/** The average over the sitemaps of a site, weighted by their number of pages. */
export function siteTrust(
  sitemaps: readonly { readonly lastmod?: LastmodTrust; readonly pageCount: number }[],
): LastmodTrust {
  const sum = Object.fromEntries(REASONS.map((name) => [name, 0])) as Record<LastmodReason, number>;
  let total = 0;
  for (const { lastmod, pageCount } of sitemaps) {
    if (lastmod === undefined) continue;
    total += pageCount;
    for (const name of REASONS) sum[name] += lastmod[name] * pageCount;
  }
  for (const name of REASONS) sum[name] = share(sum[name], total);
  return rate(sum);
}

const REASONS = Object.keys(WEIGHTS) as LastmodReason[];

/** A reason lowers the score only if its share of the pages is at least this large. */
const USUAL: Readonly<Partial<Record<LastmodReason, number>>> = {
  bulk: MIN_SHARE,
  generated: MIN_SHARE,
  sameDay: MIN_SAME_DAY,
};

function rate(shares: Readonly<Record<LastmodReason, number>>): LastmodTrust {
  const { absent, bulk, sameDay, generated, future, restamped } = shares;
  const given = { absent, bulk, sameDay, generated, future, restamped };
  let score = 1;
  for (const name of REASONS) {
    if (given[name] >= (USUAL[name] ?? 0)) score *= 1 - WEIGHTS[name] * given[name];
  }
  return { score: round(score), ...given };
}

function dateOfLine(line: string): string | undefined {
  const at = line.indexOf(FIELD);
  if (at < 0) return undefined;
  const start = at + FIELD.length;
  const end = line.indexOf("\t", start);
  return end < 0 ? line.slice(start) : line.slice(start, end);
}

function textOf(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? "" : date.toISOString().slice(0, 19);
}

function share(part: number, total: number): number {
  return total === 0 ? 0 : round(part / total);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
