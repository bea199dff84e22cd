/**
 * A bounded queue between the tasks of a walk and the code that reads its events (the reader). While the queue is full,
 * sending tasks wait.
 */
export class EventChannel<T> {
  readonly #items: T[] = [];
  readonly #capacity: number;
  #closed = false;
  #error: { readonly reason: unknown } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriters: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether the reader stopped reading or the walk ended. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Adds an item. Resolves when the queue has room for another item, or when the reader stopped reading. */
  async send(item: T): Promise<void> {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wakeReader?.();
    while (this.#items.length >= this.#capacity && !this.#closed) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    }
  }

  /** Closes the queue. With an error, the remaining items are dropped, and the reader throws the reason immediately. */
  close(error?: { readonly reason: unknown }): void {
    this.#closed = true;
    this.#error ??= error;
    if (error !== undefined) this.#items.length = 0;
    this.#wakeReader?.();
    this.#release();
  }

  async *read(): AsyncGenerator<T> {
    try {
      for (;;) {
        while (this.#items.length > 0) {
          const item = this.#items.shift()!;
          this.#release();
          yield item;
        }
        if (this.#error !== undefined) throw this.#error.reason;
        if (this.#closed) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        this.#wakeReader = undefined;
      }
    } finally {
      this.close();
    }
  }

  #release(): void {
    const writers = this.#wakeWriters;
    this.#wakeWriters = [];
    for (const wake of writers) wake();
  }
}
