/** Delivers the changes of `siteatlas sync` to a webhook, through the same outbox as `siteatlas watch`. */
import { logLine } from "../../../escape/log-line.ts";
import { terminalText } from "../../../escape/terminal.ts";
import { DEFAULT_USER_AGENT } from "../../../fetch/user-agent.ts";
import type { PageChange, SyncStart } from "../../../sync/changes.ts";
import type { SnapshotFacts } from "../../../sync/snapshot/snapshot-format.ts";
import type { SyncSummary } from "../../../sync/sync-site.ts";
import type { Run } from "../../command.ts";
import { sentences } from "../../messages/summary.ts";
import { count } from "../../terminal/format-text.ts";
import { isChange } from "../change-record.ts";
import { DeliveryError } from "../delivery.ts";
import { WebhookDelivery } from "./deliver-webhook.ts";
import { folderOf, Outbox } from "./outbox.ts";
import { readSigningKeys } from "./sign-delivery.ts";

const DEFAULT_BACKOFF_MS = 1000;
/** Tries of a delivery in one sync. */
const MAX_TRIES = 4;
/** If the webhook asks for a longer pause, the next sync sends the changes. */
const MAX_WAIT_MS = 60_000;

export class SyncWebhook {
  readonly #run: Run;
  readonly #snapshot: string;
  readonly #before: SnapshotFacts | undefined;
  readonly #delivery: WebhookDelivery;
  #start: SyncStart | undefined;
  #problem: DeliveryError | undefined;

  private constructor(
    run: Run,
    snapshot: string,
    before: SnapshotFacts | undefined,
    site: string,
    url: string,
  ) {
    const { webhookSecretFile, userAgent = DEFAULT_USER_AGENT, backoff = DEFAULT_BACKOFF_MS } = run.settings;
    this.#run = run;
    this.#snapshot = snapshot;
    this.#before = before;
    this.#delivery = new WebhookDelivery({
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
   * Sends what earlier syncs left. Undefined without `--webhook`.
   *
   * @param site URL of the site, in each delivery
   */
  static async open(
    run: Run,
    snapshot: string,
    before: SnapshotFacts | undefined,
    site: string,
  ): Promise<SyncWebhook | undefined> {
    const { webhook: url, dryRun = false } = run.settings;
    if (dryRun) return undefined;
    if (url === undefined) {
      if (!Outbox.exists(snapshot)) return undefined;
      const folder = terminalText(folderOf(snapshot));
      run.reporter.warn(
        `${folder} has changes that wait for a webhook`,
        "Pass --webhook to send them.",
        true,
      );
      return undefined;
    }
    const made = new SyncWebhook(run, snapshot, before, site, url);
    await made.#delivery.resume();
    return made;
  }

  async start(start: SyncStart): Promise<void> {
    this.#start = start;
    await this.#delivery.start(start);
  }

  async change(change: PageChange): Promise<void> {
    await this.#delivery.change(change);
  }

  /** Saves the changes in the outbox. Call this before the snapshot is replaced. */
  async finish(summary: SyncSummary): Promise<void> {
    const { hookOn = ["changes"] } = this.#run.settings;
    const last = this.#before?.runs.at(-1)?.unknown ?? 0;
    const isOutage = hookOn.includes("failures") && summary.unknownSitemaps !== last;
    await this.#delivery.finish(summary, isOutage || (hookOn.includes("changes") && isChange(summary)));
  }

  /** Call this when the snapshot was replaced. */
  async commit(): Promise<void> {
    await this.#delivery.commit();
  }

  /** Discards the changes of a sync that failed, and delivers the failure if this is wanted. */
  async fail(error: unknown): Promise<void> {
    const { settings, signal } = this.#run;
    await this.#delivery.drop();
    const isWanted = settings.hookOn?.includes("failures") === true && !(error instanceof DeliveryError);
    if (!isWanted || this.#start === undefined || signal.aborted) return;
    const { message = String(error) } = error as Partial<Error>;
    await this.#delivery.fail(this.#start, { message: logLine(message), failures: 1 });
  }

  /** Waits until everything is sent, or the webhook failed too often. Returns whether nothing is left. */
  async end(): Promise<boolean> {
    await this.#delivery.settled();
    const { runs = 0 } = this.#delivery.waiting ?? {};
    await this.#delivery.close();
    if (runs === 0) return true;
    const { message = "interrupted", hint } = this.#problem ?? {};
    const waits = `The changes of ${count(runs, "sync", "syncs")} wait in ${terminalText(folderOf(this.#snapshot))}`;
    this.#run.reporter.error(sentences(message, waits), hint ?? "The next sync with --webhook sends them.");
    return false;
  }
}
