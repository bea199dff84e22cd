import { Readable } from "node:stream";
import {
  brotliCompressSync,
  constants,
  createBrotliCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { undoCodings } from "../../src/fetch/content-coding.ts";
import { everyCut } from "../decode/byte-chunks.ts";
import { runs, seed } from "../support/runs.ts";
import { readAll } from "./client/client-suite.ts";

const ZEROS = Buffer.alloc(1_000_000);
const TEXT = '<?xml version="1.0"?><urlset><url><loc>https://www.example.com/é</loc></url></urlset>';
const br = (bytes: string | Uint8Array): Uint8Array => brotliCompressSync(bytes);

async function* sourceOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function undo(
  header: string | undefined,
  ...chunks: Uint8Array[]
): Promise<{ text: string; left: string | undefined; error: unknown }> {
  const { body, contentEncoding } = undoCodings(header, sourceOf(chunks));
  const { bytes, error } = await readAll(body);
  return { text: bytes.toString("latin1"), left: contentEncoding, error };
}

const latin1 = (bytes: string | Uint8Array): string => Buffer.from(bytes).toString("latin1");

describe("content codings", () => {
  const gzip = gzipSync(TEXT);
  const zlib = deflateSync(TEXT);
  const smallWindow = deflateSync(TEXT, { windowBits: 9 });

  it.each<[header: string | undefined, sent: Uint8Array, given: Uint8Array | string, left?: string]>([
    [undefined, Buffer.from(TEXT), TEXT],
    ["identity", Buffer.from(TEXT), TEXT],
    ["br", br(TEXT), TEXT],
    [" BR ,identity", br(TEXT), TEXT],
    ["deflate", deflateRawSync(TEXT), TEXT],
    ["deflate", deflateRawSync(TEXT, { level: 0 }), TEXT],
    // decode/ recognizes these by their bytes.
    ["gzip", gzip, gzip, "gzip"],
    ["x-gzip", gzip, gzip, "x-gzip"],
    ["gzip, gzip", gzipSync(gzip), gzipSync(gzip), "gzip, gzip"],
    ["deflate", zlib, zlib],
    ["deflate", gzip, gzip],
    // decode/ recognizes zlib only with a window of 32 KiB.
    ["deflate", smallWindow, TEXT],
    ["gzip, br", br(gzip), gzip, "gzip"],
    ["br, gzip", gzipSync(br(TEXT)), TEXT],
    ["br, br", br(br(TEXT)), TEXT],
    ["deflate, br", br(deflateRawSync(TEXT)), TEXT],
    ["br, deflate", deflateRawSync(br(TEXT)), TEXT],
    // Unknown codings (sec-H15).
    ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), "zstd"],
    ["zstd, br", br("raw"), "raw", "zstd"],
    ["gzip, aws-chunked", gzip, gzip, "gzip, aws-chunked"],
    // H21: the label is wrong.
    ["br", Buffer.from(TEXT), TEXT],
    ["deflate", Buffer.from(TEXT), TEXT],
    ["br", Buffer.from("User-agent: *\nSitemap: /s.xml"), "User-agent: *\nSitemap: /s.xml"],
    ["br, gzip", br(TEXT), TEXT],
    // Nothing in it.
    ["br", new Uint8Array(0), ""],
    ["br", br(""), ""],
    ["deflate", deflateRawSync(""), ""],
  ])("%s", async (header, sent, given, left) => {
    expect(await undo(header, sent)).toEqual({ text: latin1(given), left, error: undefined });
  });

  it("does not depend on the chunks", async () => {
    for (const chunks of everyCut(br(TEXT))) expect((await undo("br", ...chunks)).text).toBe(latin1(TEXT));
    for (const chunks of everyCut(deflateRawSync(TEXT))) {
      expect((await undo("deflate", ...chunks)).text).toBe(latin1(TEXT));
    }
  });

  it.each([
    [
      "br",
      (bytes: Uint8Array) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
    ],
    ["deflate", (bytes: Uint8Array) => deflateRawSync(bytes)],
  ])("%s that is truncated or damaged yields the data before that, then throws", async (header, encode) => {
    // Random letters, so that half of the data is half of the text.
    let state = 1;
    const letters = Buffer.alloc(300_000).map(() => {
      state = (state * 48_271) % 2_147_483_647;
      return 0x61 + (state % 26);
    });
    const coded = encode(letters);
    const half = coded.subarray(0, coded.length / 2);
    for (const junk of [[], [new Uint8Array(1000).fill(255)]]) {
      const { text, error } = await undo(header, half, ...junk);
      expect(error).toMatchObject({ code: "SITEATLAS_CODING" });
      expect(text.length).toBeGreaterThan(130_000);
      expect(latin1(letters).slice(0, 130_000)).toBe(text.slice(0, 130_000));
    }
  });

  it("ignores bytes after the end", async () => {
    expect(await undo("br", br(TEXT), Buffer.from("junk"))).toMatchObject({ text: latin1(TEXT) });
    expect(await undo("deflate", deflateRawSync(TEXT), Buffer.from("junk"))).toMatchObject({
      text: latin1(TEXT),
    });
  });

  it("rejects more than two codings and frees the source", async () => {
    let freed = false;
    const source = {
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error("It must not be read")),
        return: async () => {
          freed = true;
          return { done: true as const, value: undefined };
        },
      }),
    };
    const { error } = await readAll(undoCodings("br, br, br", source).body);
    expect(error).toMatchObject({ code: "SITEATLAS_CODING" });
    expect(freed).toBe(true);
    expect((await undo("identity, br, identity, ,", br(TEXT))).error).toBeUndefined();
  });

  it("buffers little of a brotli bomb (sec-E03)", async () => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
    const megabytes = Readable.from(Array.from({ length: 200 }, () => ZEROS));
    const bomb = Buffer.concat(await megabytes.pipe(createBrotliCompress({ params })).toArray());
    expect(bomb.length).toBeLessThan(1000);
    const before = process.memoryUsage().arrayBuffers;
    let given = 0;
    let held = 0;
    for await (const chunk of undoCodings("br", sourceOf([bomb])).body) {
      // Enough time to inflate all of it, if nothing stopped that.
      if (given === 0) await new Promise((resolve) => setTimeout(resolve, 300));
      held = Math.max(held, process.memoryUsage().arrayBuffers);
      given += chunk.length;
      expect(chunk.length).toBeLessThanOrEqual(65_536);
      if (given > 1_000_000) break;
    }
    expect(held - before).toBeLessThan(20_000_000);
  });

  it("never throws anything else, whatever the bytes", async () => {
    const header = fc.constantFrom("br", "deflate", "gzip, br", "br, gzip", "deflate, deflate");
    await fc.assert(
      fc.asyncProperty(header, fc.array(fc.uint8Array({ maxLength: 40 })), async (name, chunks) => {
        const { error } = await undo(name, ...chunks);
        if (error !== undefined) expect(error).toMatchObject({ code: "SITEATLAS_CODING" });
      }),
      { seed, numRuns: runs(200) },
    );
  });
});
