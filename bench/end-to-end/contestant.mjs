/**
 * A process with one contestant in it: `node contestant.mjs NAME '{"origin": …}'`. Tells on file descriptor 3
 * how many pages it found and how long that took from the call on; what was loaded before does not count
 * there, and does in the time from start to end, which the bench takes outside.
 */
import { writeSync } from "node:fs";

const modules = {
  ours: "ours.mjs",
  floor: "floors.mjs",
  peer: "peer-adapters.mjs",
  sites: "small-sites.mjs",
};

const [name, details] = process.argv.slice(2);
const [module, task] = name.split(":");
const { load } = await import(`./${modules[module]}`);
const work = await load(task, JSON.parse(details));

const startedAt = performance.now();
const before = process.cpuUsage();
const result = await work();
const innerMs = performance.now() - startedAt;
const { user, system } = process.cpuUsage(before);
writeSync(3, `${JSON.stringify({ innerMs, innerCpuSeconds: (user + system) / 1e6, ...result })}\n`);
// Some peers leave timers and sockets behind.
process.exit();
