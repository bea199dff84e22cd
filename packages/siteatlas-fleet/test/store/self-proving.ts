/** Bytes that prove that they are complete: random data followed by its hash. */
import { createHash, randomBytes } from "node:crypto";

const HASH_BYTES = 32;

export function selfProving(size: number): Buffer {
  const bytes = randomBytes(size - HASH_BYTES);
  return Buffer.concat([bytes, hashOf(bytes)]);
}

export function isWhole(bytes: Buffer): boolean {
  const end = bytes.length - HASH_BYTES;
  return end >= 0 && hashOf(bytes.subarray(0, end)).equals(bytes.subarray(end));
}

function hashOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
