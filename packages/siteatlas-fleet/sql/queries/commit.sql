-- Makes legs count, each if its epoch is still that of its site: $1 the legs, a list of objects with their parts and
-- sitemaps, $2 the holder. A row for each that was accepted; if these are not all, one for each, too.
-- All of it, or nothing.
--
-- Before you change this: sites and leases are found by their keys, everything else comes with its leg. There is no
-- join that grows with the square of the batch, nor one that could read a whole table.
with leg as (
  select * from jsonb_to_recordset($1::jsonb) as l (
    shard smallint, host text, epoch integer, leg integer, is_over boolean, outcome text, reason text, wait_s integer,
    quiet smallint, failures smallint, page_count bigint, sitemap_count integer, request_ms integer,
    snapshot text, requests bigint, bytes bigint, pages bigint, changes integer, pause_ms integer, gone text[],
    parts jsonb, sitemaps jsonb
  )
),
accepted as (
  update site s set
    -- The next leg has begun.
    begun = case when l.is_over then 0 else 1 end,
    leg = s.leg + 1,
    visit_began = case when l.is_over then null else s.visit_began end,
    next_due = case
      when l.is_over then now() + l.wait_s * interval '1 second'
      when l.outcome = 'paused' then now() + l.pause_ms * interval '1 millisecond'
      else s.next_due
    end,
    visit_changes = s.visit_changes + l.changes,
    quiet = case when l.is_over then l.quiet else s.quiet end,
    failures = case when l.is_over then l.failures else s.failures end,
    visited_at = now(),
    outcome = l.outcome,
    reason = l.reason,
    page_count = l.page_count,
    sitemap_count = l.sitemap_count,
    request_ms = l.request_ms,
    snapshot = coalesce(l.snapshot, s.snapshot)
  from leg l
  where s.shard = l.shard and s.host = l.host and s.epoch = l.epoch and s.leg = l.leg and s.state = 'active'
  returning s.shard, s.host, s.domain, s.tenant, s.visit, l.epoch, l.is_over, l.pause_ms, l.requests, l.bytes, l.pages,
    l.gone, l.parts, l.sitemaps, nextval('part_id') as pages_part
),
parts as (
  insert into part (id, dataset, key, shard, day, row_count, byte_count, host, epoch)
  select
    case p.dataset when 'pages' then a.pages_part else nextval('part_id') end, p.dataset, p.key, a.shard, p.day,
    p.row_count, p.byte_count, a.host, a.epoch
  from accepted a, jsonb_to_recordset(a.parts) as p (
    dataset text, key text, day date, row_count integer, byte_count bigint
  )
),
sitemaps as (
  insert into sitemap as old (
    shard, host, url_key, url, visit, outcome, code, kind, format, status, etag, last_modified, content_hash,
    page_count, part, is_partial
  )
  select
    a.shard, a.host, md5(m.url)::uuid, m.url, a.visit, m.outcome, m.code, m.kind, m.format, m.status, m.etag,
    m.last_modified, decode(m.content_hash, 'hex'), m.page_count, case when m.has_pages then a.pages_part end,
    m.code is not null
  from accepted a, jsonb_to_recordset(a.sitemaps) as m (
    url text, outcome text, code text, kind text, format text, status smallint, etag text, last_modified text,
    content_hash text, page_count integer, has_pages boolean
  )
  on conflict (shard, host, url_key) do update set
    visit = excluded.visit,
    outcome = excluded.outcome,
    code = excluded.code,
    status = excluded.status,
    -- What could not be read, or did not change, stays as it was.
    (kind, format, etag, last_modified, content_hash) = (
      select v.kind, v.format, v.etag, v.last_modified, v.content_hash
      from (values
        (false, old.kind, old.format, old.etag, old.last_modified, old.content_hash),
        (true, excluded.kind, excluded.format, excluded.etag, excluded.last_modified, excluded.content_hash)
      ) as v (is_new, kind, format, etag, last_modified, content_hash)
      where v.is_new = (excluded.outcome = 'found')
    ),
    -- What was read whole says more than what was cut; and pages that are what they were are where they were.
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
-- Sites with pages that are said to be where they were, and are nowhere.
lost as materialized (select distinct shard, host from sitemaps where is_lost),
-- By itself, so that each is looked for by its key: a site may have 50,000.
gone_keys as materialized (
  select a.shard, a.host, md5(gone_url)::uuid as url_key from accepted a, unnest(a.gone) as gone_url
),
gone as (
  delete from sitemap m using gone_keys g
  where m.shard = g.shard and m.host = g.host and m.url_key = g.url_key
),
used as (
  insert into usage as u (tenant, day, visits, requests, bytes, pages)
  select name, (now() at time zone 'utc')::date, count(*) filter (where is_over), sum(requests), sum(bytes), sum(pages)
  from accepted cross join lateral (values (tenant), ('*')) as t (name)
  group by name order by name
  on conflict (day, tenant) do update set
    visits = u.visits + excluded.visits,
    requests = u.requests + excluded.requests,
    bytes = u.bytes + excluded.bytes,
    pages = u.pages + excluded.pages
),
-- A domain that wants to be left alone keeps its row.
released as (
  delete from lease l using accepted a
  where a.is_over and l.domain = a.domain and l.host = a.host and l.holder = $2
    and a.pause_ms is null and l.not_before is null
),
paused as (
  update lease l set
    until = case when a.is_over then now() else l.until end,
    not_before = greatest(l.not_before, now() + a.pause_ms * interval '1 millisecond')
  from accepted a
  where l.domain = a.domain and l.host = a.host and l.holder = $2
    and (a.pause_ms is not null or (a.is_over and l.not_before is not null))
)
select a.host, case when l.host is null then 'accepted' else 'incomplete' end as verdict
from accepted a left join lost l on l.shard = a.shard and l.host = a.host
union all
-- A commit whose answer was lost is repeated: it counts once.
select l.host, case when s.epoch = l.epoch and s.leg = l.leg + 1 then 'repeated' else 'refused' end
from leg l
left join site s on s.shard = l.shard and s.host = l.host
where (select count(*) from accepted) < (select count(*) from leg)
