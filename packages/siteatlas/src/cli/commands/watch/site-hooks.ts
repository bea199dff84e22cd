/**
 * Delivers the syncs of all watched sites to the hooks: the command, the webhook, or stdout if there is neither. Holds
 * the lock of each snapshot, so that no other process takes changes from the hooks.
 */
import { logLine } from "../../../escape/log-line.ts";
import { terminalText } from "../../../escape/terminal.ts";
import { DEFAULT_USER_AGENT } from "../../../fetch/user-agent.ts";
import type { PageChange, SyncStart } from "../../../sync/changes.ts";
import type { SyncSummary } from "../../../sync/sync-summary.ts";
import { deliverToStdout } from "../../changes/change-output.ts";
import { isChange, newRun } from "../../changes/change-record.ts";
import { deliverToCommand } from "../../changes/command/deliver-command.ts";
import { outageOf, unreadKey } from "../../changes/delivered-failure.ts";
import { type ChangeDelivery, DeliveryError } from "../../changes/delivery.ts";
import { lockSnapshot, SnapshotInUseError } from "../../changes/lock-snapshot.ts";
import { COMMAND, folderOf, Outbox, type Receiver, WEBHOOK } from "../../changes/outbox/outbox.ts";
import type { OutboxDelivery } from "../../changes/outbox/outbox-delivery.ts";
import { syncProblem } from "../../changes/snapshot-file.ts";
import { readSigningKeys } from "../../changes/webhook/sign-delivery.ts";
import { SiteWebhooks } from "../../changes/webhook/site-webhooks.ts";
import type { Run } from "../../command.ts";
import { sentences } from "../../messages/summary.ts";
import type { TextOutput } from "../../output/buffered-output.ts";
import type { ProcessLock } from "../../process/process-lock.ts";
import type { UsageError } from "../../process/usage-error.ts";
import { count } from "../../terminal/format-text.ts";
import type { SiteState } from "./site-state.ts";
import type { SyncMessages } from "./sync-messages.ts";

const DEFAULT_COMMAND_MS = 10 * 60_000;
const DEFAULT_BACKOFF_MS = 1000;

export interface SiteHooksOptions {
  readonly run: Run;
  readonly output: TextOutput;
  readonly format: "text" | "urls" | "ndjson";
  readonly signal: AbortSignal;
  readonly messages: SyncMessages;
  /** Maximum number of requests to the webhook in flight. */
  readonly jobs: number;
  /** Returns the state of the site with this snapshot. Undefined if the site was removed from the list. */
  readonly stateOf: (snapshot: string) => SiteState | undefined;
  /** Called after each request to the webhook. */
  readonly onTry: (isAccepted: boolean) => void;
}

export class SiteHooks {
  readonly #options: SiteHooksOptions;
  readonly #webhooks: SiteWebhooks | undefined;
  /** The deliveries to the command, by snapshot. */
  readonly #commands: Map<string, OutboxDelivery> = new Map();
  /** Deliveries of the syncs in progress, by snapshot. */
  readonly #deliveries: Map<string, readonly ChangeDelivery[]> = new Map();
  readonly #locks: Map<string, ProcessLock> = new Map();

  constructor(options: SiteHooksOptions) {
    this.#options = options;
    this.#webhooks = this.#openWebhooks();
  }

  // ---------------------------------------------------------------- one sync

