-- The next sites of one shard and tenant that are due, after the one that was fed last: $1 shard, $2 tenant,
-- $3 its time, $4 its host, $5 how many.
-- The time as text: a Date would lose its microseconds, and give the same sites again.
select host, next_due::text as next_due
from site
where shard = $1 and tenant = $2 and state = 'active' and next_due <= now() and (site.next_due, host) > ($3::timestamptz, $4)
order by site.next_due, host
limit $5
