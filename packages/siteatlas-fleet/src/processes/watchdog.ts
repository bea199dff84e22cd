/**
 * A thread that kills its process if the event loop is blocked for too long (an endless loop), or if the parent
 * process is gone. The main thread cannot check this itself while its event loop is blocked.
 *
 * This file has two uses: it is the script of the thread, and it exports `startWatchdog` for the main thread.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";

export interface WatchdogOptions {
  /** The process is killed if its event loop is blocked for longer than this. */
  readonly stuckMs: number;
}

interface Watched extends WatchdogOptions {
  readonly turns: SharedArrayBuffer;
  readonly parent: number;
}

const CHECK_MS = 250;

export function startWatchdog({ stuckMs }: WatchdogOptions): void {
  const turns = new SharedArrayBuffer(4);
  const counter = new Int32Array(turns);
  setInterval(() => Atomics.add(counter, 0, 1), CHECK_MS).unref();
  const workerData: Watched = { stuckMs, turns, parent: process.ppid };
  new Worker(new URL(import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 16 },
  }).unref();
}

function watch({ stuckMs, turns, parent }: Watched): void {
  const counter = new Int32Array(turns);
  let last = -1;
  let since = performance.now();
  let checked = since;
  setInterval(() => {
    const now = performance.now();
    const turn = Atomics.load(counter, 0);
    // If this thread also ran late, the whole process was suspended (SIGSTOP). Then the event loop was not blocked.
    if (turn !== last || now - checked > 4 * CHECK_MS) since = now;
    last = turn;
    checked = now;
    if (process.ppid !== parent || now - since > stuckMs) process.kill(process.pid, "SIGKILL");
  }, CHECK_MS);
}

if (!isMainThread) watch(workerData as Watched);
