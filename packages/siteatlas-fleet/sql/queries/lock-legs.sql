-- Locks the sites of legs until the end of the transaction: $1 shards, $2 hosts. Returns the leg that each site expects.
-- Locked in the order of their keys, so that two packs never wait for each other.
select s.host, s.epoch, s.leg, s.state = 'active' as "isActive"
from unnest($1::smallint[], $2::text[]) as l (shard, host)
join site s on s.shard = l.shard and s.host = l.host
order by s.shard, s.host
for no key update of s
