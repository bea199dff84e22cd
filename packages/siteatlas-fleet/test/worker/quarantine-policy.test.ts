/** The decisions after crashes of walker processes. No process is started here. */
import { expect, test } from "vitest";
import { WalkerCrash } from "../../src/processes/visit-runner.ts";
import {
  mustBeAlone,
  provesGuilt,
  SHORT_PROBATION,
  type Suspicion,
  suspicionAfter,
} from "../../src/worker/quarantine-policy.ts";

const CLEAR: Suspicion = { begun: 0, suspicions: 0, probation: 0 };
const ID = "00000000-0000-0000-0000-000000000000";
const shared = new WalkerCrash("it ended", { wasAlone: false, id: ID, wasFrozen: false });
const alone = new WalkerCrash("it ended", { wasAlone: true, id: ID, wasFrozen: false });

/** The suspicion after a crash, or `quarantined`. */
function crash(before: Suspicion, how: WalkerCrash): Suspicion | "quarantined" {
  return provesGuilt(how, before) ? "quarantined" : { begun: before.begun + 1, ...suspicionAfter(before) };
}

/** Changes the suspicion as commit.sql does when a visit ends. */
function finish({ suspicions, probation }: Suspicion): Suspicion {
  return { begun: 0, suspicions: probation <= 1 ? 0 : suspicions, probation: Math.max(0, probation - 1) };
}

interface Site {
  readonly isAlone: boolean;
  readonly visit: number;
}

/** Visits a site until it is quarantined. Returns the number of its crashes, and of visits in shared processes. */
function follow(
  crashes: (site: Site) => boolean,
  visits: number,
): { crashes: number; isQuarantined: boolean } {
  let state = CLEAR;
  let count = 0;
  for (let visit = 1; visit <= visits; visit++) {
    const isAlone = mustBeAlone(state);
    if (!crashes({ isAlone, visit })) {
      state = finish(state);
      continue;
    }
    count++;
    const after = crash(state, isAlone ? alone : shared);
    if (after === "quarantined") return { crashes: count, isQuarantined: true };
    state = after;
  }
  return { crashes: count, isQuarantined: false };
}

test.each([
  ["always", 2, () => true],
  ["at every other visit", 2, ({ visit }: Site) => visit % 2 === 1],
  ["at every fourth visit", 2, ({ visit }: Site) => visit % 4 === 1],
  ["only in company", 3, ({ isAlone }: Site) => !isAlone],
] as const)("a site that crashes %s is quarantined after %i crashes", (_, crashes, isCrash) => {
  expect(follow(isCrash, 100)).toEqual({ crashes, isQuarantined: true });
});

test("one crash of another site makes a site run alone, and its probation ends", () => {
  const suspect = crash(CLEAR, shared) as Suspicion;
  expect(mustBeAlone(suspect)).toBe(true);
  let state = suspect;
  let aloneVisits = 0;
  for (let visit = 0; visit < 20; visit++) {
    if (mustBeAlone(state)) aloneVisits++;
    state = finish(state);
  }
  expect(aloneVisits).toBe(4 + SHORT_PROBATION);
  expect(state).toEqual(CLEAR);
});

test("when another site is found to be the cause, two visits alone clear a suspect, and a crash in them does not", () => {
  // As clear-suspects.sql does.
  const suspect: Suspicion = { ...(crash(CLEAR, shared) as Suspicion), probation: SHORT_PROBATION };
  const [first, second] = [suspect, finish(suspect)];
  expect([first, second].map(mustBeAlone)).toEqual([true, true]);
  expect(finish(second)).toEqual(CLEAR);
  expect([first, second].map((state) => crash(state, alone))).toEqual(["quarantined", "quarantined"]);
});

test("a visit that did not finish because the worker died makes the next crash count", () => {
  expect(crash({ ...CLEAR, begun: 1 }, alone)).toBe("quarantined");
  expect(crash(CLEAR, alone)).not.toBe("quarantined");
});
