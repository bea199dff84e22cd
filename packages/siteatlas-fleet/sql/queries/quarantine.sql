-- Quarantines a site until an operator retries it: $1 shard, $2 host, $3 epoch, $4 reason, $5 holder. Returns the crash
-- that the site is suspected of.
with quarantined as (
  update site set state = 'quarantined', reason = $4, outcome = 'quarantined', visit_began = null
  where shard = $1 and host = $2 and epoch = $3
  returning domain, crash
),
released as (
  update lease l set until = now() from quarantined q where l.domain = q.domain and l.host = $2 and l.holder = $5
)
select crash from quarantined
