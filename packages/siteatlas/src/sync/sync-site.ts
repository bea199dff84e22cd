/**
 * What changed on a site since the last time: walks it, asking for as little as may be (visit-plan.ts), writes the
 * next snapshot beside the last one, compares the two and, when all changes were taken, puts the new one in its
 * place. Whoever dies on the way finds the old one, and the same changes again.
 */
import type { Page } from "../model.ts";
import type { WalkedSitemap } from "../walk/events.ts";
import type { WalkOptions } from "../walk/options.ts";
import type { SitemapRecord } from "../walk/record.ts";
import { clientFor } from "../walk/walk-sitemaps.ts";
import { Walker } from "../walk/walker.ts";
import type { PageChange } from "./changes.ts";
import { Comparison } from "./compare.ts";
import { type LastmodTrust, measureDates, siteTrust, WEAK_SCORE, withRestamps } from "./lastmod-trust.ts";
import { nextEntries, type ReadFacts } from "./next-entries.ts";
import { pageLine, urlOfLine } from "./page-line.ts";
import { readSnapshot, type Snapshot, SnapshotError } from "./read-snapshot.ts";
import { redirectFinder } from "./redirect-finder.ts";
import {
  isSitemap,
  type RunFacts,
  SNAPSHOT_FORMAT,
  SNAPSHOT_VERSION,
  type SnapshotFacts,
  sectionLines,
  sortLines,
} from "./snapshot-format.ts";
import { VisitPlan } from "./visit-plan.ts";
import { type SitemapEntry, SnapshotWriter } from "./write-snapshot.ts";

export interface SyncOptions extends WalkOptions {
  /** Path of the snapshot: read if it is there, written at the end. */
  readonly snapshot: string;
  /** Ask with ETag and Last-Modified, so that the server can say "not modified". @default true */
  readonly useValidators?: boolean;
  /** Do not ask for sitemaps whose declared date stands still where such dates have proved true. @default true */
  readonly useTrust?: boolean;
  /**
   * Goes on with a sync that a limit cut (`limits.sitemaps`), which began then: what was read since is not asked for
   * again, though it counts for the limit, and absent known locations are not tried again.
   */
  readonly continueFrom?: Date;
  /** From this share of all pages on, removed pages are `suspect`. @default 0.2 */
  readonly massRemoval?: number;
  /** Ask for so many removed pages whether they redirect: to an added one, they moved. @default 0 */
  readonly redirectChecks?: number;
  /** Leave the snapshot as it is: the next sync tells the same changes. @default false */
  readonly dryRun?: boolean;
}

/** The last of all changes: what there was to tell, and what it cost. */
export interface SyncSummary {
  readonly kind: "summary";
  readonly homepage: string;
  /** There was no snapshot: every page is added. */
  readonly isFirst: boolean;
  /** Those that could not be read among them. */
  readonly sitemapCount: number;
  /** A page that several sitemaps list counts for each. */
  readonly pageCount: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly relisted: number;
  /** Sitemaps that are listed for the first time, and that are gone with their pages; none on a first sync. */
  readonly newSitemaps: readonly string[];
  readonly goneSitemaps: readonly string[];
  /** Sitemaps of which nothing is known, and their pages. */
  readonly unknownSitemaps: number;
  readonly unknownPages: number;
  /** The removed pages are too many to be believed. */
  readonly isMassRemoval: boolean;
  /** Requests, with redirects, further tries and the homepage. */
  readonly asked: number;
  /** Sitemaps that the server said "not modified" of, and that were taken on trust. */
  readonly notModified: number;
  readonly onTrust: number;
  /** The URLs of the latter. */
  readonly trusted: readonly string[];
  /** Received, on the wire. */
  readonly bytes: number;
  readonly ms: number;
  /** How much the site's lastModified says. */
  readonly lastmod: LastmodTrust;
}

export type Change = PageChange | SyncSummary;

/** Runs whose counts a snapshot keeps. */
const MAX_RUNS = 50;

