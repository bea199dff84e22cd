/**
 * Finds what changed on a site since the last sync. Walks the site with as few requests as possible
 * (revalidation-plan.ts), writes the next snapshot to a temporary file, and compares it with the last one. The last
 * snapshot is replaced when the caller has received all changes. A sync that is killed keeps the old snapshot, so the
 * next one reports the same changes.
 */
import { checkArgument } from "../check/check-options.ts";
import { FILE_PATH } from "../check/rules.ts";
import type { SiteStart, WalkStart } from "../discover/site-start.ts";
import { filePath } from "../files/file-path.ts";
import { isAbsent } from "../model/http-status.ts";
import type { Page } from "../model/model.ts";
import type { Breach } from "../walk/budget.ts";
import type { WalkedSitemap } from "../walk/events/events.ts";
import { checkWalk } from "../walk/option-rules.ts";
import type { SitemapDocument } from "../walk/site-graph.ts";
import { Walk } from "../walk/walk.ts";
import { clientFor } from "../walk/walk-sitemaps.ts";
import { newRunId, type PageChange, RECORD_SCHEMA, type SyncStart } from "./changes.ts";
import { Comparison } from "./compare/find-changes.ts";
import {
  DateMeter,
  isRestamped,
  type LastmodTrust,
  newestDateOf,
  siteTrust,
  WEAK_SCORE,
  withRestamps,
} from "./revalidate/lastmod-trust.ts";
import { redirectFinder } from "./compare/moved-pages.ts";
import { nextEntries, type ReadFacts } from "./next-snapshot.ts";
import { OBJECT, SYNC_OPTIONS, type SyncOptions } from "./options.ts";
import { MASS_REMOVAL } from "./compare/pending-removals.ts";
import { RevalidationPlan } from "./revalidate/revalidation-plan.ts";
import { ServerClock } from "./revalidate/server-clock.ts";
import { batchesOf, mergeByUrl } from "./snapshot/line-cursor.ts";
import { LineSorter, SorterPool } from "./snapshot/line-sorter.ts";
import { pageLines } from "./snapshot/page-line.ts";
import { readSnapshot, type Snapshot } from "./snapshot/read-snapshot.ts";
import { SnapshotError } from "./snapshot/snapshot-error.ts";
import {
  isCountedEntry,
  isSitemap,
  MAX_SECTION_BYTES,
  type RunFacts,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type SnapshotFacts,
  type SnapshotSitemap,
} from "./snapshot/snapshot-format.ts";
import { type SitemapEntry, SnapshotWriter } from "./snapshot/write-snapshot.ts";
import { type ValidatorKind, validatorKind } from "./revalidate/validator-trust.ts";
import { RemovalVerifier, VERIFY_REQUESTS } from "./compare/verify-removals.ts";

/** The last item of every sync: what it found and how many requests and bytes it took. */
export interface SyncSummary {
  readonly kind: "summary";
  /** Homepage of the site. */
  readonly homepage: string;
  /** Whether there was no snapshot before, so that every page is reported as added. */
  readonly isFirst: boolean;
  /**
   * Number of sitemaps that were read or are known to be unchanged, including indexes, without robots.txt. A sitemap
   * that failed in this sync counts if it was read before, because its pages are kept.
   */
  readonly sitemapCount: number;
  /** Number of sitemaps that were read completely in this sync, or are known to be unchanged. */
  readonly completeSitemaps: number;
  /** Number of pages. A page that several sitemaps list counts once for each of them. */
  readonly pageCount: number;
  /** Number of added pages. */
  readonly added: number;
  /** Number of changed pages. */
  readonly changed: number;
  /** Number of removed pages. */
  readonly removed: number;
  /** Number of pages that are listed by other sitemaps than before. */
  readonly relisted: number;
  /** URLs of the sitemaps that are listed for the first time. Empty on a first sync. */
  readonly newSitemaps: readonly string[];
  /** URLs of the sitemaps that no longer exist. */
  readonly goneSitemaps: readonly string[];
  /** Number of sitemaps that could not be read, or were read only in part. */
  readonly unknownSitemaps: number;
  /** Number of pages of the sitemaps that `unknownSitemaps` counts. */
  readonly unknownPages: number;
  /** Number of pages that no sitemap lists, and whose removal is not certain yet. */
  readonly pending: number;
  /** Whether the share of pages that disappeared reached `massRemoval`. Then their removal is pending. */
  readonly isMassRemoval: boolean;
  /** Number of requests, including redirects, retries and the homepage. */
  readonly asked: number;
  /** Number of these requests that checked whether pages are gone (`verify`). */
  readonly verified: number;
  /** Number of sitemaps with a 304 response. */
  readonly notModified: number;
  /** Number of sitemaps that were skipped because their index reports no change (`useTrust`). */
  readonly onTrust: number;
  /** URLs of the sitemaps that were skipped because their dates are trusted. `onTrust` is their number. */
  readonly trusted: readonly string[];
  /** Number of bytes received. */
  readonly bytes: number;
  /** Duration of the sync in milliseconds. */
  readonly ms: number;
  /** How reliable the last-modified dates of the site are. */
  readonly lastmod: LastmodTrust;
}

