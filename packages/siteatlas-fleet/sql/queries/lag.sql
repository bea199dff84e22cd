-- How long the oldest due site has been waiting that nothing prevents from being visited, in seconds: $1 tenants with
-- budget. Sites that are being visited, and sites of leased or paused domains, do not count.
select coalesce(extract(epoch from now() - min(first.next_due)), 0)::float8 as lag
from unnest($1::text[]) as t (tenant)
cross join lateral (
  select s.next_due
  from schedule s
  where s.tenant = t.tenant and s.next_due <= now()
    and not exists (
      select from lease l where l.domain = s.domain and (l.until > now() or l.not_before > now())
    )
  order by s.next_due
  limit 1
) first
