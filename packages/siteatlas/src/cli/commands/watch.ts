/**
 * `siteatlas watch`: syncs sites on a schedule and delivers the changes to a command, a webhook or stdout. All state is
 * in files: the snapshots, and beside each its outbox and the last failure that was delivered. So watch can be stopped
 * or killed and started again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { logLine } from "../../escape/log-line.ts";
import { isFailedSync, type RunItem, type SyncSummary } from "../../sync/sync-summary.ts";
import type { SyncOutcome } from "../../sync/watch/watch-schedule.ts";
import { SiteWatch, type WatchedSite } from "../../sync/watch/watch-sites.ts";
import type { WalkEvent } from "../../walk/events/events.ts";
import { SnapshotProblem, syncProblem } from "../changes/snapshot-file.ts";
import type { Command, Run } from "../command.ts";
import { commandFormats } from "../config/output-formats.ts";
import { nothingFound } from "../messages/hints.ts";
import { sentences } from "../messages/summary.ts";
import { openTextOutput, type TextOutput } from "../output/buffered-output.ts";
import { chooseChangeFormat } from "../output/choose-format.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { endProcess, Interruption, reloadsOnHangUp } from "../process/interrupt.ts";
import { keepHeapSmall } from "../process/limit-heap-growth.ts";
import { ClosedPipeError } from "../process/output-error.ts";
import { UsageError } from "../process/usage-error.ts";
import { count, number } from "../terminal/format-text.ts";
import { checkAllow } from "../walk/walk-sites.ts";
import { type Health, type MetricsServer, serveMetrics } from "./watch/metrics-server.ts";
import { SiteHooks } from "./watch/site-hooks.ts";
import { type NamedSite, SiteList } from "./watch/site-list.ts";
import { endSync, newState, noteEvent, type SiteState } from "./watch/site-state.ts";
import { SyncMessages } from "./watch/sync-messages.ts";
import { type SiteGauges, WatchMetrics } from "./watch/watch-metrics.ts";

const DEFAULT_EVERY_MS = 15 * 60_000;
const DEFAULT_JOBS = 8;
/**
 * How long syncs may continue after an interrupt, before the process exits. The exit is safe, because snapshots are
 * replaced only when they are complete.
 */
const GRACE_MS = 1500;
/**
 * How much longer a sync may continue whose summary was delivered, or is being delivered. If its snapshot were not
 * replaced, the next start would deliver the same changes again. `docker stop` kills the process after 10 seconds.
 */
const SAVE_MS = 8000;

export const watch: Command = async (run) => {
  keepHeapSmall();
  let isHungUp = false;
  if (reloadsOnHangUp(run.settings)) {
    run.onHangUp(() => {
      isHungUp = true;
    });
  }
  checkAllow(run.settings.allow);
  const format = chooseChangeFormat(run, commandFormats.watch.names);
  const list = new SiteList(run);
  const sites = await list.read();
  const output = await openTextOutput({});
  return new Watch(run, list, sites, output, format).run(() => isHungUp);
};

/** Maximum number of overdue sites that /healthz lists. */
const MAX_LISTED = 10;

class Watch {
  readonly #run: Run;
  readonly #list: SiteList;
  readonly #output: TextOutput;
  /** State of each site, by its snapshot. A site that was removed from the list stays until its sync has ended. */
  readonly #states: Map<string, SiteState> = new Map();
  /** Snapshots of the sites in the list. */
  #watched: ReadonlySet<string> = new Set();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #watch: SiteWatch;
  readonly #metrics = new WatchMetrics();
  #reloading: Promise<void> = Promise.resolve();
  readonly #messages: SyncMessages;
  readonly #hooks: SiteHooks;
  #syncs = 0;

