/** Commands about single sites: `retry`, `quarantine`, `stop`, `go`, `remove`, `show`. */
import type { Frontier } from "../../database/frontier.ts";
import { readSite } from "../../host.ts";
import { UsageError } from "../connections.ts";

interface Place {
  readonly shard: number;
  readonly host: string;
}

async function placesOf(frontier: Frontier, names: readonly string[]): Promise<Place[]> {
  const shards = await frontier.shards();
  return names.map((name) => {
    const site = readSite(name, shards);
    if (site === undefined) throw new UsageError(`${JSON.stringify(name)} is no host`);
    return site;
  });
}

/** Due now, and free of what was held against them. Gives how many there were. */
export async function retry(
  frontier: Frontier,
  names: readonly string[],
  allQuarantined: boolean,
): Promise<number> {
  const reset = "state = 'active', begun = 0, failures = 0, reason = null, next_due = now()";
  if (allQuarantined) {
    const { rowCount } = await frontier.pool.query(`update site set ${reset} where state = 'quarantined'`);
    return rowCount ?? 0;
  }
  let count = 0;
  for (const { shard, host } of await placesOf(frontier, names)) {
    const { rowCount } = await frontier.pool.query(
      `update site set ${reset} where shard = $1 and host = $2 and state <> 'removed'`,
      [shard, host],
    );
    count += rowCount ?? 0;
  }
  return count;
}

/** No visits any more; a visit under way cannot commit. */
export async function setAside(
  frontier: Frontier,
  names: readonly string[],
  state: "quarantined" | "removed",
  reason: string,
): Promise<number> {
  const places = await placesOf(frontier, names);
  const client = await frontier.pool.connect();
  try {
    let count = 0;
    for (const { shard, host } of places) {
      await client.query("begin");
      // Waits for a commit under way, and refuses later ones.
      const { rowCount } = await client.query(
        `update site set state = $3, reason = $4, epoch = epoch + 1 ${state === "removed" ? FORGET : ""}
         where shard = $1 and host = $2 and state <> 'removed'`,
        [shard, host, state, reason],
      );
      count += rowCount ?? 0;
      // Pages count where their sitemap says: without it, not at all.
      if (state === "removed")
        await client.query("delete from sitemap where shard = $1 and host = $2", [shard, host]);
      await client.query("commit");
    }
    return count;
  } finally {
    // What was not committed ends with the connection.
    client.release(true);
  }
}

/** Whoever adds the site again begins anew. */
const FORGET = ", visit = 0, visit_began = null, snapshot = null";

export interface QuarantinedSite {
  readonly host: string;
  readonly reason: string | null;
  readonly visitedAt: Date | null;
}

export async function quarantined(frontier: Frontier): Promise<QuarantinedSite[]> {
  const { rows } = await frontier.pool.query<QuarantinedSite>(
    `select host, reason, visited_at as "visitedAt" from site where state = 'quarantined' order by host limit 10000`,
  );
  return rows;
}

/** Nobody visits these hosts and domains: within a lease's quarter those that do, stop. */
export async function stop(
  frontier: Frontier,
  names: readonly string[],
  reason: string | undefined,
): Promise<void> {
  for (const name of names.map(stopName)) {
    await frontier.pool.query(
      "insert into stop (name, reason) values ($1, $2) on conflict (name) do update set reason = excluded.reason",
      [name, reason ?? null],
    );
  }
}

/** They may be visited again; sites that were put off meanwhile are due. */
export async function go(frontier: Frontier, names: readonly string[]): Promise<number> {
  const list = names.map(stopName);
  const { rowCount } = await frontier.pool.query("delete from stop where name = any ($1)", [list]);
  for (const { shard, host } of await placesOf(frontier, list)) {
    await frontier.pool.query(
      "update site set next_due = now() where shard = $1 and state = 'active' and $2 in (host, domain) and next_due < now() + interval '1 hour'",
      [shard, host],
    );
  }
  return rowCount ?? 0;
}

/** As written, unless it is a URL: a host with its port, or a domain. */
function stopName(name: string): string {
  const site = readSite(name, 1);
  if (site === undefined) throw new UsageError(`${JSON.stringify(name)} is neither a host nor a domain`);
  return site.host;
}

export async function show(frontier: Frontier, name: string): Promise<object | undefined> {
  const [place] = await placesOf(frontier, [name]);
  const { shard, host } = place!;
  const site = await frontier.pool.query<{ domain: string }>(
    "select * from site where shard = $1 and host = $2",
    [shard, host],
  );
  if (site.rows[0] === undefined) return undefined;
  const sitemaps = await frontier.pool.query(
    "select url, outcome, code, kind, format, status, etag, last_modified, page_count from sitemap where shard = $1 and host = $2 order by url limit 1000",
    [shard, host],
  );
  const lease = await frontier.pool.query("select * from lease where domain = $1", [site.rows[0].domain]);
  return { ...site.rows[0], sitemaps: sitemaps.rows, lease: lease.rows[0] };
}
