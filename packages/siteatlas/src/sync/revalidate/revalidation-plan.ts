/**
 * Decides from the last snapshot how each sitemap is fetched: unconditionally, with validators, or not at all. Then
 * records the outcome as evidence for the next sync.
 *
 * Trust expires: every sitemap is read completely every six days, whatever its index and its server say. The hash of
 * its URL sets the time, to spread the requests. If the server answers 304 although the index declares a new date, the
 * same sync may request the sitemap again, unconditionally.
 */
import { DAY_MS } from "../../model/calendar.ts";
import { spellDate } from "../../model/format-date.ts";
import type { DatePrecision, DateValue } from "../../model/model.ts";
import { omitUndefined } from "../../model/omit-undefined.ts";
import { parseDate } from "../../parse/values/parse-date.ts";
import type { Earlier, PreviousVisit } from "../../walk/previous-visit.ts";
import { isRead, type SitemapDocument } from "../../walk/site-graph.ts";
import { urlKey } from "../../walk/url-key.ts";
import type { Snapshot } from "../snapshot/read-snapshot.ts";
import type { SnapshotSitemap } from "../snapshot/snapshot-format.ts";
import {
  areUseful,
  contradicts304,
  count,
  countSync,
  type DeclaredDateCounts,
  type DeclaredDateOutcome,
  isTrustworthy,
  mayBeSameDate,
  NO_EVIDENCE,
  NO_VALIDATORS,
  type SitemapEvidence,
  type ValidatorKind,
  validatorKind,
} from "./validator-trust.ts";

export interface PlanOptions {
  /** Send conditional requests. */
  readonly useValidators: boolean;
  /** Validators that are not used in this sync, because they were wrong before. */
  readonly doubted: ReadonlySet<ValidatorKind>;
  /** Whether to skip sitemaps whose declared date did not change, if the dates of their index proved reliable. */
  readonly useTrust: boolean;
  /** Sitemaps that were read since this time are not requested again. */
  readonly continueFrom: Date | undefined;
  /** Start of this sync. */
  readonly now: Date;
  /** The clock of the server. */
  readonly clock: { readonly skewMs: number };
}

/** How often each sitemap is read completely. With a sync per day, at most seven days pass between two reads. */
const READ_MS: number = 6 * DAY_MS;
/** If trust saves less than this share of the requests, it is not worth its risk: all sitemaps are requested. */
const MIN_SAVING = 0.3;
/** Number of absent known locations that each sync tries again. */
const GUESSES_PER_SYNC = 2;
/**
 * Maximum number of 304 responses per sync and index that are checked because the index declares a new date. Applies
 * only until the dates of the index proved right.
 */
const CHECKS_PER_INDEX = 3;

/**
 * The outcome for one sitemap. `fresh`: an earlier part of this sync read it (`continueFrom`). `unasked`: it was not
 * requested, because its declared date is the same. `unmodified`: the server answered 304. `same`, `changed`: it was
 * read.
 */
export type Finding = "fresh" | "unasked" | "unmodified" | "same" | "changed";

