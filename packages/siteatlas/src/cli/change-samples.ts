/** Counts changes and keeps a few of each kind, to be shown: a site may change by the million. */
import type { PageChange, Unknown } from "../sync/changes.ts";
import type { ChangeSummary } from "./change-record.ts";
import { isRobots, unknownWord } from "./talk/failures.ts";

type ByKind = { readonly [K in PageChange["kind"]]: Extract<PageChange, { kind: K }>[] };

export class ChangeSamples {
  readonly samples: ByKind = { added: [], changed: [], removed: [], relisted: [], unknown: [] };
  readonly counts: Record<PageChange["kind"], number> = {
    added: 0,
    changed: 0,
    removed: 0,
    relisted: 0,
    unknown: 0,
  };
  /** Changes of a date that says little. */
  weak = 0;
  /** What was removed may be in a sitemap that was not read whole. */
  areRemovalsUnsure = false;
  /** The sitemaps that are unknown, robots.txt aside, their pages, and why they are: word → how many. */
  unknownSitemaps = 0;
  unknownPages = 0;
  readonly reasons: Map<string, number> = new Map();
  readonly #most: number;
  #isMassRemoval = false;

  /** Keeps at most so many of each kind. */
  constructor(most: number) {
    this.#most = most;
  }

  add(change: PageChange): void {
    this.counts[change.kind]++;
    if (change.kind === "unknown") this.#addUnknown(change);
    if (change.kind === "changed" && change.weak) this.weak++;
    if (change.kind === "removed" && change.suspect === "many") this.#isMassRemoval = true;
    if (change.kind === "removed" && change.suspect === "unread") this.areRemovalsUnsure = true;
    const kept: PageChange[] = this.samples[change.kind];
    if (kept.length < this.#most) kept.push(change);
  }

  #addUnknown(change: Unknown): void {
    if (!isRobots(change.url)) this.unknownSitemaps++;
    this.unknownPages += change.pageCount;
    // What stands before it has a reason of its own.
    if (change.behind !== undefined) return;
    const word = unknownWord(change);
    this.reasons.set(word, (this.reasons.get(word) ?? 0) + 1);
  }

  summary(homepage: string, pageCount: number): ChangeSummary {
    const { unknown: _, ...counts } = this.counts;
    return {
      homepage,
      pageCount,
      ...counts,
      unknownSitemaps: this.unknownSitemaps,
      unknownPages: this.unknownPages,
      isMassRemoval: this.#isMassRemoval,
    };
  }
}
