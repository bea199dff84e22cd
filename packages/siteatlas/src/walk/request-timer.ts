/** How long the requests for one document took, and how long it waited before and between them. */
import type { Client } from "../fetch/client.ts";
import type { HttpFacts } from "../model.ts";

export class RequestTimer {
  readonly #startedAt = performance.now();
  #busyMs = 0;
  /** Since then a request is under way, or its body is read. */
  #since: number | undefined;

  /** The client, with its requests timed. */
  time(client: Client): Client {
    return async (request) => {
      this.#since = performance.now();
      try {
        return await client(request);
      } finally {
        this.stop();
        this.#since = performance.now();
      }
    };
  }

  /** The body is at its end, or nobody wants it. */
  stop(): void {
    if (this.#since !== undefined) this.#busyMs += performance.now() - this.#since;
    this.#since = undefined;
  }

  /** For a document that is at its end. */
  facts(): Pick<HttpFacts, "ms" | "waitMs"> {
    const waitMs = Math.round(performance.now() - this.#startedAt - this.#busyMs);
    return { ms: Math.round(this.#busyMs), ...(waitMs > 0 && { waitMs }) };
  }
}
