/**
 * How each sitemap is asked for, by what the last snapshot says: plainly, with validators, or not at all. And
 * what came of it: evidence for the next time.
 *
 * Nothing is believed for ever. A sitemap that was taken on trust is asked for again after some 20 syncs, and
 * one whose server keeps saying "not modified" is read whole after some 50; which ones, is spread by their
 * URLs. "Not modified" for a sitemap whose declared date has moved is checked at once.
 */
import { spellDate } from "../date-text.ts";
import type { DatePrecision, DateValue } from "../model.ts";
import { parseDate } from "../parse/date.ts";
import type { Earlier, Revisit } from "../walk/revisit.ts";
import { urlKey } from "../walk/url-key.ts";
import {
  areUseful,
  count,
  type Declarations,
  type Evidence,
  isTelling,
  isTrustworthy,
  NO_DECLARATIONS,
  NO_EVIDENCE,
  NO_VALIDATORS,
} from "./evidence.ts";
import type { Snapshot } from "./read-snapshot.ts";
import type { SnapshotSitemap } from "./snapshot-format.ts";

export interface PlanOptions {
  /** Ask with validators. */
  readonly useValidators: boolean;
  /** Take dates that stand still for an answer where they have proved true. */
  readonly useTrust: boolean;
  /** What was read since then is not asked for again. */
  readonly continueFrom: Date | undefined;
}

/** Syncs without a request, and without a look at the content; up to twice as many, by the URL. */
const MAX_UNASKED = 15;
const MAX_UNREAD = 40;
/** Absent known locations that are tried again in a sync. */
const GUESSES_PER_SYNC = 2;
/** "Not modified" beside a date that moved is checked so often, while it is open which of them lies. */
const CHECKS_PER_INDEX = 3;

/** What came of one sitemap; `fresh`: it was read before this sync went on (`continueFrom`). */
export type Finding = "fresh" | "unasked" | "unmodified" | "same" | "changed";

