-- The frontier: all sites, when each is due, what is known about it, and which part files make up the datasets.

create type site_state as enum ('active', 'quarantined', 'removed');

-- One row, with settings that cannot change.
create table fleet (
  is_only boolean primary key default true check (is_only),
  shards smallint not null check (shards between 1 and 4096),
  created_at timestamptz not null default now()
);

-- Owners of sites, with their budget per UTC day. '*' is the whole fleet.
create table tenant (
  name text primary key,
  max_sites bigint,
  requests_per_day bigint,
  bytes_per_day bigint
);
insert into tenant (name) values ('*'), ('default');

create table usage (
  tenant text not null,
  day date not null,
  visits bigint not null default 0,
  requests bigint not null default 0,
  bytes bigint not null default 0,
  pages bigint not null default 0,
  primary key (day, tenant)
);

-- Partitioned by shard, a hash of the registrable domain, like the queues. A claim changes no indexed column, so the
-- row is updated in place (HOT).
create table site (
  shard smallint not null,
  host text not null,
  domain text not null,
  tenant text not null,
  is_plain boolean not null default false,
  state site_state not null default 'active',
  next_due timestamptz not null default now(),
  -- Number of claims. A commit with an earlier epoch is rejected.
  epoch integer not null default 0,
  -- Claims in a row that were neither committed nor released. From 1 on, the site may be the cause of a crash.
  begun smallint not null default 0,
  -- The current or last visit, its start unless it is over, and the number of its parts ("legs") that were committed.
  visit integer not null default 0,
  visit_began timestamptz,
  leg integer not null default 0,
  -- Pages that changed in the committed parts of this visit.
  visit_changes integer not null default 0,
  -- Visits in a row without a change (negative: with a change), and visits in a row that failed.
  quiet smallint not null default 0,
  failures smallint not null default 0,
  visited_at timestamptz,
  outcome text,
  reason text,
  page_count bigint,
  sitemap_count integer,
  -- Mean time per request, as measured last.
  request_ms integer,
  snapshot text,
  primary key (shard, host)
) partition by list (shard);

create index site_due on site (tenant, next_due, host) where state = 'active';
create index site_quarantined on site (host) where state = 'quarantined';

create table sitemap (
  shard smallint not null,
  host text not null,
  url_key uuid not null,
  url text not null,
  -- The last visit that reported it.
  visit integer not null,
  outcome text not null,
  code text,
  kind text not null,
  format text,
  status smallint,
  etag text,
  last_modified text,
  content_hash bytea,
  page_count integer not null,
  -- The part file that has its current pages, and whether some are missing there.
  part bigint,
  is_partial boolean not null default false,
  primary key (shard, host, url_key)
) partition by list (shard);

create index sitemap_part on sitemap (part) where part is not null;

-- Part files of the datasets. Compaction marks a file as replaced; sweeping deletes it later.
create sequence part_id;
create table part (
  id bigint primary key default nextval('part_id'),
  dataset text not null,
  key text not null unique,
  shard smallint not null,
  day date not null,
  row_count integer not null,
  byte_count bigint not null,
  -- Null if it holds several sites.
  host text,
  epoch integer,
  committed_at timestamptz not null default now(),
  replaced_at timestamptz
);
create index part_live on part (dataset, shard, day) where replaced_at is null;
create index part_replaced on part (replaced_at) where replaced_at is not null;

-- One visit at a time per registrable domain, and none before a pause that its server asked for is over.
create table lease (
  domain text primary key,
  shard smallint not null,
  host text not null,
  holder text not null,
  until timestamptz not null,
  not_before timestamptz
) with (fillfactor = 50);

-- The stop list: hosts and registrable domains that must not be visited.
create table stop (
  name text primary key,
  reason text,
  since timestamptz not null default now()
);

create function create_shards(count integer) returns void language plpgsql as $$
begin
  for shard in 0 .. count - 1 loop
    execute format('create table site_%s partition of site for values in (%s) with (fillfactor = 80)', shard, shard);
    execute format('create table sitemap_%s partition of sitemap for values in (%s)', shard, shard);
  end loop;
end $$;
