-- Extends leases that the holder still has: $1 domains, $2 holder, $3 milliseconds. Returns these leases, and whether
-- the site is on the stop list by now.
with renewed as (
  update lease set until = now() + $3 * interval '1 millisecond'
  where domain = any ($1) and holder = $2 and until > now()
  returning domain, host
)
select domain, host, exists (select from stop where name in (renewed.domain, renewed.host)) as "isStopped" from renewed
