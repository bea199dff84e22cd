import { readFileSync } from "node:fs";

/** Peak of the resident set in bytes. On Linux not `maxRSS`, which a process inherits from its parent. */
export function peakRss(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) * 1024;
}
