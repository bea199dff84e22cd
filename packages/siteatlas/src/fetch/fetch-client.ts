/**
 * A client on a `fetch` function: for other runtimes than Node (Deno, Bun, edge workers), for browsers as
 * far as CORS lets them, and for people who bring their own.
 *
 * What it cannot do as well as the Node client: fetch undoes content codings itself, so a body whose coding
 * is wrong or cut is lost, and the bytes on the wire are not known.
 */
import type { Client } from "./client.ts";
import { withNodeCode } from "./fetch-error.ts";

/** Codings that fetch undoes wherever it sees them. One that it does not know stays, with its header. */
const UNDONE: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd", "identity", ""]);

/**
 * @example
 * const client = fetchClient(fetch);
 */
export function fetchClient(fetch: typeof globalThis.fetch): Client {
  return async ({ url, headers, signal }) => {
    const asked = fetch(url, { headers: { ...headers }, signal, redirect: "manual" });
    const response = await asked.catch(rethrow);
    if (response.type === "opaqueredirect") {
      throw new TypeError("This runtime hides redirects from fetch: use a client that shows them");
    }
    const body = new StreamBody(response.body);
    return {
      status: response.status,
      headers: headersOf(response),
      body,
      cancel: () => body.cancel(),
    };
  };
}

function headersOf(response: Response): Record<string, string> {
  const headers = Object.fromEntries(response.headers);
  const codings = headers["content-encoding"]?.split(",").map((name) => name.trim().toLowerCase());
  if (codings?.every((name) => UNDONE.has(name))) {
    delete headers["content-encoding"];
    delete headers["content-length"];
  }
  return headers;
}

function rethrow(error: unknown): never {
  throw withNodeCode(error);
}

/** A web stream as an iterator; not every runtime makes one of it. */
class StreamBody implements AsyncIterableIterator<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(stream: ReadableStream<Uint8Array> | null) {
    this.#reader = stream?.getReader();
    // Not every runtime marks it as handled, and a body that nobody reads may fail like any other.
    this.#reader?.closed.catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { done, value } = (await this.#reader?.read().catch(rethrow)) ?? { done: true };
    return done || value === undefined ? { done: true, value: undefined } : { done: false, value };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.cancel();
    return { done: true, value: undefined };
  }

  cancel(): void {
    this.#reader?.cancel().catch(() => {});
  }
}
