/**
 * `siteatlas watch`: syncs sites again and again, and hands on what changed: to a command, to a webhook, or to
 * stdout. All that it remembers is in the snapshots: it may be stopped, or killed, and started again.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { logLine } from "../../sinks/log-line.ts";
import { terminalText } from "../../sinks/terminal.ts";
import type { PageChange } from "../../sync/changes.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import { type WatchedSite, watchSites } from "../../sync/watch-sites.ts";
import type { WalkEvent } from "../../walk/events.ts";
import { DEFAULT_USER_AGENT } from "../../walk/manners.ts";
import type { WalkOptions } from "../../walk/options.ts";
import { type ChangeDelivery, CommandDelivery, DeliveryError, WebhookDelivery } from "../change-delivery.ts";
import { isChange } from "../change-record.ts";
import { ChangeSamples } from "../change-samples.ts";
import { chooseChangeFormat } from "../change-sink.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { Interruption } from "../interrupt.ts";
import { ClosedPipeError } from "../output/output-error.ts";
import { openTextOutput, type TextOutput } from "../output/text-output.ts";
import type { Command, Run } from "../run.ts";
import { keepHeapSmall } from "../small-heap.ts";
import { checkFolder, SnapshotProblem, snapshotName, syncProblem } from "../snapshot-file.ts";
import { StdoutDelivery } from "../stdout-delivery.ts";
import { changesLine, keptText, sayMassRemoval } from "../talk/changes-line.ts";
import { failureWords } from "../talk/failures.ts";
import { nothingFound, nothingRead } from "../talk/hints.ts";
import { SiteFacts } from "../talk/tally.ts";
import { count, number, roughDuration } from "../talk/words.ts";
import { readTargets, type Target, targetOptions } from "../target.ts";
import { UsageError } from "../usage-error.ts";
import { walkOptions } from "../walk-options.ts";
import { checkAllow } from "../walk-sites.ts";

const DEFAULT_EVERY_MS = 15 * 60_000;
const DEFAULT_JOBS = 8;
/** A sync that does not come to its end so long after it was told to is left where it is: snapshots are whole. */
const GRACE_MS = 1500;

/** Failures that double the wait until nobody can tell (schedule.ts). */
const MAX_DOUBLINGS = 30;

/** A site, and how it is called in messages. */
interface NamedSite extends WatchedSite {
  readonly name: string;
  readonly target: Target;
}

/** What there is to say of a site. */
interface SiteState {
  readonly site: NamedSite;
  /** Of the sync that is under way, or comes next: what it found to read, and what not. */
  facts: SiteFacts;
  found: ChangeSamples;
  /** Syncs in a row that failed. */
  failures: number;
  /** The advice that was given last: it is not repeated. */
  hint: string | undefined;
}

export const watch: Command = async (run) => {
  keepHeapSmall();
  checkAllow(run.settings.allow);
  const format = chooseChangeFormat(run);
  if (format === "json")
    throw new UsageError("A watch has no end to close a JSON array: --json writes lines");
  const sites = await readSites(run);
  const output = await openTextOutput({});
  return new Watch(run, sites, output, format).run();
};

/** All of them, before the first is asked: `-` is read to its end. */
async function readSites({ args, settings, signal, talk }: Run): Promise<NamedSite[]> {
  const { snapshots: folder = "." } = settings;
  await checkFolder(folder, folder);
  const options = walkOptions(settings);
  const sites = new Map<string, NamedSite>();
  for await (const line of readTargets(args, settings, signal)) {
    if ("problem" in line) talk.warn(line.problem.message, undefined, true);
    else {
      const snapshot = join(folder, snapshotName(line.target));
      sites.set(snapshot, siteOf(line.target, snapshot, options));
    }
  }
  if (sites.size === 0) throw new UsageError("siteatlas watch needs a site, such as example.com");
  return [...sites.values()];
}

