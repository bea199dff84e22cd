/**
 * Where parts and snapshots are kept: a folder, or a bucket of S3 and what is compatible with it. Both keep the same
 * promises, and one suite of tests asks both: an object is there whole or not at all.
 */
import { fileURLToPath } from "node:url";
import { DirectoryStore } from "./directory-store.ts";
import { S3Store } from "./s3-store.ts";

export { MissingObjectError } from "./object-key.ts";

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/**
 * A key is a relative path with forward slashes, see `object-key.ts`; none is a folder of another. All of them throw
 * `TypeError` for what is no key.
 */
export interface ObjectStore {
  /**
   * Makes this local file the object of that key, whole or not at all; durable once it returns. The file is gone
   * afterwards, but stays when it throws, unless the object is there already. Replaces what was there.
   */
  put(key: string, file: string): Promise<void>;
  /** Copies the object into a local file, and leaves none when it fails. @throws {MissingObjectError} if there is none */
  get(key: string, file: string): Promise<void>;
  /** Those whose key begins with it, in no order. What was put or deleted meanwhile may be there or not. */
  list(prefix: string): AsyncGenerator<StoredObject>;
  /** Absent ones are fine. */
  delete(keys: readonly string[]): Promise<void>;
  /** What a reader like DuckDB would open: a path or an s3:// URL. */
  address(key: string): string;
  /**
   * Removes what those left behind that died during a `put`, if it is that old; gives how many there were. A store
   * without it sees to that itself.
   */
  sweepTemporary?(olderThanMs: number): Promise<number>;
  close(): Promise<void>;
}

/**
 * By its URL: a path or a `file:` URL is a folder, which is made if it is not there;
 * `s3://bucket/prefix?region=eu-central-1` a bucket. For servers that are compatible with S3:
 * `s3://bucket?endpoint=http://127.0.0.1:9000&pathStyle=true`.
 *
 * @throws {TypeError} for what is neither
 */
export async function openStore(url: string): Promise<ObjectStore> {
  const [scheme] = /^[a-z][a-z0-9+.-]+:(?=\/)/i.exec(url)?.map((text) => text.toLowerCase()) ?? [];
  if (url === "") throw new TypeError("Cannot open a store without a name");
  if (scheme === "s3:") return S3Store.open(url);
  if (scheme === "file:") return DirectoryStore.open(fileURLToPath(url));
  // Two letters at least: `C:/parts` is a path.
  if (scheme !== undefined)
    throw new TypeError(`Cannot open a store of ${scheme}// (s3:// and file: are known)`);
  return DirectoryStore.open(url);
}
