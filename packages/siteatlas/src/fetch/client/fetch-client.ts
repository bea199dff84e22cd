/**
 * A client that uses a `fetch` function: for Deno, Bun, edge workers, browsers (as far as CORS allows), or your own
 * fetch function.
 *
 * Unlike the Node client, `fetch` always decodes content codings itself. So a damaged compressed body is lost, and the
 * number of bytes that the server sent is unknown.
 */
import { checkArgument } from "../../check/check-options.ts";
import { callable, type Rule, rule } from "../../check/rules.ts";
import { asNetworkError } from "../client-faults.ts";
import type { Client, ClientResponse } from "./client.ts";
import { withNodeCode } from "./fetch-client-errors.ts";

/** Codings that `fetch` decodes. `fetch` leaves other codings and their header unchanged. */
const DECODED: ReadonlySet<string> = new Set(["gzip", "x-gzip", "deflate", "br", "zstd", "identity", ""]);

/**
 * Creates a client that sends requests with a `fetch` function.
 *
 * @example
 * const client = fetchClient(fetch);
 * for await (const page of streamPages("https://example.com/", { client })) console.log(page.url);
 */
export function fetchClient(fetch: typeof globalThis.fetch): Client {
  checkArgument("fetchClient", "fetch", callable(), fetch);
  return async ({ url, method = "GET", headers, signal }) => {
    const sent = fetch(url, { method, headers: { ...headers }, signal, redirect: "manual" });
    // `fetch` of the runtime rejects with a TypeError if the network fails. In a custom function, a TypeError is a bug.
    const isOwn = fetch === globalThis.fetch;
    const response: unknown = await Promise.resolve(sent).catch((error: unknown) =>
      rethrow(isOwn ? asNetworkError(error) : error),
    );
    checkArgument("fetchClient", "result of fetch", RESPONSE, response);
    return fromResponse(response as Response);
  };
}

const RESPONSE: Rule<Response> = rule(
  "a Response",
  (value) => typeof value === "object" && value !== null && "headers" in value && "status" in value,
);

/** Converts a `Response` of fetch to a `ClientResponse`. */
export function fromResponse(response: Response): ClientResponse {
  if (response.type === "opaqueredirect") {
    throw new Error("This runtime hides redirects from fetch. Use a client that shows them");
  }
  if (response.bodyUsed || response.body?.locked) {
    throw new TypeError(
      "client: the body of its Response was already read. To read it yourself, read a clone() of the Response",
    );
  }
  const body = new StreamBody(response.body);
  return {
    status: response.status,
    headers: headersOf(response),
    body,
    cancel: () => body.cancel(),
  };
}

function headersOf(response: Response): Record<string, string> {
  const headers = Object.fromEntries(response.headers);
  const codings = headers["content-encoding"]?.split(",").map((name) => name.trim().toLowerCase());
  if (codings?.every((name) => DECODED.has(name))) {
    delete headers["content-encoding"];
    delete headers["content-length"];
  }
  return headers;
}

function rethrow(error: unknown): never {
  throw withNodeCode(error);
}

/** Iterates over a web stream, because in some runtimes streams are not async iterable. */
class StreamBody implements AsyncIterableIterator<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(stream: ReadableStream<Uint8Array> | null) {
    this.#reader = stream?.getReader();
    // Handle this rejection: in some runtimes, an error in an unread body would be an unhandled rejection.
    this.#reader?.closed.catch(() => {});
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { done, value } = (await this.#reader
      ?.read()
      .catch((error: unknown) => rethrow(asNetworkError(error)))) ?? { done: true };
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