/** A result of `syncSite`: the start of the run, changes, and a summary at the end. */
export type Change = SyncStart | PageChange | SyncSummary;

/**
 * Maximum number of characters in the lines of all sitemaps that are being read. A section of the snapshot must not be
 * longer, because it could not be read again. With the default limits, a sitemap has at most 100 MiB. Its lines exceed
 * this only if most of its URLs are relative or not ASCII.
 */
const MAX_HELD_LENGTH: number = MAX_SECTION_BYTES - 64 * 1024;

/** Maximum number of runs in the history of a snapshot. */
const MAX_RUNS = 50;

/**
 * Yields the start of the run, then what was added, changed, removed or relisted since the last sync, then a summary,
 * and updates the snapshot. If a sitemap failed or was truncated, its pages are unknown, never removed.
 *
 * The snapshot is replaced when the loop continues after the summary. If the loop ends earlier, or the process dies,
 * the next sync yields the same changes.
 *
 * @example
 * for await (const change of syncSite("https://example.com/", { snapshot: "example.snapshot.gz" })) {
 *   if (change.kind === "added") console.log(change.url);
 * }
 *
 * @param start a homepage, or `{ sitemaps: [url, …] }`. All syncs of one snapshot must have the same kind of start.
 */
export function syncSite(start: WalkStart, options: SyncOptions): AsyncGenerator<Change> {
  checkArgument("syncSite", "options", OBJECT, options);
  const site = checkWalk("syncSite", start, options, SYNC_OPTIONS);
  checkArgument("syncSite", "option snapshot", FILE_PATH, options.snapshot);
  return changesOf(site, options);
}

