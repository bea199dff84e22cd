-- Nobody visits this site again unless somebody says so: $1 shard, $2 host, $3 epoch, $4 reason, $5 holder.
with quarantined as (
  update site set state = 'quarantined', reason = $4, outcome = 'quarantined', visit_began = null
  where shard = $1 and host = $2 and epoch = $3
  returning domain
)
update lease l set until = now() from quarantined q where l.domain = q.domain and l.host = $2 and l.holder = $5
