-- Pauses a domain, because its server sent Retry-After: $1 domain, $2 milliseconds. A longer pause stays.
insert into lease as l (domain, shard, host, holder, until, not_before)
values ($1, 0, '', '', now(), now() + $2 * interval '1 millisecond')
on conflict (domain) do update set not_before = greatest(l.not_before, excluded.not_before)