async function* changesOf(site: SiteStart, options: SyncOptions): AsyncGenerator<Change> {
  const before = await readSnapshot(filePath(options.snapshot)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  try {
    const first = yield* passOf(site, options, before);
    if (first !== undefined) yield* passOf(site, options, before, first);
  } finally {
    await before?.close();
  }
}

/** The first pass of a sync, which is repeated because it skipped sitemaps that may list the pages that seem removed. */
interface FirstPass {
  readonly run: string;
  readonly startedAt: Date;
  readonly cost: SyncCost;
  /** Validators that were wrong before: the server answered 304 although a sitemap had changed. */
  readonly doubted: ReadonlySet<ValidatorKind>;
}

type SyncCost = Record<"asked" | "notModified" | "bytes", number>;

async function* passOf(
  site: SiteStart,
  options: SyncOptions,
  before: Snapshot | undefined,
  first?: FirstPass,
): AsyncGenerator<Change, FirstPass | undefined> {
  const writer = await SnapshotWriter.create(filePath(options.snapshot), before);
  try {
    return yield* new Sync(site, options, before, writer, first).run();
  } finally {
    await writer.discard();
  }
}

class Sync {
  readonly #site: SiteStart;
  readonly #options: SyncOptions;
  readonly #before: Snapshot | undefined;
  readonly #writer: SnapshotWriter;
  readonly #plan: RevalidationPlan;
  readonly #first: FirstPass | undefined;
  readonly #startedAt: Date;
  readonly #clock = new ServerClock();
  readonly #run: string;
  /** Pages of the sitemaps that are being read, by the URL of the sitemap. */
  readonly #held: Map<string, HeldPages> = new Map();
  /** Number of characters of the lines in `#held`. */
  #heldLength = 0;
  readonly #pool: SorterPool;
  readonly #read: Map<string, ReadFacts> = new Map();
  readonly #absent: string[] = [];
  readonly #skipped: WalkedSitemap[] = [];
  readonly #trusted: string[] = [];
  #verifier: RemovalVerifier | undefined;
  readonly #cost: SyncCost = { asked: 0, notModified: 0, bytes: 0 };

  constructor(
    site: SiteStart,
    options: SyncOptions,
    before: Snapshot | undefined,
    writer: SnapshotWriter,
    first: FirstPass | undefined,
  ) {
    const { continueFrom } = options;
    const useTrust = first === undefined && (options.useTrust ?? true);
    const { useValidators = true } = options;
    const doubted = first?.doubted ?? new Set();
    this.#first = first;
    this.#startedAt = first?.startedAt ?? new Date();
    this.#run = first?.run ?? newRunId();
    this.#site = site;
    this.#options = options;
    this.#before = before;
    this.#writer = writer;
    this.#pool = new SorterPool(writer.linesFolder);
    const now = this.#startedAt;
    const clock = this.#clock;
    this.#plan = new RevalidationPlan(before, { useValidators, doubted, useTrust, continueFrom, now, clock });
  }

  /** Returns facts about this pass if a second one is necessary. Then no change was yielded. */
  async *run(): AsyncGenerator<Change, FirstPass | undefined> {
    const { client: given, close } = clientFor(this.#site, this.#options);
    const client = this.#clock.watch(given);
    try {
      this.#checkSite();
      if (this.#first === undefined) yield this.#start();
      const walk = new Walk(this.#site, this.#options, client, {
        keepPages: (document, pages) => this.#hold(document, pages),
        previous: this.#plan,
      });
      for await (const steps of walk.run()) {
        for (const step of steps) if (step.kind === "sitemap") await this.#take(step.sitemap);
      }
      this.#pool.trim();
      this.#cost.asked = walk.requestCount;
      const { entries, gone } = this.#entries(walk);
      const { redirectChecks = 0 } = this.#options;
      const redirectOf = redirectFinder(client, this.#options, redirectChecks, walk);
      const { verify = false, verifyRequests = VERIFY_REQUESTS } = this.#options;
      const isVerified = verify && verifyRequests > 0;
      this.#verifier = isVerified
        ? new RemovalVerifier(client, this.#options, walk, verifyRequests)
        : undefined;
      return yield* this.#report(walk.homepage.href, entries, gone, redirectOf);
    } finally {
      // If the walk failed, some sitemaps were not read to their ends.
      for (const { sorter } of this.#held.values()) await sorter.drop();
      await close();
    }
  }

  #start(): SyncStart {
    return {
      kind: "start",
      schema: RECORD_SCHEMA,
      run: this.#run,
      at: this.#startedAt.toISOString(),
      homepage: this.#site.homepage.href,
      isFirst: this.#before === undefined,
    };
  }

  /**
   * Rejects the snapshot of another site or another kind of start. This sync does not read its pages, so they would be
   * reported as removed.
   */
  #checkSite(): void {
    const snapshot = filePath(this.#options.snapshot);
    const known = this.#before?.facts.homepage;
    if (known === undefined) return;
    if (siteName(new URL(known).host) !== siteName(this.#site.homepage.host)) {
      throw new SnapshotError(
        "other-site",
        `${snapshot} belongs to ${known}, not to ${this.#site.homepage.href}`,
      );
    }
    const isOfSitemaps = this.#before!.sitemaps.some(({ source }) => source === "given");
    if (isOfSitemaps !== (this.#site.sitemaps !== undefined)) {
      const [scope, now] = isOfSitemaps
        ? ["single sitemaps", "the whole site"]
        : ["the whole site", "single sitemaps"];
      const message = `${snapshot} is a snapshot of ${scope} of ${known}, but this sync reads ${now}`;
      throw new SnapshotError("other-start", message);
    }
  }

  // ---------------------------------------------------------------- the walk

  /**
   * Keeps the lines of these pages until their sitemap ends. Returns a breach if the lines of all sitemaps that are
   * being read exceed MAX_HELD_LENGTH. Stops a sitemap that lists a million relative URLs and has a path of 8 KB: 25 MB
   * would become 8 GB.
   */
  async #hold({ url }: SitemapDocument, pages: readonly Page[]): Promise<Breach | undefined> {
    if (pages.length === 0) return undefined;
    const text = pageLines(pages);
    if (this.#heldLength + text.length > MAX_HELD_LENGTH) {
      const value = `${this.#heldLength + text.length} bytes; a snapshot allows ${MAX_HELD_LENGTH}`;
      return { code: "limit.held", value };
    }
    this.#heldLength += text.length;
    const held = this.#held.get(url) ?? { sorter: new LineSorter(this.#pool), newestDate: undefined };
    this.#held.set(url, held);
    held.newestDate = newestDateOf(text, held.newestDate);
    await held.sorter.add(text);
    return undefined;
  }

  async #take(sitemap: WalkedSitemap): Promise<void> {
    const { url, outcome, http } = sitemap;
    this.#cost.bytes += http?.bytes ?? 0;
    if (isAbsent(http?.status) && sitemap.source === "known") this.#absent.push(sitemap.requestedUrl ?? url);
    if (outcome === "skipped") this.#skipped.push(sitemap);
    if (outcome === "unchanged") this.#keep(sitemap);
    const held = this.#held.get(url);
    this.#held.delete(url);
    this.#heldLength -= held?.sorter.length ?? 0;
    try {
      if (outcome === "found") await this.#write(sitemap, held);
    } finally {
      await held?.sorter.drop();
    }
  }

  #keep({ url, http, pageCount }: WalkedSitemap): void {
    const old = this.#old(url)!;
    const isFresh = http === undefined && this.#plan.isFresh(old);
    const finding = isFresh ? "fresh" : http === undefined ? "unasked" : "unmodified";
    if (finding === "unasked") this.#trusted.push(url);
    else if (finding === "unmodified") this.#cost.notModified++;
    this.#writer.keep(this.#before!, old);
    const { lastmod, newestDate } = old;
    this.#read.set(url, { pageCount, finding, lastmod, newestDate });
  }

  async #write(
    { url, partial, sameContent, http }: WalkedSitemap,
    held: HeldPages | undefined,
  ): Promise<void> {
    const { sorter, newestDate } = held ?? {};
    const old = this.#old(url);
    if (sameContent && old !== undefined) {
      this.#writer.keep(this.#before!, old);
      const { pageCount, lastmod } = old;
      this.#read.set(url, { pageCount, finding: "same", lastmod, newestDate });
      return;
    }
    const madeAt = http?.lastModified === undefined ? undefined : new Date(http.lastModified);
    const meter = new DateMeter(this.#startedAt, madeAt, this.#clock.skewMs);
    const lines = measured(sorter?.pages(old && this.#before!.texts(old)), meter);
    // The sitemap was not read completely, so its other pages are unknown: keep those of the last snapshot.
    const isMerged = partial && old !== undefined;
    const all = isMerged ? mergeByUrl(batchesOf(this.#before!.texts(old)), lines) : lines;
    const pageCount = await this.#writer.write(url, all).catch((error: unknown) => {
      const isTooLarge = error instanceof SnapshotError && error.code === "too-large";
      if (!isMerged || !isTooLarge) throw error;
      return undefined;
    });
    if (pageCount === undefined) {
      // The old and new lines together are too long. The pages are unknown in any case, so keep only the old ones.
      this.#writer.keep(this.#before!, old!);
      const { pageCount, lastmod, newestDate } = old!;
      this.#read.set(url, { pageCount, finding: "changed", lastmod, newestDate });
      return;
    }
    this.#plan.noteChange(url);
    const lastmod = meter.trust(old?.lastmod?.restamped);
    this.#read.set(url, { pageCount, finding: "changed", lastmod, newestDate });
  }

  #old(url: string): SnapshotSitemap | undefined {
    return this.#before?.find(url);
  }

  #entries({ graph, roots, isPartial }: Walk): { entries: SitemapEntry[]; gone: ReadonlySet<string> } {
    const { seen, kept, unread, gone } = nextEntries({
      graph,
      roots,
      skipped: this.#skipped,
      isCut: isPartial,
      before: this.#before?.sitemaps ?? [],
      plan: this.#plan,
      read: this.#read,
      at: this.#startedAt.toISOString(),
    });
    for (const { url } of kept) this.#writer.keep(this.#before!, this.#old(url)!);
    return { entries: [...seen, ...kept, ...unread], gone };
  }

  // ---------------------------------------------------------------- the changes

  async *#report(
    homepage: string,
    entries: readonly SitemapEntry[],
    gone: ReadonlySet<string>,
    redirectOf: ((url: string) => Promise<string | undefined>) | undefined,
  ): AsyncGenerator<Change, FirstPass | undefined> {
    const after = this.#writer.draft(entries);
    const byUrl = new Map(entries.map((entry) => [entry.url, entry]));
    const isWeak = (url: string, restamped: number): boolean => {
      const { lastmod, pageCount = 0 } = byUrl.get(url) ?? {};
      if (lastmod === undefined) return false;
      return lastmod.score < WEAK_SCORE || isRestamped(lastmod, restamped, pageCount);
    };
    const comparison = new Comparison(this.#before, after, {
      pending: {
        massRemoval: this.#options.massRemoval ?? MASS_REMOVAL,
        now: this.#startedAt.getTime(),
        gone,
        isNewSync: this.#options.continueFrom === undefined,
        keep: (facts, lines) => this.#writer.writePending(facts, lines),
      },
      verifier: this.#verifier,
      folder: this.#writer.changesFolder,
      isWeak,
      ...(redirectOf !== undefined && { redirectOf }),
    });
    const again = this.#secondPass(entries);
    if (again !== undefined && (await comparison.hasRemovals())) {
      await comparison.drop();
      return again;
    }
    const counter = new ChangeCounter();
    for await (const change of comparison.changes()) {
      counter.add(change);
      yield change;
    }
    const scored = entries.map((entry) => ({
      // A sitemap that did not change says nothing new about its dates.
      ...(this.#read.get(entry.url)?.finding === "changed" ? counter.scoreDates(entry) : entry),
      ...(comparison.shared.has(entry.url) && { isShared: true as const }),
    }));
    const summary = this.#summary(homepage, scored, counter);
    yield summary;
    const isEmpty = this.#before === undefined && summary.pageCount === 0;
    if (this.#options.dryRun || isEmpty) return undefined;
    await this.#writer.finish(this.#facts(summary), scored);
    await this.#writer.commit(this.#history(summary));
    return undefined;
  }

  /**
   * Returns facts for a second pass if a removed page may have moved to a sitemap that was not read. This sitemap was
   * skipped on trust, or it has a 304 response for a kind of validator that was wrong on this site before.
   */
  #secondPass(entries: readonly SitemapEntry[]): FirstPass | undefined {
    if (this.#first !== undefined) return undefined;
    const wrong = entries.filter(({ evidence }) => (evidence.validators?.broken ?? 0) > 0).map(validatorKind);
    const unmodified = entries.filter(({ url }) => this.#read.get(url)?.finding === "unmodified");
    const doubted = new Set(unmodified.map(validatorKind).filter((kind) => wrong.includes(kind)));
    if (this.#trusted.length === 0 && doubted.size === 0) return undefined;
    return { run: this.#run, startedAt: this.#startedAt, cost: this.#cost, doubted };
  }

  /** The replaced snapshot is kept if the sync found changes. */
  #history({ added, changed, removed }: SyncSummary): Parameters<SnapshotWriter["commit"]>[0] {
    const { history = 0 } = this.#options;
    if (history === 0) return undefined;
    const isChanged = added + changed + removed > 0;
    return { count: history, startedAt: isChanged ? this.#before?.facts.startedAt : undefined };
  }

  #summary(homepage: string, entries: readonly SitemapEntry[], counter: ChangeCounter): SyncSummary {
    const verified = this.#verifier?.requestCount ?? 0;
    const { asked = 0, bytes = 0 } = this.#first?.cost ?? {};
    return {
      kind: "summary",
      homepage,
      isFirst: this.#before === undefined,
      sitemapCount: entries.filter(isCountedEntry).length,
      completeSitemaps: entries.filter((entry) => isSitemap(entry) && entry.unknown === undefined).length,
      pageCount: entries.reduce((sum, { pageCount }) => sum + pageCount, 0),
      ...counter.counts,
      ...this.#newAndGone(entries),
      unknownSitemaps: entries.filter((entry) => isSitemap(entry) && entry.unknown !== undefined).length,
      pending: this.#writer.pendingCount,
      isMassRemoval: counter.isMassRemoval,
      ...this.#cost,
      asked: this.#cost.asked + verified + asked,
      bytes: this.#cost.bytes + bytes,
      verified,
      onTrust: this.#trusted.length,
      trusted: this.#trusted,
      ms: Date.now() - this.#startedAt.getTime(),
      lastmod: siteTrust(entries),
    };
  }

  #newAndGone(entries: readonly SitemapEntry[]): Pick<SyncSummary, "newSitemaps" | "goneSitemaps"> {
    const urlsOf = (list: readonly SitemapEntry[]): Set<string> =>
      new Set(list.filter(isSitemap).map(({ url }) => url));
    if (this.#before === undefined) return { newSitemaps: [], goneSitemaps: [] };
    const [old, now] = [urlsOf(this.#before.sitemaps), urlsOf(entries)];
    return {
      newSitemaps: [...now].filter((url) => !old.has(url)),
      goneSitemaps: [...old].filter((url) => !now.has(url)),
    };
  }

  #facts(summary: SyncSummary): SnapshotFacts {
    const { homepage, pageCount, added, changed, removed, completeSitemaps: read } = summary;
    const { unknownSitemaps: unknown } = summary;
    const { runs = [], runCount = 0 } = this.#before?.facts ?? {};
    const at = this.#startedAt.toISOString();
    const absent = [...new Set([...this.#absent, ...this.#plan.skippedGuesses])].sort();
    const former = this.#plan.formerLocations(absent).filter((url) => !this.#read.has(url));
    const run: RunFacts = { at, run: this.#run, added, changed, removed, read, unknown };
    return {
      format: SNAPSHOT_FORMAT,
      version: SNAPSHOT_VERSION,
      homepage,
      startedAt: at,
      finishedAt: new Date().toISOString(),
      pageCount,
      runCount: runCount + 1,
      runs: [...runs, run].slice(-MAX_RUNS),
      absent: absent.filter((url) => !former.includes(url)),
      ...(former.length > 0 && { formerLocations: former }),
    };
  }
}

/** The pages of a sitemap that is being read. */
interface HeldPages {
  readonly sorter: LineSorter;
  /** The newest date of the pages. */
  newestDate: string | undefined;
}

async function* measured(
  batches: AsyncIterable<readonly string[]> | undefined,
  meter: DateMeter,
): AsyncGenerator<readonly string[]> {
  if (batches === undefined) return;
  for await (const lines of batches) {
    meter.add(lines);
    yield lines;
  }
}

/** The host without `www.`, because a site may add or drop it. */
export function siteName(host: string): string {
  return host.replace(/^www\./, "");
}

class ChangeCounter {
  readonly counts = { added: 0, changed: 0, removed: 0, relisted: 0, unknownPages: 0 };
  isMassRemoval = false;
  /** Number of pages where only the date changed, by sitemap. */
  readonly #restamped: Map<string, number> = new Map();

  add(change: PageChange): void {
    if (change.kind === "unknown") {
      this.counts.unknownPages += change.pageCount;
      return;
    }
    if (change.kind === "pending") {
      if (change.reason === "many") this.isMassRemoval = true;
      return;
    }
    this.counts[change.kind]++;
    if (change.kind === "changed" && change.fields.length === 1 && change.fields[0] === "lastModified") {
      for (const url of change.sitemaps) this.#restamped.set(url, (this.#restamped.get(url) ?? 0) + 1);
    }
  }

  /** Updates the score that says how reliable a sitemap's dates are. */
  scoreDates(entry: SitemapEntry): SitemapEntry {
    const { lastmod, url, pageCount } = entry;
    if (lastmod === undefined) return entry;
    return { ...entry, lastmod: withRestamps(lastmod, this.#restamped.get(url) ?? 0, pageCount) };
  }
}
