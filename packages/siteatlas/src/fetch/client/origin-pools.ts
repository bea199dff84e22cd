/**
 * The connection pools of a client, one per origin. A pool without connections and requests is dropped: a client may
 * read the sites of many origins.
 *
 * undici's `Agent` is not used: if a connection of a pool that it has dropped closes, it drops the new pool of the
 * origin. So after one connection that was cut, it opened a connection, with a pool of its own, for each of the next
 * 2,700 requests.
 */
import type { Dispatcher, Pool } from "undici";

export class OriginPools {
  readonly #createPool: (origin: string) => Pool;
  readonly #pools: Map<string, Pool> = new Map();
  #isDestroyed = false;

  constructor(createPool: (origin: string) => Pool) {
    this.#createPool = createPool;
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#poolOf(String(options.origin)).dispatch(options, handler);
  }

  /** Closes all connections. Requests in flight fail, and later requests fail at once. */
  async destroy(): Promise<void> {
    this.#isDestroyed = true;
    await Promise.all(Array.from(this.#pools.values(), (pool) => pool.destroy()));
  }

  #poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known !== undefined) return known;
    const pool = this.#createPool(origin);
    if (this.#isDestroyed) {
      // Its requests fail with undici's error for a destroyed client.
      void pool.destroy();
      return pool;
    }
    this.#pools.set(origin, pool);
    const dropIfUnused = (): void => {
      if (pool.stats.connected > 0 || pool.stats.size > 0 || this.#pools.get(origin) !== pool) return;
      this.#pools.delete(origin);
      void pool.destroy();
    };
    pool.on("disconnect", dropIfUnused).on("connectionError", dropIfUnused);
    return pool;
  }
}
