/**
 * Computes the hash of a document: SHA-256 of its decompressed bytes. So `.xml` and `.xml.gz` of one sitemap have the
 * same hash. The walk uses the hash to find copies of a sitemap under another URL (C11, sec-S02). A copy is reported,
 * and its pages are yielded again. Hashing takes a tenth of the time of parsing.
 */
import { createHash, type Hash } from "node:crypto";

/**
 * Length of a content key in bytes: 96 bits of a hash. It is short, because the walk keeps up to 500,000 keys (16 MB).
 */
const KEY_BYTES = 12;

export class ContentHash {
  readonly #hash: Hash = createHash("sha256");

  push(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  /** Returns the hash in hexadecimal digits. */
  end(): string {
    return this.#hash.digest("hex");
  }
}

/**
 * Returns the content key of a document. Documents with the same key list the same URLs. The key depends on the first
 * URL, because a document with relative URLs lists other pages if it is at another address.
 */
export function contentKey(contentHash: string, firstUrl: string): string {
  const digest = createHash("sha256").update(contentHash).update(firstUrl).digest();
  return digest.toString("latin1", 0, KEY_BYTES);
}
