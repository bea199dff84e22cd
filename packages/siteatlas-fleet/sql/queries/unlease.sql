-- Ends the lease of a visit that crashed; the site keeps the mark: $1 shard, $2 host, $3 epoch, $4 holder.
update lease l set until = now()
from site s
where s.shard = $1 and s.host = $2 and s.epoch = $3 and l.domain = s.domain and l.host = $2 and l.holder = $4
