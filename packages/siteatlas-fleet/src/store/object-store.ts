/**
 * The store for part files and snapshots: a folder, or a bucket of S3 or a compatible server. An object in the store is
 * either complete or absent.
 */
import { having, type Rule } from "../check/rules.ts";

export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

/**
 * A store of objects by key. Keys are relative paths with forward slashes (`object-key.ts`). All methods throw
 * `TypeError` for an invalid key.
 */
export interface ObjectStore {
  /**
   * Moves a local file into the store. Replaces an object with the same key. When `put` returns, the object is durable.
   * If `put` throws before the object is complete, the local file is kept.
   */
  put(key: string, file: string): Promise<void>;
  /** Copies an object into a local file. If this fails, the local file is removed. @throws {MissingObjectError} */
  get(key: string, file: string): Promise<void>;
  /**
   * Yields the objects whose keys start with the prefix, in any order. Objects that are added or deleted during the
   * listing may be missing.
   */
  list(prefix: string): AsyncGenerator<StoredObject>;
  /** Deletes objects. Ignores keys without an object. */
  delete(keys: readonly string[]): Promise<void>;
  /** Returns the path or s3:// URL of an object, for programs such as DuckDB. */
  address(key: string): string;
  /**
   * Removes temporary files that are older than `olderThanMs`. They belong to processes that died during a `put`.
   * Returns the number of removed files.
   */
  sweepTemporary?(olderThanMs: number): Promise<number>;
  close(): Promise<void>;
}

/** The methods of a store that visits use. */
export type VisitStore = Pick<ObjectStore, "put" | "get">;

export const VISIT_STORE: Rule<VisitStore> = having("put", "a store, such as the one that openStore returns");

export const STORE: Rule<ObjectStore> = having("put", "a store, such as the one that openStore returns");
