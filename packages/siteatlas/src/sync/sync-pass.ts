/**
 * One pass of a sync over a site: walks it with as few requests as possible (revalidation-plan.ts), writes the next
 * snapshot to a temporary file, compares it with the last one, and replaces that.
 */
import type { SiteStart } from "../discover/site-start.ts";
import { omitUndefined } from "../model/omit-undefined.ts";
import { Walk } from "../walk/walk.ts";
import { clientFor } from "../walk/walk-sitemaps.ts";
import { newRunId, RECORD_SCHEMA, type SyncStart } from "./changes.ts";
import { Comparison } from "./compare/find-changes.ts";
import { redirectFinder } from "./compare/moved-pages.ts";
import { MASS_REMOVAL } from "./compare/pending-removals.ts";
import { RemovalVerifier, VERIFY_REQUESTS } from "./compare/verify-removals.ts";
import { nextEntries } from "./next-snapshot.ts";
import type { SyncOptions } from "./options.ts";
import { SitemapRecorder } from "./record-sitemaps.ts";
import { isRestamped, siteTrust, WEAK_SCORE } from "./revalidate/lastmod-trust.ts";
import { RevalidationPlan } from "./revalidate/revalidation-plan.ts";
import { ServerClock } from "./revalidate/server-clock.ts";
import { type ValidatorKind, validatorKind } from "./revalidate/validator-trust.ts";
import type { Snapshot } from "./snapshot/read-snapshot.ts";
import {
  isCountedEntry,
  isSitemap,
  type RunFacts,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type SnapshotFacts,
} from "./snapshot/snapshot-format.ts";
import type { SitemapEntry, SnapshotWriter } from "./snapshot/write-snapshot.ts";
import { ChangeCounter, newAndGone, type RunItem, type SyncCost, type SyncSummary } from "./sync-summary.ts";

/** Maximum number of runs in the history of a snapshot. */
const MAX_RUNS = 50;

/** The first pass of a sync, which is repeated because it skipped sitemaps that may list the pages that seem removed. */
export interface FirstPass {
  readonly run: string;
  readonly startedAt: Date;
  readonly cost: SyncCost;
  /** Validators that were wrong before: the server answered 304 although a sitemap had changed. */
  readonly doubted: ReadonlySet<ValidatorKind>;
}

export class SyncPass {
  readonly #site: SiteStart;
  readonly #options: SyncOptions;
  readonly #before: Snapshot | undefined;
  readonly #writer: SnapshotWriter;
  readonly #plan: RevalidationPlan;
  readonly #recorder: SitemapRecorder;
  readonly #first: FirstPass | undefined;
  readonly #startedAt: Date;
  readonly #clock = new ServerClock();
  readonly #run: string;
  #asked = 0;
  #verifier: RemovalVerifier | undefined;

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
    const [now, clock] = [this.#startedAt, this.#clock];
    this.#plan = new RevalidationPlan(before, { useValidators, doubted, useTrust, continueFrom, now, clock });
    this.#recorder = new SitemapRecorder({ before, writer, plan: this.#plan, startedAt: now, clock });
  }

  /** Returns facts about this pass if a second one is necessary. Then no change was yielded. */
  async *run(): AsyncGenerator<RunItem, FirstPass | undefined> {
    const { client: given, close } = clientFor(this.#site, this.#options);
    const client = this.#clock.watch(given);
    try {
      if (this.#first === undefined) yield this.#start();
      const walk = new Walk(this.#site, this.#options, client, {
        keepPages: (document, pages) => this.#recorder.hold(document, pages),
        previous: this.#plan,
      });
      for await (const steps of walk.run()) {
        for (const step of steps) if (step.kind === "sitemap") await this.#recorder.take(step.sitemap);
      }
      this.#recorder.trim();
      this.#asked = walk.requestCount;
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
      await this.#recorder.drop();
      await close();
    }
  }

  #start(): SyncStart {
    return omitUndefined({
      kind: "start" as const,
      schema: RECORD_SCHEMA,
      run: this.#run,
      at: this.#startedAt.toISOString(),
      homepage: this.#site.homepage.href,
      isFirst: this.#before === undefined,
      previousRun: this.#before?.facts.runs.at(-1)?.run,
    });
  }

