-- Small snapshots are in the database: a file of its own for each would be most of the cost of a short visit.
-- site.snapshot is then 'database'. Otherwise it is the key of an object in the store. A table of its own, because a
-- claim copies the whole row of the site.
create table snapshot (
  shard smallint not null,
  host text not null,
  data bytea not null,
  primary key (shard, host)
) partition by list (shard);
alter table snapshot alter column data set storage external;

-- Packs that a worker is about to store, by their keys. A commit needs this row and deletes it. A sweep deletes old
-- rows, and from then on the file may be deleted: a worker that was frozen meanwhile cannot commit it.
create table upload (
  key text primary key,
  began_at timestamptz not null default now()
);

create or replace function create_shards(count integer) returns void language plpgsql as $$
begin
  for shard in 0 .. count - 1 loop
    execute format('create table if not exists site_%s partition of site for values in (%s) with (fillfactor = 80)', shard, shard);
    execute format('create table if not exists sitemap_%s partition of sitemap for values in (%s)', shard, shard);
    execute format('create table if not exists snapshot_%s partition of snapshot for values in (%s) with (fillfactor = 60)', shard, shard);
  end loop;
end $$;

select create_shards(shards) from fleet;
