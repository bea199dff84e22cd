/**
 * Measures how many visits per second one PostgreSQL can commit: npm run bench:commits (after npm run build). Starts its
 * own PostgreSQL, with fsync. Each visit is a claim and a commit, without requests and files.
 *
 * --sites N     sites in the frontier (20,000)
 * --visits N    visits (40,000), after a first visit of each site that is not measured
 * --workers N   frontiers that claim and commit at the same time, each with 4 connections (4)
 * --jobs N      visits in progress per frontier (100)
 */
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { createPool, Frontier, migrate, readSite } from "siteatlas-fleet";
import { startPostgres } from "../../packages/siteatlas-fleet/test/support/start-postgres.mjs";

const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "20000" },
    visits: { type: "string", default: "40000" },
    workers: { type: "string", default: "4" },
    jobs: { type: "string", default: "100" },
  },
});
const SITES = Number(values.sites);
const VISITS = Number(values.visits);
const WORKERS = Number(values.workers);
const JOBS = Number(values.jobs);
const SHARDS = 16;
/** As after a real visit without a change: the site is due again after some time. */
const NEXT = { waitSeconds: 0, quiet: 1, failures: 0 };

const postgres = await startPostgres({});
const pool = createPool({ connectionString: postgres.url, max: 2, options: "" });
await migrate(pool, { shards: SHARDS });
const sites = Array.from({ length: SITES }, (_, at) => readSite(`www.site-number-${at}.example`, SHARDS));
const frontiers = Array.from(
  { length: WORKERS },
  (_, at) => new Frontier(createPool({ connectionString: postgres.url, max: 4 }), { holder: `worker-${at}` }),
);
await frontiers[0].addSites(sites);
await pool.query("vacuum analyze");

let [next, end] = [0, 0];
let done = 0;
let [claimMs, commitMs] = [0, 0];

async function visit(frontier, site) {
  let startedAt = performance.now();
  const claim = await frontier.claim(site);
  claimMs += performance.now() - startedAt;
  if (claim.verdict !== "claimed") return;
  const { host, domain, epoch, visit: number, leg } = claim;
  const request = { ...{ host, domain, epoch, leg, visit: number }, shard: site.shard, homepage: "" };
  const sitemap = (name, more) => ({
    ...{ url: `https://${host}/${name}`, kind: "pages", format: "xml", status: 200, etag: `"${epoch}"` },
    ...{ outcome: "unchanged", pageCount: 200, hasPages: false, ...more },
  });
  const isFirst = number === 1;
  const found = isFirst && { outcome: "found", hasPages: true };
  startedAt = performance.now();
  await frontier.commit(
    request,
    {
      ...{ outcome: "found", isOver: true, gone: [], pageCount: 400, sitemapCount: 3, requests: 18 },
      ...{ bytes: 20_000, pages: 400, changes: 0, requestMs: 50 },
      snapshot: `snapshots/shard=${site.shard}/${host}.e${epoch}-0`,
      sitemaps: [sitemap("robots.txt"), sitemap("a.xml", found), sitemap("b.xml", found)],
      parts: [
        {
          ...{ dataset: "pages", day: "2026-11-15", rowCount: 400, byteCount: 5000 },
          key: `pages/date=2026-11-15/shard=${site.shard}/${host}.e${epoch}-0.parquet`,
        },
      ].slice(0, isFirst ? 1 : 0),
    },
    NEXT,
  );
  commitMs += performance.now() - startedAt;
  done++;
}

async function work(frontier) {
  while (next < end) await visit(frontier, sites[next++ % SITES]);
}

async function run(number) {
  [next, end] = [0, number];
  await Promise.all(frontiers.flatMap((frontier) => Array.from({ length: JOBS }, () => work(frontier))));
}

// The first visits of all sites. They make each row longer, and insert the sitemaps.
await run(SITES);
await pool.query("vacuum analyze");
await new Promise((resolve) => setTimeout(resolve, 1500));
await pool.query("select pg_stat_reset()");
[done, claimMs, commitMs] = [0, 0, 0];

const walBytes = async () =>
  Number((await pool.query("select pg_current_wal_lsn() - '0/0' as bytes")).rows[0].bytes);
const [startedAt, walBefore] = [performance.now(), await walBytes()];
await run(VISITS);
const seconds = (performance.now() - startedAt) / 1000;
const wal = (await walBytes()) - walBefore;
// The counts of a connection arrive some time after its last statement, at the latest when it ends.
await Promise.all(frontiers.map((frontier) => frontier.pool.end()));
await new Promise((resolve) => setTimeout(resolve, 500));
const { rows } = await pool.query(
  `select regexp_replace(relname, '_\\d+$', '') as name, sum(n_tup_ins)::integer as inserted, sum(n_tup_upd)::integer as updated,
     sum(n_tup_hot_upd)::integer as hot, sum(n_tup_del)::integer as deleted, sum(n_dead_tup)::integer as dead,
     sum(pg_total_relation_size(relid))::float8 as bytes
   from pg_stat_user_tables group by 1 having sum(n_tup_ins + n_tup_upd) > 0 order by 1`,
);
const count = (value) => Math.round(value).toLocaleString("en-US");
console.log(`${cpus().length} cores, ${cpus()[0].model.trim()}; ${WORKERS} workers, ${JOBS} jobs each`);
console.log(
  `${count(done / seconds)} visits per second (${count(done)} claims and commits in ${seconds.toFixed(1)} s)`,
);
console.log(`mean wait: claim ${(claimMs / done).toFixed(1)} ms, commit ${(commitMs / done).toFixed(1)} ms`);
console.log(`${count(wal / done)} bytes of WAL per visit`);
for (const { name, inserted, updated, hot, deleted, dead, bytes } of rows) {
  const share = updated === 0 ? "" : `, ${((100 * hot) / updated).toFixed(1)} % in place (HOT)`;
  console.log(
    `${name}: ${count(inserted)} inserts, ${count(updated)} updates${share}, ${count(deleted)} deletes, ${count(dead)} dead rows, ${count(bytes / 1024)} KiB`,
  );
}
await pool.end();
await postgres.stop();
