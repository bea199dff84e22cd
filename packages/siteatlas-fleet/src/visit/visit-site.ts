/**
 * Runs one leg of a visit: syncs a site with its last snapshot. If there are many rows, or the new snapshot is large,
 * they are written to the store as files. These files have no effect before the worker commits them. Few rows and a
 * small snapshot are returned in the result.
 *
 * A leg reads as many sitemaps as it can in about a minute, so a crash loses the work of about a minute. The next leg
 * resumes from the snapshot. The very first leg of a site is short: it measures how fast the site responds.
 */
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
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
import { ParquetTable } from "siteatlas/output";
import { checkOptions, type OptionRules } from "../check/check-options.ts";
import { callable, required } from "../check/rules.ts";
import {
  CHANGE_COLUMNS,
  type ChangeRow,
  PAGE_COLUMNS,
  type PageRow,
  SITEMAP_COLUMNS,
  type SitemapRow,
} from "../dataset/datasets.ts";
import { LegRows, valuesFile } from "../dataset/leg-rows.ts";
import { dayOf, partKey, snapshotKey } from "../dataset/part-paths.ts";
import {
  type Dataset,
  inlineSnapshot,
  LEASE_LOST,
  type LegContext,
  type LegRequest,
  type LegResult,
  type LegSitemap,
  type Part,
  readInlineSnapshot,
  type VisitLeg,
} from "../model/visit.ts";
import { VISIT_RULES, type VisitRules } from "../model/visit-settings.ts";
import { MissingObjectError } from "../store/object-key.ts";
import { VISIT_STORE, type VisitStore } from "../store/object-store.ts";
import { PageWriter } from "./page-writer.ts";
import { MAX_CRAWL_DELAY_MS, PoliteClient, type RobotsResponse, SHORT_PAUSE_MS } from "./polite-client.ts";

export interface VisitOptions extends VisitRules {
  readonly store: VisitStore;
  readonly client: Client;
}

const VISIT_OPTIONS: OptionRules<VisitOptions> = {
  ...VISIT_RULES,
  store: required(VISIT_STORE),
  client: required(callable<Client>()),
};

/** Maximum number of sitemaps in a leg while the speed of the site is unknown. Enough for most small sites. */
const FIRST_LEG = 60;
/**
 * If the speed of the site is known, the maximum number of sitemaps in a leg is between these two numbers. Each leg
 * reads the sitemap indexes again, so a very short leg would be inefficient.
 */
const SHORTEST_LEG = 5;
const LONGEST_LEG = 2000;
const DEFAULT_MAX_SITEMAPS = 50_000;
/** How long to wait for a store that is full or unreachable, and the time between two attempts. */
const STORE_WAIT_MS = 60_000;
const STORE_RETRY_MS = 1000;
/** A snapshot of at most this size is kept in the database. A larger one is an object of the store. */
const MAX_INLINE_SNAPSHOT = 16 * 1024;
/** Maximum number of unfinished visits whose robots.txt is kept. */
const MAX_ROBOTS = 1000;