function siteOf(target: Target, snapshot: string, options: WalkOptions): NamedSite {
  const { url, name, sitemapPath } = target;
  return {
    url,
    snapshot,
    target,
    name: sitemapPath === undefined ? name : name + sitemapPath,
    options: targetOptions(target, options),
  };
}

class Watch {
  readonly #run: Run;
  readonly #output: TextOutput;
  readonly #format: "text" | "urls" | "ndjson";
  /** By snapshot. */
  readonly #states: ReadonlyMap<string, SiteState>;
  /** Of the syncs that are under way, by snapshot. */
  readonly #deliveries: Map<string, readonly ChangeDelivery[]> = new Map();
  readonly #stop = new AbortController();
  #syncs = 0;

  constructor(run: Run, sites: readonly NamedSite[], output: TextOutput, format: "text" | "urls" | "ndjson") {
    this.#run = run;
    this.#output = output;
    this.#format = format;
    this.#states = new Map(sites.map((site) => [site.snapshot, newState(site)]));
  }

  async run(): Promise<ExitCode> {
    const { settings, talk, signal: interrupted } = this.#run;
    const { every: everyMs = DEFAULT_EVERY_MS, maxEvery: maxEveryMs, jobs = DEFAULT_JOBS } = settings;
    const signal = AbortSignal.any([interrupted, this.#stop.signal]);
    talk.say(0, `Watching ${count(this.#states.size, "site")}`);
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
        if (change.kind === "summary") await this.#finish(site, change, deliveries);
        else await this.#change(site, change, deliveries);
      },
      onFailure: (site, error) => this.#fail(site, error),
    });
    const isDone = await Promise.race([watching.then(() => true), this.#patience(signal)]);
    return this.#end(isDone);
  }

  // ---------------------------------------------------------------- one sync

  #deliveriesOf({ snapshot, url }: WatchedSite, signal: AbortSignal): readonly ChangeDelivery[] {
    const known = this.#deliveries.get(snapshot);
    if (known !== undefined) return known;
    const { onChange, webhook, userAgent = DEFAULT_USER_AGENT } = this.#run.settings;
    const made: ChangeDelivery[] = [];
    if (onChange !== undefined) made.push(new CommandDelivery(onChange, signal));
    if (webhook !== undefined) made.push(new WebhookDelivery(webhook, userAgent, signal));
    if (made.length === 0) made.push(new StdoutDelivery(this.#run, this.#output, this.#format, url));
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
    // Nothing to remember: the next one is the first.
    if (summary.isFirst && summary.pageCount === 0) throw this.#noPage(state);
    for (const delivery of deliveries) await delivery.finish(summary);
    this.#deliveries.delete(snapshot);
    this.#syncs++;
    state.failures = isFailed(summary) ? state.failures + 1 : 0;
    this.#tell(state, summary);
    endSync(state);
  }

  /** What changed, and what keeps us from knowing. */
  #tell(state: SiteState, summary: SyncSummary): void {
    const { talk, settings } = this.#run;
    const { site, facts, found } = state;
    const { unknownSitemaps, unknownPages, sitemapCount } = summary;
    const isMost = unknownSitemaps > 0 && 2 * unknownSitemaps >= sitemapCount;
    const isNothing = facts.sitemaps === 0;
    if (isChange(summary) || !(isMost || isNothing)) {
      const level = isChange(summary) || unknownSitemaps > 0 ? 0 : 1;
      talk.say(level, line(site, changesLine(summary, found.reasons)), { site: site.url, ...summary });
    }
    if (isNothing) {
      const { brief, hint } = nothingRead(site.target, facts, settings, {
        ...summary,
        reasons: found.reasons,
      });
      this.#warn(state, `${brief}; ${this.#next(state)}`, hint);
    } else if (isMost) {
      const some = `${number(unknownSitemaps)} of ${count(sitemapCount, "sitemap")} not read whole`;
      const kept = keptText(unknownSitemaps, unknownPages);
      this.#warn(state, `${some} (${failureWords(found.reasons)})${kept}`);
    } else state.hint = undefined;
    sayMassRemoval(talk, summary, summary.pageCount + summary.removed - summary.added);
  }

  #noPage({ site, facts }: SiteState): DeliveryError {
    if (facts.sitemaps > 0) return new DeliveryError(`no page found in ${count(facts.sitemaps, "sitemap")}`);
    const { brief, hint } = nothingFound(site.target, facts, this.#run.settings);
    return new DeliveryError(brief, hint);
  }

  #fail({ snapshot }: WatchedSite, error: unknown): void {
    void this.#drop(snapshot);
    if (error instanceof ClosedPipeError) return this.#stop.abort(error);
    const state = this.#states.get(snapshot)!;
    this.#syncs++;
    state.failures++;
    const problem = syncProblem(error, snapshot) as Partial<Error> & { readonly hint?: string };
    const { message = String(error), hint } = problem;
    const vain = problem instanceof SnapshotProblem ? ", but waiting will not mend the file" : "";
    this.#warn(state, `${logLine(message)}; ${this.#next(state)}${vain}`, hint);
    endSync(state);
  }

