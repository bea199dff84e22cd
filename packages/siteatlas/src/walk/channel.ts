/** A queue between the tasks of a walk and whoever reads it: a task that is too far ahead waits. */
export class Channel<T> {
  readonly #items: T[] = [];
  readonly #capacity: number;
  #closed = false;
  #error: { readonly reason: unknown } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriters: (() => void)[] = [];

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Nobody reads any more, or nothing more will come. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Gives an item; resolves when there is room for another one, or when nobody will read any more. */
  async send(item: T): Promise<void> {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wakeReader?.();
    while (this.#items.length >= this.#capacity && !this.#closed) {
      await new Promise<void>((resolve) => this.#wakeWriters.push(resolve));
    }
  }

  /** Nothing more will come; with a reason, reading throws it at once. */
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
