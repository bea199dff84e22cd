/**
 * Measures the overhead of the fleet: npm run bench:fleet (after npm run build). Starts its own Redis and PostgreSQL,
 * and writes bench/fleet/RESULTS.md.
 *
 * --sites N     sites in the frontier (1,000,000)
 * --jobs N      empty visits, for the engine (20,000)
 * --visits N    real visits of small sites, for the memory of a worker (100,000)
 * --hosts N     number of these sites (as many as visits)
 * --only NAME   frontier, engine or memory
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Queue, Worker } from "bullmq";
import {
  connectRedis,
  createPool,
  enqueue,
  Feeder,
  FleetWorker,
  Frontier,
  InlineWalkers,
  migrate,
  readSite,
} from "siteatlas-fleet";
import { startPostgres } from "../../packages/siteatlas-fleet/test/support/start-postgres.mjs";
import { startRedis } from "../../packages/siteatlas-fleet/test/support/start-redis.mjs";
import { addressOf } from "./small-sites.mjs";

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "1000000" },
    jobs: { type: "string", default: "20000" },
    visits: { type: "string", default: "100000" },
    hosts: { type: "string" },
    only: { type: "string" },
  },
});
const wanted = (name) => values.only === undefined || values.only === name;
const SHARDS = 16;
const rows = [];

function report(what, value, note = "") {
  console.log(`${what}: ${value}${note && ` (${note})`}`);
  rows.push(`| ${what} | ${value} | ${note} |`);
}

const count = (value) => Math.round(value).toLocaleString("en-US");
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

const redis = await startRedis();
const postgres = await startPostgres({ settings: { shared_preload_libraries: "pg_stat_statements" } });
const pool = createPool({ connectionString: postgres.url, max: 8 });
await pool.query("create extension pg_stat_statements");
await migrate(pool, { shards: SHARDS });
const frontier = new Frontier(pool, { holder: "bench" });
const client = connectRedis(redis.url);

const sizeOf = async (table) => {
  const { rows: found } = await pool.query(
    "select sum(pg_total_relation_size(inhrelid))::float8 as bytes from pg_inherits where inhparent = $1::regclass",
    [table],
  );
  return found[0].bytes;
};
const memory = async () => Number(/used_memory:(\d+)/.exec(await client.info("memory"))[1]);
const flush = async () => {
  await client.flushall();
  await pool.query("truncate site, sitemap, part, lease, usage");
};

async function addSites(number, due) {
  const sites = Array.from({ length: number }, (_, at) => readSite(`www.site-number-${at}.example`, SHARDS));
  const startedAt = performance.now();
  for (let from = 0; from < number; from += 50_000)
    await frontier.addSites(sites.slice(from, from + 50_000), { due });
  return { sites, seconds: (performance.now() - startedAt) / 1000 };
}

// ---------------------------------------------------------------- the frontier

async function benchFrontier() {
  const number = Number(values.sites);
  const { seconds } = await addSites(number, new Date(Date.now() + 86_400_000));
  report("adding sites", `${count(number / seconds)} per second`, `${count(number)} sites`);
  await pool.query("vacuum analyze site");
  report(
    "a site in PostgreSQL, before its first visit",
    `${count((await sizeOf("site")) / number)} bytes`,
    "row and indexes",
  );

  // Steady state: one in twenty sites is due, over all shards.
  await pool.query("update site set next_due = now() - random() * interval '1 hour' where random() < 0.05");
  await pool.query("vacuum analyze site");
  const before = await memory();
  await pool.query("select pg_stat_statements_reset()");
  const feeder = new Feeder({ frontier, redis: client, highWater: 50_000 });
  let fed = 0;
  for (let shard = 0; shard < SHARDS; shard++) fed += await feeder.tick(shard);
  const { rows: spent } = await pool.query(
    "select sum(total_exec_time) as ms from pg_stat_statements where query ilike '%site%' or query ilike '%tenant%'",
  );
  report(
    "database time to enqueue 1,000 sites",
    `${((1000 * spent[0].ms) / fed).toFixed(2)} ms`,
    `${count(fed)} of ${count(number)} enqueued; goal 10`,
  );
  report(
    "a site in Redis",
    `${count(((await memory()) - before) / fed)} bytes`,
    "waiting, hash-max-listpack-value 512",
  );
  const again = performance.now();
  let second = 0;
  for (let shard = 0; shard < SHARDS; shard++) second += await feeder.tick(shard);
  report(
    "the next tick, with nothing new",
    `${(performance.now() - again).toFixed(0)} ms`,
    `${SHARDS} shards, ${second} enqueued`,
  );
  await feeder.close();

  // As after a visit: one robots.txt and 1.75 sitemaps per site.
  const visited = Math.min(number, 100_000);
  await pool.query(
    `insert into sitemap (shard, host, url_key, url, visit, outcome, kind, format, status, etag, content_hash, page_count, part)
     select shard, host, md5(host || n)::uuid, 'https://' || host || '/sitemap-' || n || '.xml', 1, 'found', 'pages', 'xml', 200,
       '"' || md5(host) || '"', decode(md5(host) || md5(host), 'hex'), 200, 1
     from (select shard, host from site limit $1) s, generate_series(1, 3) n where n < 3 or random() < 0.75`,
    [visited],
  );
  await pool.query("vacuum analyze sitemap");
  report(
    "the sitemaps of a site in PostgreSQL",
    `${count((await sizeOf("sitemap")) / visited)} bytes`,
    "2.75 per site, including robots.txt",
  );
  await flush();
}

// ---------------------------------------------------------------- the engine

const NOTHING = {
  outcome: "empty",
  isOver: true,
  parts: [],
  sitemaps: [],
  gone: [],
  pageCount: 0,
  sitemapCount: 0,
  requests: 0,
  bytes: 0,
  pages: 0,
  changes: 0,
  requestMs: 0,
};

/** The same queues, options and concurrency, with empty jobs. */
async function drainBare(sites, concurrency) {
  let done = 0;
  let finish;
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  const workers = Array.from({ length: SHARDS }, (_, shard) =>
    new Worker("sites", async () => {}, {
      connection: client,
      prefix: `{s${shard}}`,
      autorun: false,
      concurrency: Math.ceil(concurrency / SHARDS),
      lockDuration: 60_000,
      stalledInterval: 30_000,
      maxStalledCount: 10,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    }).on("completed", () => {
      if (++done === sites.length) finish();
    }),
  );
  await fill(sites);
  const startedAt = performance.now();
  for (const worker of workers) void worker.run();
  await finished;
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(workers.map((worker) => worker.close()));
  return sites.length / seconds;
}

