/**
 * The store for part files and snapshots: a folder, or a bucket of S3 or a compatible server. One conformance suite
 * tests both. An object is either complete or absent.
 */
import { having, type Rule } from "../check/rules.ts";

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/** Keys are relative paths with forward slashes, see `object-key.ts`. All methods throw `TypeError` for an invalid key. */
export interface ObjectStore {
  /**
   * Moves a local file into the store, and replaces an object with the same key. When `put` returns, the object is
   * durable. If `put` throws, the local file is kept, unless the object is already complete.
   */
  put(key: string, file: string): Promise<void>;
  /** Copies an object into a local file, which is removed on failure. @throws {MissingObjectError} */
  get(key: string, file: string): Promise<void>;
  /** Yields the objects whose keys start with the prefix, in any order. May miss concurrent changes. */
  list(prefix: string): AsyncGenerator<StoredObject>;
  /** Deletes objects. Ignores keys without an object. */
  delete(keys: readonly string[]): Promise<void>;
  /** Returns the path or s3:// URL of an object, for programs such as DuckDB. */
  address(key: string): string;
  /** Removes old temporary files, which processes left that died during a `put`. Returns the number of files. */
  sweepTemporary?(olderThanMs: number): Promise<number>;
  close(): Promise<void>;
}

/** The part of a store that visits use. */
export type VisitStore = Pick<ObjectStore, "put" | "get">;

export const VISIT_STORE: Rule<VisitStore> = having("put", "a store, such as the one that openStore returns");

export const STORE: Rule<ObjectStore> = having("put", "a store, such as the one that openStore returns");
