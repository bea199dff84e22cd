/**
 * Compares the clock of a server with ours. If it is days behind, the server writes dates that are already in the past.
 * Then a date of today looks old, and a sitemap that was generated for the request does not look new.
 */
import type { Client, ClientResponse } from "../fetch/client/client.ts";

/** Smaller differences are delays of the network, or seconds between two clocks. */
const MIN_SKEW_MS = 5 * 60_000;

export class ServerClock {
  #skewMs: number | undefined;

  /** How far the clock of the server is ahead of ours. Negative if it is behind. 0 without a Date header. */
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

  /** Uses the newest date: a cache repeats the date of an earlier response. */
  #note(response: ClientResponse | Response): void {
    // Checked later: the client of the caller may return anything.
    const headers = response?.headers as Headers | ClientResponse["headers"] | undefined;
    const text: unknown = headers instanceof Headers ? headers.get("date") : headers?.["date"];
    const skewMs = typeof text === "string" ? Date.parse(text) - Date.now() : Number.NaN;
    if (!Number.isNaN(skewMs)) this.#skewMs = Math.max(skewMs, this.#skewMs ?? skewMs);
  }
}
