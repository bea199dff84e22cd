/**
 * The CPU time of the main thread in milliseconds: what a server with other things to do pays for a parse.
 * Wall-clock time moves with whatever else the machine does, and the CPU time of the process counts the
 * garbage collector's helper threads.
 *
 * Node 22.19 and newer have it as `process.threadCpuUsage`; before that Linux tells it in schedstat. Where
 * there is neither, wall-clock time has to do, and the report says so.
 */
import { openSync, readSync } from "node:fs";

function fromNode() {
  return () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
}

function fromSchedstat() {
  // The main thread's id is the process id.
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const buffer = Buffer.alloc(64);
  return () => {
    // The kernel brings the counter up to date for this call; schedstat alone lags by up to a tick.
    process.cpuUsage();
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number.parseInt(buffer.latin1Slice(0, length), 10) / 1e6;
  };
}

function advances(now) {
  const start = now();
  const until = performance.now() + 2;
  while (performance.now() < until);
  return now() > start;
}

function findClock() {
  if (typeof process.threadCpuUsage === "function") {
    return { name: "main-thread CPU time (process.threadCpuUsage)", now: fromNode() };
  }
  try {
    const now = fromSchedstat();
    if (advances(now)) return { name: "main-thread CPU time (schedstat)", now };
  } catch {
    // Not Linux.
  }
  return { name: "wall-clock time", now: () => performance.now() };
}

export const cpuClock = findClock();
