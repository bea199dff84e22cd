import { expect, it } from "vitest";
import { DocumentMeter } from "../../src/walk/document-meter.ts";
import { readLimits } from "../../src/walk/options.ts";

it("cpuMs counts the time that parsing took, not that of a busy machine", () => {
  const meter = new DocumentMeter(readLimits({ cpuMs: 30 }), () => 0);
  const cell = new Int32Array(new SharedArrayBuffer(4));
  meter.measure(() => Atomics.wait(cell, 0, 0, 100));
  expect(meter.breach).toBeUndefined();
  const from = process.cpuUsage();
  meter.measure(() => {
    for (let spent = 0; spent < 40_000; ) {
      const { user, system } = process.cpuUsage(from);
      spent = user + system;
    }
  });
  expect(meter.breach).toMatchObject({ code: "limit.cpu" });
});
