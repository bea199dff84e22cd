-- Commits scale: the due times have a table of their own, the usage of a day has several rows, and vacuum starts early.

-- The due times of all active sites. Because `site.next_due` is in no index, a commit changes a row of `site` in place
-- (HOT) and only the small row here is written anew. Write only to `site`: its triggers keep this table up to date.
create table schedule (
  shard smallint not null,
  tenant text not null,
  next_due timestamptz not null,
  host text not null,
  domain text not null
) partition by list (shard);
create index schedule_due on schedule (tenant, next_due, host);

drop index site_due;

create function schedule_site() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.state = 'active' and new.state = 'active' then
    update schedule set tenant = new.tenant, next_due = new.next_due
    where shard = old.shard and tenant = old.tenant and next_due = old.next_due and host = old.host;
    return null;
  end if;
  if tg_op <> 'INSERT' and old.state = 'active' then
    delete from schedule
    where shard = old.shard and tenant = old.tenant and next_due = old.next_due and host = old.host;
  end if;
  if tg_op <> 'DELETE' and new.state = 'active' then
    insert into schedule (shard, tenant, next_due, host, domain)
    values (new.shard, new.tenant, new.next_due, new.host, new.domain);
  end if;
  return null;
end $$;

create function truncate_schedule() returns trigger language plpgsql as $$
begin
  truncate schedule;
  return null;
end $$;

create trigger schedule_added after insert or delete on site for each row execute function schedule_site();
create trigger schedule_changed after update on site for each row
  when (old.next_due <> new.next_due or old.state <> new.state or old.tenant <> new.tenant)
  execute function schedule_site();
create trigger schedule_emptied after truncate on site for each statement execute function truncate_schedule();

-- Many transactions add to the usage of a day. Each connection has its own row (a slot), so that they do not wait for
-- each other. The usage of a tenant is the sum of its slots.
alter table usage add column slot smallint not null default 0;
alter table usage drop constraint usage_pkey, add primary key (day, tenant, slot);
alter table usage set (
  fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_cost_delay = 0
);

-- A lease is inserted and deleted by each visit, so dead rows soon outnumber the live ones.
alter table lease set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0
);

-- Settings of the partitions, and the partitions of `schedule`. Vacuum starts after 2 % of the rows have changed, not
-- after 20 %. Free space on each page keeps updates in place. In a fleet that exists already, this applies to pages that
-- are filled from now on.
create function tune_shards(count integer) returns void language plpgsql as $$
declare
  vacuum text := 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, '
    'autovacuum_analyze_scale_factor = 0.05';
begin
  for shard in 0 .. count - 1 loop
    execute format('create table schedule_%s partition of schedule for values in (%s) with (%s)', shard, shard, vacuum);
    execute format('alter table site_%s set (fillfactor = 70, %s)', shard, vacuum);
    execute format('alter table sitemap_%s set (fillfactor = 80, %s)', shard, vacuum);
  end loop;
end $$;

-- A fleet that exists already.
select tune_shards(shards) from fleet;
insert into schedule (shard, tenant, next_due, host, domain)
select shard, tenant, next_due, host, domain from site where state = 'active';
