/** Counts changes and keeps a few of each kind, to be shown: a site may change by the million. */
import type { PageChange } from "../sync/changes.ts";
import type { ChangeSummary } from "./change-record.ts";

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
  readonly #most: number;
  #unknownPages = 0;
  #isMassRemoval = false;

  /** Keeps at most so many of each kind. */
  constructor(most: number) {
    this.#most = most;
  }

  add(change: PageChange): void {
    this.counts[change.kind]++;
    if (change.kind === "unknown") this.#unknownPages += change.pageCount;
    if (change.kind === "changed" && change.weak) this.weak++;
    if (change.kind === "removed" && change.suspect) this.#isMassRemoval = true;
    const kept: PageChange[] = this.samples[change.kind];
    if (kept.length < this.#most) kept.push(change);
  }

  summary(homepage: string, pageCount: number): ChangeSummary {
    const { unknown, ...counts } = this.counts;
    return {
      homepage,
      pageCount,
      ...counts,
      unknownSitemaps: unknown,
      unknownPages: this.#unknownPages,
      isMassRemoval: this.#isMassRemoval,
    };
  }
}
