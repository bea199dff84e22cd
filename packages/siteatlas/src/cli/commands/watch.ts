/**
 * `siteatlas watch`: syncs sites on a schedule and delivers the changes to a command, a webhook or stdout. All state is
 * in files: the snapshots, and beside each its outbox and the last failure that was delivered. So watch can be stopped
 * or killed and started again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { logLine } from "../../escape/log-line.ts";
import { terminalText } from "../../escape/terminal.ts";
import { DEFAULT_USER_AGENT } from "../../fetch/user-agent.ts";
import type { PageChange, SyncStart } from "../../sync/changes.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import type { SyncOutcome } from "../../sync/watch/watch-schedule.ts";
import { isFailedSync, SiteWatch, type WatchedSite } from "../../sync/watch/watch-sites.ts";
import type { WalkEvent } from "../../walk/events/events.ts";
import { deliverToStdout } from "../changes/change-output.ts";
import { isChange, newRun } from "../changes/change-record.ts";
import { ChangeSamples } from "../changes/change-samples.ts";
import { changesLine, sayMassRemoval, unreadText } from "../changes/changes-line.ts";
import { deliverToCommand } from "../changes/deliver-command.ts";
import { type ChangeDelivery, DeliveryError } from "../changes/delivery.ts";
import { SnapshotProblem, syncProblem } from "../changes/snapshot-file.ts";
import { folderOf, Outbox } from "../changes/webhook/outbox.ts";
import { readSigningKeys } from "../changes/webhook/sign-delivery.ts";
import { SiteWebhooks } from "../changes/webhook/site-webhooks.ts";
import type { Command, Run } from "../command.ts";
import type { HookEvent } from "../config/flags.ts";
import { nothingFound, nothingRead } from "../messages/hints.ts";
import { SiteFacts } from "../messages/run-counts.ts";
import { sentences } from "../messages/summary.ts";
import { openTextOutput, type TextOutput } from "../output/buffered-output.ts";
import { chooseChangeFormat } from "../output/choose-format.ts";
import { EXIT, type ExitCode } from "../process/exit-codes.ts";
import { Interruption, reloadsOnHangUp } from "../process/interrupt.ts";
import { keepHeapSmall } from "../process/limit-heap-growth.ts";
import { ClosedPipeError } from "../process/output-error.ts";
import { UsageError } from "../process/usage-error.ts";
import { count, number, roughDuration } from "../terminal/format-text.ts";
import { checkAllow } from "../walk/walk-sites.ts";
import { readDeliveredFailure, saveDeliveredFailure } from "./watch/delivered-failure.ts";
import { type Health, type MetricsServer, serveMetrics } from "./watch/metrics-server.ts";
import { type NamedSite, SiteList } from "./watch/site-list.ts";
import { type SiteGauges, WatchMetrics } from "./watch/watch-metrics.ts";

const DEFAULT_EVERY_MS = 15 * 60_000;
const DEFAULT_JOBS = 8;
const DEFAULT_COMMAND_MS = 10 * 60_000;
const DEFAULT_BACKOFF_MS = 1000;
/**
 * Time for syncs to end after an interrupt. Then the process exits, which is safe: snapshots are replaced only when
 * complete.
 */
const GRACE_MS = 1500;

/** Maximum number of failures that double the interval, as in watch-schedule.ts. */
const MAX_DOUBLINGS = 30;

interface SiteState {
  site: NamedSite;
  /** Facts of the sync in progress, or of the next sync. */
  facts: SiteFacts;
  found: ChangeSamples;
  /** Number of failed syncs in a row. */
  failures: number;
  /** The last hint, so that it is not repeated. */
  hint: string | undefined;
  /**
   * A key of the sitemaps that the last sync could not read (`unreadKey`). While it stays the same, they are not
   * reported again.
   */
  unread: string;
  /** Time of the last sync that read a sitemap completely, in milliseconds. */
  succeededAt: number | undefined;
  /** The summary of the last sync whose changes were delivered. */
  summary: Pick<SyncSummary, "pageCount" | "pending"> | undefined;
  /** Start of the sync in progress. */
  start: SyncStart | undefined;
  /** The failure, or a key of the unread sitemaps, that was last delivered to the hooks. Empty if there was none. */
  told: string;
  /** The value of `told` in the file, for the next start. */
  savedTold: string;
}

