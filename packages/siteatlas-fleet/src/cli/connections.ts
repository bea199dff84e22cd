/**
 * The servers and folders that a command uses. Each is opened on first use, and all are closed together. The code for
 * Redis and for the store is also loaded on first use, so that commands without them start faster.
 */
import { chmod, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Pool, PoolConfig } from "pg";
import { createPool, Frontier } from "../database/frontier.ts";
import type { RedisClient } from "../queue/queues.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { type ConnectionOptions, environmentName } from "./flags.ts";
import { UsageError } from "./usage-error.ts";

/** Mode of a folder that only its owner may list, read and write. */
const PRIVATE = 0o700;

export class Connections {
  readonly #options: ConnectionOptions;
  readonly #closers: (() => Promise<unknown>)[] = [];

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Opens database connections without the settings of `busyFrontier`, for queries that may read whole tables. */
  pool(config: PoolConfig = {}): Pool {
    return this.#open({ max: 4, options: "", ...config });
  }

  frontier(): Frontier {
    return new Frontier(this.pool());
  }

  /**
   * The frontier for workers, the scheduler and compaction. Its connections are set up for queries that find rows by
   * key.
   */
  busyFrontier(options: ConstructorParameters<typeof Frontier>[1] = {}, max: number = 4): Frontier {
    return new Frontier(this.#open({ max }), options);
  }

  #open(config: PoolConfig): Pool {
    const connectionString = this.#need("database");
    // Accept only a URL or the path of a socket. For any other text, pg would connect to a host named "base".
    if (!/^(?:[a-z]+:|\/)/i.test(connectionString)) {
      throw new UsageError(
        "--database is not a URL",
        "Pass a URL such as postgres://user:password@host/database",
      );
    }
    const pool = createPool({ connectionString, ...config });
    this.#closers.push(() => pool.end());
    return pool;
  }

  async redis(): Promise<RedisClient> {
    const url = this.#need("redis");
    const { connectRedis } = await import("../queue/queues.ts");
    const redis = connectRedis(url);
    this.#closers.push(async () => redis.disconnect());
    return redis;
  }

  async store(): Promise<ObjectStore> {
    const url = this.#need("store");
    const { openStore } = await import("../store/open-store.ts");
    const store = await openStore(url);
    this.#closers.push(() => store.close());
    return store;
  }

  get storeUrl(): string {
    return this.#need("store");
  }

  /**
   * Returns the folder for temporary files. The default folder is private, and so is a folder that this method creates.
   */
  async folder(): Promise<string> {
    const { folder } = this.#options;
    if (folder === undefined) return openDefaultFolder();
    await mkdir(folder, { recursive: true, mode: PRIVATE });
    return folder;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close().catch(() => {});
  }

  #need(name: keyof ConnectionOptions): string {
    const value = this.#options[name];
    if (value) return value;
    throw new UsageError(`--${name} is missing`, `Pass --${name}, or set ${environmentName(name)}`);
  }
}

/**
 * Opens the default folder for temporary files, one per user. Every user of the machine knows its name. Another user
 * may have created the folder, or a link with this name, to read or replace the files of the fleet, so the owner is
 * checked.
 */
async function openDefaultFolder(): Promise<string> {
  const user = process.getuid?.();
  const folder = join(tmpdir(), user === undefined ? "siteatlas-fleet" : `siteatlas-fleet-${user}`);
  await mkdir(folder, { recursive: true, mode: PRIVATE });
  const stats = await lstat(folder);
  if (!stats.isDirectory() || (user !== undefined && stats.uid !== user)) {
    throw new UsageError(`${folder} is not a folder of this user`, "Pass another folder: --folder PATH");
  }
  await chmod(folder, PRIVATE);
  return folder;
}
