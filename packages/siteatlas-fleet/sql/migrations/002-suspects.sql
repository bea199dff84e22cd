-- Suspects: sites that were in a walker process when it crashed. worker/quarantine-policy.ts has the rules.
alter table site
  -- Unexplained crashes of processes that the site was in. Another site may have caused them.
  add column suspicions smallint not null default 0,
  -- Number of further visits under suspicion. The first of them run alone.
  add column probation smallint not null default 0,
  -- The last of these crashes. All sites that were in the process have the same value.
  add column crash uuid;

create index site_crash on site (crash) where crash is not null;
