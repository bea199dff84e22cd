-- Adds sites: $1 shards, $2 hosts, $3 domains, $4 whether plain http, $5 tenant, $6 earliest due time, $7 seconds over
-- which the first visits are spread. Known sites stay as they are, unless they were removed.
insert into site as s (shard, host, domain, tenant, is_plain, next_due)
select shard, host, domain, $5, is_plain, coalesce($6, now()) + random() * $7 * interval '1 second'
from unnest($1::smallint[], $2::text[], $3::text[], $4::boolean[]) as w (shard, host, domain, is_plain)
on conflict (shard, host) do update set state = 'active', tenant = excluded.tenant, next_due = excluded.next_due
where s.state = 'removed'
