/** The database is restored from a backup, after visits, compaction and a sweep have changed the store. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 20, shards: 2 });
  await fleet.add();
  await visitAll();
});

afterAll(() => fleet?.close());

async function visitAll(): Promise<void> {
  const workers = [fleet.feeder(), fleet.worker()];
  await fleet.done();
  await Promise.all(workers.map((worker) => worker.end()));
}

test("after a restore and a repair, the export is what the sites declare", async () => {
  const backup = await fleet.postgres.backUp();
  await fleet.farm.change(0.5);
  await fleet.pool.query("update site set next_due = now()");
  await visitAll();
  await fleet.run("compact", "--grace", "0");
  expect(await fleet.faults()).toEqual([]);

  await fleet.postgres.restore(backup);
  await expect(fleet.run("compact", "--grace", "0")).rejects.toThrow(/older than the store.*\n.*repair/s);
  await expect(fleet.run("export")).rejects.toThrow(/does not have \d+ files?.*\n.*repair/s);
  await fleet.run("repair");
  await fleet.run("export");
  await visitAll();
  expect(await fleet.faults()).toEqual([]);

  await fleet.run("compact", "--grace", "0");
  expect(await fleet.faults()).toEqual([]);
});
