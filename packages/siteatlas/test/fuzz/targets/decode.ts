/**
 * Decompression and encodings: nothing throws, the output is valid UTF-8 and does not depend on the chunks, and
 * compressed data is restored. The input is compressed here, because a fuzzer does not find the checksums.
 */
import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { constants, deflateSync, gzipSync } from "node:zlib";
import { concatBytes } from "../../../src/decode/concat-bytes.ts";
import { Transcoder } from "../../../src/decode/encoding.ts";
import { decompress } from "../../../src/decode/inflate.ts";
import { streamOf } from "../../support/splits.ts";
import { documentOptions, readInput } from "../input.ts";
import { chunksOf, withinTime } from "../promises.ts";

/** The ways to compress an input. The lower bits of a choice select the options, the higher bits one of these. */
const PACKINGS: readonly ((bytes: Uint8Array) => Uint8Array)[] = [
  (bytes) => bytes,
  (bytes) => bytes,
  (bytes) => gzipSync(bytes),
  (bytes) => gzipSync(gzipSync(bytes)),
  (bytes) => deflateSync(bytes),
  // Two members.
  (bytes) =>
    Buffer.concat([
      gzipSync(bytes.subarray(0, bytes.length / 2)),
      gzipSync(bytes.subarray(bytes.length / 2)),
    ]),
  // Not compressed, so that the fuzzer can change the content and its frame. The checksum is that of other data.
  (bytes) =>
    Buffer.concat([gzipSync(bytes, { level: constants.Z_NO_COMPRESSION }).subarray(0, -8), Buffer.alloc(8)]),
  // Without its end.
  (bytes) => gzipSync(bytes).subarray(0, -9),
];

interface Decoded {
  readonly plain: Uint8Array;
  readonly text: Uint8Array;
  readonly wasCut: boolean;
}

export async function fuzz(data: Uint8Array): Promise<void> {
  const { choice, cut, bytes } = readInput(data);
  const { url, contentType } = documentOptions(choice & 0x1f);
  const packing = choice >> 5;
  const packed = new Uint8Array(PACKINGS[packing]!(bytes));
  await withinTime(async () => {
    const whole = await decode([packed], url, contentType);
    assert.ok(isUtf8(whole.text));
    assert.deepEqual(await decode(chunksOf(packed, cut), url, contentType), whole);
    const isPlain = bytes[0] === 0x3c;
    // A short zlib stream may look like text.
    if (isPlain && [2, 3, 5].includes(packing)) assert.deepEqual(whole.plain, bytes);
    if (packing === 7) assert.ok(whole.wasCut || !isPlain);
  });
}

async function decode(
  chunks: readonly Uint8Array[],
  url: string,
  contentType: string | undefined,
): Promise<Decoded> {
  let wasCut = false;
  const report = (): void => {};
  const onCut = (): void => {
    wasCut = true;
  };
  const transcoder = new Transcoder({ report, contentType });
  const plain: Uint8Array[] = [];
  const text: Uint8Array[] = [];
  for await (const piece of decompress(streamOf(chunks), { report, url, contentType, onCut })) {
    plain.push(new Uint8Array(piece));
    // The result is valid until the next call only.
    text.push(new Uint8Array(transcoder.push(piece) ?? []));
  }
  text.push(new Uint8Array(transcoder.end() ?? []));
  return { plain: concatBytes(plain), text: concatBytes(text), wasCut };
}
