/**
 * Gathers items that are added at about the same time, and passes them to one call of a function. The first item waits
 * `WAIT_MS` for others. While `MAX_CALLS` calls are running, further items wait until one of these calls ends.
 *
 * If a call fails, its items are tried one by one, so that one bad item does not fail the others.
 */

const MAX_ITEMS = 200;
const WAIT_MS = 2;
const MAX_CALLS = 2;

interface Waiting<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (reason: unknown) => void;
}

export class Batcher<T, R> {
  readonly #run: (items: readonly T[]) => Promise<readonly R[]>;
  #waiting: Waiting<T, R>[] = [];
  #running = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param run handles a batch of items, and returns one result per item, in the same order */
  constructor(run: (items: readonly T[]) => Promise<readonly R[]>) {
    this.#run = run;
  }

  add(item: T): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length >= MAX_ITEMS) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#running < MAX_CALLS && this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_ITEMS);
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
