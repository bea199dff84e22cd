import { gzipSync, InflateRaw } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { decompress } from "../../src/decode/inflate.ts";
import { inflateSuite } from "./inflate-suite.ts";

describe("decompress on Node", () => inflateSuite(true));

describe("zlib streams", () => {
  const packed = gzipSync(gzipSync(Buffer.alloc(5_000_000)));
  const damaged = Buffer.concat([packed.subarray(0, 40), Buffer.alloc(100, 0xff)]);

  it.each<[string, Buffer, boolean]>([
    ["the consumer stops", packed, true],
    ["the input ends", packed, false],
    ["the input is cut", packed.subarray(0, packed.length - 30), false],
    ["the input is damaged", damaged, false],
  ])("are freed when %s", async (_, bytes, stop) => {
    const write = vi.spyOn(InflateRaw.prototype, "write");
    async function* source(): AsyncGenerator<Uint8Array> {
      yield bytes;
    }
    const options = { url: "", report: () => undefined, onCut: () => undefined };
    for await (const _output of decompress(source(), options)) if (stop) break;
    const streams = new Set(write.mock.contexts as InflateRaw[]);
    write.mockRestore();
    expect(streams.size).toBeGreaterThan(0);
    for (const stream of streams) expect(stream.destroyed).toBe(true);
  });
});
