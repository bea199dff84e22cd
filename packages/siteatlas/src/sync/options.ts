/** The options of a sync, and the rules for their values. */
import type { OptionRules } from "../check/check-options.ts";
import { BOOLEAN, DATE, FILE_PATH, number, type Rule, rule, wholeNumber } from "../check/rules.ts";
import { WALK_OPTIONS } from "../walk/option-rules.ts";
import type { WalkOptions } from "../walk/options.ts";

/** Options of `syncSite`: those of a walk, and the snapshot. */
export interface SyncOptions extends WalkOptions {
  /** Path or `file:` URL of the snapshot. The file is read if it exists, and replaced at the end. */
  readonly snapshot: string | URL;
  /** Send conditional requests with ETag and Last-Modified. @default true */
  readonly useValidators?: boolean | undefined;
  /**
   * Whether to skip sitemaps whose declared date did not change, if the dates of their index proved reliable. @default
   * true
   */
  readonly useTrust?: boolean | undefined;
  /**
   * Continues a sync that started at this time and reached `limits.sitemaps`. Sitemaps that were read since then are
   * not requested again, but count toward the limit. Known locations that were absent are not tried again.
   *
   * @default none: a new sync
   */
  readonly continueFrom?: Date | undefined;
  /**
   * If at least this share of all pages, from 0 to 1, disappears in one sync, their removal is pending.
   *
   * @default 0.2
   */
  readonly massRemoval?: number | undefined;
  /**
   * Maximum number of removed pages to request, to see whether they redirect to an added page. Pages that robots.txt
   * disallows are not requested.
   *
   * @default 0
   */
  readonly redirectChecks?: number | undefined;
  /**
   * Whether to request pages that no sitemap lists any more. If a page is gone, its removal is reported in the same
   * sync. If it still exists, its removal is pending first. Pages that robots.txt disallows are not requested.
   *
   * @default false
   */
  readonly verify?: boolean | undefined;
  /** Maximum number of requests per sync for `verify`. @default 100 */
  readonly verifyRequests?: number | undefined;
  /**
   * Maximum number of earlier snapshots to keep beside the snapshot. If a sync finds changes, the snapshot that it
   * replaces is kept. If there are more than this number, the oldest are deleted. With 0, none is kept or deleted.
   *
   * @default 0
   */
  readonly history?: number | undefined;
  /** Whether to keep the old snapshot, so that the next sync reports the same changes. @default false */
  readonly dryRun?: boolean | undefined;
}

export const OBJECT: Rule<object> = rule(
  'an object with the path of the snapshot, such as { snapshot: "example.snapshot.gz" }',
  (value) => typeof value === "object" && value !== null,
);

const SHARE_ALLOWED = "a share from 0 to 1, such as 0.2 for 20 %";

const SHARE: Rule<number> = {
  allowed: SHARE_ALLOWED,
  find: (value) => {
    const fault = number(0, 1).find(value);
    return fault && { ...fault, allowed: SHARE_ALLOWED };
  },
};

export const SYNC_OPTIONS: OptionRules<SyncOptions> = {
  ...WALK_OPTIONS,
  snapshot: FILE_PATH,
  useValidators: BOOLEAN,
  useTrust: BOOLEAN,
  continueFrom: DATE,
  massRemoval: SHARE,
  redirectChecks: wholeNumber(0),
  verify: BOOLEAN,
  verifyRequests: wholeNumber(0),
  history: wholeNumber(0),
  dryRun: BOOLEAN,
};
