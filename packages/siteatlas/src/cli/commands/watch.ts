/**
 * `siteatlas watch`: syncs sites again and again, and hands on what changed: to a command, to a webhook, or to
 * stdout. All that it remembers is in the snapshots: it may be stopped, or killed, and started again.
 */
import { access, constants, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { logLine } from "../../sinks/log-line.ts";
import { terminalText } from "../../sinks/terminal.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import { type WatchedSite, watchSites } from "../../sync/watch-sites.ts";
import { type ChangeDelivery, CommandDelivery, DeliveryError, WebhookDelivery } from "../change-delivery.ts";
import { isChange } from "../change-record.ts";
import { chooseChangeFormat } from "../change-sink.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { Interruption } from "../interrupt.ts";
import { ClosedPipeError, toOutputError } from "../output/output-error.ts";
import { openTextOutput, type TextOutput } from "../output/text-output.ts";
import type { Command, Run } from "../run.ts";
import { snapshotName, syncProblem } from "../snapshot-file.ts";
import { StdoutDelivery } from "../stdout-delivery.ts";
import { changesLine, sayMassRemoval } from "../talk/changes-line.ts";
import { count } from "../talk/words.ts";
import { readTargets, type Target, targetOptions } from "../target.ts";
import { UsageError } from "../usage-error.ts";
import { walkOptions } from "../walk-options.ts";
import { checkAllow } from "../walk-sites.ts";

const DEFAULT_EVERY_MS = 15 * 60_000;
const DEFAULT_JOBS = 8;
/** A sync that does not come to its end so long after it was told to is left where it is: snapshots are whole. */
const GRACE_MS = 1500;

/** A site, and how it is called in messages. */
interface NamedSite extends WatchedSite {
  readonly name: string;
}

export const watch: Command = async (run) => {
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
  const sites = new Map<string, NamedSite>();
  for await (const line of readTargets(args, settings, signal)) {
    if ("problem" in line) talk.warn(line.problem.message, undefined, true);
    else {
      const snapshot = join(folder, snapshotName(line.target));
      sites.set(snapshot, siteOf(line.target, snapshot));
    }
  }
  if (sites.size === 0) throw new UsageError("siteatlas watch needs a site, such as example.com");
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw toOutputError(error, folder, 2);
  }
  return [...sites.values()];
}

function siteOf(target: Target, snapshot: string): NamedSite {
  const { url, name, sitemapPath } = target;
  return {
    url,
    snapshot,
    name: sitemapPath === undefined ? name : name + sitemapPath,
    options: targetOptions(target, {}),
  };
}

class Watch {
  readonly #run: Run;
  readonly #sites: readonly NamedSite[];
  readonly #output: TextOutput;
  readonly #format: "text" | "urls" | "ndjson";
  readonly #names: ReadonlyMap<string, string>;
  /** Of the syncs that are under way, by snapshot. */
  readonly #deliveries: Map<string, readonly ChangeDelivery[]> = new Map();
  readonly #stop = new AbortController();
  #syncs = 0;

  constructor(run: Run, sites: readonly NamedSite[], output: TextOutput, format: "text" | "urls" | "ndjson") {
    this.#run = run;
    this.#sites = sites;
    this.#output = output;
    this.#format = format;
    this.#names = new Map(sites.map(({ snapshot, name }) => [snapshot, name]));
  }

  async run(): Promise<ExitCode> {
    const { settings, talk, signal: interrupted } = this.#run;
    const { every: everyMs = DEFAULT_EVERY_MS, maxEvery: maxEveryMs, jobs = DEFAULT_JOBS } = settings;
    const signal = AbortSignal.any([interrupted, this.#stop.signal]);
    talk.say(0, `Watching ${count(this.#sites.length, "site")}`);
    const watching = watchSites(this.#sites, {
      ...walkOptions(settings),
      everyMs,
      ...(maxEveryMs !== undefined && { maxEveryMs }),
      sites: jobs,
      signal,
      onChange: async (site, change) => {
        const deliveries = this.#deliveriesOf(site, signal);
        if (change.kind === "summary") await this.#finish(site, change, deliveries);
        else for (const delivery of deliveries) await delivery.change(change);
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
    const { onChange, webhook } = this.#run.settings;
    const made: ChangeDelivery[] = [];
    if (onChange !== undefined) made.push(new CommandDelivery(onChange, signal));
    if (webhook !== undefined) made.push(new WebhookDelivery(webhook, signal));
    if (made.length === 0) made.push(new StdoutDelivery(this.#run, this.#output, this.#format, url));
    this.#deliveries.set(snapshot, made);
    return made;
  }

  async #finish(
    site: WatchedSite,
    summary: SyncSummary,
    deliveries: readonly ChangeDelivery[],
  ): Promise<void> {
    // Nothing to remember: the next one is the first.
    if (summary.isFirst && summary.pageCount === 0) throw new DeliveryError("no page found");
    for (const delivery of deliveries) await delivery.finish(summary);
    this.#deliveries.delete(site.snapshot);
    this.#syncs++;
    const { talk } = this.#run;
    const level = isChange(summary) || summary.unknownSitemaps > 0 ? 0 : 1;
    talk.say(level, this.#line(site, changesLine(summary)), { site: site.url, ...summary });
    sayMassRemoval(talk, summary, summary.pageCount + summary.removed - summary.added);
  }

  #fail(site: WatchedSite, error: unknown): void {
    void this.#drop(site.snapshot);
    if (error instanceof ClosedPipeError) return this.#stop.abort(error);
    const { message = String(error) } = syncProblem(error, site.snapshot) as Partial<Error>;
    this.#run.talk.warn(this.#line(site, `${logLine(message)}; tried again later`), undefined, true);
  }

  #line({ snapshot }: WatchedSite, text: string): string {
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    return `${at} ${terminalText(this.#names.get(snapshot) ?? "")}: ${text}`;
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
    for (const { snapshot } of this.#sites) await this.#drop(snapshot);
    if (reason !== undefined && !signal.aborted) throw reason;
    await this.#output.end();
    return code;
  }
}
