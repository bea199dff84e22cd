-- Marks a site whose walker process crashed as a suspect, and ends its lease: $1 shard, $2 host, $3 epoch, $4 suspicions,
-- $5 probation, $6 id of the crash or null, $7 holder. The claim still counts as unfinished. Can be repeated.
with suspected as (
  update site set suspicions = $4, probation = $5, crash = coalesce($6, crash)
  where shard = $1 and host = $2 and epoch = $3
  returning domain
)
update lease l set until = now() from suspected s where l.domain = s.domain and l.host = $2 and l.holder = $7
