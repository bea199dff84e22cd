-- Removed sites whose rows must be erased from all files. Compaction writes these files again without their rows.
create table removal (
  shard smallint not null,
  host text not null,
  removed_at timestamptz not null default now(),
  -- Number of compactions that have erased the site. After the second one, the row is deleted.
  erasures smallint not null default 0,
  primary key (shard, host)
);

-- Hashes of the hosts whose rows the file has (hostHash). Null if the file has one host, or if it is older than this
-- column: then any host may be in it.
alter table part add column hosts integer[];
