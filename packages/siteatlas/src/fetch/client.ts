/**
 * The one seam to the network: a function that makes one request and gives the response with its bytes as
 * they come. One hop: redirects, retries, politeness and limits are ours (fetch-resource.ts), so that they
 * hold for every client.
 */

export interface ClientRequest {
  /** Absolute, http or https. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the request and the body, at any stage. */
  readonly signal: AbortSignal;
  /**
   * For politeness: to be called with the address that a new connection for this request leads to, if the
   * client knows it. If it gives a promise, the request waits for that.
   */
  readonly onAddress?: ((address: string) => Promise<void> | undefined) | undefined;
}

export interface ClientResponse {
  readonly status: number;
  /** Names in lower case; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The bytes of the body. A client that undoes a Content-Encoding leaves the header out; gzip and zlib
   * need not be undone, they are recognised by their bytes. Empty pieces are fine: they say that something
   * came.
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** How many bytes of the body came over the wire so far, where that differs from those that `body` gives. */
  readonly wireBytes?: () => number;
  /** How many of them went into what `body` gave so far, where the client undoes a coding. */
  readonly usedBytes?: () => number;
  /** How many content codings the client undoes. @default 0 */
  readonly codings?: number;
  /** Once the body was begun: whether it was not encoded as its Content-Encoding says. */
  readonly isMiscoded?: () => boolean;
  /** Frees the connection of a body that nobody will read. Without it, `body` is begun and left. */
  readonly cancel?: () => void;
}

/**
 * Makes one request. What goes wrong on the way is thrown: an error whose `code` (or whose cause's) is one
 * of Node's or undici's is understood, any other counts as a connection error.
 */
export interface Client {
  (request: ClientRequest): Promise<ClientResponse>;
  /**
   * The client that this one only stands before, to watch or to change what one walk asks: walks with either of them
   * are polite together, as if they shared it.
   */
  readonly before?: Client | undefined;
}

/** A client that holds connections. */
export interface ClosableClient extends Client {
  /** Ends idle connections and frees everything. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Frees the connection of a response that nobody will read. */
export function discard(response: ClientResponse): void {
  if (response.cancel !== undefined) {
    response.cancel();
    return;
  }
  const iterator = response.body[Symbol.asyncIterator]();
  iterator.return?.().catch(() => {});
}
