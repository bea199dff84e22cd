-- The store belongs to one fleet: its object fleet.json has the id of the fleet (dataset/store-owner.ts).
alter table fleet
  add column id uuid not null default gen_random_uuid(),
  -- Number of sweeps. The store has the same number, so a database that was restored from a backup is noticed.
  add column sweeps bigint not null default 0,
  -- When the fleet wrote its id into its store.
  add column store_claimed_at timestamptz;