interface FetchedFacts {
  readonly declared: string | undefined;
  readonly parentUrl: string | undefined;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export class RevalidationPlan implements PreviousVisit {
  readonly #options: PlanOptions;
  /** Sitemaps of the last snapshot, by the URL after redirects and by the URL that an index lists. */
  readonly #known: Map<string, SnapshotSitemap> = new Map();
  readonly #absent: readonly string[];
  readonly #former: readonly string[];
  /** Known locations that are not tried. Empty once a location has lost its sitemap. */
  readonly #skipped: Set<string> = new Set();
  /** How the dates that each index declares and their sitemaps changed in this sync, by the URL of the index. */
  readonly #outcomes: Map<string, Set<DeclaredDateOutcome>> = new Map();
  readonly #isTrustWorthIt: boolean;
  readonly #checks: Map<string, number> = new Map();
  /** Sitemaps that are requested again because their 304 may be wrong, each with the URL of its index. */
  readonly #doubted: Map<string, string> = new Map();
  /** Indexes that declared a new date for a sitemap that had really changed, although the server answered 304. */
  readonly #confirmed: Set<string> = new Set();

  readonly homepageLinks: readonly string[];

  constructor(snapshot: Snapshot | undefined, options: PlanOptions) {
    this.#options = options;
    for (const sitemap of snapshot?.sitemaps ?? []) {
      if (sitemap.requestedUrl !== undefined) this.#known.set(urlKey(sitemap.requestedUrl), sitemap);
    }
    for (const sitemap of snapshot?.sitemaps ?? []) this.#known.set(urlKey(sitemap.url), sitemap);
    this.homepageLinks = (snapshot?.sitemaps ?? [])
      .filter(({ source, parents }) => source === "homepage" && parents.length === 0)
      .map(({ url, requestedUrl = url }) => requestedUrl);
    this.#absent = snapshot?.facts.absent ?? [];
    const { runCount: runs = 0, formerLocations = [] } = snapshot?.facts ?? {};
    this.#former = formerLocations;
    // Without any page, every location is tried in every sync.
    const isEmpty = snapshot?.pageCount === 0;
    for (const [index, url] of this.#absent.entries()) {
      const turn = Math.floor(index / GUESSES_PER_SYNC) - runs;
      const isTurn = turn % Math.ceil(this.#absent.length / GUESSES_PER_SYNC) === 0;
      const isTried = (isTurn || isEmpty) && options.continueFrom === undefined;
      if (!isTried && !this.#known.has(urlKey(url))) this.#skipped.add(urlKey(url));
    }
    const sitemaps = snapshot?.sitemaps ?? [];
    const saved = sitemaps.filter((sitemap) => this.#isSkippable(sitemap)).length;
    this.#isTrustWorthIt = options.useTrust && saved >= sitemaps.length * MIN_SAVING;
  }

  /** Known locations that are not tried in this sync, because they were absent before. */
  get skippedGuesses(): readonly string[] {
    return this.#absent.filter((url) => this.#skipped.has(urlKey(url)));
  }

  /** Known locations that had a sitemap once, including those that lost it in this sync. They are always tried. */
  formerLocations(absent: readonly string[]): readonly string[] {
    return [...new Set([...this.#former, ...absent.filter((url) => this.#known.has(urlKey(url)))])];
  }

  isSkipped(url: string): boolean {
    return this.#skipped.has(urlKey(url));
  }

  isLost(url: string, document: SitemapDocument | undefined): boolean {
    if (document === undefined || isRead(document) || !this.#known.has(urlKey(url))) return false;
    // During an outage, the other locations say nothing.
    const { status = 500 } = document.http ?? {};
    if (status === 429 || status >= 500) return false;
    this.#skipped.clear();
    return true;
  }

  recall(url: string, declared: DateValue | undefined, parentUrl: string | undefined): Earlier | undefined {
    const sitemap = this.#known.get(urlKey(url));
    if (sitemap === undefined || sitemap.contentHash === undefined) return undefined;
    const { etag, lastModified } = sitemap;
    const isFresh = this.isFresh(sitemap);
    if (this.#isDue(sitemap) && !isFresh) return undefined;
    const isTrusted = isFresh || this.#isTrusted(sitemap, declared, parentUrl);
    if (!isTrusted && !this.#isConditional(sitemap)) return undefined;
    return omitUndefined({
      url: sitemap.url,
      kind: { kind: sitemap.kind, format: sitemap.format } as Earlier["kind"],
      pageCount: sitemap.pageCount,
      children: sitemap.children.map(([child, text]) =>
        omitUndefined({ url: child, lastModified: text === undefined ? undefined : readDate(text) }),
      ),
      isTrusted,
      etag,
      lastModified,
    });
  }

  isSame(url: string, contentHash: string): boolean {
    const known = this.#known.get(urlKey(url));
    return known?.url === url && known.contentHash === contentHash;
  }

  /** Whether an earlier part of this sync read the sitemap completely. */
  isFresh({ seenAt, unknown, contentHash }: SnapshotSitemap): boolean {
    const { continueFrom } = this.#options;
    if (continueFrom === undefined || unknown !== undefined || contentHash === undefined) return false;
    return Date.parse(seenAt) >= continueFrom.getTime();
  }

  /** Whether the sitemap must be read completely, because its last complete read is too long ago. */
  #isDue({ url, readAt }: SnapshotSitemap): boolean {
    if (readAt === undefined) return true;
    const phase = spread(url) % READ_MS;
    const period = (time: number): number => Math.floor((time - phase) / READ_MS);
    // Do not require a later period, only another one: the clock may have been set back.
    return period(Date.parse(readAt)) !== period(this.#options.now.getTime());
  }

  #isConditional(sitemap: SnapshotSitemap): boolean {
    const { etag, lastModified, newestDate, evidence } = sitemap;
    const { useValidators, doubted } = this.#options;
    if (!useValidators || doubted.has(validatorKind(sitemap)) || !areUseful(evidence.validators))
      return false;
    if (etag !== undefined || lastModified === undefined) return etag !== undefined;
    // A Last-Modified that is the newest date of the pages does not change when an older page is removed.
    return newestDate === undefined || !mayBeSameDate(lastModified, newestDate);
  }

  #isTrusted(sitemap: SnapshotSitemap, declared: DateValue | undefined, parentUrl?: string): boolean {
    if (!this.#isTrustWorthIt || declared === undefined || parentUrl === undefined) return false;
    return sitemap.declared === declaredText(declared) && this.#isSkippable(sitemap, [parentUrl]);
  }

  /** Whether the sitemap needs no request if one of these indexes declares the same date as before. */
  #isSkippable(sitemap: SnapshotSitemap, parents: readonly string[] = sitemap.parents): boolean {
    const { evidence, unknown, declared } = sitemap;
    if (unknown !== undefined || declared === undefined || evidence.isDateFrozen) return false;
    // The validators of this sitemap were wrong before, so request it.
    if ((evidence.validators?.broken ?? 0) > 0) return false;
    // A date without a time covers the whole day: the sitemap may have changed again on that day.
    const behindMs = Math.min(0, this.#options.clock.skewMs);
    if (periodEnd(readDate(declared)) > Date.parse(sitemap.seenAt) + behindMs) return false;
    if (this.#isDue(sitemap) || isNewestDate(declared, sitemap)) return false;
    return parents.some((url) => {
      const counts = this.#known.get(urlKey(url))?.evidence.declarations;
      return isTrustworthy(counts, this.#options.now.getTime());
    });
  }

  /** Whether to believe a 304 response. If not, the sitemap is requested again, unconditionally. */
  believes(url: string, declared: DateValue | undefined, parentUrl: string | undefined): boolean {
    const sitemap = this.#known.get(urlKey(url))!;
    if (declared === undefined || parentUrl === undefined) return true;
    if (sitemap.declared === undefined || sitemap.declared === declaredText(declared)) return true;
    const index = this.#known.get(urlKey(parentUrl))?.evidence.declarations;
    const checks = this.#checks.get(parentUrl) ?? 0;
    const isRight = contradicts304(index) || this.#confirmed.has(parentUrl);
    // If the dates of an index change all the time, a new date does not contradict a 304.
    if (!isRight && (checks >= CHECKS_PER_INDEX || (index?.restless ?? 0) > CHECKS_PER_INDEX)) return true;
    this.#checks.set(parentUrl, checks + 1);
    this.#doubted.set(sitemap.url, parentUrl);
    return false;
  }

  /**
   * Called when a sitemap has changed. If its server had answered 304, the 304 responses for other sitemaps of its
   * index are also doubted.
   */
  noteChange(url: string): void {
    const parentUrl = this.#doubted.get(url);
    if (parentUrl !== undefined) this.#confirmed.add(parentUrl);
  }

  /** Records the outcome for a sitemap and returns its evidence for the next snapshot. */
  conclude(before: SnapshotSitemap | undefined, finding: Finding, now: FetchedFacts): SitemapEvidence {
    if (before === undefined) return NO_EVIDENCE;
    const { evidence } = before;
    if (finding === "fresh" || finding === "unasked") return evidence;
    this.#judgeDeclaration(before, finding, now);
    if (finding === "unmodified") return evidence;
    const isFrozen = finding === "changed" && now.declared !== undefined && now.declared === before.declared;
    return {
      ...evidence,
      ...this.#judgeValidators(before, finding, now),
      ...(isFrozen && { isDateFrozen: true as const }),
    };
  }

  /** How often the dates that an index declares matched the changes of its sitemaps, including this sync. */
  declarationsOf(url: string): DeclaredDateCounts | undefined {
    const before = this.#known.get(urlKey(url))?.evidence.declarations;
    const outcomes = this.#outcomes.get(url);
    return outcomes === undefined ? before : countSync(before, outcomes, this.#options.now.toISOString());
  }

  #judgeDeclaration(before: SnapshotSitemap, finding: Finding, { declared, parentUrl }: FetchedFacts): void {
    if (declared === undefined || before.declared === undefined || parentUrl === undefined) return;
    // An earlier sync has already counted this date as wrong. It says nothing new about the dates of other sitemaps.
    if (before.evidence.isDateFrozen) return;
    const isSameDate = declared === before.declared;
    const isChanged = finding === "changed";
    // The date changed but the server answered 304. It is unclear which one is right, so count neither.
    if (!isSameDate && finding === "unmodified") return;
    const name = isSameDate ? (isChanged ? "broken" : "held") : isChanged ? "followed" : "restless";
    const outcomes = this.#outcomes.get(parentUrl) ?? new Set();
    this.#outcomes.set(parentUrl, outcomes.add(name));
  }

  #judgeValidators(
    { url, etag, lastModified, evidence }: SnapshotSitemap,
    finding: "same" | "changed",
    now: FetchedFacts,
  ): Pick<SitemapEvidence, "validators"> {
    const counts = evidence.validators ?? NO_VALIDATORS;
    if (this.#doubted.has(url) && finding === "changed") return { validators: count(counts, "broken") };
    if (etag === undefined && lastModified === undefined) return {};
    const isSame = etag === undefined ? lastModified === now.lastModified : etag === now.etag;
    if (finding === "changed") return isSame ? { validators: count(counts, "broken") } : {};
    return { validators: count(counts, isSame ? "held" : "restless") };
  }
}

/** The date in a uniform format, for comparison. */
export function declaredText(date: DateValue): string {
  return spellDate(date) ?? date.text;
}

/**
 * Length of the period that a date of this precision covers, plus a margin: a day for time zones, a minute for clock
 * skew.
 */
const PERIOD_MS: Readonly<Record<DatePrecision, number>> = {
  year: 367 * DAY_MS,
  month: 32 * DAY_MS,
  day: 2 * DAY_MS,
  time: 60_000,
};

function periodEnd({ value, precision = "time" }: DateValue): number {
  return value === undefined ? Number.POSITIVE_INFINITY : value.getTime() + PERIOD_MS[precision];
}

function readDate(text: string): DateValue {
  const { value, precision } = parseDate(text);
  return omitUndefined({ text, value, precision });
}

/**
 * Whether the declared date of a sitemap is the newest date of its pages. If the sitemap is an index: whether it is one
 * of the dates that this index declares.
 */
function isNewestDate(declared: string, { newestDate, children }: SnapshotSitemap): boolean {
  if (newestDate !== undefined && mayBeSameDate(declared, newestDate)) return true;
  return children.some(([, date]) => date !== undefined && mayBeSameDate(declared, date));
}

/** A hash of the URL. It decides when a sitemap is due, so that not all sitemaps are due in the same sync. */
function spread(url: string): number {
  let hash = 0;
  for (let at = 0; at < url.length; at++) hash = Math.imul(hash, 31) + url.charCodeAt(at);
  // The URLs of an index often differ in one digit, so mix the bits.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
