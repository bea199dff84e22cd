-- Commits parts of visits ("legs"), each if its epoch and number still match the site: $1 a JSON list of legs with
-- their part files and sitemaps, $2 holder. The statement is atomic. Returns one row per accepted leg. If some were not
-- accepted, also one row per leg.
--
-- Before you change this: sites and leases are found by key, and everything else comes with its leg. No join grows with
-- the square of the batch, and none can read a whole table.
with leg as (
  select * from jsonb_to_recordset($1::jsonb) as l (
    shard smallint, host text, epoch integer, leg integer, "isOver" boolean, outcome text, reason text,
    "waitSeconds" integer, quiet smallint, failures smallint, "pageCount" bigint, "sitemapCount" integer,
    "requestMs" integer, snapshot text, "snapshotData" text, requests bigint, bytes bigint, pages bigint,
    changes integer, "pauseMs" integer, gone text[], "pagesPart" bigint, parts jsonb, sitemaps jsonb
  )
),
accepted as (
  update site s set
    -- A visit that is not over goes on at once: its next part has begun.
    begun = case when l."isOver" then 0 else 1 end,
    -- A suspicion is forgotten when the probation is over.
    suspicions = case when l."isOver" and s.probation <= 1 then 0 else s.suspicions end,
    crash = case when l."isOver" and s.probation <= 1 then null else s.crash end,
    probation = case when l."isOver" then greatest(s.probation - 1, 0) else s.probation end,
    leg = s.leg + 1,
    visit_began = case when l."isOver" then null else s.visit_began end,
    next_due = case
      when l."isOver" then now() + l."waitSeconds" * interval '1 second'
      when l.outcome = 'paused' then now() + l."pauseMs" * interval '1 millisecond'
      else s.next_due
    end,
    visit_changes = s.visit_changes + l.changes,
    quiet = case when l."isOver" then l.quiet else s.quiet end,
    failures = case when l."isOver" then l.failures else s.failures end,
    visited_at = now(),
    outcome = l.outcome,
    reason = l.reason,
    page_count = l."pageCount",
    sitemap_count = l."sitemapCount",
    request_ms = l."requestMs",
    snapshot = coalesce(l.snapshot, s.snapshot)
  from leg l
  where s.shard = l.shard and s.host = l.host and s.epoch = l.epoch and s.leg = l.leg and s.state = 'active'
  returning s.shard, s.host, s.domain, s.tenant, s.visit, l.epoch, l."isOver", l."pauseMs", l.requests, l.bytes,
    l.pages, l.gone, l.parts, l.sitemaps, l."snapshotData",
    -- The pack that has its pages was recorded before.
    coalesce(l."pagesPart", nextval('part_id')) as pages_part
),
parts as (
  insert into part (id, dataset, key, shard, day, row_count, byte_count, host, epoch)
  select
    case p.dataset when 'pages' then a.pages_part else nextval('part_id') end, p.dataset, p.key, a.shard, p.day,
    p."rowCount", p."byteCount", a.host, a.epoch
  from accepted a, jsonb_to_recordset(a.parts) as p (
    dataset text, key text, day date, "rowCount" integer, "byteCount" bigint
  )
),
snapshots as (
  insert into snapshot (shard, host, data)
  select shard, host, decode("snapshotData", 'base64') from accepted where "snapshotData" is not null
  on conflict (shard, host) do update set data = excluded.data
),
sitemaps as (
  insert into sitemap as old (
    shard, host, url_key, url, visit, outcome, code, kind, format, status, etag, last_modified, content_hash,
    page_count, part, is_partial
  )
  select
    a.shard, a.host, md5(m.url)::uuid, m.url, a.visit, m.outcome, m.code, m.kind, m.format, m.status, m.etag,
    m."lastModified", decode(m."contentHash", 'hex'), m."pageCount", case when m."hasPages" then a.pages_part end,
    m.code is not null
  from accepted a, jsonb_to_recordset(a.sitemaps) as m (
    url text, outcome text, code text, kind text, format text, status smallint, etag text, "lastModified" text,
    "contentHash" text, "pageCount" integer, "hasPages" boolean
  )
  on conflict (shard, host, url_key) do update set
    visit = excluded.visit,
    outcome = excluded.outcome,
    code = excluded.code,
    status = excluded.status,
    -- A sitemap that failed or did not change keeps what is known about it.
    (kind, format, etag, last_modified, content_hash) = (
      select v.kind, v.format, v.etag, v.last_modified, v.content_hash
      from (values
        (false, old.kind, old.format, old.etag, old.last_modified, old.content_hash),
        (true, excluded.kind, excluded.format, excluded.etag, excluded.last_modified, excluded.content_hash)
      ) as v (is_new, kind, format, etag, last_modified, content_hash)
      where v.is_new = (excluded.outcome = 'found')
    ),
    -- A truncated sitemap does not replace a complete one, and unchanged pages stay in the part file that has them.
    (page_count, part, is_partial) = (
      select v.page_count, v.part, v.is_partial
      from (values
        (false, old.page_count, old.part, old.is_partial),
        (true, excluded.page_count, excluded.part, excluded.is_partial)
      ) as v (is_new, page_count, part, is_partial)
      where v.is_new = (
        excluded.outcome = 'found' and (excluded.code is null or old.part is null or old.is_partial)
        and (excluded.part is not null or excluded.page_count = 0)
      )
    )
  returning shard, host, outcome = 'found' and page_count > 0 and part is null as is_lost
),
-- Sites with unchanged pages that no part file has: the database was restored from a backup.
lost as materialized (select distinct shard, host from sitemaps where is_lost),
-- Materialized, so that each sitemap is found by key: a site may have 50,000.
gone_keys as materialized (
  select a.shard, a.host, md5(gone_url)::uuid as url_key from accepted a, unnest(a.gone) as gone_url
),
gone as (
  delete from sitemap m using gone_keys g
  where m.shard = g.shard and m.host = g.host and m.url_key = g.url_key
),
used as (
  insert into usage as u (tenant, day, slot, visits, requests, bytes, pages)
  -- A slot per connection: concurrent commits do not wait for the row of the day.
  select name, (now() at time zone 'utc')::date, pg_backend_pid() % 32, count(*) filter (where "isOver"), sum(requests), sum(bytes), sum(pages)
  from accepted cross join lateral (values (tenant), ('*')) as t (name)
  group by name order by name
  on conflict (day, tenant, slot) do update set
    visits = u.visits + excluded.visits,
    requests = u.requests + excluded.requests,
    bytes = u.bytes + excluded.bytes,
    pages = u.pages + excluded.pages
),
-- A paused domain keeps its row.
released as (
  delete from lease l using accepted a
  where a."isOver" and l.domain = a.domain and l.host = a.host and l.holder = $2
    and a."pauseMs" is null and l.not_before is null
),
paused as (
  update lease l set
    until = case when a."isOver" then now() else l.until end,
    not_before = greatest(l.not_before, now() + a."pauseMs" * interval '1 millisecond')
  from accepted a
  where l.domain = a.domain and l.host = a.host and l.holder = $2
    and (a."pauseMs" is not null or (a."isOver" and l.not_before is not null))
)
select a.host, case when l.host is null then 'accepted' else 'incomplete' end as verdict
from accepted a left join lost l on l.shard = a.shard and l.host = a.host
union all
-- A commit is repeated if its answer was lost. It counts once.
select l.host, case when s.epoch = l.epoch and s.leg = l.leg + 1 then 'repeated' else 'refused' end
from leg l
left join site s on s.shard = l.shard and s.host = l.host
where (select count(*) from accepted) < (select count(*) from leg)
