/**
 * One leg: syncs a site with its last snapshot, writes what it finds as parts, and the next snapshot. Nothing of it
 * counts before it is committed.
 *
 * A leg ends when so many sitemaps were asked for that losing it would cost about a minute; the next one goes on
 * where it ended, from the snapshot that it left. The first is short enough to learn how fast the site answers.
 */
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import {
  type Client,
  SnapshotError,
  type SyncSummary,
  syncSite,
  type WalkEvent,
  type WalkedSitemap,
  type WalkLimits,
} from "siteatlas";
import {
  CHANGE_COLUMNS,
  type ChangeRow,
  PAGE_COLUMNS,
  type PageRow,
  SITEMAP_COLUMNS,
  type SitemapRow,
} from "../dataset/datasets.ts";
import { PartFile } from "../dataset/part-file.ts";
import {
  LEASE_LOST,
  type LegContext,
  type LegRequest,
  type LegResult,
  type LegSitemap,
  type Part,
  type VisitLeg,
} from "../leg.ts";
import type { VisitRules } from "../settings.ts";
import { MissingObjectError, type ObjectStore } from "../store/object-store.ts";
import { LegPages } from "./leg-pages.ts";
import { dayOf, partKey, snapshotKey } from "./part-names.ts";
import { LegTraffic, MAX_CRAWL_DELAY_MS, PATIENCE_MS, type RobotsAnswer } from "./polite-client.ts";

export interface VisitOptions extends VisitRules {
  readonly store: ObjectStore;
  readonly client: Client;
}

/** Sitemaps of a first leg: the known locations, and as many again. */
const FIRST_LEG = 60;
/** Of the others: however slow a site is, robots.txt and the indexes come with each. */
const SHORTEST_LEG = 5;
const LONGEST_LEG = 2000;
const DEFAULT_MAX_SITEMAPS = 50_000;
/** How long the store may be full or away, and how often it is asked meanwhile. */
const PUT_PATIENCE_MS = 60_000;
const PUT_AGAIN_MS = 1000;
/** Visits under way whose robots.txt is kept, at most. */
const MAX_MEMOS = 1000;

