/** When sites are due, in simulated time: 200 sites over several days. */
import { describe, expect, test } from "vitest";
import { Schedule, type ScheduleOptions } from "../../../src/sync/watch/watch-schedule.ts";

const MINUTE = 60_000;
const every = 15 * MINUTE;

/** A seeded pseudo-random generator. */
function chance(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

interface Start {
  readonly site: string;
  readonly at: number;
}

interface World {
  readonly schedule: Schedule;
  readonly starts: Start[];
  /** The largest number of concurrent syncs. */
  most: number;
}

/** Simulates time with syncs of the given duration and outcome, at most `sites` at once. */
function run(
  names: readonly string[],
  minutes: number,
  {
    options = {},
    sites = 8,
    takesMs = () => MINUTE,
    outcome = () => "changed" as const,
  }: {
    options?: Partial<ScheduleOptions>;
    sites?: number;
    takesMs?: (site: string) => number;
    outcome?: (site: string) => "changed" | "unchanged" | "failed";
  } = {},
): World {
  const schedule = new Schedule({ everyMs: every, random: chance(), ...options });
  const world: World = { schedule, starts: [], most: 0 };
  for (const name of names) schedule.add(name, 0);
  const running: { site: string; endsAt: number }[] = [];
  for (let now = 0; now <= minutes * MINUTE; ) {
    for (const done of running.filter(({ endsAt }) => endsAt <= now)) {
      running.splice(running.indexOf(done), 1);
      schedule.end(done.site, now, outcome(done.site));
    }
    while (running.length < sites) {
      const site = schedule.take(now);
      if (site === undefined) break;
      expect(running.some((other) => other.site === site)).toBe(false);
      running.push({ site, endsAt: now + takesMs(site) });
      world.starts.push({ site, at: now });
    }
    expect(schedule.runningCount).toBe(running.length);
    world.most = Math.max(world.most, running.length);
    const next = running.length < sites ? schedule.nextAt() : Number.POSITIVE_INFINITY;
    now = Math.max(now + 1, Math.min(next, ...running.map(({ endsAt }) => endsAt)));
  }
  return world;
}

const startsOf = ({ starts }: World, site: string): number[] =>
  starts.filter((start) => start.site === site).map(({ at }) => at);

describe("a site that changes", () => {
  test("stays on its grid, however long syncs take and whatever jitter adds", () => {
    const week = 7 * 24 * 60;
    const starts = startsOf(run(["a"], week, { takesMs: () => 4 * MINUTE }), "a");
    expect(starts).toHaveLength(week / 15 + 1);
    for (const [number, at] of starts.entries()) {
      expect(Math.abs(at - number * every)).toBeLessThanOrEqual(0.1 * every + 1);
    }
    expect(new Set(starts.map((at) => at % every)).size).toBeGreaterThan(100);
  });

  test("skips the times that a long sync missed, and returns to the grid", () => {
    const starts = startsOf(run(["a"], 300, { options: { jitter: 0 }, takesMs: () => 40 * MINUTE }), "a");
    expect(starts).toEqual([0, 45, 90, 135, 180, 225, 270].map((minute) => minute * MINUTE));
  });
});

test("200 sites: never two syncs of one site, never more than allowed in total, spread by their first syncs", () => {
  const names = Array.from({ length: 200 }, (_, number) => `site-${number}`);
  const world = run(names, 24 * 60, { takesMs: (site) => (Number(site.slice(5)) % 7) * 10_000 });
  expect(world.most).toBe(8);
  for (const name of names) {
    const starts = startsOf(world, name);
    expect(starts.length).toBeGreaterThanOrEqual(95);
    for (const [number, at] of starts.entries()) {
      expect(Math.abs(at - starts[0]! - number * every)).toBeLessThanOrEqual(0.2 * every);
    }
  }
  const second = names.map((name) => startsOf(world, name)[1]!);
  expect(Math.max(...second) - Math.min(...second)).toBeGreaterThan(every / 10);
});

describe("the interval", () => {
  const gaps = (starts: readonly number[]): number[] =>
    starts.slice(1).map((at, number) => (at - starts[number]!) / every);

  test("doubles with every four syncs without a change, up to eight times, and falls back after a change", () => {
    let isQuiet = true;
    const outcome = () => (isQuiet ? "unchanged" : "changed") as "unchanged" | "changed";
    const quiet = gaps(startsOf(run(["a"], 40 * 60, { options: { jitter: 0 }, outcome }), "a"));
    expect(quiet.slice(0, 14)).toEqual([1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 8, 8, 8]);
    isQuiet = false;
    expect(gaps(startsOf(run(["a"], 200, { options: { jitter: 0 }, outcome }), "a"))).toEqual(
      Array.from({ length: 13 }, () => 1),
    );
  });

  test("doubles with each failure, up to the maximum", () => {
    const options = { jitter: 0, maxEveryMs: 60 * MINUTE };
    const failing = gaps(startsOf(run(["a"], 8 * 60, { options, outcome: () => "failed" }), "a"));
    expect(failing).toEqual([2, 4, 4, 4, 4, 4, 4, 4]);
  });
});

describe("after a restart", () => {
  test("a recently synced site waits, and an overdue one starts at once", () => {
    const schedule = new Schedule({ everyMs: every, jitter: 0 });
    const now = 1_000_000_000;
    schedule.add("fresh", now, { at: now - 5 * MINUTE, quiet: 0 });
    schedule.add("quiet", now, { at: now - 5 * MINUTE, quiet: 4 });
    schedule.add("overdue", now, { at: now - 500 * MINUTE, quiet: 0 });
    schedule.add("new", now);
    expect([schedule.take(now), schedule.take(now), schedule.take(now)]).toEqual([
      "overdue",
      "new",
      undefined,
    ]);
    expect(schedule.nextAt()).toBe(now + 10 * MINUTE);
    expect(schedule.take(now + 10 * MINUTE)).toBe("fresh");
    expect(schedule.nextAt()).toBe(now + 25 * MINUTE);
  });

  test("a last sync in the future, from a wrong clock, delays a site by one interval at most", () => {
    const schedule = new Schedule({ everyMs: every, jitter: 0 });
    const now = 1_000_000_000;
    schedule.add("ahead", now, { at: now + 5 * 365 * 24 * 60 * MINUTE, quiet: 0 });
    expect(schedule.take(now)).toBeUndefined();
    expect(schedule.nextAt()).toBe(now + every);
  });
});

describe("a beat is overdue", () => {
  const options = { everyMs: every, maxEveryMs: 4 * every, jitter: 0 };

  test("if its sync does not start within an interval, which grows for a site without changes", () => {
    const schedule = new Schedule(options);
    schedule.add("due", 0);
    schedule.add("quiet", 0, { at: 0, quiet: 4 });
    expect([schedule.lagMs(every), schedule.overdue(every)]).toEqual([every, []]);
    expect(schedule.overdue(every + 1)).toEqual(["due"]);
    expect([schedule.intervalMs("quiet"), schedule.intervalMs("none")]).toEqual([2 * every, undefined]);
    expect(schedule.overdue(4 * every)).toEqual(["due"]);
    expect(schedule.overdue(4 * every + 1)).toEqual(["due", "quiet"]);
  });

  test("if its sync runs for longer than the longest interval", () => {
    const schedule = new Schedule(options);
    schedule.add("a", 0);
    schedule.take(0);
    expect(schedule.overdue(4 * every)).toEqual([]);
    expect(schedule.overdue(4 * every + 1)).toEqual(["a"]);
    schedule.end("a", 4 * every + 1, "changed");
    expect([schedule.overdue(4 * every + 1), schedule.lagMs(4 * every + 1)]).toEqual([[], 0]);
  });

  test("unless the site was removed, which lets its sync end", () => {
    const schedule = new Schedule(options);
    schedule.add("a", 0);
    schedule.take(0);
    schedule.remove("a");
    expect([schedule.isRunning("a"), schedule.overdue(100 * every)]).toEqual([true, []]);
    schedule.add("a", 100 * every);
    expect(schedule.take(100 * every)).toBeUndefined();
    schedule.end("a", 100 * every, "changed");
    expect(schedule.take(100 * every)).toBe("a");
  });
});
