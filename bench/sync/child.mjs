/** One sync in a process of its own: time, memory and what it told, as JSON. */
import { syncSite } from "siteatlas";

const [url, snapshot] = process.argv.slice(2);
let peak = 0;
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 20);
const startedAt = performance.now();
let summary;
for await (const change of syncSite(url, { snapshot })) if (change.kind === "summary") summary = change;
const ms = Math.round(performance.now() - startedAt);
clearInterval(timer);
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
const cpuMs = Math.round((userCPUTime + systemCPUTime) / 1000);
console.log(
  JSON.stringify({ ms, cpuMs, maxRssMb: Math.round(Math.max(maxRSS * 1024, peak) / 1e6), summary }),
);
