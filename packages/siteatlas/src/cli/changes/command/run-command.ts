/** Runs a shell command with text on stdin and variables in its environment, for a limited time. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentName } from "../../config/flags.ts";
import { SECRET_VARIABLE } from "../../config/unknown-variables.ts";
import { systemReason } from "../../process/system-reason.ts";
import { roughDuration } from "../../terminal/format-text.ts";
import { DeliveryError } from "../delivery.ts";

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

/** A temporary file without a name, which the system deletes even if the process is killed. */
export class Spool {
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

export async function runCommand(
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
