import { expect, it } from "vitest";
import { DocumentLimits } from "../../../src/walk/document/document-limits.ts";
import { readLimits } from "../../../src/walk/options.ts";

it("cpuMs counts the time of parsing, not of other work on a busy machine", () => {
  const limits = new DocumentLimits(readLimits({ cpuMs: 30 }), () => 0);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  limits.measure(() => Atomics.wait(cell, 0, 0, 100));
  expect(limits.breach).toBeUndefined();
  const from = process.cpuUsage();
  limits.measure(() => {
    for (let spent = 0; spent < 40_000; ) {
      const { user, system } = process.cpuUsage(from);
      spent = user + system;
    }
  });
  expect(limits.breach).toMatchObject({ code: "limit.cpu" });
});
