/** How the changes of one sync reach a command, a webhook or stdout. */
import type { PageChange, SyncStart } from "../../sync/changes.ts";
import type { SyncSummary } from "../../sync/sync-summary.ts";
import { UsageError } from "../process/usage-error.ts";

/** The changes could not be delivered. */
export class DeliveryError extends UsageError {}

/** A sync that failed before its changes were known, or that could read no sitemap. */
export interface SyncFailure {
  readonly message: string;
  /** Number of failed syncs in a row. */
  readonly failures: number;
}

/**
 * Receives the changes of one sync. If a method other than `commit` throws, the sync fails and keeps the old snapshot,
 * so the next sync reports the same changes again.
 */
export interface ChangeDelivery {
  /** Called before the first request to the site. */
  start(start: SyncStart): void | Promise<void>;
  change(change: PageChange): void | Promise<void>;
  /**
   * Delivers the changes, or saves them in a file for a later delivery.
   *
   * @param isWanted if false, the changes are discarded instead
   * @param outage if given, it is delivered instead of the changes, because no sitemap could be read
   */
  finish(summary: SyncSummary, isWanted: boolean, outage?: SyncFailure): Promise<void>;
  /** Called when the snapshot was replaced. If it throws, the saved changes are delivered before the next sync. */
  commit?(): Promise<void>;
  /** Called instead of `finish` if the sync failed. */
  fail?(start: SyncStart, failure: SyncFailure): Promise<void>;
  /** Discards the changes. */
  drop(): Promise<void>;
}