async function drainFleet(sites, concurrency) {
  await pool.query("update site set next_due = now() - interval '1 minute'");
  await pool.query("vacuum analyze site");
  await fill(sites);
  let done = 0;
  let finish;
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  const worker = new FleetWorker({
    frontier: new Frontier(pool, { holder: "bench" }),
    redis: client,
    walkers: new InlineWalkers(async () => NOTHING),
    concurrency,
    onEvent: ({ kind }) => {
      if (kind === "leg" && ++done === sites.length) finish();
    },
  });
  const startedAt = performance.now();
  await worker.start();
  await finished;
  await worker.drain();
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows: left } = await pool.query(
    "select count(*)::integer as left from site where next_due <= now()",
  );
  if (left[0].left !== 0) throw new Error(`${left[0].left} sites were not committed`);
  return sites.length / seconds;
}

async function fill(sites) {
  for (let shard = 0; shard < SHARDS; shard++) {
    const queue = new Queue("sites", { connection: client, prefix: `{s${shard}}` });
    const hosts = sites.filter((site) => site.shard === shard).map(({ host }) => host);
    for (let from = 0; from < hosts.length; from += 2000)
      await enqueue(queue, hosts.slice(from, from + 2000));
    await queue.close();
  }
}

async function benchEngine() {
  const { sites } = await addSites(Number(values.jobs));
  for (const concurrency of [200, 800]) {
    const rates = { bare: [], fleet: [] };
    for (let round = 0; round < 5; round++) {
      rates.bare.push(await drainBare(sites, concurrency));
      rates.fleet.push(await drainFleet(sites, concurrency));
    }
    const [bare, fleet] = [median(rates.bare), median(rates.fleet)];
    const note = `median of 5, ${count(sites.length)} jobs, concurrency ${concurrency}`;
    report("BullMQ alone, empty jobs", `${count(bare)} per second`, note);
    report(
      "the fleet, empty visits",
      `${count(fleet)} per second`,
      "claimed, leased and committed in PostgreSQL",
    );
    report("share of BullMQ alone", (fleet / bare).toFixed(2), "goal 0.7");
  }
  await flush();
}

// ---------------------------------------------------------------- memory of a worker

