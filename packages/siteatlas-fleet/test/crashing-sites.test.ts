/**
 * Sites that crash the process that visits them: out of memory, an endless loop, an abort, an abort at every other
 * visit. All sites share two walker processes of one worker. `npm run fleet:crashes` has 200 honest sites.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";
import type { FarmSite } from "./support/site-farm.mjs";

const POISONS = ["out-of-memory", "endless loop", "abort", "every other visit"] as const;
const HONEST = Number(process.env["HONEST_SITES"] ?? 56);

let fleet: Fleet;
let poisonous: readonly FarmSite[];

beforeAll(async () => {
  fleet = await Fleet.start({ sites: HONEST + POISONS.length, latencyMs: 20, shards: 2 });
  const readable = fleet.farm.sites.filter(({ isReadable }) => isReadable);
  const step = Math.floor(readable.length / POISONS.length);
  poisonous = POISONS.map((_, at) => readable[at * step]!);
  const visitor = new URL("./support/poison-visitor.mjs", import.meta.url);
  for (const [at, { host }] of poisonous.entries()) visitor.searchParams.set(host, POISONS[at]!);
  visitor.searchParams.set("folder", join(fleet.dir, "poisons"));
  mkdirSync(join(fleet.dir, "poisons"));
  await fleet.add();
  fleet.feeder();
  fleet.worker("--visitor", visitor.href, "--walkers", "2", "--memory", "128", "--stuck", "6");
  await fleet.done();
  // The site that crashes at every other visit has finished its second one, alone. That does not clear it, even if it
  // shared its first crash with another of these sites.
  const { host } = poisonous.at(-1)!;
  await fleet.pool.query("update site set next_due = now() where host = $1", [host]);
  await until(async () => (await stateOf(host)) === "quarantined", "its third visit crashes");
});

afterAll(() => fleet?.close());

async function stateOf(host: string): Promise<string> {
  const { rows } = await fleet.pool.query<{ state: string }>("select state from site where host = $1", [
    host,
  ]);
  return rows[0]!.state;
}

test("they are quarantined after two crashes, with the reason", async () => {
  const listed = (await fleet.run("quarantine")).trim().split("\n");
  const sites = listed.map((line) => JSON.parse(line) as { host: string; reason: string });
  expect(sites.map(({ host }) => host).sort()).toEqual(poisonous.map(({ host }) => host).sort());
  for (const { reason } of sites)
    expect(reason).toMatch(/^the walker process ended: (SIG\w+|exit code \d+)$/);
  const lines = fleet.processes.flatMap(({ output }) => output().split("\n"));
  for (const { host } of poisonous) {
    // On a busy machine, a process may be killed because it does not respond. No site is blamed for that.
    const crashes = lines.filter(
      (line) => line.startsWith(`${host}: crashed`) && !line.includes("it did not respond"),
    );
    expect(crashes.length, crashes.join("\n")).toBe(2);
  }
});

test("sites in the same process lose no page, and the worker survives", async () => {
  const healthy = fleet.farm.sites.filter((site) => !poisonous.includes(site));
  expect(healthy).toHaveLength(HONEST);
  expect(await fleet.faults(healthy)).toEqual([]);
  for (const { process } of fleet.processes) expect(process.exitCode).toBeNull();
});

test("sites in the same process were suspects, and their next two visits clear them", async () => {
  const lines = fleet.processes.flatMap(({ output }) => output().split("\n"));
  const hosts = new Set(poisonous.map(({ host }) => host));
  const suspects = lines.filter((line) => /: crashed: .* while it visited \d+ sites$/.test(line));
  expect(suspects.length).toBeGreaterThan(10);
  const charged = async (condition: string): Promise<string[]> => {
    const { rows } = await fleet.pool.query<{ host: string }>(`select host from site where ${condition}`);
    return rows.map(({ host }) => host).filter((host) => !hosts.has(host));
  };
  // The cause of each crash was found.
  expect(await charged("state <> 'active' or begun > 0 or suspicions > 1 or probation > 2")).toEqual([]);
  for (let visit = 0; visit < 2; visit++) {
    await fleet.pool.query("update site set next_due = now() where probation > 0 and state = 'active'");
    await fleet.done();
  }
  expect(await charged("state <> 'active' or begun > 0 or suspicions > 0 or probation > 0")).toEqual([]);
});

test("retry visits a quarantined site again", async () => {
  const [site] = poisonous;
  await Promise.all(fleet.processes.slice(1).map((worker) => worker.end()));
  fleet.worker();
  await fleet.run("retry", site!.host);
  await fleet.done();
  expect(await fleet.faults([site!])).toEqual([]);
});

test("a walker process that cannot start quarantines no site, and the worker logs the reason", async () => {
  await Promise.all(fleet.processes.slice(1).map((worker) => worker.end()));
  const [, second] = poisonous;
  await fleet.run("retry", second!.host);
  const broken = fleet.worker("--visitor", "/nowhere/visitor.mjs");
  await until(async () => broken.output().includes("/nowhere/visitor.mjs"), "the worker logs the reason");
  broken.kill();
  expect(await stateOf(second!.host)).toBe("active");
});
