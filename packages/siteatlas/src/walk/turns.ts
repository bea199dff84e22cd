/** Gives the process to others now and then: a stranger's site must not be all that it does. */
export class Turns {
  readonly #every: number;
  #done = 0;
  /** Somebody rests: who comes meanwhile rests, too. Sixteen tasks would otherwise relay each other. */
  #turn: Promise<void> | undefined;

  /** Rests whenever so much was done. */
  constructor(every: number) {
    this.#every = every;
  }

  /** Counts what was done; if that is enough, lets everything else run that waits for its turn. */
  async rest(done = 1): Promise<void> {
    this.#done += done;
    if (this.#done >= this.#every) {
      this.#done = 0;
      this.#turn = new Promise((resolve) =>
        setImmediate(() => {
          this.#turn = undefined;
          resolve();
        }),
      );
    }
    await this.#turn;
  }
}
