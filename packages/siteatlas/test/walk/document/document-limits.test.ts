import { expect, it } from "vitest";
import type { Page } from "../../../src/model/model.ts";
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

it("pieces become small when their pages are much longer than their bytes, and large otherwise", () => {
  const chunk = new Uint8Array(256 * 1024);
  const sizes = (page: Page): number[] => {
    const limits = new DocumentLimits(readLimits({}), () => 1);
    const found: number[] = [];
    for (const { length } of limits.pieces(chunk)) {
      found.push(length / 1024);
      // A page for each 32 bytes.
      limits.adaptPieces(length, new Array<Page>(length / 32).fill(page));
    }
    return found;
  };
  const url = "https://www.example.com/a";
  expect(sizes({ url }).slice(0, 5)).toEqual([8, 16, 32, 64, 64]);
  const long = `https://www.example.com/${"x".repeat(8000)}`;
  expect(sizes({ url: long }).slice(0, 3)).toEqual([8, 2, 2]);
  expect(sizes({ url, images: [{ url: long }] }).slice(0, 3)).toEqual([8, 2, 2]);
});