function residentMb(pid) {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function childrenOf(pid) {
  return readdirSync("/proc").filter((name) => {
    try {
      return (
        /^\d+$/.test(name) &&
        / (\d+)$/.exec(/^\d+ \(.*\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8"))[0])[1] ===
          String(pid)
      );
    } catch {
      return false;
    }
  });
}

function slopeOf(points) {
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  return (
    points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) /
    points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  );
}

async function benchMemory() {
  const visits = Number(values.visits);
  const sites = Number(values.hosts ?? visits);
  const dir = mkdtempSync(join(tmpdir(), "siteatlas-bench-"));
  const farm = spawn(
    process.execPath,
    [new URL("small-sites.mjs", import.meta.url).pathname, String(sites), "20"],
    {
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const port = Number(
    await new Promise((resolve) => farm.stdout.once("data", (chunk) => resolve(String(chunk)))),
  );
  await frontier.addSites(
    Array.from({ length: sites }, (_, site) => readSite(`http://${addressOf(site)}:${port}/`, SHARDS)),
  );
  const env = {
    ...process.env,
    SITEATLAS_FLEET_DATABASE: postgres.url,
    SITEATLAS_FLEET_REDIS: redis.url,
    SITEATLAS_FLEET_STORE: join(dir, "store"),
    SITEATLAS_FLEET_FOLDER: join(dir, "tmp"),
    SITEATLAS_FLEET_CONTACT: "https://example.com/bot",
  };
  const main = new URL("../../packages/siteatlas-fleet/dist/cli/main.js", import.meta.url).pathname;
  const run = (...args) => spawn(process.execPath, [main, ...args], { env, stdio: "ignore" });
  const flags = ["--quiet", "--walkers", "1", "--allow", "127.0.0.0/8", "--try-known", "when-empty"];
  // Sites that are visited repeatedly are due again at once, so the scheduler must rescan often.
  const feeder = run("feed", "--every", "1", "--rescan", sites < visits ? "2" : "60");
  const worker = run("work", ...flags, "--every", "1", "--min-every", "1", "--max-every", "1");
  const points = [];
  const startedAt = performance.now();
  for (let done = 0; done < visits; ) {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const { rows: usage } = await pool.query(
      "select coalesce(sum(visits), 0)::integer as done from usage where tenant = '*'",
    );
    done = usage[0]?.done ?? 0;
    const pids = [worker.pid, ...childrenOf(worker.pid)];
    points.push([done, ...pids.map(residentMb)]);
    if (points.length % 30 === 0) console.log(points.at(-1));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = [worker.pid, ...childrenOf(worker.pid)].map(cpuSeconds);
  const { rows: usage } = await pool.query(
    "select sum(requests)::integer as requests from usage where tenant = '*'",
  );
  const done = points.at(-1)[0];
  report(
    "visits of small sites by one worker with one walker process",
    `${count(done / seconds)} per second`,
    `${count(done)} visits of ${count(sites)} sites in ${count(seconds)} s, 2 requests and 20 pages each`,
  );
  report(
    "CPU time per visit",
    `${((1000 * (cpu[0] + cpu[1])) / done).toFixed(2)} ms`,
    `worker ${((1000 * cpu[0]) / done).toFixed(2)}, walker process ${((1000 * cpu[1]) / done).toFixed(2)}; ${((1e6 * (cpu[0] + cpu[1])) / usage[0].requests).toFixed(0)} µs per request`,
  );
  // After the warm-up.
  const steady = points.filter(([at]) => at > done / 5);
  for (const [index, name] of ["worker", "walker process"].entries()) {
    const own = steady.map((point) => [point[0] / 100_000, point[1 + index]]);
    const list = own.map(([, mb]) => mb);
    report(
      `memory of the ${name}`,
      `${count(list[0])} to ${count(list.at(-1))} MB`,
      `slope ${slopeOf(own).toFixed(1)} MB per 100,000 visits, maximum ${count(Math.max(...list))}`,
    );
  }
  worker.kill("SIGTERM");
  feeder.kill("SIGTERM");
  await Promise.all([worker, feeder].map((child) => new Promise((resolve) => child.on("exit", resolve))));
  farm.kill();
  // Nothing deletes files meanwhile. The file fleet.json is the fleet's own.
  const files = readdirSync(join(dir, "store"), { recursive: true, withFileTypes: true });
  const objects = files.filter((entry) => entry.isFile() && entry.name !== "fleet.json").length;
  const { rows: after } = await pool.query(
    "select sum(visits)::integer as done from usage where tenant = '*'",
  );
  report("objects written per 1,000 visits", count((1000 * objects) / after[0].done), "goal 50");
  rmSync(dir, { recursive: true, force: true });
}

try {
  if (wanted("frontier")) await benchFrontier();
  if (wanted("engine")) await benchEngine();
  if (wanted("memory")) await benchMemory();
} finally {
  client.disconnect();
  await pool.end();
  await Promise.all([redis.stop(), postgres.stop()]);
}

if (values.only === undefined) {
  const file = new URL("RESULTS.md", import.meta.url);
  const head = [
    "# Overhead of the fleet",
    "",
    `\`npm run bench:fleet\`, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ${cpus().length} cores (${cpus()[0].model.trim()}), servers, sites and workers on the same machine.`,
    "",
    "| what | measured | note |",
    "|---|---|---|",
  ];
  // The text after the table is written by hand.
  const [, rest = ""] = /\n(?=## )([\s\S]*)/.exec(readFileSync(file, "utf8")) ?? [];
  writeFileSync(file, `${[...head, ...rows].join("\n")}\n\n${rest}`);
}
