/**
 * Checks the keys of a store. A key is a relative path with forward slashes that is valid both as a file name and in
 * S3. An invalid key causes a `TypeError`. A valid key without an object causes a `MissingObjectError`.
 */

/**
 * Maximum length of a path segment and of a whole key, in bytes of UTF-8. File systems allow 255 per segment. S3 allows
 * 1024 per key, including the prefix of the store.
 */
const MAX_SEGMENT_BYTES = 240;
const MAX_KEY_BYTES = 900;

export class MissingObjectError extends Error {
  override readonly name = "MissingObjectError";
  readonly key: string;

  constructor(key: string, options?: ErrorOptions) {
    super(`Cannot find the object ${JSON.stringify(key)}`, options);
    this.key = key;
  }
}

/** Checks a key. @throws {TypeError} if it is invalid */
export function checkKey(key: string): void {
  const reason = problemOf(key);
  if (reason !== undefined) throw new TypeError(`Cannot use ${JSON.stringify(key)} as a key: ${reason}`);
}

/** Whether a key is valid. Listings skip objects whose key is invalid: other programs wrote them. */
export function isKey(key: string): boolean {
  return problemOf(key) === undefined;
}

/** Checks a prefix of keys. @throws {TypeError} if no valid key starts with the prefix */
export function checkPrefix(prefix: string): void {
  // A prefix may end with a slash or in the middle of a name. In both cases, the prefix is valid if adding a letter
  // makes it a valid key.
  const reason = problemOf(`${prefix}x`);
  if (reason !== undefined) throw new TypeError(`Cannot list ${JSON.stringify(prefix)}: ${reason}`);
}

function problemOf(key: string): string | undefined {
  if (typeof key !== "string" || key === "") return "it is empty";
  if (/\p{Cc}/u.test(key)) return "it contains control characters";
  // On Windows a backslash separates folders, so `..\` would lead out of the store.
  if (key.includes("\\")) return "it contains a backslash";
  // With the flag `u`, this matches only a lone surrogate, which is not part of a pair.
  if (/\p{Surrogate}/u.test(key)) return "it contains half of a surrogate pair";
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return `it is longer than ${MAX_KEY_BYTES} bytes`;
  for (const segment of key.split("/")) {
    if (segment === "") return "one of its path segments is empty";
    // This rejects `.`, `..` and the names of DirectoryStore's temporary files.
    if (segment.startsWith(".")) return "one of its path segments starts with a dot";
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      return `one of its path segments is longer than ${MAX_SEGMENT_BYTES} bytes`;
    }
  }
  return undefined;
}
