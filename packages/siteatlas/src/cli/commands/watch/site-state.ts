/** The state of a watched site: of its sync in progress, and of earlier syncs. */
import type { SyncStart } from "../../../sync/changes.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import type { WalkEvent } from "../../../walk/events/events.ts";
import { ChangeSamples } from "../../changes/change-samples.ts";
import { DeliveredFailure } from "../../changes/delivered-failure.ts";
import type { Settings } from "../../config/flags.ts";
import { SiteFacts } from "../../messages/run-counts.ts";
import type { NamedSite } from "./site-list.ts";

export interface SiteState {
  site: NamedSite;
  /** Facts of the sync in progress, or of the next sync. */
  facts: SiteFacts;
  found: ChangeSamples;
  /** Start of the sync in progress. */
  start: SyncStart | undefined;
  /** Number of failed syncs in a row. */
  failures: number;
  /** The hint that was shown last, so that it is not repeated. */
  hint: string | undefined;
  /** The `unreadKey` of the last sync. While it stays the same, sitemaps that cannot be read are not reported again. */
  unread: string;
  /** Time of the last sync that read a sitemap completely, in milliseconds. */
  succeededAt: number | undefined;
  /** The summary of the last sync whose snapshot was saved. */
  summary: SyncSummary | undefined;
  /** The failure that was last delivered to the hooks. */
  readonly delivered: DeliveredFailure;
}

export function newState(site: NamedSite, settings: Settings): SiteState {
  const unknown = { hint: undefined, succeededAt: undefined, summary: undefined };
  const delivered = new DeliveredFailure(site.snapshot, settings);
  return { site, ...newSync(site), ...unknown, failures: 0, unread: "", delivered };
}

/** Resets the state of the sync in progress. */
export function endSync(state: SiteState): void {
  Object.assign(state, newSync(state.site));
}

function newSync({ target: { url } }: NamedSite): Pick<SiteState, "facts" | "found" | "start"> {
  return { start: undefined, facts: new SiteFacts(url), found: new ChangeSamples(0) };
}

export function noteEvent({ facts }: SiteState, event: WalkEvent): void {
  if (event.kind === "issue") facts.addIssue(event.issue);
  if (event.kind !== "sitemap") return;
  const { sitemap } = event;
  // An unchanged sitemap counts as found.
  facts.addSitemap(sitemap.outcome === "unchanged" ? { ...sitemap, outcome: "found" } : sitemap);
}