export function createVisitor(options: VisitOptions): VisitLeg {
  /** By host and visit, while it has another leg before it. */
  const memos = new Map<string, RobotsAnswer>();
  return async (request, context) => {
    const memoKey = `${request.host} ${request.visit}`;
    const traffic = new LegTraffic(request.homepage, context, memos.get(memoKey));
    memos.delete(memoKey);
    await mkdir(options.folder, { recursive: true });
    const folder = await mkdtemp(join(options.folder, "leg-"));
    try {
      const run = (given: LegRequest): Promise<LegResult> =>
        new Leg(options, given, context, traffic, folder).run();
      const result = await run(request).catch((error: unknown) => {
        if (!(error instanceof SnapshotError)) throw error;
        // Damaged, or of a later version: as good as none.
        return run({ ...request, snapshot: null });
      });
      if (!result.isOver && traffic.robots !== undefined) memos.set(memoKey, traffic.robots);
      // Visits that went on elsewhere leave theirs.
      if (memos.size > MAX_MEMOS) memos.delete(memos.keys().next().value!);
      return result;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

class Leg {
  readonly #options: VisitOptions;
  readonly #request: LegRequest;
  readonly #context: LegContext;
  readonly #traffic: LegTraffic;
  readonly #snapshot: string;
  readonly #visitedAt = new Date();
  readonly #startedAt = performance.now();
  readonly #failed: ReadonlySet<string>;
  readonly #pages: PartFile<PageRow>;
  readonly #newPages: LegPages;
  readonly #sitemaps: PartFile<SitemapRow>;
  readonly #changes: PartFile<ChangeRow>;
  readonly #told: Map<string, LegSitemap> = new Map();
  #hasSnapshot = false;
  #isCut = false;
  #robots: WalkedSitemap | undefined;
  #isDisallowed = false;
  #bytes = 0;

  constructor(
    options: VisitOptions,
    request: LegRequest,
    context: LegContext,
    traffic: LegTraffic,
    folder: string,
  ) {
    this.#options = options;
    this.#request = request;
    this.#context = context;
    this.#traffic = traffic;
    this.#snapshot = join(folder, "site.snapshot.gz");
    this.#failed = new Set(request.failed);
    const metadata = { host: request.host, epoch: String(request.epoch), visit: String(request.visit) };
    this.#pages = new PartFile("pages", join(folder, "pages.parquet"), PAGE_COLUMNS, metadata);
    this.#newPages = new LegPages(this.#pages, { host: request.host, visitedAt: this.#visitedAt });
    this.#sitemaps = new PartFile("sitemaps", join(folder, "sitemaps.parquet"), SITEMAP_COLUMNS, metadata);
    this.#changes = new PartFile("changes", join(folder, "changes.parquet"), CHANGE_COLUMNS, metadata);
  }

  async run(): Promise<LegResult> {
    this.#hasSnapshot = await this.#fetchSnapshot();
    this.#newPages.canBeSame = this.#hasSnapshot;
    try {
      const summary = await this.#sync();
      this.#context.signal.throwIfAborted();
      // A lease that is lost makes everything else fail: that says nothing about the site.
      if (this.#traffic.wasLost || !this.#context.isHeld()) {
        throw Object.assign(new Error("The lease was lost"), { code: LEASE_LOST });
      }
      return await this.#finish(summary);
    } finally {
      for (const part of this.#parts) part.discard();
    }
  }

  get #parts(): readonly [PartFile<PageRow>, PartFile<SitemapRow>, PartFile<ChangeRow>] {
    return [this.#pages, this.#sitemaps, this.#changes];
  }

  /** A snapshot that is lost costs a whole reading, nothing else. */
  async #fetchSnapshot(): Promise<boolean> {
    const { snapshot } = this.#request;
    if (snapshot === null) {
      rmSync(this.#snapshot, { force: true });
      return false;
    }
    try {
      await this.#options.store.get(snapshot, this.#snapshot);
      return true;
    } catch (error) {
      if (error instanceof MissingObjectError) return false;
      throw error;
    }
  }

  async #sync(): Promise<SyncSummary> {
    const { homepage, leg, began, host } = this.#request;
    const { userAgent, concurrency, delayMs, respectRobots = true, crossHost, guess } = this.#options;
    const isFirstVisit = this.#request.visit === 1 || !this.#hasSnapshot;
    const changes = syncSite(homepage, {
      snapshot: this.#snapshot,
      client: this.#traffic.clientBefore(this.#options.client),
      userAgent,
      respectRobots,
      useCrawlDelay: true,
      signal: this.#context.signal,
      limits: this.#limits(),
      onEvent: (event) => this.#take(event),
      recurseCallback: (url) => !this.#failed.has(url),
      ...(leg > 0 && this.#hasSnapshot && { continueFrom: new Date(began) }),
      ...(concurrency !== undefined && { concurrency }),
      ...(delayMs !== undefined && { delayMs }),
      ...(guess !== undefined && { useKnownPaths: guess }),
      ...(crossHost !== undefined && { crossHost }),
    });
    let summary: SyncSummary | undefined;
    for await (const change of changes) {
      if (change.kind === "summary") summary = change;
      // The first time everything is new, and in the pages.
      else if (change.kind !== "unknown" && !isFirstVisit) {
        this.#changes.add({ host, visitedAt: this.#visitedAt, change });
      }
    }
    return summary!;
  }

  #limits(): WalkLimits {
    const { legMs = 60_000, limits = {} } = this.#options;
    const { done, requestMs } = this.#request;
    const isKnown = requestMs !== null && requestMs > 0;
    const perLeg = isKnown ? clamp(Math.round(legMs / requestMs), SHORTEST_LEG, LONGEST_LEG) : FIRST_LEG;
    return {
      retryAfterMs: PATIENCE_MS,
      crawlDelayMs: MAX_CRAWL_DELAY_MS,
      timeMs: Number.POSITIVE_INFINITY,
      ...limits,
      // What was read before counts, too.
      sitemaps: Math.min(this.#mostSitemaps, done + perLeg),
    };
  }

  /** Of the whole visit, without those that were asked for in vain. */
  get #mostSitemaps(): number {
    const { sitemaps = DEFAULT_MAX_SITEMAPS } = this.#options.limits ?? {};
    return Math.max(0, sitemaps - this.#failed.size);
  }

  #take(event: WalkEvent): void {
    if (event.kind === "page") this.#newPages.add(event.page, event.sitemapUrl);
    else if (event.kind === "sitemap") this.#takeSitemap(event.sitemap);
  }

  #takeSitemap(sitemap: WalkedSitemap): void {
    const { outcome, code, url, http, source } = sitemap;
    this.#bytes += http?.bytes ?? 0;
    if (source === "robots") this.#robots = sitemap;
    if (code === "robots.disallowed") this.#isDisallowed = true;
    if (outcome === "stopped") {
      if (code === "limit.sitemaps") this.#isCut = true;
      return;
    }
    if (outcome === "shared") return this.#takeShared(sitemap);
    // What was told by an earlier leg.
    if (outcome === "unchanged" && http === undefined) return;
    if (outcome === "skipped" && code === "filtered") return;
    // That of a place that leads back: the sitemap itself was told, or will be.
    const isPlace = sitemap.requestedUrl === undefined;
    if (isPlace && (code === "index.self-reference" || code === "index.cycle")) return;
    const { postponed } = this.#traffic;
    const isPostponed = [url, sitemap.requestedUrl].some((name) => name !== undefined && postponed.has(name));
    if (outcome === "failed" && isPostponed) return;
    // Guesses that led nowhere are no sitemaps.
    if (outcome === "failed" && source === "known") return;
    this.#sitemaps.add({ host: this.#request.host, visitedAt: this.#visitedAt, sitemap });
    const hasPages = outcome === "found" && this.#newPages.end(url, sitemap.sameContent === true);
    const told = { ...legSitemap(sitemap, outcome), hasPages };
    this.#told.set(told.url, told);
  }

  /** A redirect led to another sitemap: the next leg need not find that out again. */
  #takeShared({ requestedUrl, kind }: WalkedSitemap): void {
    if (requestedUrl === undefined || this.#told.has(requestedUrl)) return;
    const url = requestedUrl;
    this.#told.set(url, { url, outcome: "skipped", code: "shared", kind, pageCount: 0, hasPages: false });
  }

  // ---------------------------------------------------------------- what is written

  async #finish(summary: SyncSummary): Promise<LegResult> {
    this.#newPages.endAll();
    const parts = await this.#putParts();
    const snapshot = await this.#putSnapshot(summary);
    const { requests } = this.#traffic;
    const gone = new Set(summary.goneSitemaps);
    const isPaused = this.#traffic.isPaused;
    const elapsedMs = performance.now() - this.#startedAt;
    const pauseMs = this.#traffic.pauseMs(this.#options.userAgent);
    const { outcome, reason } = this.#outcome(summary, isPaused);
    return {
      outcome,
      ...(reason !== undefined && { reason }),
      isOver: !isPaused && !this.#hasMore(),
      parts,
      ...(snapshot !== undefined && { snapshot }),
      sitemaps: [...this.#told.values()].filter(({ url }) => !gone.has(url)),
      gone: [...gone],
      pageCount: summary.pageCount,
      sitemapCount: summary.sitemapCount,
      requests,
      bytes: this.#bytes,
      pages: this.#newPages.count,
      changes: summary.added + summary.changed + summary.removed,
      requestMs: requests === 0 ? 0 : elapsedMs / requests,
      ...(pauseMs !== undefined && { pauseMs }),
    };
  }

  /** A limit of this leg, and not of the visit, has cut it. */
  #hasMore(): boolean {
    // One that told nothing new would be followed by another like it.
    return this.#isCut && this.#told.size > 0 && this.#limits().sitemaps! < this.#mostSitemaps;
  }

  async #putParts(): Promise<Part[]> {
    const day = dayOf(this.#visitedAt);
    const parts: Part[] = [];
    for (const file of this.#parts) {
      if (!(await file.end())) continue;
      const { dataset, rowCount, byteCount, path } = file;
      const key = partKey(dataset, day, this.#request);
      await this.#put(key, path);
      parts.push({ dataset, key, day, rowCount, byteCount });
    }
    return parts;
  }

  async #putSnapshot({ isFirst, pageCount }: SyncSummary): Promise<string | undefined> {
    // There is none as long as there was nothing to remember.
    if (isFirst && pageCount === 0) return undefined;
    const key = snapshotKey(this.#request);
    await this.#put(key, this.#snapshot);
    return key;
  }

  /** A store that is full or away may be back in a moment: what was walked is not walked again for that. */
  async #put(key: string, path: string): Promise<void> {
    const { signal, isHeld } = this.#context;
    for (const startedAt = performance.now(); ; ) {
      try {
        return await this.#options.store.put(key, path);
      } catch (error) {
        const isHopeless = error instanceof TypeError || performance.now() - startedAt > PUT_PATIENCE_MS;
        if (isHopeless || !isHeld()) throw error;
        await wait(PUT_AGAIN_MS, undefined, { signal });
      }
    }
  }

  #outcome({ pageCount }: SyncSummary, isPaused: boolean): Pick<LegResult, "outcome" | "reason"> {
    if (isPaused) return { outcome: "paused", reason: "the site asked to be left alone" };
    const { outcome, http, reason } = this.#robots ?? {};
    const isDown = outcome === "failed" && (http === undefined || http.status >= 500);
    if (isDown && [...this.#told.values()].every((sitemap) => sitemap.outcome !== "found")) {
      return { outcome: "unreachable", reason: reason ?? "robots.txt could not be read" };
    }
    if (pageCount > 0) return { outcome: "found" };
    return this.#isDisallowed
      ? { outcome: "disallowed", reason: "robots.txt disallows it" }
      : { outcome: "empty" };
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function legSitemap(sitemap: WalkedSitemap, outcome: LegSitemap["outcome"]): Omit<LegSitemap, "hasPages"> {
  const { kind, format, pageCount, contentHash, http, partial } = sitemap;
  // What was not read is known by the name that it was asked for with.
  const url = outcome === "failed" ? (sitemap.requestedUrl ?? sitemap.url) : sitemap.url;
  const code = sitemap.code ?? (partial ? (sitemap.cutBy ?? "http.truncated") : undefined);
  return {
    url,
    outcome,
    ...(code !== undefined && { code }),
    kind,
    ...(format !== undefined && { format }),
    ...(http !== undefined && { status: http.status }),
    ...(http?.etag !== undefined && { etag: plain(http.etag) }),
    ...(http?.lastModified !== undefined && { lastModified: plain(http.lastModified) }),
    ...(contentHash !== undefined && { contentHash }),
    pageCount,
  };
}

/** PostgreSQL takes no NUL, and nobody needs the others. */
function plain(header: string): string {
  return header.replace(/[\0-\x1f\x7f]/g, "");
}
