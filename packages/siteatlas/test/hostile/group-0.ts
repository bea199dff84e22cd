/** The harness itself: faults of our own making, each of which it must find. */
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HostileCase, MIB } from "./case.ts";

/** What a leak leaks into. */
const kept: unknown[] = [];

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function faultCase(name: string, mustFail: string, commit: (url: string) => unknown): HostileCase {
  return {
    id: `sec-0-${name}`,
    server: `none: our own fault, ${name}`,
    expected: `the harness says "${mustFail}"`,
    mustFail,
    serve: async (stage) => ({ url: await stage.http({}) }),
    async run(context) {
      commit(context.url());
      await wait(20);
      return "committed";
    },
  };
}

export const cases: readonly HostileCase[] = [
  faultCase("rejection", "unhandled rejection", () => void Promise.reject(new Error("nobody cares"))),
  faultCase("exception", "uncaught exception", () =>
    setImmediate(() => {
      throw new Error("nobody catches");
    }),
  ),
  faultCase("socket", "connections left at the server", (url) =>
    kept.push(connect(Number(new URL(url).port), "127.0.0.1")),
  ),
  faultCase("timer", "Timeout left", () => setTimeout(() => {}, 60_000)),
  faultCase("file", "temporary files left", () => writeFileSync(join(tmpdir(), "left"), "")),
  faultCase("memory", "rssMiB", () => kept.push(Buffer.alloc(80 * MIB, 1))),
  faultCase("block", "blockedMs", () => {
    const from = process.cpuUsage();
    while (process.cpuUsage(from).user < 300_000);
  }),
];
