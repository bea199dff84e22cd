/**
 * Measures how much slower this core is at the moment than a reference core. Bounds of CPU time and of the event loop
 * are multiplied by the factor: two virtual cores may share a real one, and then the same work takes twice the time.
 * The measured work uses no code of the library, so a library that becomes slower is still found.
 */
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";

export interface CoreSpeed {
  /** For JavaScript. At least 1. */
  readonly scripts: number;
  /** For decompression and SHA-256, which some processors have instructions for. At least 1. */
  readonly bytes: number;
}

/**
 * The times of the work below in milliseconds. `scripts`: on a core of 2.5 GHz without other work. `bytes`: two thirds
 * of the time on that core, which has no instructions for SHA-256. The bounds are older, from a core that has them.
 */
const REFERENCE: CoreSpeed = { scripts: 7, bytes: 5 };
const TIMES = 5;

const LINES = "Sitemap: https://example.com/s.xml\n# nothing comes here\n".repeat(20_000);
const COMPRESSED = gzipSync(Buffer.alloc(2 * 1024 * 1024, " "));

export function measureCore(): CoreSpeed {
  const slowness = (work: () => unknown, reference: number): number => Math.max(1, fastest(work) / reference);
  return {
    scripts: slowness(() => [scanLines(), countKeys()], REFERENCE.scripts),
    bytes: slowness(() => createHash("sha256").update(gunzipSync(COMPRESSED)).digest(), REFERENCE.bytes),
  };
}

/** The slower of two measurements, before and after a case. */
export function slowerOf(one: CoreSpeed, other: CoreSpeed): CoreSpeed {
  return { scripts: Math.max(one.scripts, other.scripts), bytes: Math.max(one.bytes, other.bytes) };
}

function fastest(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < TIMES; n++) {
    const from = performance.now();
    work();
    least = Math.min(least, performance.now() - from);
  }
  return least;
}

function scanLines(): number {
  let hash = 0;
  for (let at = 0; at < LINES.length; at++) {
    const code = LINES.charCodeAt(at);
    hash = (Math.imul(hash, 31) + code) | 0;
    if (code === 0x0a) hash ^= at;
  }
  return hash;
}

function countKeys(): number {
  const counts = new Map<string, { count: number }>();
  for (let n = 0; n < 20_000; n++) {
    const key = `k${(n * 7919) % 10_007}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { count: 1 });
    else known.count++;
  }
  return counts.size;
}