/**
 * Tells what was added, changed, removed or relisted since the last sync, then a summary; and keeps what it saw in
 * the snapshot. A sitemap that failed or was cut makes its pages unknown, never removed.
 *
 * The snapshot is replaced when the loop comes back for more after the summary. Who leaves it before, or dies,
 * is told the same changes the next time.
 *
 * @example
 * for await (const change of syncSite("https://example.com/", { snapshot: "example.snapshot.gz" })) {
 *   if (change.kind === "added") console.log(change.url);
 * }
 */
export async function* syncSite(homepageUrl: string, options: SyncOptions): AsyncGenerator<Change> {
  const before = await readSnapshot(options.snapshot).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    return undefined;
  });
  try {
    const writer = await SnapshotWriter.create(options.snapshot, before);
    try {
      yield* new Sync(homepageUrl, options, before, writer).run();
    } finally {
      await writer.discard();
    }
  } finally {
    await before?.close();
  }
}

class Sync {
  readonly #homepageUrl: string;
  readonly #options: SyncOptions;
  readonly #before: Snapshot | undefined;
  readonly #writer: SnapshotWriter;
  readonly #plan: VisitPlan;
  readonly #startedAt = new Date();
  /** Pages of the sitemaps that are being read, by the sitemap's URL: texts of some hundred lines. */
  readonly #lines: Map<string, string[]> = new Map();
  readonly #read: Map<string, ReadFacts> = new Map();
  readonly #absent: string[] = [];
  readonly #skipped: WalkedSitemap[] = [];
  readonly #trusted: string[] = [];
  readonly #cost = { asked: 0, notModified: 0, bytes: 0 };

  constructor(
    homepageUrl: string,
    options: SyncOptions,
    before: Snapshot | undefined,
    writer: SnapshotWriter,
  ) {
    const { useValidators = true, useTrust = true, continueFrom } = options;
    this.#homepageUrl = homepageUrl;
    this.#options = options;
    this.#before = before;
    this.#writer = writer;
    this.#plan = new VisitPlan(before, { useValidators, useTrust, continueFrom });
  }