export const watch: Command = async (run) => {
  keepHeapSmall();
  let isHungUp = false;
  if (reloadsOnHangUp(run.settings)) {
    run.onHangUp(() => {
      isHungUp = true;
    });
  }
  checkAllow(run.settings.allow);
  const format = chooseChangeFormat(run);
  if (format === "json")
    throw new UsageError(
      "siteatlas watch cannot write json",
      "Use ndjson: watch writes changes until you stop it, and a JSON array needs an end.",
    );
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
  readonly #format: "text" | "urls" | "ndjson";
  /** State of each site, by its snapshot. A site that was removed from the list stays until its sync has ended. */
  readonly #states: Map<string, SiteState> = new Map();
  /** Snapshots of the sites in the list. */
  #watched: ReadonlySet<string> = new Set();
  /** Deliveries of the syncs in progress, by snapshot. */
  readonly #deliveries: Map<string, readonly ChangeDelivery[]> = new Map();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #watch: SiteWatch;
  readonly #metrics = new WatchMetrics();
  #reloading: Promise<void> = Promise.resolve();
  readonly #webhooks: SiteWebhooks | undefined;
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
    this.#format = format;
    this.#setStates(sites);
    this.#signal = AbortSignal.any([run.signal, this.#stop.signal]);
    this.#webhooks = this.#openWebhooks();
    const { every: everyMs = DEFAULT_EVERY_MS, maxEvery: maxEveryMs, jobs = DEFAULT_JOBS } = run.settings;
    this.#watch = new SiteWatch({
      everyMs,
      ...(maxEveryMs !== undefined && { maxEveryMs }),
      sites: jobs,
      signal: this.#signal,
      onChange: async (site, change) => {
        const deliveries = this.#deliveriesOf(site);
        if (change.kind === "start") await this.#start(site, change, deliveries);
        else if (change.kind === "summary") await this.#finish(site, change, deliveries);
        else await this.#change(site, change, deliveries);
      },
      onCommit: async ({ snapshot }) => {
        await this.#webhooks?.commit(snapshot);
        await this.#saveDeliveredFailure(snapshot);
      },
      onFailure: (site, error) => this.#fail(site, error),
      onEnd: (site, outcome, ms) => this.#endSync(site, outcome, ms),
    });
  }

  /** @param isHungUp whether there was a SIGHUP after the list was first read */
  async run(isHungUp: () => boolean): Promise<ExitCode> {
    const server = await this.#serve();
    try {
      const { reporter, settings, onHangUp } = this.#run;
      reporter.say(0, `Watching ${count(this.#watched.size, "site")}`);
      await this.#resumeWebhooks();
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
      else {
        const told = this.#hasHook("failures") ? readDeliveredFailure(site.snapshot) : "";
        this.#states.set(site.snapshot, { ...newState(site), told, savedTold: told });
      }
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
          if (!this.#watched.has(snapshot) && !this.#watch.isRunning(site)) this.#states.delete(snapshot);
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
      metrics: () => this.#metrics.text(this.#watch.status(), this.#gauges(), this.#webhooks?.size()),
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
        deliveries: this.#webhooks?.waiting(snapshot) ?? (this.#webhooks && 0),
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

  #deliveriesOf({ snapshot }: WatchedSite): readonly ChangeDelivery[] {
    const known = this.#deliveries.get(snapshot);
    if (known !== undefined) return known;
    const { url } = this.#states.get(snapshot)!.site.target;
    const { onChange: command, onChangeTimeout: timeoutMs = DEFAULT_COMMAND_MS } = this.#run.settings;
    const made: ChangeDelivery[] = [];
    if (command !== undefined) made.push(deliverToCommand({ command, timeoutMs, signal: this.#signal }));
    if (this.#webhooks !== undefined) made.push(this.#webhooks.of(snapshot, url));
    if (made.length === 0) made.push(deliverToStdout(this.#run, this.#output, this.#format, url));
    this.#deliveries.set(snapshot, made);
    return made;
  }

  async #start(
    { snapshot }: WatchedSite,
    start: SyncStart,
    deliveries: readonly ChangeDelivery[],
  ): Promise<void> {
    this.#states.get(snapshot)!.start = start;
    for (const delivery of deliveries) await delivery.start(start);
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
    this.#metrics.addRequests(summary);
    // An empty snapshot would make the next sync report every page as added.
    if (summary.isFirst && summary.pageCount === 0) throw this.#noPage(state);
    const told = summary.unknownSitemaps === 0 ? "" : unreadKey(summary, state);
    const isWanted =
      (this.#hasHook("changes") && isChange(summary)) || (this.#hasHook("failures") && told !== state.told);
    for (const delivery of deliveries) await delivery.finish(summary, isWanted);
    state.told = told;
    this.#deliveries.delete(snapshot);
    this.#syncs++;
    this.#metrics.addChanges(summary);
    const isFailed = isFailedSync(summary);
    state.failures = isFailed ? state.failures + 1 : 0;
    if (!isFailed) state.succeededAt = Date.now();
    state.summary = summary;
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
    const unread = unreadKey(summary, state);
    if (isChange(summary) || !(isMost || isNothing)) {
      const isNews =
        isChange(summary) || found.counts.pending > 0 || (unknownSitemaps > 0 && unread !== state.unread);
      const level = isNews ? 0 : 1;
      const text = changesLine(summary, found.reasons);
      reporter.say(level, this.#line(site, text), { site: site.target.url, ...summary });
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

  #noPage({ site, facts }: SiteState): UsageError {
    if (facts.sitemaps > 0) return new UsageError(`no page found in ${count(facts.sitemaps, "sitemap")}`);
    const { text, hint } = nothingFound(site.target, facts, this.#run.settings);
    return new UsageError(text, hint);
  }

  async #fail(watched: WatchedSite, error: unknown): Promise<void> {
    const { snapshot } = watched;
    await this.#drop(snapshot);
    if (error instanceof ClosedPipeError) return this.#stop.abort(error);
    const state = this.#states.get(snapshot)!;
    this.#syncs++;
    state.failures++;
    const problem = syncProblem(error, snapshot) as Partial<Error> & { readonly hint?: string };
    const { message = String(error), hint } = problem;
    const isVain = problem instanceof SnapshotProblem;
    const next = isVain ? "Every sync fails until you repair or remove the file" : this.#next(state);
    this.#warn(state, sentences(logLine(message), next), hint);
    if (!(error instanceof DeliveryError)) await this.#tellFailure(watched, state, logLine(message));
    Object.assign(state, newSync(state.site));
  }

  /** Delivers a failure to the hooks. A failure that lasts for several syncs is delivered once. */
  async #tellFailure(watched: WatchedSite, state: SiteState, message: string): Promise<void> {
    if (!this.#hasHook("failures") || state.told === message) return;
    const { failures, site, start = newRun(site.target.url) } = state;
    try {
      for (const delivery of this.#deliveriesOf(watched)) await delivery.fail?.(start, { message, failures });
      state.told = message;
      await this.#saveDeliveredFailure(watched.snapshot);
    } catch (error) {
      if (!this.#signal.aborted) this.#warn(state, logLine((error as Error).message));
    } finally {
      this.#deliveries.delete(watched.snapshot);
    }
  }

  /** Saves what the hooks know of a site. Call this when it was delivered and the snapshot was replaced. */
  async #saveDeliveredFailure(snapshot: string): Promise<void> {
    const state = this.#states.get(snapshot);
    if (state === undefined || !this.#hasHook("failures") || state.told === state.savedTold) return;
    await saveDeliveredFailure(snapshot, state.told);
    state.savedTold = state.told;
  }

  #hasHook(event: HookEvent): boolean {
    return (this.#run.settings.hookOn ?? ["changes"]).includes(event);
  }

  #warn(state: SiteState, text: string, hint?: string): void {
    const { site } = state;
    const news = hint === state.hint ? undefined : hint;
    this.#run.reporter.warn(this.#line(site, text), news, true, { site: site.target.url });
    state.hint = hint;
  }

  /** A message about a site. A structured message has the time and the site as properties. */
  #line({ name }: NamedSite, text: string): string {
    if (this.#run.reporter.isStructured) return text;
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    return `${at} ${terminalText(name)}: ${text}`;
  }

  #endSync({ snapshot }: WatchedSite, outcome: SyncOutcome, ms: number): void {
    this.#metrics.addSync(outcome, ms);
    if (!this.#watched.has(snapshot)) this.#states.delete(snapshot);
  }

  /** The text about the next sync after a failure. The time is approximate, because the schedule adds jitter. */
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

  // ---------------------------------------------------------------- webhooks

  #openWebhooks(): SiteWebhooks | undefined {
    const { webhook: url, webhookSecretFile, userAgent = DEFAULT_USER_AGENT } = this.#run.settings;
    const { jobs = DEFAULT_JOBS, backoff: backoffMs = DEFAULT_BACKOFF_MS } = this.#run.settings;
    if (url === undefined) return undefined;
    return new SiteWebhooks({
      webhook: { url, keys: readSigningKeys(webhookSecretFile, process.env), userAgent },
      signal: this.#signal,
      backoffMs,
      atOnce: jobs,
      onTry: (isAccepted) =>
        this.#metrics.add("webhook_requests_total", isAccepted ? 'outcome="accepted"' : 'outcome="failed"'),
      onProblem: (snapshot, { message, hint }, waiting) => {
        const wait = waiting === 0 ? "" : `${count(waiting, "delivery waits", "deliveries wait")}`;
        // A site that was removed from the list has no state, but its deliveries are still sent.
        const state = this.#states.get(snapshot);
        if (state !== undefined) this.#warn(state, sentences(message, wait), hint);
      },
      onRecovery: (snapshot) => {
        const site = this.#states.get(snapshot)?.site;
        const text = "The webhook accepts deliveries again.";
        if (site !== undefined) this.#run.reporter.say(0, this.#line(site, text), { site: site.target.url });
      },
    });
  }

  /** Sends the deliveries that an earlier process left in outboxes. */
  async #resumeWebhooks(): Promise<void> {
    for (const [snapshot, state] of this.#states) {
      if (!Outbox.exists(snapshot)) continue;
      if (this.#webhooks === undefined) {
        const folder = terminalText(folderOf(snapshot));
        this.#warn(state, `${folder} has changes that wait for a webhook`, "Pass --webhook to send them.");
        continue;
      }
      try {
        await this.#webhooks.of(snapshot, state.site.target.url).resume();
      } catch (error) {
        const { message, hint } = syncProblem(error, snapshot) as UsageError;
        this.#warn(state, logLine(message), hint);
      }
    }
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
    await this.#webhooks?.close();
    if (reason !== undefined && !signal.aborted) throw reason;
    await this.#output.end();
    return code;
  }
}

function newState(site: NamedSite): SiteState {
  const unknown = { hint: undefined, succeededAt: undefined, summary: undefined };
  return { site, ...newSync(site), ...unknown, failures: 0, unread: "", told: "", savedTold: "" };
}

function newSync({ target: { url } }: NamedSite): Pick<SiteState, "facts" | "found" | "start"> {
  return { start: undefined, facts: new SiteFacts(url), found: new ChangeSamples(0) };
}

/** A key of the sitemaps that could not be read. It changes when their number or the reasons change. */
function unreadKey({ unknownSitemaps }: SyncSummary, { found }: SiteState): string {
  return [unknownSitemaps, ...found.reasons].join(" ");
}

function noteEvent({ facts }: SiteState, event: WalkEvent): void {
  if (event.kind !== "sitemap") return;
  const { sitemap } = event;
  // An unchanged sitemap counts as found.
  facts.addSitemap(sitemap.outcome === "unchanged" ? { ...sitemap, outcome: "found" } : sitemap);
}
