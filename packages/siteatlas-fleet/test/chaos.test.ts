/**
 * In each round a fleet visits its sites while processes, servers, connections and disks fail. Afterwards every page
 * is in the dataset once, no file is left over, no site got too many requests at once, and few requests were sent twice.
 *
 * `CHAOS_ROUNDS` and `CHAOS_SEED` are environment variables. The same seed gives the same faults, but not the same
 * timing. If `CHAOS_LOGS` names a folder, the output of all processes of a failed round is kept there.
 */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { Chaos, createRandom, drawFaults, FAULT_KINDS, type FaultKind } from "./support/chaos.ts";
import {
  countRequests,
  crowdedSites,
  doubleCounts,
  fencedParts,
  leftFolders,
  strayFiles,
} from "./support/invariants.ts";
import { until } from "./support/private-server.mjs";

const ROUNDS = Number(process.env["CHAOS_ROUNDS"] ?? 3);
/** Fixed, so that a failed run in CI can be repeated; `random` draws another one each time. */
const FIXED_SEED = 600;
const { CHAOS_SEED: wanted = String(FIXED_SEED) } = process.env;
const SEED = wanted === "random" ? Date.now() % 1_000_000 : Number(wanted);
const FAULTS_PER_ROUND = 6;
/** Mean time between two faults. */
const PACE_MS = 2000;
/** Requests that were repeated, as a share of those that were needed. */
const MAX_REDONE = 0.05;

const drawn = drawFaults(SEED, ROUNDS, FAULTS_PER_ROUND);
const happened = new Set<string>();

test.each(drawn.map((kinds, at) => ({ round: at + 1, kinds, list: kinds.join(", ") })))(
  `seed ${SEED}, round $round: $list`,
  async ({ round, kinds }) => {
    const seed = SEED + 1000 * round;
    const chaos = await Chaos.start({
      ...{ sites: 250, giant: 300, latencyMs: 40, seed },
      ...{ workers: 3, concurrency: 3, spreadSeconds: 6 },
    });
    try {
      await runFaults(chaos, kinds, createRandom(seed));
      await chaos.fleet.done().catch(({ message }: Error) => chaos.problems.push(message));
      expect(await problemsOf(chaos)).toEqual([]);
    } catch (error) {
      chaos.keepLogs(`chaos-${SEED}-${round}`);
      throw error;
    } finally {
      await chaos.close();
    }
  },
);

test.runIf(ROUNDS * FAULTS_PER_ROUND >= FAULT_KINDS.length)("every kind of fault happened", () => {
  expect([...happened].sort()).toEqual([...FAULT_KINDS].sort());
});

async function runFaults(chaos: Chaos, kinds: readonly FaultKind[], random: () => number): Promise<void> {
  const faults: Promise<void>[] = [];
  const { length } = chaos.fleet.farm.sites;
  await until(async () => (await chaos.fleet.left()) < length, "the first site is done");
  for (const kind of kinds) {
    faults.push(
      chaos.fault(kind).then((left) => {
        // A fault after the last site does not count.
        if (left > 0) happened.add(kind);
      }),
    );
    await wait(PACE_MS * (0.5 + random()));
  }
  await Promise.all(faults);
}

async function problemsOf(chaos: Chaos): Promise<string[]> {
  const { fleet } = chaos;
  const seconds = chaos.seconds.toFixed(1);
  const problems = [...chaos.problems, ...(await fleet.faults())];
  // The processes end before anything is counted, because requests may be in flight.
  for (const code of await chaos.end()) if (code !== 0) problems.push(`a process ended with ${code}`);
  const { ideal, redone } = await countRequests(fleet);
  const percent = ((100 * redone) / ideal).toFixed(1);
  if (redone > MAX_REDONE * ideal) problems.push(`${redone} of ${ideal} requests were repeated`);
  for (const check of [crowdedSites, fencedParts, doubleCounts, strayFiles, leftFolders])
    problems.push(...(await check(fleet)));
  console.info(
    `${seconds} s, ${percent} % of ${ideal} requests repeated, ${chaos.tally()}\n  ${chaos.log.join("\n  ")}`,
  );
  return problems;
}
