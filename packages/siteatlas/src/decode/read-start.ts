/** Reads the start of a body that may be compressed. */
import { concatBytes } from "./concat-bytes.ts";
import { decompress } from "./inflate.ts";

/** How many more bytes than needed a layer of compression may produce. Stops nested bombs. */
const MAX_SURPLUS = 256 * 1024;

interface BodyStart {
  readonly bytes: Uint8Array;
  /** Whether the body is longer than `maxBytes`. The rest was not read. */
  readonly isLonger: boolean;
  /** Whether the compressed data is truncated or damaged. */
  readonly isDamaged: boolean;
}

/** Decompresses the first `maxBytes` bytes of a body. Compressed data is recognized by its magic bytes. */
export async function readStart(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<BodyStart> {
  const layers: number[] = [];
  let isDamaged = false;
  const decompressed = decompress(source, {
    url: "",
    report() {},
    onCut() {
      isDamaged = true;
    },
    mayInflate(bytes, layer) {
      layers[layer] = (layers[layer] ?? 0) + bytes;
      return layers[layer] <= maxBytes + MAX_SURPLUS;
    },
  });
  const { bytes, isLonger } = await readPlainStart(decompressed, maxBytes);
  return { bytes, isLonger, isDamaged };
}

/** Reads the first `maxBytes` bytes of a body that is not compressed. */
export async function readPlainStart(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<BodyStart> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    // Copy the chunk, because the decompressor may overwrite its memory.
    chunks.push(chunk.slice());
    size += chunk.length;
    if (size > maxBytes) break;
  }
  const bytes = concatBytes(chunks).subarray(0, maxBytes);
  return { bytes, isLonger: size > maxBytes, isDamaged: false };
}
