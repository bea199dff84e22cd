/** Limits how many visits walk at the same time. Visits get their slots in the order in which they ask. */
export class Slots {
  #free: number;
  readonly #most: number;
  #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#most = most;
    this.#free = most;
  }

  /** Number of slots in use. */
  get used(): number {
    return this.#most - this.#free;
  }

  create(): Slot {
    return new Slot(
      () => this.#take(),
      () => this.#give(),
    );
  }

  /** Lets all waiting visits continue, because the worker ends. */
  open(): void {
    this.#free = Number.POSITIVE_INFINITY;
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }

  async #take(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

/** The slot of one visit. */
export class Slot {
  #isTaken = false;
  readonly #take: () => Promise<void>;
  readonly #give: () => void;

  constructor(take: () => Promise<void>, give: () => void) {
    this.#take = take;
    this.#give = give;
  }

  async take(): Promise<void> {
    if (this.#isTaken) return;
    await this.#take();
    this.#isTaken = true;
  }

  give(): void {
    if (this.#isTaken) this.#give();
    this.#isTaken = false;
  }
}
