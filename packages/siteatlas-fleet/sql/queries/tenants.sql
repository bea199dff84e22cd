-- Tenants with budget left today. None, if the budget of the whole fleet (*) is spent.
with spent as (
  select
    t.name,
    coalesce(u.requests >= t.requests_per_day, false) or coalesce(u.bytes >= t.bytes_per_day, false) as is_over
  from tenant t
  left join usage u on u.tenant = t.name and u.day = (now() at time zone 'utc')::date
)
select name from spent
where name <> '*' and not is_over and not exists (select from spent where name = '*' and is_over)
order by name
