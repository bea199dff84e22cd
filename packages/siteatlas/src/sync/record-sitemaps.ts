/** Writes the pages of each sitemap to the next snapshot while the site is walked, and notes how each was read. */
import { isAbsent } from "../model/http-status.ts";
import type { Page } from "../model/model.ts";
import type { Breach } from "../walk/budget.ts";
import type { WalkedSitemap } from "../walk/events/events.ts";
import type { SitemapDocument } from "../walk/site-graph.ts";
import type { ReadFacts } from "./next-snapshot.ts";
import { DateMeter, newestDateOf } from "./revalidate/lastmod-trust.ts";
import type { RevalidationPlan } from "./revalidate/revalidation-plan.ts";
import { batchesOf, mergeByUrl } from "./snapshot/line-cursor.ts";
import { LineSorter, SorterPool } from "./snapshot/line-sorter.ts";
import { pageLines } from "./snapshot/page-line.ts";
import type { Snapshot } from "./snapshot/read-snapshot.ts";
import { SnapshotError } from "./snapshot/snapshot-error.ts";
import { MAX_SECTION_BYTES, type SnapshotSitemap } from "./snapshot/snapshot-format.ts";
import type { SnapshotWriter } from "./snapshot/write-snapshot.ts";

/**
 * Maximum number of characters in the lines of all sitemaps that are being read. A section of the snapshot must not be
 * longer, because it could not be read again. With the default limits, a sitemap has at most 100 MiB. Its lines exceed
 * this only if most of its URLs are relative or not ASCII.
 */
const MAX_HELD_LENGTH: number = MAX_SECTION_BYTES - 64 * 1024;

export interface RecorderOptions {
  readonly before: Snapshot | undefined;
  readonly writer: SnapshotWriter;
  readonly plan: RevalidationPlan;
  readonly startedAt: Date;
  /** The clock of the server. */
  readonly clock: { readonly skewMs: number };
}

export class SitemapRecorder {
  /** How each sitemap was read, by URL. */
  readonly read: Map<string, ReadFacts> = new Map();
  /** Known locations without a sitemap. */
  readonly absent: string[] = [];
  readonly skipped: WalkedSitemap[] = [];
  /** URLs of the sitemaps that were not requested, because the dates of their index are trusted. */
  readonly trusted: string[] = [];
  /** Number of listed sitemaps that do not exist. */
  missing = 0;
  notModified = 0;
  bytes = 0;
  readonly #options: RecorderOptions;
  readonly #writer: SnapshotWriter;
  readonly #before: Snapshot | undefined;
  /** Pages of the sitemaps that are being read, by the URL of the sitemap. */
  readonly #held: Map<string, HeldPages> = new Map();
  /** Number of characters of the lines in `#held`. */
  #heldLength = 0;
  readonly #pool: SorterPool;
  /** URLs of pages that get another spelling, by the URL of their sitemap. */
  readonly #respelled: Map<string, LineSorter> = new Map();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#writer = options.writer;
    this.#before = options.before;
    this.#pool = new SorterPool(options.writer.linesFolder);
  }

  /**
   * Keeps the lines of these pages until their sitemap ends. Returns a breach if the lines of all sitemaps that are
   * being read exceed MAX_HELD_LENGTH. Stops a sitemap that lists a million relative URLs and has a path of 8 KB: 25 MB
   * would become 8 GB.
   */
  async hold({ url }: SitemapDocument, pages: readonly Page[]): Promise<Breach | undefined> {
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

  async take(sitemap: WalkedSitemap): Promise<void> {
    const { url, outcome, http } = sitemap;
    this.bytes += http?.bytes ?? 0;
    if (isAbsent(http?.status) && sitemap.source === "known") this.absent.push(sitemap.requestedUrl ?? url);
    if (isAbsent(http?.status) && sitemap.parentUrl !== undefined) this.missing++;
    if (outcome === "skipped") this.skipped.push(sitemap);
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
    const isFresh = http === undefined && this.#options.plan.isFresh(old);
    const finding = isFresh ? "fresh" : http === undefined ? "unasked" : "unmodified";
    if (finding === "unasked") this.trusted.push(url);
    else if (finding === "unmodified") this.notModified++;
    this.#writer.keep(this.#before!, old);
    const { lastmod, newestDate } = old;
    this.read.set(url, { pageCount, finding, lastmod, newestDate });
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
      this.read.set(url, { pageCount, finding: "same", lastmod, newestDate });
      return;
    }
    const madeAt = http?.lastModified === undefined ? undefined : new Date(http.lastModified);
    const meter = new DateMeter(this.#options.startedAt, madeAt, this.#options.clock.skewMs);
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
      this.read.set(url, { pageCount, finding: "changed", lastmod, newestDate });
      return;
    }
    this.#options.plan.noteChange(url);
    const lastmod = meter.trust(old?.lastmod?.restamped);
    this.read.set(url, { pageCount, finding: "changed", lastmod, newestDate });
  }

  /**
   * Notes that the next snapshot must have this spelling of a page in this sitemap. All sitemaps of a snapshot spell the
   * URL of a page in the same way: as it was reported. So the page keeps its URL when a sitemap no longer lists it.
   */
  respell(sitemapUrl: string, pageUrl: string): Promise<void> | undefined {
    const urls = this.#respelled.get(sitemapUrl) ?? new LineSorter(this.#pool);
    this.#respelled.set(sitemapUrl, urls);
    return urls.hold([pageUrl]);
  }

  /**
   * Writes the sections again that have pages with another spelling.
   *
   * @param textsOf returns the lines of a sitemap in the next snapshot
   */
  async writeRespelled(textsOf: (sitemapUrl: string) => AsyncIterable<string>): Promise<void> {
    for (const [sitemapUrl, urls] of this.#respelled) {
      const sorter = new LineSorter(this.#pool);
      try {
        for await (const text of textsOf(sitemapUrl)) await sorter.add(text.slice(0, -1));
        await this.#writer.write(sitemapUrl, sorter.pages(textsFrom(urls.sorted())));
      } finally {
        await sorter.drop();
        await urls.drop();
      }
    }
  }

  /** Frees memory. Call this when the walk has ended. */
  trim(): void {
    this.#pool.trim();
  }

  /** Deletes the lines of sitemaps that were not read to their ends, because the walk failed. */
  async drop(): Promise<void> {
    for (const { sorter } of this.#held.values()) await sorter.drop();
    for (const urls of this.#respelled.values()) await urls.drop();
  }

  #old(url: string): SnapshotSitemap | undefined {
    return this.#before?.find(url);
  }
}

/** The pages of a sitemap that is being read. */
interface HeldPages {
  readonly sorter: LineSorter;
  /** The newest date of the pages. */
  newestDate: string | undefined;
}

async function* textsFrom(batches: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  for await (const lines of batches) yield lines.map((line) => `${line}\n`).join("");
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