  #entries({ graph, roots, isPartial }: Walk): { entries: SitemapEntry[]; gone: ReadonlySet<string> } {
    const { seen, kept, unread, gone } = nextEntries({
      graph,
      roots,
      skipped: this.#recorder.skipped,
      isCut: isPartial,
      before: this.#before?.sitemaps ?? [],
      plan: this.#plan,
      read: this.#recorder.read,
      at: this.#startedAt.toISOString(),
    });
    for (const { url } of kept) this.#writer.keep(this.#before!, this.#before!.find(url)!);
    return { entries: [...seen, ...kept, ...unread], gone };
  }

  async *#report(
    homepage: string,
    entries: readonly SitemapEntry[],
    gone: ReadonlySet<string>,
    redirectOf: ((url: string) => Promise<string | undefined>) | undefined,
  ): AsyncGenerator<RunItem, FirstPass | undefined> {
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
        verifier: this.#verifier,
        keep: (facts, lines) => this.#writer.writePending(facts, lines),
        respell: (sitemapUrl, pageUrl) => this.#recorder.respell(sitemapUrl, pageUrl),
      },
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
      ...(this.#recorder.read.get(entry.url)?.finding === "changed" ? counter.scoreDates(entry) : entry),
      ...(comparison.shared.has(entry.url) && { isShared: true as const }),
    }));
    const summary = this.#summary(homepage, scored, counter);
    const isEmpty = this.#before === undefined && summary.pageCount === 0;
    const isSaved = !this.#options.dryRun && !isEmpty;
    // Write the file before the summary, so that a full disk is noticed before it. Only the rename comes after it.
    if (isSaved) {
      await this.#recorder.writeRespelled((url) => after.texts(byUrl.get(url)!));
      await this.#writer.finish(this.#facts(summary), scored);
    }
    yield summary;
    if (isSaved) await this.#writer.commit(this.#history(summary));
    return undefined;
  }

  /**
   * Returns facts for a second pass if a removed page may have moved to a sitemap that was not read. This sitemap was
   * skipped on trust, or it has a 304 response for a kind of validator that was wrong on this site before.
   */
  #secondPass(entries: readonly SitemapEntry[]): FirstPass | undefined {
    if (this.#first !== undefined) return undefined;
    const wrong = entries.filter(({ evidence }) => (evidence.validators?.broken ?? 0) > 0).map(validatorKind);
    const unmodified = entries.filter(({ url }) => this.#recorder.read.get(url)?.finding === "unmodified");
    const doubted = new Set(unmodified.map(validatorKind).filter((kind) => wrong.includes(kind)));
    if (this.#recorder.trusted.length === 0 && doubted.size === 0) return undefined;
    return { run: this.#run, startedAt: this.#startedAt, cost: this.#cost(), doubted };
  }

  /** The replaced snapshot is kept if the sync found changes. */
  #history({ added, changed, removed }: SyncSummary): Parameters<SnapshotWriter["commit"]>[0] {
    const { history = 0 } = this.#options;
    if (history === 0) return undefined;
    const isChanged = added + changed + removed > 0;
    return { count: history, startedAt: isChanged ? this.#before?.facts.startedAt : undefined };
  }

  #cost(): SyncCost {
    const { notModified, bytes } = this.#recorder;
    return { asked: this.#asked, notModified, bytes };
  }

  #summary(homepage: string, entries: readonly SitemapEntry[], counter: ChangeCounter): SyncSummary {
    const verified = this.#verifier?.requestCount ?? 0;
    const { asked = 0, bytes = 0 } = this.#first?.cost ?? {};
    const cost = this.#cost();
    return {
      kind: "summary",
      homepage,
      isFirst: this.#before === undefined,
      sitemapCount: entries.filter(isCountedEntry).length,
      completeSitemaps: entries.filter((entry) => isSitemap(entry) && entry.unknown === undefined).length,
      pageCount: entries.reduce((sum, { pageCount }) => sum + pageCount, 0),
      ...counter.counts,
      ...newAndGone(this.#before?.sitemaps, entries),
      unknownSitemaps: entries.filter((entry) => isSitemap(entry) && entry.unknown !== undefined).length,
      missingSitemaps: this.#recorder.missing,
      pending: this.#writer.pendingCount,
      isMassRemoval: counter.isMassRemoval,
      ...cost,
      asked: cost.asked + verified + asked,
      bytes: cost.bytes + bytes,
      verified,
      onTrust: this.#recorder.trusted.length,
      trusted: this.#recorder.trusted,
      ms: Date.now() - this.#startedAt.getTime(),
      lastmod: siteTrust(entries),
    };
  }

  #facts(summary: SyncSummary): SnapshotFacts {
    const { homepage, pageCount, added, changed, removed, completeSitemaps: read } = summary;
    const { unknownSitemaps: unknown } = summary;
    const { runs = [], runCount = 0 } = this.#before?.facts ?? {};
    const at = this.#startedAt.toISOString();
    const absent = [...new Set([...this.#recorder.absent, ...this.#plan.skippedGuesses])].sort();
    const former = this.#plan.formerLocations(absent).filter((url) => !this.#recorder.read.has(url));
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
