/** Commands about single sites: `retry`, `quarantine`, `stop`, `go`, `remove`, `show`. */
import type { Frontier } from "../../database/frontier.ts";
import { inTransaction } from "../../database/transaction.ts";
import { readSite, type SiteName } from "../../model/site-name.ts";
import { maskNoSite } from "../mask-site.ts";
import { UsageError } from "../usage-error.ts";

async function sitesOf(frontier: Frontier, names: readonly string[]): Promise<SiteName[]> {
  const shards = await frontier.shards();
  return names.map((name) => {
    const site = readSite(name, shards);
    if (site === undefined) throw new UsageError(`${JSON.stringify(maskNoSite(name))} is not a host`);
    return site;
  });
}

/** Makes sites due now, lifts their quarantine, and forgets their crashes. Returns the number of sites. */
export async function retry(
  frontier: Frontier,
  names: readonly string[],
  allQuarantined: boolean,
): Promise<number> {
  const reset =
    "state = 'active', begun = 0, suspicions = 0, probation = 0, crash = null, failures = 0, reason = null, next_due = now()";
  const sites = allQuarantined ? [] : await sitesOf(frontier, names);
  const { rowCount } = await frontier.pool.query(
    `update site set ${reset} where ($1 and state = 'quarantined')
       or (state <> 'removed' and (shard, host) in (select * from unnest($2::smallint[], $3::text[])))`,
    [allQuarantined, sites.map(({ shard }) => shard), sites.map(({ host }) => host)],
  );
  return rowCount ?? 0;
}

/**
 * Quarantines or removes sites. Raises the epoch of each site, a number that each visit must know for its commit. So
 * the database refuses the commit of a visit in progress.
 */
export async function setAside(
  frontier: Frontier,
  names: readonly string[],
  state: "quarantined" | "removed",
  reason: string,
): Promise<number> {
  let count = 0;
  for (const { shard, host } of await sitesOf(frontier, names)) {
    count += await inTransaction(frontier.pool, async (client) => {
      const { rowCount } = await client.query(
        `update site set state = $3, reason = $4, epoch = epoch + 1 ${state === "removed" ? FORGET : ""}
         where shard = $1 and host = $2 and state <> 'removed'`,
        [shard, host, state, reason],
      );
      // A page belongs to the dataset only while the table `sitemap` has a row for its sitemap.
      if (state === "removed") {
        await client.query("delete from sitemap where shard = $1 and host = $2", [shard, host]);
        await client.query("delete from snapshot where shard = $1 and host = $2", [shard, host]);
        // Compaction reads this row, and erases the rows of the site from all files.
        if (rowCount === 1) await client.query(REMOVAL, [shard, host]);
      }
      return rowCount ?? 0;
    });
  }
  return count;
}

const REMOVAL = `insert into removal (shard, host, removed_at) values ($1, $2, clock_timestamp())
  on conflict (shard, host) do update set removed_at = excluded.removed_at, erasures = 0`;

/** SQL that resets a removed site, so that it starts like a new site if it is added again. */
const FORGET =
  ", visit = 0, visit_began = null, snapshot = null, begun = 0, suspicions = 0, probation = 0, crash = null";

export async function quarantined({ pool }: Frontier): Promise<object[]> {
  const { rows } = await pool.query<object>(
    `select host, reason, visited_at as "visitedAt" from site where state = 'quarantined' order by host limit 10000`,
  );
  return rows;
}

/**
 * Puts hosts or domains on the stop list. Workers read the list whenever they renew leases, which is four times per
 * lease.
 */
export async function stop(
  frontier: Frontier,
  names: readonly string[],
  reason: string | undefined,
): Promise<void> {
  await frontier.pool.query(
    "insert into stop (name, reason) select distinct unnest($1::text[]), $2 on conflict (name) do update set reason = excluded.reason",
    [names.map(stopName), reason ?? null],
  );
}

/**
 * Takes hosts or domains off the stop list. Their sites become due now, because visits of sites on the list were
 * postponed by up to an hour. Returns how many of the names were on the list.
 */
export async function go(frontier: Frontier, names: readonly string[]): Promise<number> {
  const list = names.map(stopName);
  const { rowCount } = await frontier.pool.query("delete from stop where name = any ($1)", [list]);
  for (const { shard, host } of await sitesOf(frontier, list)) {
    await frontier.pool.query(
      "update site set next_due = now() where shard = $1 and state = 'active' and $2 in (host, domain) and next_due < now() + interval '1 hour'",
      [shard, host],
    );
  }
  return rowCount ?? 0;
}

/** Returns a host, a domain or a URL as the stop list stores it: a host with its port, or a domain. */
function stopName(name: string): string {
  const site = readSite(name, 1);
  if (site === undefined)
    throw new UsageError(`${JSON.stringify(maskNoSite(name))} is neither a host nor a domain`);
  return site.host;
}

export async function show(frontier: Frontier, name: string): Promise<object | undefined> {
  const [{ shard, host, domain } = {}] = await sitesOf(frontier, [name]);
  const site = await frontier.pool.query("select * from site where shard = $1 and host = $2", [shard, host]);
  if (site.rows[0] === undefined) return undefined;
  const sitemaps = await frontier.pool.query(
    "select url, outcome, code, kind, format, status, etag, last_modified, page_count from sitemap where shard = $1 and host = $2 order by url limit 1000",
    [shard, host],
  );
  const lease = await frontier.pool.query("select * from lease where domain = $1", [domain]);
  return { ...site.rows[0], sitemaps: sitemaps.rows, lease: lease.rows[0] };
}
