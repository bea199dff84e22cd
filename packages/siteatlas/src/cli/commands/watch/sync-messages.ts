/** The messages of `siteatlas watch` about the syncs of its sites. */
import { terminalText } from "../../../escape/terminal.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import { isChange } from "../../changes/change-record.ts";
import { changesLine, sayMassRemoval, unreadText } from "../../changes/changes-line.ts";
import { unreadKey } from "../../changes/delivered-failure.ts";
import type { Run } from "../../command.ts";
import { nothingRead } from "../../messages/hints.ts";
import { sentences } from "../../messages/summary.ts";
import { count, number, roughDuration } from "../../terminal/format-text.ts";
import type { NamedSite } from "./site-list.ts";
import type { SiteState } from "./site-state.ts";

/** Each failure doubles the interval, but at most this many times. The same number as in watch-schedule.ts. */
const MAX_DOUBLINGS = 30;

export class SyncMessages {
  readonly #run: Run;
  readonly #everyMs: number;

  constructor(run: Run, everyMs: number) {
    this.#run = run;
    this.#everyMs = everyMs;
  }

  /** Reports the changes and the sitemaps that could not be read. */
  report(state: SiteState, summary: SyncSummary): void {
    const { reporter, settings } = this.#run;
    const { site, facts, found } = state;
    const { unknownSitemaps, completeSitemaps } = summary;
    // A first sync has no earlier pages to keep.
    const unknownPages = summary.isFirst ? 0 : summary.unknownPages;
    const all = completeSitemaps + unknownSitemaps;
    const isMost = unknownSitemaps > 0 && 2 * unknownSitemaps >= all;
    const isNothing = facts.sitemaps === 0;
    const unread = unreadKey(summary, found.reasons);
    if (isChange(summary) || !(isMost || isNothing)) {
      const isNews =
        isChange(summary) || found.counts.pending > 0 || (unknownSitemaps > 0 && unread !== state.unread);
      const level = isNews ? 0 : 1;
      const text = changesLine({ ...summary, unknownPages }, found.reasons);
      reporter.say(level, this.#line(site, text), { site: site.target.url, ...summary });
    }
    if (isNothing) {
      const known = { ...summary, reasons: found.reasons };
      const { text, hint } = nothingRead(site.target, facts, settings, known);
      this.warn(state, sentences(text.replace(/\.$/, ""), this.next(state)), hint);
    } else if (isMost) {
      const some = `${number(unknownSitemaps)} of ${count(all, "sitemap")}`;
      this.warn(state, unreadText(some, unknownSitemaps, unknownPages, found.reasons));
    } else state.hint = undefined;
    state.unread = unread;
    sayMassRemoval(reporter, summary, found, summary.pageCount + found.counts.pending - summary.added);
  }

  say({ site }: SiteState, text: string): void {
    this.#run.reporter.say(0, this.#line(site, text), { site: site.target.url });
  }

  warn(state: SiteState, text: string, hint?: string): void {
    const { site } = state;
    const news = hint === state.hint ? undefined : hint;
    this.#run.reporter.warn(this.#line(site, text), news, true, { site: site.target.url });
    state.hint = hint;
  }

  /** The text about the next sync after a failure. The time is approximate, because the schedule adds jitter. */
  next({ failures }: SiteState): string {
    const every = this.#everyMs;
    const { maxEvery = 8 * every } = this.#run.settings;
    const ms = Math.min(Math.max(every, maxEvery), every * 2 ** Math.min(failures, MAX_DOUBLINGS));
    return `Next sync in about ${roughDuration(ms)}`;
  }

  /** Adds the time and the site to a message. A structured message has them as properties instead. */
  #line({ name }: NamedSite, text: string): string {
    if (this.#run.reporter.isStructured) return text;
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    return `${at} ${terminalText(name)}: ${text}`;
  }
}
