-- Gives back a site whose visit is not finished, without counting it as a crash: $1 shard, $2 host, $3 epoch,
-- $4 holder.
with released as (
  update site set begun = greatest(begun - 1, 0) where shard = $1 and host = $2 and epoch = $3 returning domain
)
update lease l set until = now() from released r where l.domain = r.domain and l.host = $2 and l.holder = $4
