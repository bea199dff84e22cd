/**
 * The promises that the fuzz targets check, for any input. They use no test framework, because the targets also run
 * instrumented, outside vitest.
 */
import assert from "node:assert/strict";
import type { Sitemap } from "../../src/parse/index.ts";
import { inLayers, urlsOf } from "../support/sitemap-facts.ts";
import { seededRandom } from "../support/splits.ts";

const WEB_URL = /^https?:\/\/[!-.0-?A-~]+\/[!"$-~]*$/;
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const MAX_SHOWN_LENGTH = 512;
const MAX_ISSUES = 100;

/** Absolute, http or https, printable ASCII, no credentials, no fragment, and as `URL` writes it. */
export function checkUrl(url: string): void {
  assert.match(url, WEB_URL);
  const { href, username, password } = new URL(url);
  assert.equal(url, href, "the URL is not normalized");
  assert.equal(username + password, "");
}

/** A text that is printed: a message, the value of an issue. */
export function checkShown(text: string): void {
  assert.doesNotMatch(text, INVISIBLE);
}

export function checkSitemap(sitemap: Sitemap): void {
  for (const url of urlsOf(sitemap)) checkUrl(url);
  assert.ok(sitemap.issues.length <= MAX_ISSUES);
  assert.ok(sitemap.issueCount >= sitemap.issues.length);
  const texts = [...sitemap.issues.map(({ value = "" }) => value), "reason" in sitemap ? sitemap.reason : ""];
  for (const text of texts) {
    checkShown(text);
    assert.ok(text.length <= MAX_SHOWN_LENGTH);
  }
}

/** The chunks of a document make no difference to its result. */
export function checkSameSitemap(cut: Sitemap, whole: Sitemap): void {
  const [a, b] = [JSON.stringify(inLayers(cut)), JSON.stringify(inLayers(whole))];
  if (a !== b) assert.deepEqual(JSON.parse(a), JSON.parse(b));
}

/** Longer inputs are not split into single bytes. */
const SINGLE_BYTES_UP_TO = 512;
const MAX_CUTS = 12;

/** Splits an input as `seed` says: 0 into small pieces, any other number at random positions. */
export function chunksOf<T extends { length: number; slice(from: number, to: number): T }>(
  input: T,
  seed: number,
): T[] {
  const { length } = input;
  const step = length <= SINGLE_BYTES_UP_TO ? 1 : 7;
  const random = seededRandom(seed);
  const cuts =
    seed === 0
      ? Array.from({ length: Math.floor(length / step) }, (_, n) => n * step)
      : Array.from({ length: 1 + Math.floor(random() * MAX_CUTS) }, () =>
          Math.floor(random() * (length + 1)),
        );
  const at = [0, ...cuts.sort((a, b) => a - b), length];
  return at.slice(1).map((end, n) => input.slice(at[n]!, end));
}

/** Milliseconds of CPU time for one input of at most 64 KiB. Linear code needs a tenth of it, quadratic code more. */
const MAX_CPU_MS = 2000;

/**
 * Runs a function, which must not take more than the CPU time for one input. CPU time is read only if the elapsed time
 * is long: a busy machine must not cause a finding, and reading it is a slow system call.
 */
export async function withinTime(run: () => unknown): Promise<void> {
  const startedAt = performance.now();
  await run();
  if (performance.now() - startedAt <= MAX_CPU_MS) return;
  const before = process.cpuUsage();
  await run();
  checkTime(before);
}

/** `withinTime` for a synchronous function. */
export function withinTimeSync(run: () => void): void {
  const startedAt = performance.now();
  run();
  if (performance.now() - startedAt <= MAX_CPU_MS) return;
  const before = process.cpuUsage();
  run();
  checkTime(before);
}

function checkTime(before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  const ms = (user + system) / 1000;
  assert.ok(ms <= MAX_CPU_MS, `${Math.round(ms)} ms of CPU time`);
}

const REPEATED_LENGTH = 64 * 1024;
/** One input in this many is repeated. A larger number makes the run faster. */
const REPEATED_SHARE = 512;

/**
 * Returns an input of 64 KiB: the start of this one, and then a part of it many times. Patterns that take quadratic
 * time show there, and not in inputs of a few hundred bytes. Most inputs give undefined, to save time. The content of
 * the input decides, so that a finding can be repeated.
 */
export function repeated(input: Uint8Array): Uint8Array | undefined {
  const mixed = hashOf(input);
  if (mixed % REPEATED_SHARE !== 0 || input.length === 0) return undefined;
  const from = (mixed >>> 8) % input.length;
  const unit = input.subarray(from, from + 1 + ((mixed >>> 16) % (input.length - from)));
  const output = new Uint8Array(REPEATED_LENGTH);
  output.set(input.subarray(0, from));
  for (let at = from; at < output.length; at += unit.length) {
    output.set(unit.subarray(0, output.length - at), at);
  }
  return output;
}

/** FNV-1a. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Ends with an error of this class, or with none. Returns the error. */
export async function onlyThrows<E extends Error>(
  kind: new (...args: never[]) => E,
  run: () => unknown,
): Promise<E | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    checkShown(error.message);
    return error;
  }
}