  /** Call this before the first request to the site. @throws {SnapshotInUseError} */
  async start(state: SiteState, start: SyncStart): Promise<void> {
    await this.#lock(state);
    for (const delivery of this.#deliveriesOf(state)) await delivery.start(start);
  }

  async change(state: SiteState, change: PageChange): Promise<void> {
    for (const delivery of this.#deliveriesOf(state)) await delivery.change(change);
  }

  /** Delivers the sync if it has changes, or if other sitemaps than before could not be read. */
  async finish(state: SiteState, summary: SyncSummary): Promise<void> {
    const { hookOn = ["changes"] } = this.#options.run.settings;
    const { delivered, found, failures } = state;
    const outage = outageOf(summary, found.reasons, failures + 1);
    const unread = unreadKey(summary, found.reasons);
    const isWanted = (hookOn.includes("changes") && isChange(summary)) || delivered.isNews(unread);
    for (const delivery of this.#deliveriesOf(state)) await delivery.finish(summary, isWanted, outage);
    delivered.note(unread);
  }

  /** Call this when the snapshot was replaced. @throws {DeliveryError} if the command fails */
  async commit(snapshot: string): Promise<void> {
    this.#deliveries.delete(snapshot);
    await this.#webhooks?.commit(snapshot);
    await this.#options.stateOf(snapshot)?.delivered.save();
    await this.#commands.get(snapshot)?.commit();
  }

  /** Delivers a failed sync, unless this failure was delivered before. */
  async fail(state: SiteState, error: unknown, message: string): Promise<void> {
    const { site, failures, delivered, start = newRun(site.target.url) } = state;
    const isLocal = error instanceof DeliveryError || error instanceof SnapshotInUseError;
    if (isLocal || !delivered.isNews(message)) return;
    try {
      for (const delivery of this.#deliveriesOf(state)) await delivery.fail?.(start, { message, failures });
      delivered.note(message);
      await delivered.save();
    } catch (problem) {
      const { signal, messages } = this.#options;
      if (!signal.aborted) messages.warn(state, logLine((problem as Error).message));
    } finally {
      this.#deliveries.delete(site.snapshot);
    }
  }

  /** Discards the changes of a sync that failed. */
  async drop(snapshot: string): Promise<void> {
    const deliveries = this.#deliveries.get(snapshot) ?? [];
    this.#deliveries.delete(snapshot);
    for (const delivery of deliveries) await delivery.drop().catch(() => {});
  }

  #deliveriesOf({ site: { snapshot, target } }: SiteState): readonly ChangeDelivery[] {
    const known = this.#deliveries.get(snapshot);
    if (known !== undefined) return known;
    const { run, output, format } = this.#options;
    const made: ChangeDelivery[] = [];
    const command = this.#commandOf(snapshot, target.url);
    if (command !== undefined) made.push(command);
    if (this.#webhooks !== undefined) made.push(this.#webhooks.of(snapshot, target.url));
    if (made.length === 0) made.push(deliverToStdout(run, output, format, target.url));
    this.#deliveries.set(snapshot, made);
    return made;
  }

  /** Returns the delivery to the command. Undefined without `--on-change`. */
  #commandOf(snapshot: string, site: string): OutboxDelivery | undefined {
    const { run, signal, messages, stateOf } = this.#options;
    const { onChange: command, onChangeTimeout: timeoutMs = DEFAULT_COMMAND_MS } = run.settings;
    const known = this.#commands.get(snapshot);
    if (command === undefined || known !== undefined) return known;
    const onLoss = ({ message, hint }: DeliveryError): void => {
      const state = stateOf(snapshot);
      if (state !== undefined) messages.warn(state, message, hint);
    };
    const made = deliverToCommand({ snapshot, site, command, timeoutMs, signal, onLoss });
    this.#commands.set(snapshot, made);
    return made;
  }

  // ---------------------------------------------------------------- locks

  async #lock({ site: { snapshot } }: SiteState): Promise<void> {
    if (!this.#locks.has(snapshot)) this.#locks.set(snapshot, await lockSnapshot(snapshot));
  }

  /** Releases the lock of a site that is no longer watched, unless deliveries of the site wait for the webhook. */
  async release(snapshot: string): Promise<void> {
    await this.#commands.get(snapshot)?.close();
    this.#commands.delete(snapshot);
    if ((this.waiting(snapshot) ?? 0) > 0) return;
    const lock = this.#locks.get(snapshot);
    this.#locks.delete(snapshot);
    await lock?.release();
  }

  // ---------------------------------------------------------------- the outboxes

  /** Opens the outboxes that an earlier process left, and starts to deliver what is in them. */
  async resume(states: Iterable<SiteState>): Promise<void> {
    const commands: (() => Promise<void>)[] = [];
    for (const state of states) {
      const { snapshot, target } = state.site;
      const webhook = this.#webhooks?.of(snapshot, target.url);
      await (await this.#resume(state, WEBHOOK, webhook, "Pass --webhook to send them."))();
      const command = this.#commandOf(snapshot, target.url);
      commands.push(await this.#resume(state, COMMAND, command, "Pass --on-change to deliver them."));
    }
    // One command at a time. The syncs do not wait for the commands of other sites.
    void (async () => {
      for (const deliver of commands) await deliver();
    })();
  }

  /** Returns a function that delivers what is in the outbox. It never throws. */
  async #resume(
    state: SiteState,
    receiver: Receiver,
    delivery: OutboxDelivery | undefined,
    advice: string,
  ): Promise<() => Promise<void>> {
    const { messages, signal } = this.#options;
    const { snapshot } = state.site;
    const attempt = async <T>(action: () => T | Promise<T>): Promise<T | undefined> => {
      try {
        return await action();
      } catch (error) {
        const { message, hint } = syncProblem(error, snapshot) as UsageError;
        if (!signal.aborted) messages.warn(state, logLine(message), hint);
        return undefined;
      }
    };
    if (!Outbox.hasRuns(snapshot, receiver)) return async () => {};
    if (delivery === undefined) {
      const folder = terminalText(folderOf(snapshot, receiver));
      messages.warn(state, `${folder} has changes that wait for a ${receiver.kind}`, advice);
      return async () => {};
    }
    const deliver = await attempt(async () => {
      await this.#lock(state);
      return delivery.resume();
    });
    return () => attempt(() => deliver?.());
  }

  /** Number of waiting deliveries of a site. Undefined without a webhook. */
  waiting(snapshot: string): number | undefined {
    return this.#webhooks && (this.#webhooks.waiting(snapshot) ?? 0);
  }

  /** The waiting deliveries of all sites. Undefined without a webhook. */
  size(): ReturnType<SiteWebhooks["size"]> | undefined {
    return this.#webhooks?.size();
  }

  #openWebhooks(): SiteWebhooks | undefined {
    const { run, signal, jobs, messages, stateOf, onTry } = this.#options;
    const { webhook: url, webhookSecretFile, userAgent = DEFAULT_USER_AGENT } = run.settings;
    const { backoff: backoffMs = DEFAULT_BACKOFF_MS } = run.settings;
    if (url === undefined) return undefined;
    return new SiteWebhooks({
      webhook: { url, keys: readSigningKeys(webhookSecretFile, process.env), userAgent },
      signal,
      backoffMs,
      atOnce: jobs,
      onTry,
      onProblem: (snapshot, { message, hint }, waiting) => {
        const wait = waiting === 0 ? "" : `${count(waiting, "delivery waits", "deliveries wait")}`;
        // A site that was removed from the list has no state, but its deliveries are still sent.
        const state = stateOf(snapshot);
        if (state !== undefined) messages.warn(state, sentences(message, wait), hint);
      },
      onRecovery: (snapshot) => {
        const state = stateOf(snapshot);
        if (state !== undefined) messages.say(state, "The webhook accepts deliveries again.");
      },
    });
  }

  async close(): Promise<void> {
    for (const snapshot of [...this.#deliveries.keys()]) await this.drop(snapshot);
    await this.#webhooks?.close();
    for (const command of this.#commands.values()) await command.close();
    for (const lock of this.#locks.values()) await lock.release();
  }
}
