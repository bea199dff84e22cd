/**
 * Delivers the changes of one sync to a shell command. If the command fails or takes too long, the sync fails and keeps
 * its snapshot, so the next sync reports the same changes again.
 */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jsonLine } from "../../escape/json.ts";
import type { SyncStart } from "../../sync/changes.ts";
import { environmentName } from "../config/flags.ts";
import { CHANGE_VARIABLES, SECRET_VARIABLE } from "../config/unknown-variables.ts";
import { systemReason } from "../process/system-reason.ts";
import { roughDuration } from "../terminal/format-text.ts";
import { changeRecord, envelopeOf, failureRecord, startRecord, summaryRecord } from "./change-record.ts";
import { type ChangeDelivery, DeliveryError } from "./delivery.ts";

const [SITE, ADDED, CHANGED, REMOVED] = CHANGE_VARIABLES;

const PIECE_LENGTH = 256 * 1024;
/** Time between SIGTERM and SIGKILL, when the watch is stopped. */
const KILL_MS = 1000;

/** Time between SIGTERM and SIGKILL, when the command took too long. */
const TIMEOUT_KILL_MS = 5000;
const POLL_MS = 25;

export interface CommandOptions {
  readonly command: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Runs a shell command, with the changes as NDJSON on stdin. */
export function deliverToCommand(options: CommandOptions): ChangeDelivery {
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
  const run = async (homepage: string, added = 0, changed = 0, removed = 0): Promise<void> =>
    runInShell(options, await spool!.end(), {
      [SITE]: homepage,
      [ADDED]: String(added),
      [CHANGED]: String(changed),
      [REMOVED]: String(removed),
    });
  return {
    start: (start) => {
      started = start;
    },
    change: (change) => write(changeRecord(change)),
    finish: async (summary, isWanted) => {
      try {
        if (!isWanted) return;
        await write(summaryRecord(summary));
        const { homepage, added, changed, removed } = summary;
        await run(homepage, added, changed, removed);
      } finally {
        await drop();
      }
    },
    fail: async (start, failure) => {
      await drop();
      started = start;
      try {
        await write(failureRecord(failure));
        await run(start.homepage);
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

/** Variables that may contain credentials: a password, a token in a header, or a URL with either. */
const CREDENTIAL_VARIABLES: ReadonlySet<string> = new Set([
  ...(["auth", "header", "proxy", "webhook"] as const).map(environmentName),
  SECRET_VARIABLE,
]);

/** Environment variables for the command, without the credentials of siteatlas: the command needs only the changes. */
function environmentOfCommand(): NodeJS.ProcessEnv {
  // Compare the names in upper case, because Windows ignores their case.
  const others = Object.entries(process.env).filter(
    ([name]) => !CREDENTIAL_VARIABLES.has(name.toUpperCase()),
  );
  return Object.fromEntries(others);
}

async function runInShell(
  { command, timeoutMs, signal }: CommandOptions,
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
  /** Sends the signal to all processes of the group. Returns whether one of them is alive. Signal 0 only tests this. */
  const kill = (name: NodeJS.Signals | 0): boolean => {
    try {
      return child.pid !== undefined && process.kill(isGroup ? -child.pid : child.pid, name);
    } catch {
      return false;
    }
  };
  let isStopped = false;
  let isKilled = false;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (ms: number): void => {
    isStopped = true;
    kill("SIGTERM");
    killTimer = setTimeout(() => {
      isKilled = true;
      kill("SIGKILL");
    }, ms);
  };
  const onAbort = (): void => stop(KILL_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  let isLate = false;
  const onTimeout = (): void => {
    isLate = true;
    stop(TIMEOUT_KILL_MS);
  };
  const timer = Number.isFinite(timeoutMs)
    ? setTimeout(onTimeout, Math.min(timeoutMs, 2 ** 31 - 1))
    : undefined;
  try {
    const [code, name] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
      child.once("error", (error) =>
        reject(new DeliveryError(`the --on-change command could not be started: ${systemReason(error)}`)),
      );
      child.once("exit", (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
    });
    // The shell has ended. Wait for processes that it started and that ignore SIGTERM, until SIGKILL ends them.
    while (isStopped && !isKilled && isGroup && kill(0)) await sleep(POLL_MS);
    signal.throwIfAborted();
    if (isLate)
      throw new DeliveryError(
        `the --on-change command was ended after ${roughDuration(timeoutMs)}`,
        LATE_HINT,
      );
    if (code !== 0)
      throw new DeliveryError(`the --on-change command failed (${name ?? `exit code ${code}`})`);
  } finally {
    clearTimeout(timer);
    clearTimeout(killTimer);
    signal.removeEventListener("abort", onAbort);
  }
}

const LATE_HINT = "Give it more time with --on-change-timeout.";
