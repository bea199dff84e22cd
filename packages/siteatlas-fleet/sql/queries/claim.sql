-- Claims due sites for a holder, each with the lease of its domain: $1 shards, $2 hosts, $3 holder, $4 duration of the
-- leases in milliseconds. Returns one row per claimed site. If some due sites were not claimed, also one row per due
-- site. The budgets are checked here, because sites may wait in a queue for long: only visits in progress can exceed
-- a budget.
with wanted as (
  select shard, host from unnest($1::smallint[], $2::text[]) as w (shard, host)
),
due as (
  select
    s.shard, s.host, s.domain, s.tenant,
    -- Not before this time: the site is on the stop list, or its domain asked for a long pause.
    case when stop.name is not null then now() + interval '1 hour' else pause.not_before end as put_off_to
  from wanted w
  join site s on s.shard = w.shard and s.host = w.host and s.state = 'active' and s.next_due <= now()
  left join lateral (select name from stop where name in (s.host, s.domain) limit 1) stop on true
  left join lease pause on pause.domain = s.domain and pause.not_before > now() + interval '10 minutes'
),
spent as materialized (
  select t.name
  from tenant t
  cross join lateral (
    select sum(u.requests) as requests, sum(u.bytes) as bytes
    from usage u where u.day = (now() at time zone 'utc')::date and u.tenant = t.name
  ) today
  where t.name = any (array(select '*' union select tenant from due))
    and (today.requests >= t.requests_per_day or today.bytes >= t.bytes_per_day)
),
held as (
  insert into lease as l (domain, shard, host, holder, until)
  select distinct on (domain) domain, shard, host, $3, now() + $4 * interval '1 millisecond'
  from due where put_off_to is null and not exists (select from spent where name in ('*', due.tenant))
  order by domain, host
  on conflict (domain) do update set
    shard = excluded.shard, host = excluded.host, holder = excluded.holder, until = excluded.until, not_before = null
  where l.until <= now() and (l.not_before is null or l.not_before <= now())
  returning shard, host
),
put_off as (
  update site s set next_due = d.put_off_to
  from due d where d.put_off_to is not null and s.shard = d.shard and s.host = d.host
),
claimed as (
  update site s set
    epoch = s.epoch + 1,
    begun = s.begun + 1,
    visit = case when s.visit_began is null then s.visit + 1 else s.visit end,
    visit_began = coalesce(s.visit_began, now()),
    leg = case when s.visit_began is null then 0 else s.leg end,
    visit_changes = case when s.visit_began is null then 0 else s.visit_changes end
  from held h
  -- Checked again: another worker may have finished a visit since the rows were read.
  where s.shard = h.shard and s.host = h.host and s.state = 'active' and s.next_due <= now()
  returning s.*
)
select
  'claimed' as verdict, c.host, domain, is_plain as "isPlain", epoch, begun - 1 as begun, visit, visit_began as began,
  leg, quiet, failures, suspicions, probation, visit_changes as changes, request_ms as "requestMs",
  -- A small snapshot comes with its site.
  case when c.snapshot = 'database' then 'data:' || encode(d.data, 'base64') else c.snapshot end as snapshot,
  null::integer as "leaseMs", null::integer as "pauseMs"
from claimed c
left join snapshot d on d.shard = c.shard and d.host = c.host and c.snapshot = 'database'
union all
select
  case
    when d.put_off_to is not null then 'put off'
    when exists (select from spent where name in ('*', d.tenant)) then 'no budget'
    else 'busy'
  end,
  d.host, d.domain, null, null, null, null, null, null,
  null, null, null, null, null, null, null,
  greatest(0, extract(epoch from l.until - now()) * 1000)::integer,
  greatest(0, extract(epoch from l.not_before - now()) * 1000)::integer
from due d
left join lease l on l.domain = d.domain
where (select count(*) from claimed) < (select count(*) from due)