export function createVisitor(options: VisitOptions): VisitLeg {
  checkOptions("createVisitor", VISIT_OPTIONS, options);
  /**
   * The robots.txt of unfinished visits, for their next leg. A key consists of the host and the number of the visit.
   */
  const robots = new Map<string, RobotsResponse>();
  return async (request, context) => {
    const key = `${request.host} ${request.visit}`;
    const client = new PoliteClient(request.homepage, context, robots.get(key));
    robots.delete(key);
    // Pages arrive in synchronous callbacks, so the package must be loaded before the first row.
    await ParquetTable.load();
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const folder = await mkdtemp(join(options.folder, "leg-"));
    try {
      const run = (given: LegRequest): Promise<LegResult> =>
        new Leg(options, given, context, client, folder).run();
      const result = await run(request).catch((error: unknown) => {
        if (!(error instanceof SnapshotError)) throw error;
        // The snapshot is damaged, or a later version has written it. Start without a snapshot.
        return run({ ...request, snapshot: null });
      });
      if (!result.isOver && client.robots !== undefined) robots.set(key, client.robots);
      // A visit that continued in another process leaves its robots.txt in this map. So remove the oldest entry.
      if (robots.size > MAX_ROBOTS) robots.delete(robots.keys().next().value!);
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
  readonly #client: PoliteClient;
  readonly #snapshot: string;
  readonly #visitedAt = new Date();
  readonly #startedAt = performance.now();
  readonly #failed: ReadonlySet<string>;
  readonly #pages: LegRows<PageRow>;
  readonly #pageWriter: PageWriter;
  readonly #sitemaps: LegRows<SitemapRow>;
  readonly #changes: LegRows<ChangeRow>;
  readonly #reported: Map<string, LegSitemap> = new Map();
  #hasSnapshot = false;
  #isCut = false;
  #robots: WalkedSitemap | undefined;
  #isDisallowed = false;
  #bytes = 0;

  constructor(
    options: VisitOptions,
    request: LegRequest,
    context: LegContext,
    client: PoliteClient,
    folder: string,
  ) {
    this.#options = options;
    this.#request = request;
    this.#context = context;
    this.#client = client;
    this.#snapshot = join(folder, "site.snapshot.gz");
    this.#failed = new Set(request.failed);
    const { host, epoch, visit, mayPack = false } = request;
    const metadata = { host, epoch: String(epoch), visit: String(visit) };
    const file = (dataset: Dataset) => valuesFile(dataset, join(folder, `${dataset}.parquet`), metadata);
    const rows = { host, mayPack };
    this.#pages = new LegRows(file("pages"), PAGE_COLUMNS, rows);
    this.#pageWriter = new PageWriter(this.#pages, { host, visitedAt: this.#visitedAt });
    this.#sitemaps = new LegRows(file("sitemaps"), SITEMAP_COLUMNS, rows);
    this.#changes = new LegRows(file("changes"), CHANGE_COLUMNS, rows);
  }

  async run(): Promise<LegResult> {
    this.#hasSnapshot = await this.#fetchSnapshot();
    this.#pageWriter.canBeSame = this.#hasSnapshot;
    try {
      const summary = await this.#sync();
      this.#context.signal.throwIfAborted();
      // The lease was lost, so requests failed for a reason that the site did not cause. Discard the results.
      if (this.#client.wasLost || !this.#context.isHeld()) {
        throw Object.assign(new Error("The lease was lost"), { code: LEASE_LOST });
      }
      return await this.#finish(summary);
    } finally {
      for (const { file } of this.#rows) file.discard();
    }
  }

  get #rows() {
    return [this.#pages, this.#sitemaps, this.#changes] as const;
  }

  /**
   * Copies the snapshot to a local file. Returns whether there is one. If not, everything is read and written again.
   */
  async #fetchSnapshot(): Promise<boolean> {
    const { snapshot } = this.#request;
    if (snapshot === null) {
      rmSync(this.#snapshot, { force: true });
      return false;
    }
    const inline = readInlineSnapshot(snapshot);
    if (inline !== undefined) {
      await writeFile(this.#snapshot, inline, { encoding: "base64", mode: 0o600 });
      return true;
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
    const { userAgent, concurrency = 2, delayMs = 0, respectRobots = true } = this.#options;
    const { crossHost = "follow", guess = true } = this.#options;
    const isFirstVisit = this.#request.visit === 1 || !this.#hasSnapshot;
    const changes = syncSite(homepage, {
      snapshot: this.#snapshot,
      client: this.#client.wrap(this.#options.client),
      userAgent,
      concurrency,
      delayMs,
      crossHost,
      useKnownPaths: guess,
      respectRobots,
      useCrawlDelay: true,
      signal: this.#context.signal,
      limits: this.#limits(),
      onEvent: (event) => this.#take(event),
      recurseCallback: (url) => !this.#failed.has(url),
      ...(leg > 0 && this.#hasSnapshot && { continueFrom: new Date(began) }),
    });
    let summary: SyncSummary | undefined;
    for await (const change of changes) {
      if (change.kind === "summary") summary = change;
      else if (change.kind === "failure") summary = change.summary;
      // On the first visit every page is new. Such pages are not recorded as changes.
      else if (change.kind !== "start" && change.kind !== "unknown" && !isFirstVisit) {
        this.#changes.add({ host, visitedAt: this.#visitedAt, change });
      }
    }
    return summary!;
  }

  #limits(): WalkLimits {
    const { legMs = 60_000, limits = {} } = this.#options;
    const { done, requestMs } = this.#request;
    const isKnown = requestMs !== null && requestMs > 0;
    const more = isKnown ? clamp(Math.round(legMs / requestMs), SHORTEST_LEG, LONGEST_LEG) : FIRST_LEG;
    return {
      retryAfterMs: SHORT_PAUSE_MS,
      crawlDelayMs: MAX_CRAWL_DELAY_MS,
      timeMs: Number.POSITIVE_INFINITY,
      ...limits,
      // The library also counts the sitemaps of earlier legs, which it takes from the snapshot. So add their number,
      // `done`.
      sitemaps: Math.min(this.#mostSitemaps, done + more),
    };
  }

  /** The maximum number of sitemaps in the whole visit, minus the number of sitemaps that failed. */
  get #mostSitemaps(): number {
    const { sitemaps = DEFAULT_MAX_SITEMAPS } = this.#options.limits ?? {};
    return Math.max(0, sitemaps - this.#failed.size);
  }

  #take(event: WalkEvent): void {
    if (event.kind === "page") this.#pageWriter.add(event.page, event.sitemapUrl);
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
    // This leg sent no request for the sitemap: an earlier leg of the visit has already reported it.
    if (outcome === "unchanged" && http === undefined) return;
    if (outcome === "skipped" && code === "filtered") return;
    // An index lists itself, or an index above it. The listed sitemap has already had its own event.
    if (sitemap.requestedUrl === undefined && (code === "index.self-reference" || code === "index.cycle"))
      return;
    const { postponed } = this.#client;
    const isPostponed = [url, sitemap.requestedUrl].some((name) => name !== undefined && postponed.has(name));
    if (outcome === "failed" && isPostponed) return;
    // A known location without a sitemap is not a failure.
    if (outcome === "failed" && source === "known") return;
    this.#sitemaps.add({ host: this.#request.host, visitedAt: this.#visitedAt, sitemap });
    const hasPages = outcome === "found" && this.#pageWriter.end(url, sitemap.sameContent === true);
    const reported = { ...legSitemap(sitemap, outcome), hasPages };
    this.#reported.set(reported.url, reported);
  }

  /** Records a URL that redirects to a sitemap already read, so that the next leg does not request the URL again. */
  #takeShared({ requestedUrl, kind }: WalkedSitemap): void {
    if (requestedUrl === undefined || this.#reported.has(requestedUrl)) return;
    const url = requestedUrl;
    this.#reported.set(url, { url, outcome: "skipped", code: "shared", kind, pageCount: 0, hasPages: false });
  }

  // ---------------------------------------------------------------- results

  async #finish(summary: SyncSummary): Promise<LegResult> {
    this.#pageWriter.endAll();
    const day = dayOf(this.#visitedAt);
    const parts = await this.#putParts(day);
    const texts = Object.fromEntries(
      this.#rows.flatMap(({ dataset, text }) => (text === undefined ? [] : [[dataset, text]])),
    );
    const snapshot = await this.#putSnapshot(summary);
    const { requests, isPaused } = this.#client;
    const gone = new Set(summary.goneSitemaps);
    const elapsedMs = performance.now() - this.#startedAt;
    return {
      ...this.#outcome(summary, isPaused),
      isOver: !isPaused && !this.#hasMore(),
      parts,
      ...(Object.keys(texts).length > 0 && { unpacked: { day, texts } }),
      snapshot,
      sitemaps: [...this.#reported.values()].filter(({ url }) => !gone.has(url)),
      gone: [...gone],
      pageCount: summary.pageCount,
      sitemapCount: summary.sitemapCount,
      requests,
      bytes: this.#bytes,
      pages: this.#pageWriter.count,
      changes: summary.added + summary.changed + summary.removed,
      requestMs: requests === 0 ? 0 : elapsedMs / requests,
      pauseMs: this.#client.pauseMs(this.#options.userAgent),
    };
  }

  /**
   * Whether another leg must follow. True if the limit of this leg ended the walk, and not the limit of the whole
   * visit.
   */
  #hasMore(): boolean {
    // If this leg reported no sitemap, the next leg would not either, and the visit would never end.
    return this.#isCut && this.#reported.size > 0 && this.#limits().sitemaps! < this.#mostSitemaps;
  }

  async #putParts(day: string): Promise<Part[]> {
    const parts: Part[] = [];
    for (const { file } of this.#rows) {
      if (!(await file.end())) continue;
      const { dataset, rowCount, byteCount, path } = file;
      const key = partKey(dataset, day, this.#request);
      await this.#put(key, path);
      parts.push({ dataset, key, day, rowCount, byteCount });
    }
    return parts;
  }

  async #putSnapshot({ isFirst, pageCount }: SyncSummary): Promise<string | undefined> {
    // The first sync of a site without pages writes no snapshot.
    if (isFirst && pageCount === 0) return undefined;
    if ((await stat(this.#snapshot)).size <= MAX_INLINE_SNAPSHOT) {
      return inlineSnapshot(await readFile(this.#snapshot));
    }
    const key = snapshotKey(this.#request);
    await this.#put(key, this.#snapshot);
    return key;
  }

  /**
   * Moves a file into the store. Retries if the store is full or unreachable, because walking the site again would cost
   * more.
   */
  async #put(key: string, path: string): Promise<void> {
    const { signal, isHeld } = this.#context;
    for (const startedAt = performance.now(); ; ) {
      try {
        return await this.#options.store.put(key, path);
      } catch (error) {
        const isHopeless = error instanceof TypeError || performance.now() - startedAt > STORE_WAIT_MS;
        if (isHopeless || !isHeld()) throw error;
        await wait(STORE_RETRY_MS, undefined, { signal });
      }
    }
  }

  #outcome({ pageCount }: SyncSummary, isPaused: boolean): Pick<LegResult, "outcome" | "reason"> {
    if (isPaused) return { outcome: "paused", reason: "the site asked for a pause" };
    const { outcome, http, reason } = this.#robots ?? {};
    const isDown = outcome === "failed" && (http === undefined || http.status >= 500);
    if (isDown && [...this.#reported.values()].every((sitemap) => sitemap.outcome !== "found")) {
      return { outcome: "unreachable", reason: reason ?? "robots.txt could not be fetched" };
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
  // A failed sitemap is recorded under the URL that was requested, so that the next leg does not request it again.
  const url = outcome === "failed" ? (sitemap.requestedUrl ?? sitemap.url) : sitemap.url;
  const code = sitemap.code ?? (partial ? (sitemap.cutBy ?? "http.truncated") : undefined);
  return {
    url,
    outcome,
    code,
    kind,
    format,
    status: http?.status,
    etag: plain(http?.etag),
    lastModified: plain(http?.lastModified),
    contentHash,
    pageCount,
  };
}

/** Removes control characters: PostgreSQL rejects NUL in text, and the others are useless. */
function plain(header: string | undefined): string | undefined {
  return header?.replace(/[\0-\x1f\x7f]/g, "");
}
