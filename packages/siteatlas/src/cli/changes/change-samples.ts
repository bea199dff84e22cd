/** Counts changes. Keeps only a few of each kind as examples, because there may be millions. */
import { isRobotsUrl } from "../../parse/robots/robots-url.ts";
import type { PageChange, SitemapUnknown } from "../../sync/changes.ts";
import { unknownWord } from "../messages/failure-texts.ts";
import type { ChangeSummary } from "./change-record.ts";

type ByKind = { readonly [K in PageChange["kind"]]: Extract<PageChange, { kind: K }>[] };

export class ChangeSamples {
  readonly samples: ByKind = {
    added: [],
    changed: [],
    removed: [],
    pending: [],
    returned: [],
    relisted: [],
    unknown: [],
  };
  readonly counts: Record<PageChange["kind"], number> = {
    added: 0,
    changed: 0,
    removed: 0,
    pending: 0,
    returned: 0,
    relisted: 0,
    unknown: 0,
  };
  /** Number of pages of which only the date changed, in sitemaps with unreliable dates. */
  weak = 0;
  /** Number of sitemaps that could not be read completely, not counting robots.txt. */
  unknownSitemaps = 0;
  unknownPages = 0;
  /**
   * Number of sitemaps that could not be read completely, by reason. If an index failed, only the index is counted, not
   * the sitemaps that it lists.
   */
  readonly reasons: Map<string, number> = new Map();
  readonly #most: number;

  /** @param most maximum number of examples of each kind */
  constructor(most: number) {
    this.#most = most;
  }

  add(change: PageChange): void {
    this.counts[change.kind]++;
    if (change.kind === "unknown") this.#addUnknown(change);
    if (change.kind === "changed" && change.weak) this.weak++;
    const kept: PageChange[] = this.samples[change.kind];
    if (kept.length < this.#most) kept.push(change);
  }

  #addUnknown(change: SitemapUnknown): void {
    if (!isRobotsUrl(change.url)) this.unknownSitemaps++;
    this.unknownPages += change.pageCount;
    // This sitemap was not read because its index failed. The reason of the index is counted once, for the index.
    if (change.behind !== undefined) return;
    const word = unknownWord(change);
    this.reasons.set(word, (this.reasons.get(word) ?? 0) + 1);
  }

  summary(homepage: string, pageCount: number): ChangeSummary {
    const { unknown: _, returned: __, ...counts } = this.counts;
    return {
      homepage,
      pageCount,
      ...counts,
      unknownSitemaps: this.unknownSitemaps,
      unknownPages: this.unknownPages,
    };
  }
}
