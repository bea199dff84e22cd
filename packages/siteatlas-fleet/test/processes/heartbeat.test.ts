/** The heartbeat of walker processes, with a clock of its own. */
import { expect, onTestFinished, test } from "vitest";
import { Heartbeat } from "../../src/processes/heartbeat.ts";

function start(): { heartbeat: Heartbeat; after: (ms: number) => void; seen: string[] } {
  const seen: string[] = [];
  let at = 0;
  const heartbeat = new Heartbeat({
    frozenMs: () => 5000,
    ping: () => seen.push("ping"),
    onFrozen: () => seen.push("frozen"),
    now: () => at,
  });
  onTestFinished(() => heartbeat.end());
  const after = (ms: number): void => {
    at += ms;
    heartbeat.check();
  };
  return { heartbeat, after, seen };
}

test("a process that answers stays, one that sends nothing is frozen", () => {
  const { heartbeat, after, seen } = start();
  for (let second = 0; second < 20; second++) {
    after(1000);
    heartbeat.hear();
  }
  expect(seen).toEqual(Array.from({ length: 20 }, () => "ping"));
  for (let second = 0; second < 6; second++) after(1000);
  expect(seen.slice(20)).toEqual(["ping", "ping", "ping", "ping", "ping", "frozen"]);
});

test("if the worker itself was suspended, the process gets its full time again", () => {
  const { after, seen } = start();
  after(60_000);
  expect(seen).toEqual(["ping"]);
  for (let second = 0; second < 5; second++) after(1000);
  expect(seen).not.toContain("frozen");
  after(1000);
  expect(seen).toContain("frozen");
});
