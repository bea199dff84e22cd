/** The parts that commands use, opened when they are needed and closed together. */
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool, PoolConfig } from "pg";
import { createPool, Frontier } from "../database/frontier.ts";
import { connectRedis, type RedisClient } from "../queues.ts";
import { type ObjectStore, openStore } from "../store/object-store.ts";

export interface PlaceOptions {
  readonly database?: string;
  readonly redis?: string;
  readonly store?: string;
  readonly folder?: string;
}

/** Something that only the caller can put right. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export class Connections {
  readonly #places: PlaceOptions;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(places: PlaceOptions) {
    this.#places = places;
  }

  /** For those who look at whole tables. */
  pool(): Pool {
    return this.#open({ max: 4, options: "" });
  }

  frontier(): Frontier {
    return new Frontier(this.pool());
  }

  /** For those who visit, feed and compact: rows are found by their keys. */
  busyFrontier(options: ConstructorParameters<typeof Frontier>[1] = {}, max: number = 4): Frontier {
    return new Frontier(this.#open({ max }), options);
  }

  #open(config: PoolConfig): Pool {
    const pool = createPool({ connectionString: need(this.#places.database, "--database"), ...config });
    this.#closers.push(() => pool.end());
    return pool;
  }

  redis(): RedisClient {
    const redis = connectRedis(need(this.#places.redis, "--redis"));
    this.#closers.push(async () => redis.disconnect());
    return redis;
  }

  async store(): Promise<ObjectStore> {
    const store = await openStore(need(this.#places.store, "--store"));
    this.#closers.push(() => store.close());
    return store;
  }

  get storeUrl(): string {
    return need(this.#places.store, "--store");
  }

  /** For local files on their way. */
  async folder(): Promise<string> {
    const folder = this.#places.folder ?? join(tmpdir(), "siteatlas-fleet");
    await mkdir(folder, { recursive: true });
    return folder;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close().catch(() => {});
  }
}

function need(value: string | undefined, flag: string): string {
  if (value !== undefined && value !== "") return value;
  throw new UsageError(`${flag} is missing (or SITEATLAS_FLEET_${flag.slice(2).toUpperCase()})`);
}
