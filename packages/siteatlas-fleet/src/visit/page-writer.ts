/**
 * Writes the pages of one leg of a visit (leg-rows.ts). The pages of a sitemap are kept in memory until the sitemap
 * ends. If its content is the same as at the last visit, its pages are not written again, because an earlier part file
 * contains them.
 */
import type { Page } from "siteatlas";
import { toRecord } from "siteatlas/output";
import type { PageRow } from "../dataset/datasets.ts";
import type { LegRows } from "../dataset/leg-rows.ts";

/**
 * Maximum number of pages of one sitemap that wait in memory for the end of the sitemap. Their images, videos,
 * alternates and media also count.
 */
const MAX_WAITING = 2000;

interface Waiting {
  readonly rows: PageRow[];
  weight: number;
}

export class PageWriter {
  count = 0;
  /**
   * Whether a sitemap may have the same content as at an earlier visit. False at the first visit: all pages are written
   * immediately and do not wait for the end of their sitemap.
   */
  canBeSame = false;
  readonly #part: LegRows<PageRow>;
  readonly #visited: Omit<PageRow, "page">;
  /** Pages that wait for the end of their sitemap. Keys are URLs of sitemaps. */
  readonly #waiting: Map<string, Waiting> = new Map();
  /** URLs of the sitemaps of which pages were written. */
  readonly #written: Set<string> = new Set();

  constructor(part: LegRows<PageRow>, visited: Omit<PageRow, "page">) {
    this.#part = part;
    this.#visited = visited;
  }

  add(page: Page, sitemapUrl: string): void {
    this.count++;
    const row: PageRow = { ...this.#visited, page: toRecord(page, sitemapUrl) };
    if (this.#written.has(sitemapUrl)) return this.#part.add(row);
    const waiting = this.#waiting.get(sitemapUrl) ?? { rows: [], weight: 0 };
    this.#waiting.set(sitemapUrl, waiting);
    waiting.rows.push(row);
    waiting.weight += weightOf(page);
    if (waiting.weight >= MAX_WAITING || !this.canBeSame) this.#write(sitemapUrl);
  }

  /**
   * Ends a sitemap. If its content is the same as at the last visit, its waiting pages are dropped. Otherwise they are
   * written. Returns whether pages of this sitemap were written.
   */
  end(sitemapUrl: string, isSame: boolean): boolean {
    if (isSame) this.#waiting.delete(sitemapUrl);
    else this.#write(sitemapUrl);
    return this.#written.has(sitemapUrl);
  }

  /** Writes the waiting pages of sitemaps whose end was not reached. */
  endAll(): void {
    for (const url of [...this.#waiting.keys()]) this.#write(url);
  }

  #write(sitemapUrl: string): void {
    for (const row of this.#waiting.get(sitemapUrl)?.rows ?? []) {
      this.#part.add(row);
      this.#written.add(sitemapUrl);
    }
    this.#waiting.delete(sitemapUrl);
  }
}

/** How much a page counts toward `MAX_WAITING`. A page can have a thousand images, so each image counts like a page. */
function weightOf({ images = [], videos = [], alternates = [], media = [] }: Page): number {
  return 1 + images.length + videos.length + alternates.length + media.length;
}
