/** Measures how long all requests for one document took, and how long they waited for a request slot or a retry. */
import type { Client } from "../../fetch/client/client.ts";
import { runningClock } from "../../fetch/running-clock.ts";
import type { HttpFacts } from "../../model/model.ts";

export class RequestTimer {
  readonly #startedAt = runningClock.now();
  #busyMs = 0;
  /** Start time of the current request or body. Undefined while the document waits. */
  #since: number | undefined;

  /** Wraps a client so that its requests are timed. */
  time(client: Client): Client {
    return async (request) => {
      this.#since = runningClock.now();
      try {
        return await client(request);
      } finally {
        this.stop();
        this.#since = runningClock.now();
      }
    };
  }

  /** Called when the body has ended or is not needed. */
  stop(): void {
    if (this.#since !== undefined) this.#busyMs += runningClock.now() - this.#since;
    this.#since = undefined;
  }

  facts(): Pick<HttpFacts, "ms" | "waitMs"> {
    const waitMs = Math.round(runningClock.now() - this.#startedAt - this.#busyMs);
    return { ms: Math.round(this.#busyMs), ...(waitMs > 0 && { waitMs }) };
  }
}
