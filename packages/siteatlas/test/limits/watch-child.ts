/**
 * Watches sites in a child process and prints a report: when syncs started and ended, how many ran at the same
 * time, and how much memory it used. `node --expose-gc watch-child.mjs <port> <sites> <everyMs> <ms> <folder>`
 */
import { join } from "node:path";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import { SiteWatch } from "../../src/sync/watch/watch-sites.ts";

export interface WatchReport {
  /** Per site: when each sync started, in milliseconds, and whether fewer syncs than allowed were running then. */
  readonly starts: readonly (readonly { readonly at: number; readonly isFree: boolean }[])[];
  readonly syncs: number;
  readonly failures: readonly string[];
  /** How often two syncs of one site ran at the same time. */
  readonly overlaps: number;
  readonly mostAtOnce: number;
  /** Resident memory after a garbage collection, once all sites were synced, and at the end. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
  /** From the abort to the end. */
  readonly stopMs: number;
}

const [port = "", siteCount = "", everyMs = "", ms = "", folder = ""] = process.argv.slice(2);
const AT_ONCE = 64;

const sites = Array.from({ length: Number(siteCount) }, (_, number) => ({
  start: `http://127.0.${1 + Math.floor(number / 200)}.${1 + (number % 200)}:${port}/`,
  snapshot: join(folder, `${number}.gz`),
}));
const numbers = new Map(sites.map(({ start }, number) => [start, number]));
const starts: { at: number; isFree: boolean }[][] = sites.map(() => []);
const running = new Set<number>();
const failures: string[] = [];
let [overlaps, mostAtOnce, syncs, memoryBefore] = [0, 0, 0, 0];

function memory(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

const stop = new AbortController();
const client = createNodeClient({ allowPrivateNetworks: true });
let stoppedAt = 0;
setTimeout(() => {
  stoppedAt = performance.now();
  stop.abort();
}, Number(ms));

await new SiteWatch({
  everyMs: Number(everyMs),
  maxEveryMs: Number(everyMs),
  jitter: 0,
  sites: AT_ONCE,
  signal: stop.signal,
  useKnownPaths: false,
  useHomepageLinks: false,
  // The first request of every sync is for robots.txt.
  client: (request) => {
    const { pathname, href } = new URL(request.url);
    if (pathname === "/robots.txt") {
      const number = numbers.get(href.slice(0, -"robots.txt".length))!;
      if (running.has(number)) overlaps++;
      running.add(number);
      mostAtOnce = Math.max(mostAtOnce, running.size);
      starts[number]!.push({ at: performance.now(), isFree: running.size < AT_ONCE });
    }
    return client(request);
  },
  onChange: ({ start }, change) => {
    if (change.kind !== "summary") return;
    running.delete(numbers.get(start as string)!);
    syncs++;
    if (memoryBefore === 0 && starts.every((own) => own.length > 0)) memoryBefore = memory();
  },
  onFailure: ({ start }, error) => {
    running.delete(numbers.get(start as string)!);
    failures.push(`${start}: ${(error as Error).message}`);
  },
}).run(sites);
const report: WatchReport = {
  starts,
  syncs,
  failures,
  overlaps,
  mostAtOnce,
  memoryBefore,
  memoryAfter: memory(),
  stopMs: performance.now() - stoppedAt,
};
console.log(JSON.stringify(report));
await client.close();
