/**
 * Scores how reliable the lastModified dates of a sitemap are. Many generators set the date of every page to the
 * time of the build or of the request. Then dates change while the pages do not, and a crawler that follows them
 * fetches every page each time.
 */

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

/** A reason to distrust dates: the name of a share in `LastmodTrust`. */
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
 * @param lines the pages of one sitemap
 * @param madeAt the HTTP Last-Modified of the sitemap
 * @param restamped the value of `restamped` in the last snapshot
 * @param skewMs how far the server's clock is ahead of the local clock. Negative if it is behind
 */
export function measureDates(
  lines: readonly string[],
  askedAt: Date,
  madeAt?: Date,
  restamped = 0,
  skewMs = 0,
): LastmodTrust {
  const counts = new Map<string, number>();
  let absent = 0;
  for (const line of lines) {
    const text = dateOfLine(line);
    if (text === undefined) absent++;
    else counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  // All dates have the same format, so they can be compared as text.
  const tomorrow = textOf(askedAt.getTime() + FUTURE_MS);
  const serverTime = new Date(askedAt.getTime() + skewMs);
  const moments = [askedAt, serverTime, ...(madeAt === undefined ? [] : [madeAt])].map((at) => [
    textOf(at.getTime() - GENERATED_MS),
    textOf(at.getTime() + GENERATED_MS),
  ]);
  let [bulk, sameDay, generated, future] = [0, 0, 0, 0];
  for (const [text, count] of counts) {
    if (text > tomorrow) future += count;
    if (text.length <= DAY_LENGTH) {
      sameDay = Math.max(sameDay, count);
      continue;
    }
    bulk = Math.max(bulk, count);
    if (moments.some(([from, to]) => text >= from! && text <= to!)) generated += count;
  }
  const total = lines.length;
  const isMany = total >= MIN_PAGES;
  return rate({
    absent: share(absent, total),
    bulk: isMany ? share(bulk, total) : 0,
    sameDay: isMany ? share(sameDay, total) : 0,
    generated: isMany ? share(generated, total) : 0,
    future: share(future, total),
    restamped,
  });
}

/** Returns the newest date of these pages, as their lines spell it. Ignores texts that are not a date. */
export function newestDateOf(lines: readonly string[]): string | undefined {
  let newest: string | undefined;
  for (const line of lines) {
    const text = dateOfLine(line);
    if (text !== undefined && (newest === undefined || text > newest) && DATE.test(text)) newest = text;
  }
  return newest;
}

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
    // A snapshot of an earlier version has no sameDay.
    for (const name of REASONS) sum[name] += (lastmod[name] ?? 0) * pageCount;
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
  const { absent, bulk, sameDay = 0, generated, future, restamped } = shares;
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
