/**
 * Hands the changes of one sync on: to a command, to a webhook, or to stdout. They are gathered as they come, in
 * a file where there is no telling how many they are, and handed on with the summary, when the counts are known.
 * Whatever throws makes the sync fail: its snapshot stays, and the changes come again.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLine } from "../sinks/json.ts";
import type { PageChange } from "../sync/changes.ts";
import type { SyncSummary } from "../sync/sync-site.ts";
import { changeRecord, isChange, summaryRecord } from "./change-record.ts";

/** What cannot be handed on, or is not to be. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Takes the changes of one sync. */
export interface ChangeDelivery {
  change(change: PageChange): void | Promise<void>;
  /** All are there: hands them on. */
  finish(summary: SyncSummary): Promise<void>;
  /** Nothing of it stays. */
  drop(): Promise<void>;
}

// ---------------------------------------------------------------- a command

const PIECE_LENGTH = 256 * 1024;
/** A command that was asked to end gets so long. */
const KILL_MS = 1000;

/** Runs a command in a shell when there is something to tell, with the changes as NDJSON on stdin. */
export class CommandDelivery implements ChangeDelivery {
  readonly #command: string;
  readonly #signal: AbortSignal;
  #spool: Spool | undefined;

  constructor(command: string, signal: AbortSignal) {
    this.#command = command;
    this.#signal = signal;
  }

  async change(change: PageChange): Promise<void> {
    this.#spool ??= await Spool.open();
    await this.#spool.write(`${jsonLine(changeRecord(change))}\n`);
  }

  async finish(summary: SyncSummary): Promise<void> {
    try {
      if (this.#spool === undefined || !isChange(summary)) return;
      await this.#spool.write(`${jsonLine(summaryRecord(summary))}\n`);
      const { homepage, added, changed, removed } = summary;
      const stdin = await this.#spool.end();
      await runInShell(this.#command, this.#signal, stdin, {
        SITEATLAS_URL: homepage,
        SITEATLAS_ADDED: String(added),
        SITEATLAS_CHANGED: String(changed),
        SITEATLAS_REMOVED: String(removed),
      });
    } finally {
      await this.drop();
    }
  }

  async drop(): Promise<void> {
    await this.#spool?.close();
    this.#spool = undefined;
  }
}

/** A file without a name that is written, then read. Nothing of it stays, not even when we are killed. */
class Spool {
  readonly #out: FileHandle;
  readonly #in: FileHandle;
  #text = "";

  private constructor(out: FileHandle, from: FileHandle) {
    this.#out = out;
    this.#in = from;
  }

  static async open(): Promise<Spool> {
    const path = join(tmpdir(), `siteatlas-${randomBytes(8).toString("hex")}.ndjson`);
    const out = await open(path, "wx", 0o600);
    try {
      return new Spool(out, await open(path, "r"));
    } catch (error) {
      await out.close();
      throw error;
    } finally {
      await unlink(path).catch(() => {});
    }
  }

  async write(text: string): Promise<void> {
    this.#text += text;
    if (this.#text.length >= PIECE_LENGTH) await this.#flush();
  }

  /** All of it, from its beginning. */
  async end(): Promise<number> {
    await this.#flush();
    return this.#in.fd;
  }

  async close(): Promise<void> {
    await this.#out.close();
    await this.#in.close();
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = "";
    if (text !== "") await this.#out.writeFile(text);
  }
}

async function runInShell(
  command: string,
  signal: AbortSignal,
  stdin: number,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  signal.throwIfAborted();
  // A group of its own: whoever is stopped takes along all that the shell has started.
  const isGroup = process.platform !== "win32";
  const child = spawn(command, {
    shell: true,
    detached: isGroup,
    stdio: [stdin, "inherit", "inherit"],
    env: { ...process.env, ...variables },
  });
  const kill = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(isGroup ? -child.pid : child.pid, name);
    } catch {
      // It is gone.
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    kill("SIGTERM");
    timer = setTimeout(kill, KILL_MS, "SIGKILL");
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const [code, name] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
    });
    signal.throwIfAborted();
    if (code !== 0) throw new DeliveryError(`--on-change ended with ${name ?? `exit code ${code}`}`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

// ---------------------------------------------------------------- a webhook

/** More changes than these are counted only. */
const MAX_CHANGES = 1000;
const WEBHOOK_MS = 30_000;

/** Sends what there is to tell to a URL that the user named: no stranger chose it, so no guard stands before it. */
export class WebhookDelivery implements ChangeDelivery {
  readonly #url: string;
  readonly #userAgent: string;
  readonly #signal: AbortSignal;
  #changes: object[] = [];
  #isTruncated = false;

  constructor(url: string, userAgent: string, signal: AbortSignal) {
    this.#url = url;
    this.#userAgent = userAgent;
    this.#signal = signal;
  }

  change(change: PageChange): void {
    if (this.#changes.length < MAX_CHANGES) this.#changes.push(changeRecord(change));
    else this.#isTruncated = true;
  }

  async finish(summary: SyncSummary): Promise<void> {
    if (!isChange(summary)) return this.drop();
    const body = jsonLine({
      summary: summaryRecord(summary),
      changes: this.#changes,
      truncated: this.#isTruncated,
    });
    await this.drop();
    const status = await this.#post(body);
    if (status < 200 || status > 299) throw new DeliveryError(`the webhook answered ${status}`);
  }

  async #post(body: string): Promise<number> {
    try {
      const response = await fetch(this.#url, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": this.#userAgent },
        body,
        redirect: "manual",
        signal: AbortSignal.any([this.#signal, AbortSignal.timeout(WEBHOOK_MS)]),
      });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      this.#signal.throwIfAborted();
      // The URL may hold a key: it is not repeated.
      const { cause, message } = error as Error;
      const { code = "" } = (cause ?? {}) as NodeJS.ErrnoException;
      const isLate = (error as Error).name === "TimeoutError";
      throw new DeliveryError(`the webhook did not answer (${isLate ? "timeout" : code || message})`);
    }
  }

  async drop(): Promise<void> {
    this.#changes = [];
  }
}