export class VisitPlan implements Revisit {
  readonly #options: PlanOptions;
  /** By their own URLs and by those that they are declared with. */
  readonly #known: Map<string, SnapshotSitemap> = new Map();
  readonly #absent: readonly string[];
  readonly #skipped: Set<string> = new Set();
  /** Evidence gathered in this sync, by the URL of the index. */
  readonly #declarations: Map<string, Declarations> = new Map();
  readonly #checks: Map<string, number> = new Map();
  /** Sitemaps of which "not modified" was not believed, each with its index. */
  readonly #doubted: Map<string, string> = new Map();
  /** Indexes whose dates were right about that. */
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
    const runs = snapshot?.facts.runCount ?? 0;
    for (const [index, url] of this.#absent.entries()) {
      const turn = Math.floor(index / GUESSES_PER_SYNC) - runs;
      const isTurn = turn % Math.ceil(this.#absent.length / GUESSES_PER_SYNC) === 0;
      const isTried = isTurn && options.continueFrom === undefined;
      if (!isTried && !this.#known.has(urlKey(url))) this.#skipped.add(urlKey(url));
    }
  }

  /** The known locations that were not tried because there was nothing the last time. */
  get skippedGuesses(): readonly string[] {
    return this.#absent.filter((url) => this.#skipped.has(urlKey(url)));
  }

  isSkipped(url: string): boolean {
    return this.#skipped.has(urlKey(url));
  }

  recall(url: string, declared: DateValue | undefined, parentUrl: string | undefined): Earlier | undefined {
    const sitemap = this.#known.get(urlKey(url));
    if (sitemap === undefined || sitemap.contentHash === undefined) return undefined;
    const { etag, lastModified, evidence } = sitemap;
    const isAsked = this.#options.useValidators && areUseful(evidence.validators);
    const isFresh = this.isFresh(sitemap);
    const isDue = evidence.unread >= MAX_UNREAD + (spread(sitemap.url) % MAX_UNREAD);
    if (isDue && !isFresh) return undefined;
    const isTrusted = isFresh || this.#isTrusted(sitemap, declared, parentUrl);
    if (!isTrusted && (!isAsked || (etag === undefined && lastModified === undefined))) return undefined;
    return {
      url: sitemap.url,
      kind: { kind: sitemap.kind, format: sitemap.format } as Earlier["kind"],
      pageCount: sitemap.pageCount,
      children: sitemap.children.map(([child, text]) => ({
        url: child,
        ...(text !== undefined && { lastModified: readDate(text) }),
      })),
      isTrusted,
      ...(etag !== undefined && { etag }),
      ...(lastModified !== undefined && { lastModified }),
    };
  }

  isSame(url: string, contentHash: string): boolean {
    const known = this.#known.get(urlKey(url));
    return known?.url === url && known.contentHash === contentHash;
  }

  /** It was read whole by the part of this sync that was before. */
  isFresh({ seenAt, unknown, contentHash }: SnapshotSitemap): boolean {
    const { continueFrom } = this.#options;
    if (continueFrom === undefined || unknown !== undefined || contentHash === undefined) return false;
    return Date.parse(seenAt) >= continueFrom.getTime();
  }

  #isTrusted(sitemap: SnapshotSitemap, declared: DateValue | undefined, parentUrl?: string): boolean {
    if (!this.#options.useTrust || declared === undefined || parentUrl === undefined) return false;
    const { evidence, unknown } = sitemap;
    if (unknown !== undefined || sitemap.declared !== declaredText(declared)) return false;
    if (evidence.isDateFrozen) return false;
    // Who was caught is asked, and plainly.
    if ((evidence.validators?.broken ?? 0) > 0) return false;
    // It may have changed again under the same date.
    if (periodEnd(declared) > Date.parse(sitemap.seenAt)) return false;
    if (evidence.unasked >= MAX_UNASKED + (spread(sitemap.url) % MAX_UNASKED)) return false;
    return isTrustworthy(this.#known.get(urlKey(parentUrl))?.evidence.declarations);
  }

  /** Whether "not modified" is taken for an answer. */
  believes(url: string, declared: DateValue | undefined, parentUrl: string | undefined): boolean {
    const sitemap = this.#known.get(urlKey(url))!;
    if (declared === undefined || parentUrl === undefined) return true;
    if (sitemap.declared === undefined || sitemap.declared === declaredText(declared)) return true;
    const index = this.#known.get(urlKey(parentUrl))?.evidence.declarations;
    const checks = this.#checks.get(parentUrl) ?? 0;
    const isRight = isTelling(index) || this.#confirmed.has(parentUrl);
    // Dates that move all the time say nothing against it.
    if (!isRight && (checks >= CHECKS_PER_INDEX || (index?.restless ?? 0) > CHECKS_PER_INDEX)) return true;
    this.#checks.set(parentUrl, checks + 1);
    this.#doubted.set(sitemap.url, parentUrl);
    return false;
  }

  /** A sitemap has changed: if "not modified" was said of it, others of its index are not believed, either. */
  noteChange(url: string): void {
    const parentUrl = this.#doubted.get(url);
    if (parentUrl !== undefined) this.#confirmed.add(parentUrl);
  }

  /** Takes down what came of a sitemap; gives its evidence for the next snapshot. */
  conclude(
    before: SnapshotSitemap | undefined,
    finding: Finding,
    now: {
      readonly url: string;
      readonly declared: string | undefined;
      readonly parentUrl: string | undefined;
      readonly etag: string | undefined;
      readonly lastModified: string | undefined;
    },
  ): Evidence {
    if (before === undefined) return NO_EVIDENCE;
    const { evidence } = before;
    if (finding === "fresh") return evidence;
    if (finding === "unasked") {
      return { ...evidence, unread: evidence.unread + 1, unasked: evidence.unasked + 1 };
    }
    this.#judgeDeclaration(before, finding, now);
    if (finding === "unmodified") return { ...evidence, unread: evidence.unread + 1, unasked: 0 };
    const isFrozen = finding === "changed" && now.declared !== undefined && now.declared === before.declared;
    return {
      ...evidence,
      ...this.#judgeValidators(before, finding, now),
      ...(isFrozen && { isDateFrozen: true as const }),
      unread: 0,
      unasked: 0,
    };
  }

  /** What an index has proved so far, this sync included. */
  declarationsOf(url: string): Declarations | undefined {
    return this.#declarations.get(url) ?? this.#known.get(urlKey(url))?.evidence.declarations;
  }

  #judgeDeclaration(
    before: SnapshotSitemap,
    finding: Finding,
    {
      declared,
      parentUrl,
    }: { readonly declared: string | undefined; readonly parentUrl: string | undefined },
  ): void {
    if (declared === undefined || before.declared === undefined || parentUrl === undefined) return;
    const stood = declared === before.declared;
    const changed = finding === "changed";
    // Which of the two lies is open.
    if (!stood && finding === "unmodified") return;
    const name = stood ? (changed ? "broken" : "held") : changed ? "followed" : "restless";
    const counts = this.declarationsOf(parentUrl) ?? NO_DECLARATIONS;
    this.#declarations.set(parentUrl, count(counts, name));
  }

  #judgeValidators(
    { url, etag, lastModified, evidence }: SnapshotSitemap,
    finding: "same" | "changed",
    now: { readonly etag: string | undefined; readonly lastModified: string | undefined },
  ): Pick<Evidence, "validators"> {
    const counts = evidence.validators ?? NO_VALIDATORS;
    if (this.#doubted.has(url) && finding === "changed") return { validators: count(counts, "broken") };
    if (etag === undefined && lastModified === undefined) return {};
    const stayed = etag === undefined ? lastModified === now.lastModified : etag === now.etag;
    if (finding === "changed") return stayed ? { validators: count(counts, "broken") } : {};
    return { validators: count(counts, stayed ? "held" : "restless") };
  }
}

/** A declared date in the one spelling in which dates are compared. */
export function declaredText(date: DateValue): string {
  return spellDate(date) ?? date.text;
}

const DAY_MS = 86_400_000;
/** How long a date goes on that is no more precise; with a day for time zones, or a minute for clocks. */
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
  return { text, ...(value !== undefined && { value }), ...(precision !== undefined && { precision }) };
}

/** A number from the URL: which of many is looked at when. */
function spread(url: string): number {
  let hash = 0;
  for (let at = 0; at < url.length; at++) hash = (Math.imul(hash, 31) + url.charCodeAt(at)) >>> 0;
  return hash;
}
