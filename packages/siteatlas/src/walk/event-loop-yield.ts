/** Pauses from time to time, so that other tasks of the process can run while a large site is read. */
export class EventLoopYield {
  readonly #every: number;
  #done = 0;
  /** The current pause. All waiting tasks share one setImmediate, so that they do not pause one after the other. */
  #pause: Promise<void> | undefined;

  /** `every`: the amount of work between two pauses. */
  constructor(every: number) {
    this.#every = every;
  }

  /** Adds to the amount of work. When the amount reaches `every`, waits for one turn of the event loop. */
  async after(done = 1): Promise<void> {
    this.#done += done;
    if (this.#done >= this.#every) {
      this.#done = 0;
      this.#pause = new Promise((resolve) =>
        setImmediate(() => {
          this.#pause = undefined;
          resolve();
        }),
      );
    }
    await this.#pause;
  }
}
