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
