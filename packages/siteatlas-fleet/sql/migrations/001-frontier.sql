-- The frontier and the truth: which sites there are, when each is due, what is known of it, which parts count.

create type site_state as enum ('active', 'quarantined', 'removed');

-- One row: what cannot change any more.
create table fleet (
  is_only boolean primary key default true check (is_only),
  shards smallint not null check (shards between 1 and 4096),
  created_at timestamptz not null default now()
);

-- On whose behalf sites are visited, and how much that may cost a day (UTC). '*' is the fleet as a whole.
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

-- Partitioned by shard: a hash of the registrable domain, the same as of the queues. Claims change no column that
-- is indexed, and leave room in their page.
create table site (
  shard smallint not null,
  host text not null,
  domain text not null,
  tenant text not null,
  is_plain boolean not null default false,
  state site_state not null default 'active',
  next_due timestamptz not null default now(),
  -- Counts claims: who commits with an earlier one is refused.
  epoch integer not null default 0,
  -- Claims since a visit last ended by itself: with one, it may be what the worker died of.
  begun smallint not null default 0,
  -- The visit under way or last, when it began if it is not over, and how many of its legs were committed.
  visit integer not null default 0,
  visit_began timestamptz,
  leg integer not null default 0,
  -- Pages that changed in the legs so far.
  visit_changes integer not null default 0,
  -- Visits in a row without a change, and that failed.
  quiet smallint not null default 0,
  failures smallint not null default 0,
  visited_at timestamptz,
  outcome text,
  reason text,
  page_count bigint,
  sitemap_count integer,
  -- From one request to the next, as measured last.
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
  -- The visit that told of it last.
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
  -- The part that holds its pages as they are, and whether these are not all.
  part bigint,
  is_partial boolean not null default false,
  primary key (shard, host, url_key)
) partition by list (shard);

create index sitemap_part on sitemap (part) where part is not null;

-- Files that count. One whose pages were written anew elsewhere (compaction) is replaced, and deleted later.
create sequence part_id;
create table part (
  id bigint primary key default nextval('part_id'),
  dataset text not null,
  key text not null unique,
  shard smallint not null,
  day date not null,
  row_count integer not null,
  byte_count bigint not null,
  -- Absent once it holds several sites.
  host text,
  epoch integer,
  committed_at timestamptz not null default now(),
  replaced_at timestamptz
);
create index part_live on part (dataset, shard, day) where replaced_at is null;
create index part_replaced on part (replaced_at) where replaced_at is not null;

-- One visit at a time for each registrable domain, and none before it asked to be left alone.
create table lease (
  domain text primary key,
  shard smallint not null,
  host text not null,
  holder text not null,
  until timestamptz not null,
  not_before timestamptz
) with (fillfactor = 50);

-- The stop list: hosts and registrable domains that nobody visits.
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
