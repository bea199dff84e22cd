-- The next sites of one shard and tenant that are due, after the one that was fed last: $1 shard, $2 tenant,
-- $3 its time, $4 its host, $5 how many.
select host, next_due
from site
where shard = $1 and tenant = $2 and state = 'active' and next_due <= now() and (next_due, host) > ($3, $4)
order by next_due, host
limit $5
