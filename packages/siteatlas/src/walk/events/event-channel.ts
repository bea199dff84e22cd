/** A bounded queue between the tasks of a walk and its reader. When it is full, a task that sends waits. */
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

  /** True if the reader left or the walk ended. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when there is room for another item, or when the reader left. */
  async send(item: T): Promise<void> {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wakeReader?.();
    while (this.#items.length >= this.#capacity && !this.#closed) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    }
  }

  /** Ends the queue. With an error, the reader throws its reason at once. */
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
