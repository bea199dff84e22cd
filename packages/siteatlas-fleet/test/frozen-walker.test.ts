/** A walker process that is frozen (SIGSTOP) is killed, and other processes visit its sites. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 6, latencyMs: 100, shards: 1 });
  await fleet.add();
});

afterAll(() => fleet?.close());

const walkersOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);

test("its sites are retried elsewhere, lose no page, and are not blamed", async () => {
  fleet.feeder();
  const worker = fleet.worker("--stuck", "6");
  const requests = async (): Promise<number> => (await fleet.farm.totals()).requests ?? 0;
  await until(async () => (await requests()) > 0, "the first visit has begun");
  const [frozen] = walkersOf(worker.pid);
  process.kill(frozen!, "SIGSTOP");
  await until(async () => /crashed: .*it did not respond/.test(worker.output()), "the worker notices it");
  await until(async () => !walkersOf(worker.pid).includes(frozen!), "the process is killed");
  await fleet.done();
  const { rows } = await fleet.pool.query(
    "select host, reason from site where state <> 'active' or suspicions > 0 or probation > 0",
  );
  expect(rows).toEqual([]);
  expect(await fleet.faults()).toEqual([]);
});