  #warn(state: SiteState, text: string, hint?: string): void {
    this.#run.talk.warn(line(state.site, text), hint === state.hint ? undefined : hint, true);
    state.hint = hint;
  }

  /** When a sync that failed is made again; the schedule adds a little chance. */
  #next({ failures }: SiteState): string {
    const { every = DEFAULT_EVERY_MS, maxEvery = 8 * every } = this.#run.settings;
    const ms = Math.min(Math.max(every, maxEvery), every * 2 ** Math.min(failures, MAX_DOUBLINGS));
    return `next try in about ${roughDuration(ms)}`;
  }

  async #drop(snapshot: string): Promise<void> {
    const deliveries = this.#deliveries.get(snapshot) ?? [];
    this.#deliveries.delete(snapshot);
    for (const delivery of deliveries) await delivery.drop().catch(() => {});
  }

  // ---------------------------------------------------------------- the end

  /** Gives up on what does not end. */
  async #patience(signal: AbortSignal): Promise<false> {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    return sleep(GRACE_MS, false as const, { ref: false });
  }

  async #end(isDone: boolean): Promise<ExitCode> {
    const { talk, signal } = this.#run;
    const { reason } = this.#stop.signal;
    const code = signal.reason instanceof Interruption ? signal.reason.exitCode : EXIT.done;
    talk.summary(`Stopped after ${count(this.#syncs, "sync", "syncs")}`, { exitCode: code }, false);
    if (!isDone) process.exit(code);
    for (const snapshot of this.#states.keys()) await this.#drop(snapshot);
    if (reason !== undefined && !signal.aborted) throw reason;
    await this.#output.end();
    return code;
  }
}

function newState(site: NamedSite): SiteState {
  return {
    site,
    facts: new SiteFacts(site.url),
    found: new ChangeSamples(0),
    failures: 0,
    hint: undefined,
  };
}

/** What is remembered is of the next sync from now on. */
function endSync(state: SiteState): void {
  state.facts = new SiteFacts(state.site.url);
  state.found = new ChangeSamples(0);
}

function noteEvent({ facts }: SiteState, event: WalkEvent): void {
  if (event.kind !== "sitemap") return;
  const { sitemap } = event;
  // What was not asked for, or is the same, is there.
  facts.addSitemap(sitemap.outcome === "unchanged" ? { ...sitemap, outcome: "found" } : sitemap);
}

/** As the schedule sees it (watch-sites.ts). */
function isFailed({ sitemapCount, unknownSitemaps }: SyncSummary): boolean {
  return unknownSitemaps === sitemapCount;
}

function line({ name }: NamedSite, text: string): string {
  const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  return `${at} ${terminalText(name)}: ${text}`;
}
