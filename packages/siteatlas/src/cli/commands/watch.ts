/**
 * `siteatlas watch`: syncs sites on a schedule and delivers the changes to a command, a webhook or stdout. All of
 * its state is in the snapshots, so it can be stopped or killed and started again.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { logLine } from "../../escape/log-line.ts";
import { terminalText } from "../../escape/terminal.ts";
import { DEFAULT_USER_AGENT } from "../../fetch/user-agent.ts";
import type { PageChange } from "../../sync/changes.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import { isFailedSync, type WatchedSite, watchSites } from "../../sync/watch/watch-sites.ts";
import type { WalkEvent } from "../../walk/events/events.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { deliverToStdout } from "../changes/change-output.ts";
import { isChange } from "../changes/change-record.ts";
import { ChangeSamples } from "../changes/change-samples.ts";
import { changesLine, sayMassRemoval, unreadText } from "../changes/changes-line.ts";
import {
  type ChangeDelivery,
  DeliveryError,
  deliverToCommand,
  deliverToWebhook,
} from "../changes/deliver.ts";
import { checkFolder, SnapshotProblem, snapshotName, syncProblem } from "../changes/snapshot-file.ts";
import type { Command, Run } from "../command.ts";
import { EMPTY_STDIN, readTargets, startOf, type Target, targetOptions } from "../config/target.ts";
import { walkOptions } from "../config/walk-options.ts";
import { nothingFound, nothingRead } from "../messages/hints.ts";
import { RunCounts, SiteFacts } from "../messages/run-counts.ts";
import { noteStdin } from "../messages/stdin-notice.ts";
import { sentences } from "../messages/summary.ts";
import { openTextOutput, type TextOutput } from "../output/buffered-output.ts";
import { chooseChangeFormat } from "../output/choose-format.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption } from "../process/interrupt.ts";
import { keepHeapSmall } from "../process/limit-heap-growth.ts";
import { ClosedPipeError } from "../process/output-error.ts";
import { UsageError } from "../process/usage-error.ts";
import { count, number, roughDuration } from "../terminal/format-text.ts";
import { NetworkNotes, notePauses } from "../walk/network-notes.ts";
import { checkAllow } from "../walk/walk-sites.ts";

const DEFAULT_EVERY_MS = 15 * 60_000;
const DEFAULT_JOBS = 8;
/**
 * Time for syncs to end after an interrupt. Then the process exits, which is safe: snapshots are replaced only when
 * complete.
 */
const GRACE_MS = 1500;

/** More failures do not increase the wait (watch-schedule.ts). */
const MAX_DOUBLINGS = 30;

interface NamedSite extends WatchedSite {
  /** The site's name in messages. */
  readonly name: string;
  readonly target: Target;
}

interface SiteState {
  readonly site: NamedSite;
  /** Facts of the current or the next sync. */
  facts: SiteFacts;
  found: ChangeSamples;
  /** Failed syncs in a row. */
  failures: number;
  /** The last hint, so that it is not repeated. */
  hint: string | undefined;
  /** The sitemaps that the last sync could not read, so that they are not repeated while nothing changes. */
  unread: string;
}

export const watch: Command = async (run) => {
  keepHeapSmall();
  checkAllow(run.settings.allow);
  const format = chooseChangeFormat(run);
  if (format === "json")
    throw new UsageError(
      "siteatlas watch cannot write json",
      "Use ndjson: watch writes changes until you stop it, and a JSON array needs an end.",
    );
  const sites = await readSites(run);
  const output = await openTextOutput({});
  return new Watch(run, sites, output, format).run();
};

/** Reads all sites before the first request. `-` is read to its end. */
async function readSites({ args, settings, signal, reporter }: Run): Promise<NamedSite[]> {
  const { snapshots: folder = "." } = settings;
  await checkFolder(join(folder, "*.snapshot.gz"));
  const onPause = notePauses(reporter, new RunCounts());
  const options = { ...walkOptions(settings), onPause };
  noteStdin(reporter, args, "hosts or URLs, one per line,");
  const notes = new NetworkNotes(reporter, options);
  const sites = new Map<string, NamedSite>();
  let isEmpty = true;
  for await (const line of readTargets(args, settings, signal)) {
    isEmpty = false;
    if ("problem" in line) reporter.warn(line.problem.message, undefined, true);
    else {
      notes.add(line.target);
      const snapshot = join(folder, snapshotName(line.target));
      sites.set(snapshot, siteOf(line.target, snapshot, options));
    }
  }
  if (sites.size === 0) throw new UsageError(isEmpty ? EMPTY_STDIN : "no site to watch");
  return [...sites.values()];
}

