/**
 * A thread that ends its process when the main thread has not turned for too long (an endless loop), or when the
 * worker that started it is gone. Nothing else can: who loops hears no message.
 *
 * This file is both sides: the thread, and `startWatchdog` for the main thread.
 */
import { isMainThread, Worker, workerData } from "node:worker_threads";

export interface WatchdogOptions {
  /** So long without a turn, and the process ends. */
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
    // A process that was stopped as a whole has not looped: this thread was stopped, too.
    if (turn !== last || now - checked > 4 * CHECK_MS) since = now;
    last = turn;
    checked = now;
    if (process.ppid !== parent || now - since > stuckMs) process.kill(process.pid, "SIGKILL");
  }, CHECK_MS);
}

if (!isMainThread) watch(workerData as Watched);