  constructor(
    run: Run,
    list: SiteList,
    sites: readonly NamedSite[],
    output: TextOutput,
    format: "text" | "urls" | "ndjson",
  ) {
    this.#run = run;
    this.#list = list;
    this.#output = output;
    this.#setStates(sites);
    this.#signal = AbortSignal.any([run.signal, this.#stop.signal]);
    const { every: everyMs = DEFAULT_EVERY_MS, maxEvery: maxEveryMs, jobs = DEFAULT_JOBS } = run.settings;
    const signal = this.#signal;
    const messages = new SyncMessages(run, everyMs);
    this.#messages = messages;
    this.#hooks = new SiteHooks({
      ...{ run, output, format, signal, messages, jobs },
      stateOf: (snapshot) => this.#states.get(snapshot),
      onTry: (isAccepted) =>
        this.#metrics.add("webhook_requests_total", isAccepted ? 'outcome="accepted"' : 'outcome="failed"'),
    });
    this.#watch = new SiteWatch({
      everyMs,
      ...(maxEveryMs !== undefined && { maxEveryMs }),
      sites: jobs,
      signal,
      onChange: ({ snapshot }, change) => this.#change(this.#states.get(snapshot)!, change),
      onCommit: ({ snapshot }, summary) => this.#commit(this.#states.get(snapshot)!, summary),
      onFailure: ({ snapshot }, error) => this.#fail(this.#states.get(snapshot)!, error),
      onEnd: (site, outcome, ms) => this.#endSync(site, outcome, ms),
    });
  }

  /** @param isHungUp returns whether there was a SIGHUP after the list was first read */
  async run(isHungUp: () => boolean): Promise<ExitCode> {
    const server = await this.#serve();
    try {
      const { reporter, settings, onHangUp } = this.#run;
      reporter.say(0, `Watching ${count(this.#watched.size, "site")}`);
      await this.#hooks.resume(this.#states.values());
      const watching = this.#watch.run(this.#watchedSites());
      if (reloadsOnHangUp(settings)) onHangUp(() => this.#reload());
      if (isHungUp()) this.#reload();
      const isDone = await Promise.race([watching.then(() => true), this.#patience(this.#signal)]);
      return await this.#end(isDone);
    } finally {
      server?.close();
    }
  }

  // ---------------------------------------------------------------- the list of sites

  #setStates(sites: readonly NamedSite[]): void {
    this.#watched = new Set(sites.map(({ snapshot }) => snapshot));
    for (const site of sites) {
      const known = this.#states.get(site.snapshot);
      if (known !== undefined) known.site = site;
      else this.#states.set(site.snapshot, newState(site, this.#run.settings));
    }
  }

  #watchedSites(): WatchedSite[] {
    return [...this.#watched].map((snapshot) => {
      const state = this.#states.get(snapshot)!;
      const onEvent = (event: WalkEvent): void => noteEvent(state, event);
      return { ...state.site, options: { ...state.site.options, onEvent } };
    });
  }

  #reload(): void {
    this.#reloading = this.#reloading.then(async () => {
      const { reporter, settings } = this.#run;
      try {
        const before = this.#watched;
        this.#setStates(await this.#list.readAgain());
        await this.#watch.replaceSites(this.#watchedSites());
        for (const [snapshot, { site }] of this.#states) {
          if (!this.#watched.has(snapshot) && !this.#watch.isRunning(site)) await this.#forget(snapshot);
        }
        const added = [...this.#watched].filter((snapshot) => !before.has(snapshot)).length;
        const removed = [...before].filter((snapshot) => !this.#watched.has(snapshot)).length;
        this.#metrics.add("reloads_total", 'outcome="done"');
        const sites = count(this.#watched.size, "site");
        const text = `Reloaded ${settings.hosts}: watching ${sites}, ${number(added)} added, ${number(removed)} removed`;
        reporter.say(0, text, { sites: this.#watched.size, added, removed });
      } catch (error) {
        this.#metrics.add("reloads_total", 'outcome="failed"');
        const { message = String(error) } = error as Partial<Error>;
        reporter.warn(sentences(message, "The old list of sites is kept"), undefined, true);
      }
    });
  }

  // ---------------------------------------------------------------- metrics

  async #serve(): Promise<MetricsServer | undefined> {
    const { settings, reporter } = this.#run;
    if (settings.metrics === undefined) return undefined;
    const source = {
      metrics: () => this.#metrics.text(this.#watch.status(), this.#gauges(), this.#hooks.size()),
      health: () => this.#health(),
    };
    const server = await serveMetrics(source, settings.metrics);
    reporter.say(0, `Metrics: ${server.address}/metrics`);
    return server;
  }

  #gauges(): SiteGauges[] {
    return [...this.#watched].map((snapshot) => {
      const { site, failures, succeededAt, summary } = this.#states.get(snapshot)!;
      return {
        url: site.target.url,
        failures,
        succeededAt,
        intervalMs: this.#watch.intervalMs(site),
        pages: summary?.pageCount,
        pending: summary?.pending,
        deliveries: this.#hooks.waiting(snapshot),
      };
    });
  }

  #health(): Health {
    const { overdue, running } = this.#watch.status();
    const isHealthy = overdue.length === 0;
    const late = overdue.slice(0, MAX_LISTED).map((snapshot) => this.#states.get(snapshot)?.site.target.url);
    const facts = {
      status: isHealthy ? "ok" : "overdue",
      sites: this.#watched.size,
      running,
      overdue: overdue.length,
      ...(!isHealthy && { overdueSites: late }),
    };
    return { isHealthy, facts };
  }

  // ---------------------------------------------------------------- one sync

  async #change(state: SiteState, change: RunItem): Promise<void> {
    if (change.kind === "start") {
      state.start = change;
      await this.#hooks.start(state, change);
    } else if (change.kind === "summary") await this.#finish(state, change);
    else {
      state.found.add(change);
      await this.#hooks.change(state, change);
    }
  }

  async #finish(state: SiteState, summary: SyncSummary): Promise<void> {
    this.#metrics.addRequests(summary);
    // A first sync without pages is a failure, and writes no snapshot.
    if (summary.isFirst && summary.pageCount === 0) throw this.#noPage(state);
    await this.#hooks.finish(state, summary);
  }

  async #commit(state: SiteState, summary: SyncSummary): Promise<void> {
    this.#metrics.addChanges(summary);
    state.summary = summary;
    await this.#hooks.commit(state.site.snapshot);
    this.#syncs++;
    const isFailed = isFailedSync(summary);
    state.failures = isFailed ? state.failures + 1 : 0;
    if (!isFailed) state.succeededAt = Date.now();
    this.#messages.report(state, summary);
    endSync(state);
  }

  #noPage({ site, facts }: SiteState): UsageError {
    if (facts.sitemaps > 0) return new UsageError(`no page found in ${count(facts.sitemaps, "sitemap")}`);
    const { text, hint } = nothingFound(site.target, facts, this.#run.settings);
    return new UsageError(text, hint);
  }

  async #fail(state: SiteState, error: unknown): Promise<void> {
    const { snapshot } = state.site;
    await this.#hooks.drop(snapshot);
    if (error instanceof ClosedPipeError) return this.#stop.abort(error);
    this.#syncs++;
    state.failures++;
    const problem = syncProblem(error, snapshot) as Partial<Error> & { readonly hint?: string };
    const { message = String(error), hint } = problem;
    const isVain = problem instanceof SnapshotProblem;
    const next = isVain ? "Every sync fails until you repair or remove the file" : this.#messages.next(state);
    this.#messages.warn(state, sentences(logLine(message), next), hint);
    await this.#hooks.fail(state, error, logLine(message));
    endSync(state);
  }

  #endSync({ snapshot }: WatchedSite, outcome: SyncOutcome, ms: number): void {
    this.#metrics.addSync(outcome, ms);
    if (!this.#watched.has(snapshot)) void this.#forget(snapshot);
  }

  /** Call this for a site that was removed from the list, when its last sync has ended. */
  async #forget(snapshot: string): Promise<void> {
    this.#states.delete(snapshot);
    await this.#hooks.release(snapshot);
  }

  // ---------------------------------------------------------------- the end

  /** Resolves GRACE_MS after the abort, or later if snapshots are being saved. */
  async #patience(signal: AbortSignal): Promise<false> {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await sleep(GRACE_MS, undefined, { ref: false });
    await Promise.race([this.#watch.saved(), sleep(SAVE_MS, undefined, { ref: false })]);
    // If no other sync is in progress, the watch ends now by itself.
    return sleep(0, false as const);
  }

  async #end(isDone: boolean): Promise<ExitCode> {
    const { reporter, signal } = this.#run;
    const { reason } = this.#stop.signal;
    const code = signal.reason instanceof Interruption ? signal.reason.exitCode : EXIT.done;
    reporter.summary(`Stopped after ${count(this.#syncs, "sync", "syncs")}`, { exitCode: code }, false);
    if (!isDone) endProcess(code);
    await this.#hooks.close();
    if (reason !== undefined && !signal.aborted) throw reason;
    await this.#output.end();
    return code;
  }
}