function siteOf(target: Target, snapshot: string, options: WalkOptions): NamedSite {
  const { name, sitemapPath = "" } = target;
  const own = targetOptions(target, options);
  return { start: startOf(target), snapshot, target, name: name + sitemapPath, options: own };
}

class Watch {
  readonly #run: Run;
  readonly #output: TextOutput;
  readonly #format: "text" | "urls" | "ndjson";
  /** State of each site, by its snapshot. */
  readonly #states: ReadonlyMap<string, SiteState>;
  /** Deliveries of the syncs in progress, by snapshot. */
  readonly #deliveries: Map<string, readonly ChangeDelivery[]> = new Map();
  readonly #stop = new AbortController();
  #syncs = 0;

  constructor(run: Run, sites: readonly NamedSite[], output: TextOutput, format: "text" | "urls" | "ndjson") {
    this.#run = run;
    this.#output = output;
    this.#format = format;
    this.#states = new Map(
      sites.map((site) => [
        site.snapshot,
        { site, ...newSync(site), failures: 0, hint: undefined, unread: "" },
      ]),
    );
  }

  async run(): Promise<ExitCode> {
    const { settings, reporter, signal: interrupted } = this.#run;
    const { every: everyMs = DEFAULT_EVERY_MS, maxEvery: maxEveryMs, jobs = DEFAULT_JOBS } = settings;
    const signal = AbortSignal.any([interrupted, this.#stop.signal]);
    reporter.say(0, `Watching ${count(this.#states.size, "site")}`);
    const sites = [...this.#states.values()].map((state) => ({
      ...state.site,
      options: { ...state.site.options, onEvent: (event: WalkEvent) => noteEvent(state, event) },
    }));
    const watching = watchSites(sites, {
      everyMs,
      ...(maxEveryMs !== undefined && { maxEveryMs }),
      sites: jobs,
      signal,
      onChange: async (site, change) => {
        const deliveries = this.#deliveriesOf(site, signal);
        if (change.kind === "start") for (const delivery of deliveries) delivery.start(change);
        else if (change.kind === "summary") await this.#finish(site, change, deliveries);
        else await this.#change(site, change, deliveries);
      },
      onFailure: (site, error) => this.#fail(site, error),
    });
    const isDone = await Promise.race([watching.then(() => true), this.#patience(signal)]);
    return this.#end(isDone);
  }

  // ---------------------------------------------------------------- one sync

  #deliveriesOf({ snapshot }: WatchedSite, signal: AbortSignal): readonly ChangeDelivery[] {
    const known = this.#deliveries.get(snapshot);
    if (known !== undefined) return known;
    const { url } = this.#states.get(snapshot)!.site.target;
    const { onChange, webhook, userAgent = DEFAULT_USER_AGENT } = this.#run.settings;
    const made: ChangeDelivery[] = [];
    if (onChange !== undefined) made.push(deliverToCommand(onChange, signal));
    if (webhook !== undefined) made.push(deliverToWebhook(webhook, userAgent, signal));
    if (made.length === 0) made.push(deliverToStdout(this.#run, this.#output, this.#format, url));
    this.#deliveries.set(snapshot, made);
    return made;
  }

  async #change(
    { snapshot }: WatchedSite,
    change: PageChange,
    deliveries: readonly ChangeDelivery[],
  ): Promise<void> {
    this.#states.get(snapshot)!.found.add(change);
    for (const delivery of deliveries) await delivery.change(change);
  }

  async #finish(
    { snapshot }: WatchedSite,
    summary: SyncSummary,
    deliveries: readonly ChangeDelivery[],
  ): Promise<void> {
    const state = this.#states.get(snapshot)!;
    // An empty snapshot would make the next sync report every page as added.
    if (summary.isFirst && summary.pageCount === 0) throw this.#noPage(state);
    for (const delivery of deliveries) await delivery.finish(summary);
    this.#deliveries.delete(snapshot);
    this.#syncs++;
    state.failures = isFailedSync(summary) ? state.failures + 1 : 0;
    this.#report(state, summary);
    Object.assign(state, newSync(state.site));
  }

  /** Reports the changes and the sitemaps that could not be read. */
  #report(state: SiteState, summary: SyncSummary): void {
    const { reporter, settings } = this.#run;
    const { site, facts, found } = state;
    const { unknownSitemaps, unknownPages, completeSitemaps } = summary;
    const all = completeSitemaps + unknownSitemaps;
    const isMost = unknownSitemaps > 0 && 2 * unknownSitemaps >= all;
    const isNothing = facts.sitemaps === 0;
    const unread = [unknownSitemaps, ...found.reasons].join(" ");
    if (isChange(summary) || !(isMost || isNothing)) {
      const isNews =
        isChange(summary) || found.counts.pending > 0 || (unknownSitemaps > 0 && unread !== state.unread);
      const level = isNews ? 0 : 1;
      reporter.say(level, line(site, changesLine(summary, found.reasons)), {
        site: site.target.url,
        ...summary,
      });
    }
    if (isNothing) {
      const known = { ...summary, reasons: found.reasons };
      const { text, hint } = nothingRead(site.target, facts, settings, known);
      this.#warn(state, sentences(text.replace(/\.$/, ""), this.#next(state)), hint);
    } else if (isMost) {
      const some = `${number(unknownSitemaps)} of ${count(all, "sitemap")}`;
      this.#warn(state, unreadText(some, unknownSitemaps, unknownPages, found.reasons));
    } else state.hint = undefined;
    state.unread = unread;
    sayMassRemoval(reporter, summary, found, summary.pageCount + found.counts.pending - summary.added);
  }

  #noPage({ site, facts }: SiteState): DeliveryError {
    if (facts.sitemaps > 0) return new DeliveryError(`no page found in ${count(facts.sitemaps, "sitemap")}`);
    const { text, hint } = nothingFound(site.target, facts, this.#run.settings);
    return new DeliveryError(text, hint);
  }

  #fail({ snapshot }: WatchedSite, error: unknown): void {
    void this.#drop(snapshot);
    if (error instanceof ClosedPipeError) return this.#stop.abort(error);
    const state = this.#states.get(snapshot)!;
    this.#syncs++;
    state.failures++;
    const problem = syncProblem(error, snapshot) as Partial<Error> & { readonly hint?: string };
    const { message = String(error), hint } = problem;
    const isVain = problem instanceof SnapshotProblem;
    const next = isVain ? "Every sync fails until you repair or remove the file" : this.#next(state);
    this.#warn(state, sentences(logLine(message), next), hint);
    Object.assign(state, newSync(state.site));
  }

  #warn(state: SiteState, text: string, hint?: string): void {
    this.#run.reporter.warn(line(state.site, text), hint === state.hint ? undefined : hint, true);
    state.hint = hint;
  }

  /** The text about the next sync after a failure. The schedule adds a random part. */
  #next({ failures }: SiteState): string {
    const { every = DEFAULT_EVERY_MS, maxEvery = 8 * every } = this.#run.settings;
    const ms = Math.min(Math.max(every, maxEvery), every * 2 ** Math.min(failures, MAX_DOUBLINGS));
    return `Next sync in about ${roughDuration(ms)}`;
  }

  async #drop(snapshot: string): Promise<void> {
    const deliveries = this.#deliveries.get(snapshot) ?? [];
    this.#deliveries.delete(snapshot);
    for (const delivery of deliveries) await delivery.drop().catch(() => {});
  }

  // ---------------------------------------------------------------- the end

  /** Resolves GRACE_MS after the abort. */
  async #patience(signal: AbortSignal): Promise<false> {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return sleep(GRACE_MS, false as const, { ref: false });
  }

  async #end(isDone: boolean): Promise<ExitCode> {
    const { reporter, signal } = this.#run;
    const { reason } = this.#stop.signal;
    const code = signal.reason instanceof Interruption ? signal.reason.exitCode : EXIT.done;
    reporter.summary(`Stopped after ${count(this.#syncs, "sync", "syncs")}`, { exitCode: code }, false);
    if (!isDone) process.exit(code);
    for (const snapshot of this.#states.keys()) await this.#drop(snapshot);
    if (reason !== undefined && !signal.aborted) throw reason;
    await this.#output.end();
    return code;
  }
}

function newSync({ target: { url } }: NamedSite): Pick<SiteState, "facts" | "found"> {
  return { facts: new SiteFacts(url), found: new ChangeSamples(0) };
}

function noteEvent({ facts }: SiteState, event: WalkEvent): void {
  if (event.kind !== "sitemap") return;
  const { sitemap } = event;
  // An unchanged sitemap counts as found.
  facts.addSitemap(sitemap.outcome === "unchanged" ? { ...sitemap, outcome: "found" } : sitemap);
}

function line({ name }: NamedSite, text: string): string {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  return `${at} ${terminalText(name)}: ${text}`;
}
