/**
 * The pages of a leg on their way into its part. Those of a sitemap wait until its end: if it is what it was at the last
 * visit, they are in another part already, and stay there.
 */
import type { Page } from "siteatlas";
import { toRecord } from "siteatlas/output";
import type { PageRow } from "../dataset/datasets.ts";
import type { PartFile } from "../dataset/part-file.ts";

/** So many pages of a sitemap wait, their images and the like counted. */
const MAX_WAITING = 2000;

interface Waiting {
  readonly rows: PageRow[];
  weight: number;
}

export class LegPages {
  /** Those that were read. */
  count = 0;
  /** Without an earlier visit nothing is what it was, and nothing waits. */
  canBeSame = false;
  readonly #part: PartFile<PageRow>;
  readonly #visited: Omit<PageRow, "page">;
  /** By the URL of their sitemap. */
  readonly #waiting: Map<string, Waiting> = new Map();
  /** Sitemaps with pages in the part. */
  readonly #written: Set<string> = new Set();

  constructor(part: PartFile<PageRow>, visited: Omit<PageRow, "page">) {
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

  /** A sitemap was read to its end. Gives whether its pages are in the part. */
  end(sitemapUrl: string, isSame: boolean): boolean {
    if (isSame) this.#waiting.delete(sitemapUrl);
    else this.#write(sitemapUrl);
    return this.#written.has(sitemapUrl);
  }

  /** Nothing more comes: those of sitemaps that never came to their end are written, too. */
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

/** A page can have a thousand images. */
function weightOf({ images = [], videos = [], alternates = [], media = [] }: Page): number {
  return 1 + images.length + videos.length + alternates.length + media.length;
}
