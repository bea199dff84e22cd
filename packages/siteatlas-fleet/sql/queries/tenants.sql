-- Tenants with budget left today. None, if the budget of the whole fleet (*) is spent.
with spent as (
  select
    t.name,
    coalesce(today.requests >= t.requests_per_day, false) or coalesce(today.bytes >= t.bytes_per_day, false) as is_over
  from tenant t
  cross join lateral (
    select sum(u.requests) as requests, sum(u.bytes) as bytes
    from usage u where u.day = (now() at time zone 'utc')::date and u.tenant = t.name
  ) today
)
select name from spent
where name <> '*' and not is_over and not exists (select from spent where name = '*' and is_over)
order by name
