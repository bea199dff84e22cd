/**
 * Gathers what many ask for at about the same time into one call. Who asks first waits for a moment; while a call
 * is under way, the next ones gather.
 *
 * A batch that fails is tried item by item, so that one that cannot be done takes no other with it.
 */

export interface BatcherOptions {
  /** In one call. @default 200 */
  readonly most?: number;
  /** How long the first one waits for others. @default 2 */
  readonly waitMs?: number;
  /** Calls at once. @default 2 */
  readonly parallel?: number;
}

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
}

export class Batcher<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  readonly #most: number;
  readonly #waitMs: number;
  readonly #parallel: number;
  #waiting: Waiting<T, R>[] = [];
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `run` gives one result for each item, in their order. */
  constructor(
    run: (items: readonly T[]) => Promise<readonly R[]>,
    { most = 200, waitMs = 2, parallel = 2 }: BatcherOptions = {},
  ) {
    this.#run = run;
    this.#most = most;
    this.#waitMs = waitMs;
    this.#parallel = parallel;
  }

  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length >= this.#most) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), this.#waitMs);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#running < this.#parallel && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      this.#running++;
      this.#runBatch(batch).finally(() => {
        this.#running--;
        if (this.#waiting.length > 0) this.#flush();
      });
    }
  }

  async #runBatch(batch: readonly Waiting<T, R>[]): Promise<void> {
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      for (const [at, { resolve }] of batch.entries()) resolve(results[at]!);
    } catch (reason) {
      if (batch.length === 1) batch[0]!.reject(reason);
      else for (const waiting of batch) await this.#runBatch([waiting]);
    }
  }
}
