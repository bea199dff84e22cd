/**
 * One request and its response, sent with undici's `dispatch`. Buffers the chunks from undici's parser until the caller
 * reads them. The caller gets all data that arrived before an error, and then the error.
 *
 * undici's `request` is not used: its stream drops up to 64 KiB of received data when the server cuts the body, and it
 * ignores its signal while connecting.
 */
import type { Socket } from "node:net";
import { type Dispatcher, errors } from "undici";
import { ProtocolError } from "../classify-error.ts";
import { asNetworkError } from "../client-faults.ts";
import type { ClientRequest } from "./client.ts";

export interface ResponseHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Maximum number of 1xx responses to a request. Each of them resets undici's timer, so an endless series would never
 * time out (sec-H03).
 */
const MAX_INTERIM = 10;

/** Maximum number of received bytes that the caller has not read yet. From this number on, the socket is paused. */
const MAX_HELD = 128 * 1024;

/**
 * Chunks below this size are joined. Otherwise a server could make the caller handle each byte separately (sec-B10).
 */
const MIN_CHUNK = 4096;

/**
 * The error of an exchange that is canceled after its response is complete. All exchanges share this object, because
 * creating an error is slower than reading a small body.
 */
const CANCELED = new errors.RequestAbortedError("The body was canceled");

export class HttpExchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  readonly head: Promise<ResponseHead>;
  /** Number of body bytes received so far. */
  wireBytes = 0;
  /** Number of bytes that undici's parser has read from this socket, including earlier exchanges. */
  parsedBytes: () => number = () => 0;
  readonly #signal: AbortSignal;
  readonly #maxOverhead: number;
  readonly #onAddress: ClientRequest["onAddress"];
  #parsedBefore = 0;
  readonly #chunks: Uint8Array[] = [];
  #held = 0;
  #interim = 0;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  #alert: Error | undefined;
  #hasHead = false;
  /** The error of a connection that was reset during the body. */
  #reset: Error | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #giveUp: ((reason: Error) => void) | undefined;
  #settleHead!: { resolve: (head: ResponseHead) => void; reject: (error: unknown) => void };
  #wake: (() => void) | undefined;

  constructor(signal: AbortSignal, maxOverhead: number, onAddress: ClientRequest["onAddress"]) {
    this.#signal = signal;
    this.#maxOverhead = maxOverhead;
    this.#onAddress = onAddress;
    this.head = new Promise((resolve, reject) => {
      this.#settleHead = { resolve, reject };
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Called when a connection is being opened for this exchange. `giveUp` cancels the connection attempt. */
  whileConnecting(giveUp: (reason: Error) => void): void {
    this.#giveUp = giveUp;
    if (this.#failure !== undefined) giveUp(asError(this.#failure.error));
  }

  /** Called when the connection is open. Returns a promise if the request must wait for a slot of this address. */
  connectedTo({ remoteAddress }: Socket): Promise<void> | undefined {
    if (remoteAddress === undefined || this.#failure !== undefined) return undefined;
    return this.#onAddress?.(remoteAddress);
  }

  /**
   * Called with the first error of the connection. Keeps two errors that undici drops:
   * - A TLS alert, for example from a server that wants a client certificate, if the server then closes the connection.
   * - A reset during a body without a length. undici treats it as the regular end, because some servers on macOS end
   *   bodies with a reset. This class treats it as an error, because a truncated body must not be taken for a complete
   *   one.
   */
  noteSocketError(error: Error & { readonly code?: unknown }): void {
    if (/^ERR_SSL/.test(String(error.code))) this.#alert = error;
    // Keep a reset only if the response has started. undici reports an earlier reset, or sends the request again on a
    // new connection.
    if (error.code === "ECONNRESET" && this.#hasHead) this.#reset = error;
  }

  /** Stops the exchange. If the response is complete, the connection stays open. */
  cancel(): void {
    this.#stop(this.#ended ? CANCELED : new errors.RequestAbortedError(CANCELED.message));
  }

  /**
   * Limits the bytes outside the body. Stops a server that sends an endless reason phrase (sec-H08) or endless chunk
   * extensions (sec-B10). The limit grows with the body, because each chunk of the body has a header.
   */
  checkOverhead(): void {
    if (this.#ended || this.#failure !== undefined) return;
    const overhead = this.parsedBytes() - this.#parsedBefore - this.wireBytes;
    if (overhead <= this.#maxOverhead + this.wireBytes) return;
    this.#controller?.abort(
      new ProtocolError("The response has too many bytes outside its body, such as chunk headers"),
    );
  }

  // -------------------------------------------------- called by undici

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#parsedBefore = this.parsedBytes();
    this.#giveUp = undefined;
    if (this.#failure !== undefined) controller.abort(asError(this.#failure.error));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM) this.#stop(new ProtocolError("Too many interim responses"));
      return;
    }
    this.#hasHead = true;
    this.#settleHead.resolve({ status, headers: joinHeaders(headers) });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.wireBytes += chunk.length;
    this.#held += chunk.length;
    this.#chunks.push(chunk);
    if (this.#held >= MAX_HELD) controller.pause();
    this.#wake?.();
  }

  onResponseEnd(): void {
    if (this.#reset !== undefined) return this.onResponseError(undefined, this.#reset);
    this.#ended = true;
    this.#finish();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#failure ??= { error: asNetworkError(this.#alert ?? translate(error)) };
    this.#settleHead.reject(this.#failure.error);
    this.#finish();
  }

  // -------------------------------------------------- called by the code that reads the body

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      this.#signal.throwIfAborted();
      const value = this.#take();
      if (value !== undefined) {
        this.#held -= value.length;
        if (this.#held < MAX_HELD / 2 && this.#controller?.paused) this.#controller.resume();
        return { done: false, value };
      }
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.cancel();
    return { done: true, value: undefined };
  }

  #take(): Uint8Array | undefined {
    const found = this.#chunks.findIndex((chunk) => chunk.length >= MIN_CHUNK);
    const smallOnes = found < 0 ? this.#chunks.length : found;
    return smallOnes > 1 ? Buffer.concat(this.#chunks.splice(0, smallOnes)) : this.#chunks.shift();
  }

  readonly #onAbort = (): void => this.#stop(this.#signal.reason);

  /** Drops the received data and aborts the request. */
  #stop(error: unknown): void {
    this.#chunks.length = 0;
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    if (this.#ended) return;
    this.#settleHead.reject(error);
    this.#finish();
    if (this.#controller !== undefined) this.#controller.abort(asError(error));
    else this.#giveUp?.(asError(error));
  }

  #finish(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#wake?.();
  }
}

export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new errors.RequestAbortedError();
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** Recognizes protocol violations that undici reports only by a message or an assertion (sec-H05, sec-H09). */
function translate(error: Error & { code?: unknown }): Error {
  const isViolation =
    error.code === "ERR_ASSERTION" ||
    (error.code === "UND_ERR_SOCKET" && /^bad (response|upgrade)$/.test(error.message));
  return isViolation ? new ProtocolError("The response violates HTTP", { cause: error }) : error;
}
