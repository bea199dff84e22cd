-- Holds leases for longer: $1 domains, $2 holder, $3 how long in milliseconds. Those that were, and whether somebody
-- has stopped them meanwhile.
with renewed as (
  update lease set until = now() + $3 * interval '1 millisecond'
  where domain = any ($1) and holder = $2 and until > now()
  returning domain, host
)
select domain, host, exists (select from stop where name in (renewed.domain, renewed.host)) as is_stopped from renewed
