/**
 * `npm run soak -- --minutes 10`: walks hostile and ordinary sites for a given time, several at a time, in all
 * ways (to the end, left early, aborted, as a tree; with its own client, with a shared one).
 * The servers are in another process. After each round, when no walk is running, it measures memory and file
 * descriptors.
 *
 * Exit code 1 unless, after the warm-up, the resident set grows by less than 1 MB a minute (by linear
 * regression; not judged in less than three minutes), file descriptors stay as many as they were, ordinary
 * sites are read completely, and there are no uncaught errors.
 */
import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import { allPages, sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { streamPages, walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { HostileStage } from "./raw-server.ts";
import { openSites, type SoakSite } from "./soak-sites.ts";

const PARALLEL = 8;
const MAX_SLOPE = 1;
/** Shorter measurements are mostly noise. */
const MIN_JUDGED_MINUTES = 3;
/** The share of the time that is warm-up. */
const WARM_UP = 0.25;
/** Idle connections of the shared client, two per ordinary site, plus a margin. */
const MAX_EXTRA_DESCRIPTORS = 16;
const MAX_DESCRIPTOR_SLOPE = 0.5;
const QUIET_MS = 1000;
const MAX_WALK_MS = 20_000;
const MB = 1e6;

const LIMITS = {
  headersMs: 300,
  idleMs: 300,
  requestMs: 1500,
  wireBytes: 2 * 1024 * 1024,
  decodedBytes: 2 * 1024 * 1024,
  indexes: 20,
  barrenChildren: 20,
  backoffMs: 10,
  timeMs: 8000,
};

interface Sample {
  readonly minutes: number;
  readonly rss: number;
  readonly heap: number;
  readonly descriptors: number;
}

// ---------------------------------------------------------------- the walks

const shared = createNodeClient({ allow: ["127.0.0.0/8"], keepAliveMs: 200, connectTimeoutMs: 500 });

/** Each walks a site and returns the number of pages; undefined if it stopped early on purpose. */
const MANNERS: readonly ((url: string, options: WalkOptions) => Promise<number | undefined>)[] = [
  async function stream(url, options) {
    let count = 0;
    for await (const event of walkSitemaps(url, options)) if (event.kind === "page") count++;
    return count;
  },
  async function tree(url, options) {
    let count = 0;
    for (const _ of allPages(await sitemapTreeForHomepage(url, options))) count++;
    return count;
  },
  async function leave(url, options) {
    let count = 0;
    for await (const _ of streamPages(url, options)) if (++count === 10) break;
    return undefined;
  },
  async function abort(url, options) {
    const controller = new AbortController();
    const reason = new Error("enough");
    const timer = setTimeout(() => controller.abort(reason), 5 + 200 * random());
    try {
      for await (const _ of walkSitemaps(url, { ...options, signal: controller.signal }));
    } catch (error) {
      if (error !== reason) throw error;
    } finally {
      clearTimeout(timer);
    }
    return undefined;
  },
];

/** The same in each run (mulberry32). */
let state = 1;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const failures: string[] = [];
let walks = 0;
let pages = 0;

async function walkOnce({ name, url, pages: wanted }: SoakSite): Promise<void> {
  const manner = MANNERS[Math.floor(random() * MANNERS.length)]!;
  const options: WalkOptions = {
    useKnownPaths: random() < 0.2,
    useHomepageLinks: random() < 0.2,
    // No time limit for ordinary sites: the machine may be busy.
    limits: wanted === undefined ? LIMITS : {},
    ...(random() < 0.5 && { client: shared }),
  };
  const from = performance.now();
  try {
    const count = await manner(`${url}/`, options);
    pages += count ?? 0;
    if (wanted !== undefined && count !== undefined && count !== wanted) {
      failures.push(`${name}: ${count} pages instead of ${wanted} (${manner.name})`);
    }
  } catch (error) {
    failures.push(`${name}: threw ${String((error as Error)?.stack ?? error)} (${manner.name})`);
  }
  const ms = performance.now() - from;
  if (ms > MAX_WALK_MS) failures.push(`${name}: took ${Math.round(ms)} ms (${manner.name})`);
  walks++;
}

/** All sites once, in a different order each time. */
async function runRound(sites: readonly SoakSite[]): Promise<void> {
  const left = sites
    .map((site) => [random(), site] as const)
    .sort(([a], [b]) => a - b)
    .map(([, site]) => site);
  const work = async (): Promise<void> => {
    for (let site = left.pop(); site !== undefined; site = left.pop()) await walkOnce(site);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

// ---------------------------------------------------------------- measurements

const countDescriptors = (): number => readdirSync("/proc/self/fd").length;

/** Waits a second for leftovers to be released. */
async function takeSample(startedAt: number, quiet: number): Promise<Sample> {
  const from = performance.now();
  while (countDescriptors() > quiet && performance.now() - from < QUIET_MS) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { gc } = globalThis as { gc?: () => void };
  gc?.();
  // The second collection frees what the first has found.
  gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return {
    minutes: (performance.now() - startedAt) / 60_000,
    rss: rss / MB,
    heap: (heapUsed + external) / MB,
    descriptors: countDescriptors(),
  };
}

/** The slope of the line through the points, by least squares. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x0, y0] = [mean(0), mean(1)];
  const sum = (of: (x: number, y: number) => number): number =>
    points.reduce((total, [x, y]) => total + of(x - x0, y - y0), 0);
  return sum((x, y) => x * y) / sum((x) => x * x);
}

function report(samples: readonly Sample[], minutes: number, lagMs: number): boolean {
  const measured = samples.filter((sample) => sample.minutes >= minutes * WARM_UP);
  const [first] = measured;
  const last = measured.at(-1);
  if (first === undefined || last === undefined || measured.length < 3) {
    console.log("Too few rounds for a result");
    return false;
  }
  const rss = slope(measured.map((sample) => [sample.minutes, sample.rss]));
  const heap = slope(measured.map((sample) => [sample.minutes, sample.heap]));
  const descriptors = measured.map((sample) => sample.descriptors);
  const span = last.minutes - first.minutes;
  const isJudged = span >= MIN_JUDGED_MINUTES;
  const opened = slope(measured.map((sample) => [sample.minutes, sample.descriptors]));
  const isFlat =
    Math.max(...descriptors) <= Math.min(...descriptors) + MAX_EXTRA_DESCRIPTORS &&
    (!isJudged || opened < MAX_DESCRIPTOR_SLOPE);
  const range = (values: readonly number[]): string =>
    `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
  console.log(
    `${walks} walks, ${pages} pages, ${samples.length} rounds, ${measured.length} of them measured over ${span.toFixed(1)} minutes`,
  );
  console.log(
    `resident set: ${range(measured.map((sample) => sample.rss))} MB, slope ${rss.toFixed(2)} MB/min${isJudged ? "" : " (too short to judge)"}`,
  );
  console.log(
    `heap and buffers: ${range(measured.map((sample) => sample.heap))} MB, slope ${heap.toFixed(2)} MB/min`,
  );
  console.log(`file descriptors: ${range(descriptors)}, slope ${opened.toFixed(2)}/min`);
  console.log(`event loop: 99 % of delays up to ${lagMs.toFixed(0)} ms`);
  if (isJudged && rss >= MAX_SLOPE) failures.push(`the resident set grows by ${rss.toFixed(2)} MB/min`);
  if (!isFlat) failures.push(`file descriptors grow: ${range(descriptors)}`);
  for (const text of new Set(failures)) console.log(`FAIL ${text}`);
  return failures.length === 0;
}

// ---------------------------------------------------------------- the processes

async function serve(): Promise<void> {
  const sites = await openSites(new HostileStage());
  process.on("disconnect", () => process.exit());
  process.send!(sites);
}

async function soak(minutes: number): Promise<boolean> {
  process.on("uncaughtException", (error) => failures.push(`uncaught: ${error?.stack}`));
  process.on("unhandledRejection", (reason) =>
    failures.push(`unhandled: ${String((reason as Error)?.stack ?? reason)}`),
  );
  const servers = fork(process.argv[1]!, ["--serve"]);
  const sites = await new Promise<readonly SoakSite[]>((resolve, reject) => {
    servers.once("message", (message) => resolve(message as SoakSite[]));
    servers.once("exit", (code) => reject(new Error(`The servers ended (${code})`)));
  });
  const quiet = countDescriptors();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const startedAt = performance.now();
  const samples: Sample[] = [];
  while (performance.now() - startedAt < minutes * 60_000) {
    await runRound(sites);
    const sample = await takeSample(startedAt, quiet);
    samples.push(sample);
    const { rss, heap, descriptors } = sample;
    console.log(
      `${sample.minutes.toFixed(2)} min: ${walks} walks, RSS ${rss.toFixed(1)} MB, heap ${heap.toFixed(1)} MB, ${descriptors} descriptors`,
    );
  }
  delay.disable();
  servers.removeAllListeners("exit");
  servers.disconnect();
  await shared.close();
  return report(samples, minutes, delay.percentile(99) / 1e6 - 10);
}

const { values: args } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, serve: { type: "boolean", default: false } },
});
if (args.serve) await serve();
else process.exit((await soak(Number(args.minutes))) ? 0 : 1);
