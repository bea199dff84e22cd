-- Clears the suspects of a crash whose cause was found and quarantined: $1 id of the crash. Skips rows that other statements
-- have locked, because waiting for them could end in a deadlock. Returns the number of these rows.
with suspect as (
  select shard, host from site where crash = $1 and state = 'active' for update skip locked
),
cleared as (
  update site s set
    suspicions = greatest(s.suspicions - 1, 0),
    -- A suspect of an earlier crash stays under suspicion.
    probation = case when s.suspicions > 1 then s.probation else 0 end,
    crash = null
  from suspect w where s.shard = w.shard and s.host = w.host
  returning s.host
)
select (select count(*) from site where crash = $1 and state = 'active') - (select count(*) from cleared) as left
