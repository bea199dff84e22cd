/** Reads the state of the fleet from PostgreSQL and from the queues in Redis. */
import type { Frontier } from "../../database/frontier.ts";
import { type RedisClient, siteQueue } from "../../queue/queues.ts";

export const WAIT_REASONS = ["visit", "worker", "domain", "pause", "budget", "stop"] as const;
type WaitReason = (typeof WAIT_REASONS)[number];

type Counts<Name extends string> = Readonly<Record<Name, number>>;

export interface FleetStatus {
  /**
   * Numbers of sites. `open`: sites with a visit in progress. `never`: sites that were not visited yet. `lagSeconds` is
   * not a number of sites: it is the time for which the oldest due site has been waiting.
   */
  readonly sites: Counts<"active" | "quarantined" | "removed" | "due" | "open" | "never" | "lagSeconds">;
  /**
   * Numbers of due sites, by the reason why they wait. `visit`: they do not wait, but are being visited. `domain`:
   * another site of their domain is being visited. `pause`: their server asked for a pause. `budget`: their tenant or
   * the fleet has spent its budget of today. `stop`: they are on the stop list. `worker`: they wait only for a worker.
   */
  readonly waiting: Counts<WaitReason>;
  readonly outcomes: Counts<string>;
  readonly queue: Counts<"waiting" | "active" | "delayed">;
  readonly parts: Counts<"live" | "replaced" | "rows" | "bytes">;
  readonly today: Counts<"visits" | "requests" | "bytes" | "pages">;
  readonly stops: number;
}

const SITES = `
  select
    count(*) filter (where state = 'active') as active,
    count(*) filter (where state = 'quarantined') as quarantined,
    count(*) filter (where state = 'removed') as removed,
    count(*) filter (where state = 'active' and next_due <= now()) as due,
    count(*) filter (where visit_began is not null and state <> 'removed') as open,
    count(*) filter (where visited_at is null and state <> 'removed') as never,
    coalesce(extract(epoch from now() - min(next_due) filter (where state = 'active' and next_due <= now())), 0)::float8
      as "lagSeconds"
  from site`;

const WAITING = `
  with spent as (
    select t.name
    from tenant t
    join usage u on u.tenant = t.name and u.day = (now() at time zone 'utc')::date
    group by t.name
    having sum(u.requests) >= t.requests_per_day or sum(u.bytes) >= t.bytes_per_day
  )
  select
    case
      when exists (select from stop where name in (s.host, s.domain)) then 'stop'
      when l.until > now() and l.host = s.host then 'visit'
      when exists (select from spent where name in ('*', s.tenant)) then 'budget'
      when l.not_before > now() then 'pause'
      when l.until > now() then 'domain'
      else 'worker'
    end as reason,
    count(*)
  from schedule d
  join site s on s.shard = d.shard and s.host = d.host
  left join lease l on l.domain = s.domain
  where d.next_due <= now()
  group by 1`;

const PARTS = `
  select
    count(*) filter (where replaced_at is null) as live,
    count(*) filter (where replaced_at is not null) as replaced,
    coalesce(sum(row_count) filter (where replaced_at is null), 0)::float8 as rows,
    coalesce(sum(byte_count) filter (where replaced_at is null), 0)::float8 as bytes
  from part`;

const TODAY = `
  select
    coalesce(sum(visits), 0)::float8 as visits, coalesce(sum(requests), 0)::float8 as requests,
    coalesce(sum(bytes), 0)::float8 as bytes, coalesce(sum(pages), 0)::float8 as pages
  from usage where tenant = '*' and day = (now() at time zone 'utc')::date`;

export async function readStatus(frontier: Frontier, redis: RedisClient): Promise<FleetStatus> {
  const { pool } = frontier;
  const [sites, waiting, outcomes, parts, today, stops] = await Promise.all([
    pool.query<FleetStatus["sites"]>(SITES),
    pool.query<{ reason: WaitReason; count: number }>(WAITING),
    pool.query<{ outcome: string; count: number }>(
      "select outcome, count(*) from site where outcome is not null and state <> 'removed' group by outcome order by count desc",
    ),
    pool.query<FleetStatus["parts"]>(PARTS),
    pool.query<FleetStatus["today"]>(TODAY),
    pool.query<{ count: number }>("select count(*) from stop"),
  ]);
  return {
    sites: sites.rows[0]!,
    waiting: {
      ...{ visit: 0, worker: 0, domain: 0, pause: 0, budget: 0, stop: 0 },
      ...Object.fromEntries(waiting.rows.map(({ reason, count }) => [reason, count])),
    },
    outcomes: Object.fromEntries(outcomes.rows.map(({ outcome, count }) => [outcome, count])),
    queue: await readQueues(redis, await frontier.shards()),
    parts: parts.rows[0]!,
    today: today.rows[0]!,
    stops: stops.rows[0]!.count,
  };
}

async function readQueues(redis: RedisClient, shards: number): Promise<FleetStatus["queue"]> {
  const total = { waiting: 0, active: 0, delayed: 0 };
  for (let shard = 0; shard < shards; shard++) {
    const queue = siteQueue(redis, shard);
    const counts = await queue.getJobCounts("waiting", "active", "delayed");
    total.waiting += counts["waiting"] ?? 0;
    total.active += counts["active"] ?? 0;
    total.delayed += counts["delayed"] ?? 0;
    await queue.close();
  }
  return total;
}
