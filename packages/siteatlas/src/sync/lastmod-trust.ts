/**
 * How much the lastModified of a sitemap's pages says. Many generators stamp all pages with the time of the
 * build, or of the request: such dates move without the pages, and a crawler that follows them reads
 * everything again each time.
 */

/** What speaks against the dates, with the share of the pages of which it is true. */
export interface LastmodTrust {
  /** From 0, they say nothing, to 1. */
  readonly score: number;
  /** Pages without a date. */
  readonly absent: number;
  /** Pages that share one date, though it gives the time of day. */
  readonly bulk: number;
  /** Pages that were modified, they say, just when we asked, or when the sitemap was made. */
  readonly generated: number;
  /** Pages from the future. */
  readonly future: number;
  /** Pages whose date moved since the last sync and nothing else, when most of them did. */
  readonly restamped: number;
}

export type LastmodReason = Exclude<keyof LastmodTrust, "score">;

/** Dates below this are no reason to read a page again. */
export const WEAK_SCORE = 0.5;

/** Fewer pages may well have been edited together. */
const MIN_PAGES = 10;
/** A share below this is nothing special. */
const MIN_SHARE = 0.5;
const GENERATED_MS = 10 * 60_000;
const FUTURE_MS = 24 * 3_600_000;
const FIELD = "\tlastModified=";
/** Of `2026-05-01`. */
const DAY_LENGTH = 10;

/** How much each share counts. */
const WEIGHTS: Readonly<Record<LastmodReason, number>> = {
  absent: 1,
  bulk: 0.8,
  generated: 0.9,
  future: 1,
  restamped: 0.9,
};

/**
 * What the lines of one sitemap show by themselves. `madeAt`: its Last-Modified by HTTP, if there is one;
 * `restamped`: what was seen of that before.
 */
export function measureDates(
  lines: readonly string[],
  askedAt: Date,
  madeAt?: Date,
  restamped = 0,
): LastmodTrust {
  const counts = new Map<string, number>();
  let absent = 0;
  for (const line of lines) {
    const text = dateOfLine(line);
    if (text === undefined) absent++;
    else counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  // In one spelling, and so in order as texts; a date without a time is never "just now".
  const tomorrow = textOf(askedAt.getTime() + FUTURE_MS);
  const moments = [askedAt, ...(madeAt === undefined ? [] : [madeAt])].map((at) => [
    textOf(at.getTime() - GENERATED_MS),
    textOf(at.getTime() + GENERATED_MS),
  ]);
  let [bulk, generated, future] = [0, 0, 0];
  for (const [text, count] of counts) {
    if (text > tomorrow) future += count;
    if (text.length <= DAY_LENGTH) continue;
    bulk = Math.max(bulk, count);
    if (moments.some(([from, to]) => text >= from! && text <= to!)) generated += count;
  }
  const total = lines.length;
  const isMany = total >= MIN_PAGES;
  return rate({
    absent: share(absent, total),
    bulk: isMany ? share(bulk, total) : 0,
    generated: isMany ? share(generated, total) : 0,
    future: share(future, total),
    restamped,
  });
}

/** The same, knowing that of its pages so many moved their dates since the last time, and nothing else. */
export function withRestamps(trust: LastmodTrust, restamped: number, pageCount: number): LastmodTrust {
  const moved = pageCount >= MIN_PAGES ? share(restamped, pageCount) : 0;
  // Once seen, it fades: half of it is kept from each sync to the next.
  return rate({ ...trust, restamped: moved >= MIN_SHARE ? moved : trust.restamped / 2 });
}

/** That of a site: of its sitemaps, each weighing as much as it has pages. */
export function siteTrust(
  sitemaps: readonly { readonly lastmod?: LastmodTrust; readonly pageCount: number }[],
): LastmodTrust {
  const sum: Record<LastmodReason, number> = { absent: 0, bulk: 0, generated: 0, future: 0, restamped: 0 };
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

function rate(shares: Readonly<Record<LastmodReason, number>>): LastmodTrust {
  let score = 1;
  for (const name of REASONS) {
    const isUsual = shares[name] < MIN_SHARE && (name === "bulk" || name === "generated");
    if (!isUsual) score *= 1 - WEIGHTS[name] * shares[name];
  }
  const { absent, bulk, generated, future, restamped } = shares;
  return { score: round(score), absent, bulk, generated, future, restamped };
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
