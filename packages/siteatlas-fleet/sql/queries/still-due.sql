-- Which of these sites are still due, and whether their domain is leased or paused: $1 shard, $2 hosts.
select
  s.host,
  exists (
    select from lease l
    where l.domain = s.domain
      and (l.until > now() or (l.not_before > now() and l.not_before <= now() + interval '10 minutes'))
  ) as "isLeased"
from unnest($2::text[]) as w (host)
join site s on s.shard = $1 and s.host = w.host and s.state = 'active' and s.next_due <= now()
