/** Tests the harness itself with deliberate faults, each of which it must find. */
import { openSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Context, type HostileCase, MIB, type Stage } from "../case.ts";
import { urlset } from "../raw-server.ts";

/** Holds leaked memory. */
const kept: unknown[] = [];

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const serve = async (stage: Stage): Promise<{ url: string }> => ({
  url: await stage.http({ "/sitemap.xml": { body: gzipSync(urlset(3)) } }),
});

function faultCase(
  name: string,
  mustFail: string | readonly string[],
  commit: (context: Context) => unknown,
): HostileCase {
  const faults = [mustFail].flat();
  return {
    id: `sec-0-${name}`,
    server: `none: a deliberate fault, ${name}`,
    expected: `the harness reports "${faults.join('", "')}"`,
    mustFail: faults,
    serve,
    async run(context) {
      await commit(context);
      await wait(20);
      return "committed";
    },
  };
}

/** Limits that each fault exceeds. */
const NOTHING = {
  ms: 0,
  cpuMs: 0,
  partMs: 0,
  partMiB: 0,
  wireBytes: 0,
  decodedBytes: 0,
  inflatedBytes: 0,
  requests: 0,
  connections: 0,
};

function spin(ms: number): void {
  const from = process.cpuUsage();
  while (process.cpuUsage(from).user < 1000 * ms);
}

export const cases: readonly HostileCase[] = [
  faultCase("reject", "unhandled rejection", () => void Promise.reject(new Error("nobody cares"))),
  faultCase("throw", "uncaught exception", () => {
    setImmediate(() => {
      throw new Error("nobody catches");
    });
  }),
  faultCase("socket", "connections left at the server", (context) => {
    kept.push(connect(Number(new URL(context.url()).port), "127.0.0.1"));
  }),
  faultCase("timer", "Timeout left", () => void setTimeout(() => {}, 60_000)),
  faultCase("file", "temporary files left", () => writeFileSync(join(tmpdir(), "left"), "")),
  faultCase("open", "file descriptors left", () => kept.push(openSync(process.execPath, "r"))),
  // Much more than the limit: the collector may free memory of the start meanwhile.
  faultCase("memory", "rssMiB", () => kept.push(Buffer.alloc(160 * MIB, 1))),
  // More than the bound, because the bound is multiplied by the slowness of the core (core-speed.ts).
  faultCase("block", "blockedMs", () => spin(1000)),
  faultCase("words", ["reason with control bytes", "value of 600 characters"], (context) => {
    context.tell("\u001b[2J", "reason");
    context.tell("x".repeat(600), "value");
  }),
  faultCase("death", "died", () => process.kill(process.pid, "SIGKILL")),
  faultCase("result", ["it is not so", "two: 1 instead of 2", "threw", "outcome"], async (context) => {
    context.expect(false, "it is not so");
    context.expectEqual(1, 2, "two");
    context.expectSitemap((await context.walk(context.url())).document, { outcome: "failed" });
    throw new Error("nobody catches");
  }),
  {
    ...faultCase(
      "bounds",
      Object.keys(NOTHING).map((name) => `${name} `),
      async (context) => {
        await context.walk(context.url());
        await context.measurePart(() => spin(1));
        await context.measurePartMemory(() => void kept.push(Buffer.alloc(20 * MIB, 1)));
      },
    ),
    bounds: NOTHING,
  },
];
