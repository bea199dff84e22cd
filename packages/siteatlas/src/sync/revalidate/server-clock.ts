/**
 * Compares the clock of a server with the local clock. If the server's clock is days behind, so are the dates that it
 * writes. Then a page that was modified today looks older, and a sitemap that was generated for the request does not
 * look new.
 */
import type { Client, ClientResponse } from "../../fetch/client/client.ts";

/** Smaller differences are ignored: they come from network delays, or from clocks that are a few seconds apart. */
const MIN_SKEW_MS = 5 * 60_000;

export class ServerClock {
  #skewMs: number | undefined;

  /** How far the server's clock is ahead of the local clock. Negative if it is behind. 0 without a Date header. */
  get skewMs(): number {
    const skewMs = this.#skewMs ?? 0;
    return Math.abs(skewMs) < MIN_SKEW_MS ? 0 : skewMs;
  }

  /** Returns a client that also reads the Date header of each response. */
  watch(client: Client): Client {
    const watched: Client = async (request) => {
      const response = await client(request);
      this.#note(response);
      return response;
    };
    return Object.assign(watched, { wraps: client });
  }

  /** Uses the newest Date header, because a cache repeats the header of an earlier response. */
  #note(response: ClientResponse | Response): void {
    // The response is checked later. Until then it may be anything, because the caller can pass a client.
    const headers = response?.headers as Headers | ClientResponse["headers"] | undefined;
    const text: unknown = headers instanceof Headers ? headers.get("date") : headers?.["date"];
    const skewMs = typeof text === "string" ? Date.parse(text) - Date.now() : Number.NaN;
    if (!Number.isNaN(skewMs)) this.#skewMs = Math.max(skewMs, this.#skewMs ?? skewMs);
  }
}
