/**
 * Keys of a store: relative paths with forward slashes that mean the same in every store, as a file and as an object
 * of S3. What a key may not be is misuse and throws; that there is nothing under it is `MissingObjectError`.
 */

/** Of UTF-8: what file systems take as a name, and S3 as a key. The prefix of a store is on top of it. */
const MAX_SEGMENT_BYTES = 240;
const MAX_KEY_BYTES = 900;

/** Nothing is kept under this key. */
export class MissingObjectError extends Error {
  override readonly name = "MissingObjectError";
  readonly key: string;

  constructor(key: string, options?: ErrorOptions) {
    super(`There is no object ${JSON.stringify(key)}`, options);
    this.key = key;
  }
}

/** @throws {TypeError} for a key that no store takes */
export function checkKey(key: string): void {
  const reason = whyNoKey(key);
  if (reason !== undefined) throw new TypeError(`Cannot use ${JSON.stringify(key)} as a key: ${reason}`);
}

/** Whether it could be a key. Listings leave out what others put there under names that could not. */
export function isKey(key: string): boolean {
  return whyNoKey(key) === undefined;
}

/**
 * What keys begin with: any number of whole segments, and the beginning of one.
 *
 * @throws {TypeError} when no key could begin so
 */
export function checkPrefix(prefix: string): void {
  // What is missing to a key, be it a segment or a letter of one.
  const reason = whyNoKey(`${prefix}x`);
  if (reason !== undefined) throw new TypeError(`Cannot list ${JSON.stringify(prefix)}: ${reason}`);
}

function whyNoKey(key: string): string | undefined {
  if (typeof key !== "string" || key === "") return "it is empty";
  if (/\p{Cc}/u.test(key)) return "it holds control characters";
  // A separator to Windows, which would let `..\` through.
  if (key.includes("\\")) return "it holds a backslash";
  if (!isWellFormed(key)) return "it holds half of a character";
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`;
  for (const segment of key.split("/")) {
    if (segment === "") return "a part of its path is empty";
    // `.` and `..` among them, and files of ours that are on their way.
    if (segment.startsWith(".")) return "a part of its path begins with a dot";
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      return `a part of its path is longer than ${MAX_SEGMENT_BYTES} bytes`;
    }
  }
  return undefined;
}

/** With the flag `u`, only halves of characters are surrogates. */
function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
