-- Shortens the probation of the suspects of a crash whose cause was found and quarantined: $1 id of the crash, $2 visits
-- that are left of the probation. Skips rows that other statements have locked, because waiting for them could end in a
-- deadlock. Returns the number of these rows.
with suspect as (
  select shard, host from site where crash = $1 and state = 'active' for update skip locked
),
cleared as (
  update site s set
    -- A suspect of an earlier crash keeps its probation.
    suspicions = case when s.suspicions > 1 then s.suspicions - 1 else s.suspicions end,
    probation = case when s.suspicions > 1 then s.probation else least(s.probation, $2) end,
    crash = null
  from suspect w where s.shard = w.shard and s.host = w.host
  returning s.host
)
select (select count(*) from site where crash = $1 and state = 'active') - (select count(*) from cleared) as left
