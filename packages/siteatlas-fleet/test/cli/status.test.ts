/** The command `status`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "../support/fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 3, shards: 2 });
});

afterAll(() => fleet?.close());

test("removed sites are not counted, and stay removed", async () => {
  const [first, second, third] = fleet.farm.sites.map(({ homepage }) => homepage);
  await fleet.add();
  await fleet.run("remove", second!, third!);
  expect(await fleet.run("status")).toMatch(/1 active, 0 quarantined[\s\S]*visited +░+ 0\.0 % {2}\(0 of 1\)/);
  await fleet.run("quarantine", first!, second!);
  await fleet.run("retry", "--quarantined");
  expect(JSON.parse(await fleet.run("status", "--json"))).toMatchObject({
    sites: { active: 1, quarantined: 0, removed: 2, never: 1 },
  });
});

test("status says why due sites wait", async () => {
  const statement = `
    insert into site (shard, host, domain, tenant) values
      (0, 'www.busy.example', 'busy.example', 'default'), (0, 'busy.example', 'busy.example', 'default'),
      (0, 'paused.example', 'paused.example', 'default'), (0, 'stopped.example', 'stopped.example', 'default'),
      (0, 'poor.example', 'poor.example', 'poor'), (0, 'free.example', 'free.example', 'default');
    insert into tenant (name, requests_per_day) values ('poor', 5);
    insert into usage (tenant, day, slot, requests) values
      ('poor', (now() at time zone 'utc')::date, 0, 2), ('poor', (now() at time zone 'utc')::date, 1, 3);
    insert into stop (name) values ('stopped.example');
    insert into lease (domain, shard, host, holder, until, not_before) values
      ('busy.example', 0, 'busy.example', 'a', now() + interval '1 hour', null),
      ('paused.example', 0, '', '', now(), now() + interval '1 hour')`;
  await fleet.pool.query("truncate site, sitemap, lease");
  await fleet.pool.query(statement);
  expect(JSON.parse(await fleet.run("status", "--json"))).toMatchObject({
    waiting: { visit: 1, worker: 1, domain: 1, pause: 1, budget: 1, stop: 1 },
  });
  const text = await fleet.run("status");
  expect(text).toContain("1 being visited\n");
  expect(text).toContain("1 wait for a worker; none is in a queue: is a scheduler (feed) running?\n");
  expect(text).toContain("1 wait for another site of their domain\n");
  expect(text).toContain("1 wait because their server asked for a pause\n");
  expect(text).toContain("1 wait for tomorrow, because the budget of today is spent\n");
  expect(text).toContain("1 wait because they are on the stop list\n");
});