  async *run(): AsyncGenerator<Change> {
    const { client, close } = clientFor(this.#homepageUrl, this.#options);
    try {
      this.#checkSite();
      const walker = new Walker(this.#homepageUrl, this.#options, client, {
        keepPages: (record, pages) => this.#hold(record, pages),
        revisit: this.#plan,
      });
      for await (const batch of walker.run()) {
        for (const event of batch) if (event.kind === "sitemap") await this.#take(event.sitemap);
      }
      this.#cost.asked = walker.requestCount;
      const entries = this.#entries(walker);
      const { redirectChecks = 0 } = this.#options;
      const redirectOf = redirectFinder(client, this.#options, redirectChecks);
      yield* this.#tell(walker.homepage.href, entries, redirectOf);
    } finally {
      await close();
    }
  }

  /** A snapshot of another site would make all of its pages disappear. */
  #checkSite(): void {
    const { snapshot } = this.#options;
    const known = this.#before?.facts.homepage;
    if (known === undefined || !URL.canParse(this.#homepageUrl)) return;
    if (siteName(new URL(known).host) !== siteName(new URL(this.#homepageUrl).host)) {
      throw new SnapshotError(`${snapshot} is a snapshot of ${known}`);
    }
  }

  // ---------------------------------------------------------------- the walk

  #hold({ finalUrl }: SitemapRecord, pages: readonly Page[]): void {
    let lines = this.#lines.get(finalUrl);
    if (lines === undefined) {
      lines = [];
      this.#lines.set(finalUrl, lines);
    }
    // Each line by itself would be a tree of pieces, and take four times as much.
    if (pages.length > 0) lines.push(pages.map(pageLine).join("\n"));
  }

  /** A sitemap ended: its pages become a section. */
  async #take(sitemap: WalkedSitemap): Promise<void> {
    const { url, outcome, http } = sitemap;
    this.#cost.bytes += http?.bytes ?? 0;
    const isAbsent = http?.status === 404 || http?.status === 410;
    if (isAbsent && sitemap.source === "known") this.#absent.push(sitemap.requestedUrl ?? url);
    if (outcome === "skipped") this.#skipped.push(sitemap);
    if (outcome === "unchanged") this.#keep(sitemap);
    else if (outcome === "found") await this.#write(sitemap);
  }

  #keep({ url, http, pageCount }: WalkedSitemap): void {
    const old = this.#old(url)!;
    const isFresh = http === undefined && this.#plan.isFresh(old);
    const finding = isFresh ? "fresh" : http === undefined ? "unasked" : "unmodified";
    if (finding === "unasked") this.#trusted.push(url);
    else if (finding === "unmodified") this.#cost.notModified++;
    this.#writer.keep(this.#before!, old);
    this.#read.set(url, { pageCount, finding, lastmod: old.lastmod });
  }

  async #write({ url, partial, sameContent, http }: WalkedSitemap): Promise<void> {
    const texts = this.#lines.get(url) ?? [];
    this.#lines.delete(url);
    const old = this.#old(url);
    if (sameContent && old !== undefined) {
      this.#writer.keep(this.#before!, old);
      this.#read.set(url, { pageCount: old.pageCount, finding: "same", lastmod: old.lastmod });
      return;
    }
    const lines = sortLines(texts.flatMap((text) => text.split("\n")));
    const madeAt = http?.lastModified === undefined ? undefined : new Date(http.lastModified);
    const lastmod =
      lines.length === 0 ? undefined : measureDates(lines, this.#startedAt, madeAt, old?.lastmod?.restamped);
    // Of what was cut off, nothing is known: it stays as it was.
    const whole = partial && old !== undefined ? await this.#merge(old.url, lines) : lines;
    await this.#writer.write(url, whole);
    this.#plan.noteChange(url);
    this.#read.set(url, { pageCount: whole.length, finding: "changed", lastmod });
  }

  async #merge(url: string, lines: readonly string[]): Promise<string[]> {
    const byUrl = new Map<string, string>();
    for (const line of sectionLines(await this.#before!.section(this.#old(url)!)))
      byUrl.set(urlOfLine(line), line);
    for (const line of lines) byUrl.set(urlOfLine(line), line);
    return sortLines([...byUrl.values()]);
  }

  #old(url: string): Snapshot["sitemaps"][number] | undefined {
    return this.#before?.find(url);
  }

  #entries({ roots, isPartial }: Walker): SitemapEntry[] {
    const { seen, kept, unread } = nextEntries({
      roots,
      skipped: this.#skipped,
      isCut: isPartial,
      before: this.#before?.sitemaps ?? [],
      plan: this.#plan,
      read: this.#read,
      at: this.#startedAt.toISOString(),
    });
    for (const { url } of kept) this.#writer.keep(this.#before!, this.#old(url)!);
    return [...seen, ...kept, ...unread];
  }

  // ---------------------------------------------------------------- the changes

