/**
 * The only interface to the network: a function that sends one request and returns the response with a streaming
 * body. It does not follow redirects. fetch-resource.ts handles redirects, retries, politeness and limits, so that they
 * work with every client.
 */

/** One request that a client must send. */
export interface ClientRequest {
  /** An absolute http or https URL. */
  readonly url: string;
  /** HEAD if a sync with the option `verify` checks a page. A client may send GET instead. @default "GET" */
  readonly method?: "GET" | "HEAD" | undefined;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the request and the body, at any stage. */
  readonly signal: AbortSignal;
  /**
   * For politeness: call this function with the IP address of each new connection, if the client knows the address. If
   * the function returns a promise, await it before you send the request.
   */
  readonly onAddress?: ((address: string) => Promise<void> | undefined) | undefined;
  /**
   * For a client that delays a body itself: call this function with the promise that the client waits for, and await
   * the result. The time until this promise settles does not count toward the time limits of the request.
   */
  readonly onHold?: ((wait: Promise<void>) => Promise<void>) | undefined;
}

/** The response that a client returns for one request, before redirects are followed. */
export interface ClientResponse {
  /** Status code, such as 200. */
  readonly status: number;
  /** Header names are in lower case. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes of the body. If the client decodes a Content-Encoding, it must remove this header. The client need not
   * decode gzip and zlib: siteatlas recognizes them by their bytes. Empty chunks are allowed and reset the idle
   * timeout.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Returns the number of body bytes received so far. Omit this function if `body` yields the received bytes unchanged.
   */
  readonly wireBytes?: (() => number) | undefined;
  /**
   * For a client that decodes a content coding: returns the number of received bytes that were needed to decode the
   * chunks yielded so far.
   */
  readonly usedBytes?: (() => number) | undefined;
  /** Number of content codings (gzip, brotli) that the client removed from the body. @default 0 */
  readonly codings?: number | undefined;
  /** Whether the body contradicts its Content-Encoding. Valid after the first chunk of the body was read. */
  readonly isMiscoded?: (() => boolean) | undefined;
  /**
   * Frees the connection if the body is not read. Without `cancel`, siteatlas calls `return` on the iterator of `body`.
   * Errors of either call are ignored.
   */
  readonly cancel?: (() => void) | undefined;
}

/**
 * Sends one request. Throws an error if the request fails. If the error or one of its causes has a `code` of Node or
 * undici, siteatlas classifies the error by this code. Otherwise the messages of the error and its causes become the
 * `reason` of the invalid sitemap.
 *
 * A `TypeError` or `ReferenceError` is a bug in the client: the walk throws it immediately, without a retry. The
 * TypeErrors of `fetch` (`fetch failed`) count as connection errors.
 */
export interface Client {
  (request: ClientRequest): Promise<ClientResponse>;
  /**
   * The client that this client wraps, for example to log or reject requests. Walks with the outer or the inner client
   * share request slots and delays, as if they used the same client.
   */
  readonly wraps?: Client | undefined;
  /** Whether the client was closed. A walk with a closed client throws a `TypeError`. */
  readonly closed?: boolean | undefined;
}

/**
 * A client that may return the `Response` of a `fetch` function. Pass `redirect: "manual"` to `fetch`: siteatlas
 * follows redirects itself.
 *
 * @example
 * const client = ({ url, headers, signal }: ClientRequest) =>
 *   fetch(url, { headers, signal, redirect: "manual", cache: "no-store" });
 */
export type ResponseClient = (request: ClientRequest) => Promise<ClientResponse | Response>;

/** A client that keeps connections open until it is closed. */
export interface ClosableClient extends Client {
  /** Closes all connections. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** @throws {TypeError} if this client, or one that it wraps, was closed */
export function checkOpen(client: Client): void {
  for (let at: Client | undefined = client; at !== undefined; at = at.wraps) {
    if (at.closed === true) throw new TypeError("Cannot walk with a closed client: create a new one");
  }
}

/** Frees the connection of a response that will not be read. */
export function discard(response: ClientResponse): void {
  ignoreErrors(() => {
    if (response.cancel !== undefined) return response.cancel();
    return response.body[Symbol.asyncIterator]().return?.();
  });
}

/** Runs the clean-up code of a client. Ignores its errors, because the response is complete or not needed. */
export function ignoreErrors(cleanUp: () => unknown): void {
  try {
    Promise.resolve(cleanUp()).catch(() => {});
  } catch {
    // Ignore a thrown error like a rejected promise.
  }
}
