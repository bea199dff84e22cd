/** The settings that a worker sends to its walker processes. */
import { fileURLToPath } from "node:url";
import { ProcessWalkers, type WalkerSettings } from "siteatlas-fleet";
import { expect, it, onTestFinished } from "vitest";

const visitor = fileURLToPath(new URL("../support/echo-visitor.mjs", import.meta.url));

it("settings arrive as they are: a limit of Infinity stays one", async () => {
  const settings: WalkerSettings = {
    folder: "tmp",
    userAgent: "test (+https://example.com/)",
    store: "parts",
    visitor,
    concurrency: Number.POSITIVE_INFINITY,
    limits: { sitemaps: Number.POSITIVE_INFINITY, totalBytes: 5, timeMs: undefined },
  };
  const walkers = new ProcessWalkers({ settings, count: 1 });
  onTestFinished(() => walkers.close());
  const result = await walkers.walk({
    request: { host: "example.com" } as never,
    isSuspect: false,
    wasSuspect: false,
    signal: new AbortController().signal,
    until: () => process.hrtime.bigint() + 60_000_000_000n,
    onPause: () => {},
  });
  expect(JSON.parse(result.reason ?? "")).toEqual({
    ...settings,
    concurrency: "Infinity",
    limits: { sitemaps: "Infinity", totalBytes: 5 },
  });
});