  async *#tell(
    homepage: string,
    entries: readonly SitemapEntry[],
    redirectOf: ((url: string) => Promise<string | undefined>) | undefined,
  ): AsyncGenerator<Change> {
    const after = this.#writer.draft(entries);
    const weak = new Set(
      entries.filter(({ lastmod }) => lastmod && lastmod.score < WEAK_SCORE).map(({ url }) => url),
    );
    const comparison = new Comparison(this.#before, after, {
      massRemoval: this.#options.massRemoval ?? 0.2,
      folder: this.#writer.changesFolder,
      isWeak: (url) => weak.has(url),
      ...(redirectOf !== undefined && { redirectOf }),
    });
    const tally = new Tally();
    for await (const change of comparison.changes()) {
      tally.add(change);
      yield change;
    }
    const judged = entries.map((entry) => ({
      ...tally.judgeDates(entry),
      ...(comparison.shared.has(entry.url) && { isShared: true as const }),
    }));
    yield this.#summary(homepage, judged, tally);
    const isNothing = this.#before === undefined && after.pageCount === 0;
    if (this.#options.dryRun || isNothing) return;
    await this.#writer.finish(this.#facts(homepage, after.pageCount, judged, tally), judged);
    await this.#writer.commit();
  }

  #summary(homepage: string, entries: readonly SitemapEntry[], tally: Tally): SyncSummary {
    return {
      kind: "summary",
      homepage,
      isFirst: this.#before === undefined,
      sitemapCount: entries.filter(isSitemap).length,
      pageCount: entries.reduce((sum, { pageCount }) => sum + pageCount, 0),
      ...tally.counts,
      ...this.#comings(entries),
      unknownSitemaps: entries.filter(isUnknownSitemap).length,
      isMassRemoval: tally.isMassRemoval,
      ...this.#cost,
      onTrust: this.#trusted.length,
      trusted: this.#trusted,
      ms: Date.now() - this.#startedAt.getTime(),
      lastmod: siteTrust(entries),
    };
  }

  #comings(entries: readonly SitemapEntry[]): Pick<SyncSummary, "newSitemaps" | "goneSitemaps"> {
    const urlsOf = (list: readonly SitemapEntry[]): Set<string> =>
      new Set(list.filter(isSitemap).map(({ url }) => url));
    if (this.#before === undefined) return { newSitemaps: [], goneSitemaps: [] };
    const [old, now] = [urlsOf(this.#before.sitemaps), urlsOf(entries)];
    return {
      newSitemaps: [...now].filter((url) => !old.has(url)),
      goneSitemaps: [...old].filter((url) => !now.has(url)),
    };
  }

  #facts(
    homepage: string,
    pageCount: number,
    entries: readonly SitemapEntry[],
    { counts: { added, changed, removed } }: Tally,
  ): SnapshotFacts {
    const { runs = [], runCount = 0 } = this.#before?.facts ?? {};
    const run: RunFacts = {
      at: this.#startedAt.toISOString(),
      added,
      changed,
      removed,
      read: entries.filter((entry) => isSitemap(entry) && entry.unknown === undefined).length,
      unknown: entries.filter(isUnknownSitemap).length,
    };
    return {
      format: SNAPSHOT_FORMAT,
      version: SNAPSHOT_VERSION,
      homepage,
      startedAt: this.#startedAt.toISOString(),
      finishedAt: new Date().toISOString(),
      pageCount,
      runCount: runCount + 1,
      runs: [...runs, run].slice(-MAX_RUNS),
      absent: [...new Set([...this.#absent, ...this.#plan.skippedGuesses])].sort(),
    };
  }
}

function isUnknownSitemap(entry: SitemapEntry): boolean {
  return entry.unknown !== undefined && isSitemap(entry);
}

/** A site may move to `www.` or from there. */
export function siteName(host: string): string {
  return host.replace(/^www\./, "");
}

/** Counts what was told. */
class Tally {
  readonly counts = { added: 0, changed: 0, removed: 0, relisted: 0, unknownPages: 0 };
  isMassRemoval = false;
  /** Pages of which only the date moved, by sitemap. */
  readonly #restamped: Map<string, number> = new Map();

  add(change: PageChange): void {
    if (change.kind === "unknown") {
      this.counts.unknownPages += change.pageCount;
      return;
    }
    this.counts[change.kind]++;
    if (change.kind === "removed" && change.suspect === "many") this.isMassRemoval = true;
    if (change.kind === "changed" && change.fields.length === 1 && change.fields[0] === "lastModified") {
      for (const url of change.sitemaps) this.#restamped.set(url, (this.#restamped.get(url) ?? 0) + 1);
    }
  }

  /** What this sync showed of the dates of a sitemap. */
  judgeDates(entry: SitemapEntry): SitemapEntry {
    const { lastmod, url, pageCount } = entry;
    if (lastmod === undefined) return entry;
    return { ...entry, lastmod: withRestamps(lastmod, this.#restamped.get(url) ?? 0, pageCount) };
  }
}
