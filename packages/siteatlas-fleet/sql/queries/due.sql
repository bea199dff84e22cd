-- The next due sites of one shard and tenant, after a cursor: $1 shard, $2 tenant, $3 time and $4 host of the last site
-- that was enqueued, $5 how many. The time is text because a Date would lose its microseconds and return sites twice.
select host, next_due::text as "nextDue"
from site
where shard = $1 and tenant = $2 and state = 'active' and next_due <= now() and (next_due, host) > ($3::timestamptz, $4)
order by next_due, host
limit $5
