/** Sites that kill whoever visits them: out of memory, an endless loop, an abort. */
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";
import type { FarmSite } from "./support/site-farm.mjs";

const VISITOR = fileURLToPath(new URL("./support/poison-visitor.mjs", import.meta.url));
const POISONS = ["out-of-memory", "endless loop", "abort"] as const;

let fleet: Fleet;
let poisonous: readonly FarmSite[];

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 60, latencyMs: 20, shards: 2 });
  poisonous = fleet.farm.sites.filter(({ shape }) => shape === "plain").slice(0, POISONS.length);
  process.env["POISON"] = poisonous.map(({ host }, at) => `${host}=${POISONS[at]}`).join(",");
  await fleet.add();
  fleet.feeder();
  for (let number = 0; number < 2; number++) {
    fleet.worker("--visitor", VISITOR, "--memory", "128", "--stuck", "3");
  }
  await fleet.done(100_000);
}, 120_000);

afterAll(() => fleet?.close());

test("they are quarantined after two crashes, with the reason", async () => {
  const listed = (await fleet.run("quarantine")).trim().split("\n");
  const sites = listed.map((line) => JSON.parse(line) as { host: string; reason: string });
  expect(sites.map(({ host }) => host).sort()).toEqual(poisonous.map(({ host }) => host).sort());
  for (const { reason } of sites) expect(reason).toMatch(/the walking process ended: (SIG|exit code)/);
  const said = fleet.processes.map(({ output }) => output()).join("\n");
  for (const { host } of poisonous) {
    const crashes = said.split("\n").filter((line) => line.startsWith(`${host}: crashed`));
    expect(crashes, host).toHaveLength(2);
  }
});

test("their neighbours are unharmed: every page is there once, the worker lives", async () => {
  const healthy = fleet.farm.sites.filter((site) => !poisonous.includes(site));
  expect(await fleet.faults(healthy)).toEqual([]);
  for (const { process } of fleet.processes) expect(process.exitCode).toBeNull();
});

test("one that was cured is visited again when somebody says so", async () => {
  const [site] = poisonous;
  await Promise.all(fleet.processes.slice(1).map((worker) => worker.end()));
  delete process.env["POISON"];
  fleet.worker();
  await fleet.run("retry", site!.host);
  await fleet.done();
  expect(await fleet.faults([site!])).toEqual([]);
});

test("a process that cannot start says nothing about sites: none is quarantined, and the reason is told", async () => {
  await Promise.all(fleet.processes.slice(1).map((worker) => worker.end()));
  const [, second] = poisonous;
  await fleet.run("retry", second!.host);
  const broken = fleet.worker("--visitor", "/nowhere/visitor.mjs");
  await until(async () => broken.output().includes("/nowhere/visitor.mjs"), "the worker tells why");
  broken.kill();
  const { rows } = await fleet.pool.query("select state from site where host = $1", [second!.host]);
  expect(rows).toEqual([{ state: "active" }]);
});
