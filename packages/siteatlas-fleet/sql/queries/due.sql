-- The next due sites of one shard and tenant, after a cursor: $1 shard, $2 tenant, $3 time and $4 host of the last site
-- that was read, $5 how many. The time is text because a Date would lose its microseconds and return sites twice.
-- A domain with a longer pause does not count as leased: a claim puts off its sites.
select
  s.host, s.domain, s.next_due::text as "nextDue",
  exists (
    select from lease l
    where l.domain = s.domain
      and (l.until > now() or (l.not_before > now() and l.not_before <= now() + interval '10 minutes'))
  ) as "isLeased"
from schedule s
where s.shard = $1 and s.tenant = $2 and s.next_due <= now()
  and (s.next_due, s.host) > ($3::timestamptz, $4)
order by s.next_due, s.host
limit $5
