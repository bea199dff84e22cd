/** Delivers the changes of `siteatlas sync` to a webhook, through the same outbox as `siteatlas watch`. */
import { logLine } from "../../../escape/log-line.ts";
import { terminalText } from "../../../escape/terminal.ts";
import { DEFAULT_USER_AGENT } from "../../../fetch/user-agent.ts";
import type { PageChange, SyncStart } from "../../../sync/changes.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import type { Run } from "../../command.ts";
import { sentences } from "../../messages/summary.ts";
import { count } from "../../terminal/format-text.ts";
import { isChange } from "../change-record.ts";
import { DeliveredFailure, outageOf, unreadKey } from "../delivered-failure.ts";
import { DeliveryError } from "../delivery.ts";
import { COMMAND, folderOf, Outbox, WEBHOOK } from "../outbox/outbox.ts";
import type { OutboxDelivery } from "../outbox/outbox-delivery.ts";
import { deliverToWebhook } from "./deliver-webhook.ts";
import { readSigningKeys } from "./sign-delivery.ts";

const DEFAULT_BACKOFF_MS = 1000;
/** Maximum number of tries of a delivery in one sync. */
const MAX_TRIES = 4;
/** If the webhook asks for a longer pause, the next sync sends the changes. */
const MAX_WAIT_MS = 60_000;

export class SyncWebhook {
  readonly #run: Run;
  readonly #snapshot: string;
  readonly #delivered: DeliveredFailure;
  readonly #delivery: OutboxDelivery;
  #start: SyncStart | undefined;
  #problem: DeliveryError | undefined;

  private constructor(run: Run, snapshot: string, site: string, url: string) {
    const { webhookSecretFile, userAgent = DEFAULT_USER_AGENT, backoff = DEFAULT_BACKOFF_MS } = run.settings;
    this.#run = run;
    this.#snapshot = snapshot;
    this.#delivered = new DeliveredFailure(snapshot, run.settings);
    this.#delivery = deliverToWebhook({
      snapshot,
      site,
      webhook: { url, keys: readSigningKeys(webhookSecretFile, process.env), userAgent },
      signal: run.signal,
      backoffMs: backoff,
      maxTries: MAX_TRIES,
      maxWaitMs: MAX_WAIT_MS,
      inTurn: (send) => send(),
      onProblem: (error) => {
        this.#problem = error;
      },
      onRecovery: () => {
        this.#problem = undefined;
      },
    });
  }

  /**
   * Opens the webhook and starts to send the deliveries that earlier syncs left. Returns undefined without `--webhook`
   * and with `--dry-run`.
   *
   * @param site URL of the site, as each delivery contains it
   */
  static async open(run: Run, snapshot: string, site: string): Promise<SyncWebhook | undefined> {
    const { webhook: url, dryRun = false } = run.settings;
    if (dryRun) return undefined;
    if (Outbox.hasRuns(snapshot, COMMAND)) {
      const folder = terminalText(folderOf(snapshot, COMMAND));
      const hint = "Run siteatlas watch with --on-change to deliver them.";
      run.reporter.warn(`${folder} has changes that wait for a command`, hint, true);
    }
    if (url === undefined) {
      if (!Outbox.hasRuns(snapshot, WEBHOOK)) return undefined;
      const folder = terminalText(folderOf(snapshot, WEBHOOK));
      run.reporter.warn(
        `${folder} has changes that wait for a webhook`,
        "Pass --webhook to send them.",
        true,
      );
      return undefined;
    }
    const made = new SyncWebhook(run, snapshot, site, url);
    const deliver = await made.#delivery.resume();
    await deliver();
    return made;
  }

  async start(start: SyncStart): Promise<void> {
    this.#start = start;
    await this.#delivery.start(start);
  }

  async change(change: PageChange): Promise<void> {
    await this.#delivery.change(change);
  }

  /**
   * Saves the changes in the outbox. Call this before the snapshot is replaced.
   *
   * @param reasons number of sitemaps that could not be read, by reason
   */
  async finish(summary: SyncSummary, reasons: ReadonlyMap<string, number>): Promise<void> {
    const { hookOn = ["changes"] } = this.#run.settings;
    const unread = unreadKey(summary, reasons);
    const isNews = this.#delivered.isNews(unread);
    const isWanted = isNews || (hookOn.includes("changes") && isChange(summary));
    await this.#delivery.finish(summary, isWanted, outageOf(summary, reasons, 1));
    this.#delivered.note(unread);
  }

  /** Call this when the snapshot was replaced. */
  async commit(): Promise<void> {
    await this.#delivery.commit();
    await this.#delivered.save();
  }

  /** Discards the changes of a failed sync. Delivers a new failure if `--hook-on failures` is set. */
  async fail(error: unknown): Promise<void> {
    await this.#delivery.drop();
    const { message: text = String(error) } = error as Partial<Error>;
    const message = logLine(text);
    const isWanted = this.#delivered.isNews(message) && !(error instanceof DeliveryError);
    if (!isWanted || this.#start === undefined || this.#run.signal.aborted) return;
    await this.#delivery.fail(this.#start, { message, failures: 1 });
    this.#delivered.note(message);
    await this.#delivered.save();
  }

  /** Waits until everything is sent, or the webhook failed too often. Returns whether nothing is left. */
  async end(): Promise<boolean> {
    await this.#delivery.settled();
    const { runs = 0 } = this.#delivery.waiting ?? {};
    await this.#delivery.close();
    if (runs === 0) return true;
    const { message = "interrupted", hint } = this.#problem ?? {};
    const waits = `The changes of ${count(runs, "sync", "syncs")} wait in ${terminalText(folderOf(this.#snapshot, WEBHOOK))}`;
    this.#run.reporter.error(sentences(message, waits), hint ?? "The next sync with --webhook sends them.");
    return false;
  }
}
