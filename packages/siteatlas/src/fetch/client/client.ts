/**
 * The only interface to the network: a function that sends one request and returns the response with a streaming
 * body. It follows no redirects: redirects, retries, politeness and limits are in fetch-resource.ts, so that they
 * work with every client.
 */

/** One request, as a client gets it. */
export interface ClientRequest {
  /** An absolute http or https URL. */
  readonly url: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the request and the body, at any stage. */
  readonly signal: AbortSignal;
  /**
   * For politeness: call this with the address of a new connection, if the client knows it. If it returns a
   * promise, await that before sending the request.
   */
  readonly onAddress?: ((address: string) => Promise<void> | undefined) | undefined;
}

/** The response that a client returns for one request, before redirects are followed. */
export interface ClientResponse {
  /** Status code, such as 200. */
  readonly status: number;
  /** Header names are in lower case. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes of the body. A client that decodes a Content-Encoding removes the header. It need not decode gzip and
   * zlib: siteatlas recognizes them by their bytes. Empty chunks are allowed and reset the idle timeout.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * Returns the number of body bytes received so far. Omit it if this equals the number of bytes that `body` yielded.
   */
  readonly wireBytes?: (() => number) | undefined;
  /** Returns how many of the `wireBytes` were decoded to yield `body` so far, if the client decodes a coding. */
  readonly usedBytes?: (() => number) | undefined;
  /** Number of content codings that the client decodes. @default 0 */
  readonly codings?: number | undefined;
  /** Whether the body contradicts its Content-Encoding. Valid after the first chunk of the body was read. */
  readonly isMiscoded?: (() => boolean) | undefined;
  /**
   * Frees the connection if the body is not read. Without it, siteatlas calls `return` on the iterator of `body`.
   * Errors of both are ignored.
   */
  readonly cancel?: (() => void) | undefined;
}

/**
 * Sends one request. Throws if that fails. An error is classified by the Node or undici `code` of the error or of its
 * causes. The message of any other error, with those of its causes, becomes the reason of the invalid sitemap.
 *
 * A `TypeError` or `ReferenceError` is a bug in the client: the walk throws it at once. The TypeErrors of `fetch`
 * (`fetch failed`) count as connection errors.
 */
export interface Client {
  (request: ClientRequest): Promise<ClientResponse>;
  /**
   * The client that this one wraps, for example to log or reject requests. Walks with either client share
   * request slots and delays, as if they used the same client.
   */
  readonly wraps?: Client | undefined;
  /** Whether the client was closed. A walk with a closed client throws a `TypeError`. */
  readonly closed?: boolean | undefined;
}

/**
 * A client that may return the `Response` of a `fetch` function. Pass `redirect: "manual"` to `fetch`: siteatlas follows
 * redirects itself.
 *
 * @example
 * const client = ({ url, headers, signal }: ClientRequest) =>
 *   fetch(url, { headers, signal, redirect: "manual", cache: "no-store" });
 */
export type ResponseClient = (request: ClientRequest) => Promise<ClientResponse | Response>;

/** A client that holds connections. */
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

/** Runs clean-up of a client. Its errors are ignored, because the response was used or is not needed. */
export function ignoreErrors(cleanUp: () => unknown): void {
  try {
    Promise.resolve(cleanUp()).catch(() => {});
  } catch {
    // A thrown error is ignored like a rejection.
  }
}
