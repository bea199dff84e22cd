/**
 * Loaded before a contestant (`--require`): as the process ends, tells on file descriptor 3 what it used. The
 * memory is VmHWM where there is one: the maximum of getrusage counts the process that it was forked from, too.
 */
"use strict";
const { readFileSync, writeSync } = require("node:fs");

const startedAt = performance.now();

function peakBytes() {
  try {
    const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "latin1"));
    return 1024 * Number(kilobytes);
  } catch {
    return 1024 * process.resourceUsage().maxRSS;
  }
}

process.on("exit", () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage = {
    cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
    peakBytes: peakBytes(),
    processMs: performance.now() - startedAt,
  };
  writeSync(3, `${JSON.stringify(usage)}\n`);
});
