/**
 * Delivers the changes of one sync to a command or a webhook, together with the summary at the end. If a delivery
 * throws, the sync fails and keeps its snapshot, so the next sync reports the same changes again.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLine } from "../../escape/json.ts";
import { basicAuthorization, credentialsIn } from "../../fetch/basic-auth.ts";
import { createDeadline } from "../../fetch/timeout-signal.ts";
import type { PageChange, SyncStart } from "../../sync/changes.ts";
import type { SyncSummary } from "../../sync/sync-site.ts";
import { environmentName } from "../config/flags.ts";
import { CHANGE_VARIABLES } from "../config/unknown-variables.ts";
import { systemReason } from "../process/system-reason.ts";
import { UsageError } from "../process/usage-error.ts";
import { changeRecord, envelopeOf, isChange, startRecord, summaryRecord } from "./change-record.ts";

const [SITE, ADDED, CHANGED, REMOVED] = CHANGE_VARIABLES;

/** The changes could not be delivered. */
export class DeliveryError extends UsageError {}

export interface ChangeDelivery {
  start(start: SyncStart): void;
  change(change: PageChange): void | Promise<void>;
  /** Delivers the changes. */
  finish(summary: SyncSummary): Promise<void>;
  /** Discards the changes. */
  drop(): Promise<void>;
}

// ---------------------------------------------------------------- a command

const PIECE_LENGTH = 256 * 1024;
/** Time between SIGTERM and SIGKILL. */
const KILL_MS = 1000;

/** Runs a shell command if anything changed, with the changes as NDJSON on stdin. */
export function deliverToCommand(command: string, signal: AbortSignal): ChangeDelivery {
  let spool: Spool | undefined;
  let started: SyncStart;
  const write = async (record: object): Promise<void> => {
    if (spool === undefined) {
      spool = await Spool.open();
      await write(startRecord(started));
    }
    await spool.write(`${jsonLine({ ...record, ...envelopeOf(started) })}\n`);
  };
  const drop = async (): Promise<void> => {
    await spool?.close();
    spool = undefined;
  };
  return {
    start: (start) => {
      started = start;
    },
    change: (change) => write(changeRecord(change)),
    finish: async (summary) => {
      try {
        if (spool === undefined || !isChange(summary)) return;
        await write(summaryRecord(summary));
        const { homepage, added, changed, removed } = summary;
        await runInShell(command, signal, await spool.end(), {
          [SITE]: homepage,
          [ADDED]: String(added),
          [CHANGED]: String(changed),
          [REMOVED]: String(removed),
        });
      } finally {
        await drop();
      }
    },
    drop,
  };
}

/** A temporary file without a name, which the system deletes even if the process is killed. */
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

  /** Returns the file descriptor, positioned at the start. */
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

/** Environment variables for the command, without credentials: it reads the changes, not the site. */
function environmentOfCommand(): NodeJS.ProcessEnv {
  const { [environmentName("auth")]: _, ...others } = process.env;
  return others;
}

async function runInShell(
  command: string,
  signal: AbortSignal,
  stdin: number,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  signal.throwIfAborted();
  // The shell runs in its own process group, so that a signal also reaches the processes that it has started.
  const isGroup = process.platform !== "win32";
  const child = spawn(command, {
    shell: true,
    detached: isGroup,
    stdio: [stdin, "inherit", "inherit"],
    env: { ...environmentOfCommand(), ...variables },
  });
  const kill = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(isGroup ? -child.pid : child.pid, name);
    } catch {
      // The command has already ended.
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
      child.once("error", (error) =>
        reject(new DeliveryError(`the --on-change command could not be started: ${systemReason(error)}`)),
      );
      child.once("exit", (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
    });
    signal.throwIfAborted();
    if (code !== 0)
      throw new DeliveryError(`the --on-change command failed (${name ?? `exit code ${code}`})`);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

// ---------------------------------------------------------------- a webhook

/** Maximum number of changes in a request. The summary counts all changes. */
const MAX_CHANGES = 1000;
const WEBHOOK_MS = 30_000;

/** POSTs the changes to a URL. The guard against private addresses does not apply, because the user chose the URL. */
export function deliverToWebhook(url: string, userAgent: string, signal: AbortSignal): ChangeDelivery {
  let changes: object[] = [];
  let truncated = false;
  let started: SyncStart;
  return {
    start: (start) => {
      started = start;
    },
    change: (change) => {
      if (changes.length < MAX_CHANGES) changes.push(changeRecord(change));
      else truncated = true;
    },
    finish: async (summary) => {
      const delivered = changes;
      changes = [];
      if (!isChange(summary)) return;
      const body = jsonLine({
        ...envelopeOf(started),
        isFirst: started.isFirst,
        summary: summaryRecord(summary),
        changes: delivered,
        truncated,
      });
      const status = await post(url, body, userAgent, signal);
      if (status < 200 || status > 299) throw new DeliveryError(`the webhook answered ${status}`);
    },
    drop: async () => {
      changes = [];
    },
  };
}

async function post(given: string, body: string, userAgent: string, signal: AbortSignal): Promise<number> {
  const deadline = createDeadline(signal, WEBHOOK_MS, "The webhook");
  // `fetch` rejects a URL with credentials.
  const url = new URL(given);
  const credentials = credentialsIn(url);
  url.username = "";
  url.password = "";
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent,
        ...(credentials !== undefined && { authorization: basicAuthorization(credentials) }),
      },
      body,
      redirect: "manual",
      signal: deadline.signal,
    });
    await response.body?.cancel();
    return response.status;
  } catch (error) {
    signal.throwIfAborted();
    const { cause, name } = error as Error;
    if (name === "TimeoutError") throw new DeliveryError("the webhook did not answer (timeout)");
    // The URL may contain a secret. The message of an error without a cause may repeat it.
    if (cause === undefined) throw new DeliveryError("the request to the webhook could not be sent");
    throw new DeliveryError(`the webhook did not answer (${systemReason(cause)})`);
  } finally {
    deadline.clear();
  }
}
