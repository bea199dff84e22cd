/**
 * The client for Node, on undici's connection pools. HTTP/1.1, one request at a time on a connection;
 * redirects, retries and wall-clock limits are fetch-resource.ts's.
 *
 * It takes the pieces of a body as undici's parser gives them (`dispatch`). `request` puts a stream
 * between, which drops up to 64 KiB that have come when the server cuts the body, and its signal is not
 * heard while a connection is being made.
 */
import type { LookupFunction, Socket } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import errors from "undici/lib/core/errors.js";
import Agent from "undici/lib/dispatcher/agent.js";
import Client from "undici/lib/dispatcher/client.js";
import Pool from "undici/lib/dispatcher/pool.js";
import { maskNoUrl } from "../sinks/userinfo.ts";
import { AddressPolicy, type AllowList } from "./address-policy.ts";
import type { ClientRequest, ClientResponse, ClosableClient } from "./client.ts";
import { undoCodings } from "./content-coding.ts";
import { MAX_TIMER, timeLeft, watchTime } from "./deadline.ts";
import { ProtocolError } from "./errors.ts";
import { checkUrl, guardedConnector } from "./guard.ts";
import { proxyOf, withoutAddressName } from "./proxy.ts";

export interface NodeClientOptions {
  /**
   * An http or https URL, which may hold a user and a password. The proxy may be anywhere. It resolves the
   * names, so that of the guard only the checks of literal addresses and ports are left.
   */
  readonly proxy?: string | undefined;
  /**
   * Connect to addresses that are not public, too: of this machine, its network, and reserved ones. Those of
   * cloud metadata services are never connected to.
   * @default false
   */
  readonly allowPrivateNetworks?: boolean | undefined;
  /**
   * Hosts (`intranet.example.com`), hosts with their port (`localhost:8080`) and ranges of addresses
   * (`10.1.0.0/16`) that may be connected to though they are not public.
   */
  readonly allow?: AllowList | undefined;
  /**
   * If the host of this URL is an address that is not public, or `localhost`, it may be connected to on this
   * port. A walk sets it for a client of its own; a client for several sites has none.
   */
  readonly homepage?: string | undefined;
  /**
   * Resolves names, instead of `dns.lookup`. Its answers are checked like any others.
   */
  readonly lookup?: LookupFunction | undefined;
  /**
   * For the name, the connection and TLS together.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * All headers of a response together. Four times as many bytes, and one for each byte of the body, may be
   * whatever else is no body: interim responses, the frame of chunks.
   * @default 65_536
   */
  readonly maxHeaderBytes?: number | undefined;
  /**
   * Connections to one origin at once; more requests wait.
   * @default Infinity
   */
  readonly connections?: number | undefined;
  /**
   * How long an idle connection is kept where the server does not say.
   * @default 4_000
   */
  readonly keepAliveMs?: number | undefined;
  /**
   * Makes the connections, instead of undici's own connector behind our guard: nothing checks where it
   * connects to. If it returns its socket, that is destroyed once nobody waits for it. Not used with a proxy,
   * which makes the connections then.
   */
  readonly connect?: buildConnector.connector | undefined;
}

/** undici's own timers, behind those of fetch-resource.ts. They are coarse, and 1xx responses reset one. */
const PHASE_TIMEOUT = 300_000;

/** Stops the endless stream of 103 responses, which no timer of undici ends (sec-H03). */
const MAX_INTERIM = 10;

/** Bytes that wait for the consumer; more stop the reading from the socket. */
const MAX_HELD = 128 * 1024;

/** Smaller pieces are joined: chunks of one byte would wake the reader for each (sec-B10). */
const MIN_PIECE = 4096;

const ACCEPT_ENCODING = "gzip, deflate, br";

/**
 * A client that keeps its connections and connects to public addresses only.
 *
 * @example
 * const client = createNodeClient({ allow: ["intranet.example.com", "10.1.0.0/16"] });
 */
export function createNodeClient(options: NodeClientOptions = {}): ClosableClient {
  checkBounds(options);
  const { maxHeaderBytes = 65_536, proxy, connect } = options;
  const maxOverhead = 4 * maxHeaderBytes;
  const policy = new AddressPolicy(options);
  const dispatcher = createDispatcher({ ...options, maxHeaderBytes }, policy);
  // Behind a proxy all hosts have one address, and nobody knows where another connector leads to.
  const knowsAddresses = proxy === undefined && connect === undefined;
  const client = async ({ url, headers, signal, onAddress }: ClientRequest): Promise<ClientResponse> => {
    // A connection whose response has just ended is free for the next request a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    if (!URL.canParse(url)) throw new TypeError(`Cannot request "${maskNoUrl(url)}": it is not a URL`);
    const target = new URL(url);
    if (proxy !== undefined) checkUrl(policy, target);
    const { origin, pathname, search } = target;
    const exchange = new Exchange(signal, maxOverhead, knowsAddresses ? onAddress : undefined);
    const request: ExchangeOptions = {
      origin,
      path: pathname + search,
      method: "GET",
      headers: { "accept-encoding": ACCEPT_ENCODING, ...headers },
      exchange,
    };
    (await dispatcher).dispatch(request, exchange);
    return toResponse(await exchange.head, exchange);
  };
  const close = async (): Promise<void> => {
    await (await dispatcher).destroy();
  };
  return Object.assign(client, { close, [Symbol.asyncDispose]: close });
}

/** @throws {RangeError} */
function checkBounds({
  connectTimeoutMs,
  maxHeaderBytes,
  connections,
  keepAliveMs,
}: NodeClientOptions): void {
  const bounds = { connectTimeoutMs, maxHeaderBytes, connections, keepAliveMs };
  for (const [name, value] of Object.entries(bounds)) {
    const least = name === "connections" ? 1 : 0;
    if (value !== undefined && !(value >= least)) {
      throw new RangeError(`Cannot make a client with ${name} ${value}: it is not a number from ${least} on`);
    }
  }
}

function toResponse({ status, headers }: Head, exchange: Exchange): ClientResponse {
  const { body, contentEncoding, codings, isMiscoded, usedBytes } = undoCodings(
    headers["content-encoding"],
    exchange,
  );
  const kept = Object.entries(headers).filter(
    ([name]) => body === exchange || (name !== "content-encoding" && name !== "content-length"),
  );
  if (body !== exchange && contentEncoding !== undefined) kept.push(["content-encoding", contentEncoding]);
  return {
    status,
    headers: Object.fromEntries(kept),
    body,
    wireBytes: () => exchange.wireBytes,
    ...(codings > 0 && { usedBytes }),
    codings,
    isMiscoded,
    cancel: () => exchange.cancel(),
  };
}

// ---------------------------------------------------------------- connections

/** undici hands the options on to the client of the pool that takes the request. */
interface ExchangeOptions extends Dispatcher.DispatchOptions {
  readonly exchange: Exchange;
}

function createDispatcher(
  options: NodeClientOptions & { readonly maxHeaderBytes: number },
  policy: AddressPolicy,
): Dispatcher | Promise<Dispatcher> {
  const { proxy, connectTimeoutMs = 10_000, maxHeaderBytes, keepAliveMs = 4_000 } = options;
  const { connections = Number.POSITIVE_INFINITY, lookup } = options;
  const { connect = guardedConnector(policy, lookup) } = options;
  const settings: Client.Options = {
    allowH2: false,
    pipelining: 1,
    // undici refuses as many as that, too, and knows no infinite number.
    maxHeaderSize: Math.min(Math.floor(maxHeaderBytes) + 1, Number.MAX_SAFE_INTEGER),
    headersTimeout: PHASE_TIMEOUT,
    bodyTimeout: PHASE_TIMEOUT,
    keepAliveTimeout: Math.min(Math.max(keepAliveMs, 1), MAX_TIMER),
  };
  const connectMs = Math.min(connectTimeoutMs, MAX_TIMER);
  const factory = (origin: string | URL, given: object): Pool =>
    new Pool(origin, {
      ...given,
      ...settings,
      ...(Number.isFinite(connections) && { connections }),
      factory: (url, client) => createPoolClient(url, client, connectTimeoutMs),
    });
  if (proxy === undefined) return new Agent({ ...settings, connect, factory });
  const proxySettings = {
    ...settings,
    ...proxyOf(proxy),
    factory,
    // Many proxies allow tunnels to port 443 alone: plain http goes through as a request.
    proxyTunnel: false,
    proxyTls: { timeout: connectMs },
    requestTls: { timeout: connectMs },
    clientFactory: (url: URL, { connect: join }: { connect: buildConnector.connector }) =>
      new Pool(url, { connect: withoutAddressName(join), headersTimeout: connectMs }),
  };
  // undici's agent for proxies needs what only its index makes of the dispatchers (sec-R14). The index is
  // CommonJS: bundled, it has no other export than this one.
  return import("undici").then(({ default: { ProxyAgent } }) => new ProxyAgent(proxySettings));
}

/**
 * One connection of a pool. undici does not tell the connector who waits: here the connector belongs to
 * the client, and the client knows its request, so that an abort ends the making of the connection too, and
 * the request knows the bytes of its socket.
 */
function createPoolClient(origin: URL, options: Client.Options, timeoutMs: number): Client {
  const connect = options.connect as buildConnector.connector;
  let exchange: Exchange | undefined;
  let socket: Socket | undefined;
  const client = new Client(origin, {
    ...options,
    connect: (target, callback) => {
      const giveUp = connectWithin(connect, timeoutMs, target, (...result) => {
        const [, made] = result;
        socket = made ?? undefined;
        const wait = made && exchange?.connectedTo(made);
        if (wait) holdConnection(made, wait, callback);
        else callback(...result);
      });
      exchange?.whileConnecting(giveUp);
    },
  });
  // Behind undici's own listener: what came has been parsed then.
  client.on("connect", () => socket?.on("readable", () => exchange?.checkOverhead()));
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) => {
    // Pipelining is 1, so the pool gives a client no second request before the first is over.
    exchange = (request as ExchangeOptions).exchange;
    exchange.parsedBytes = () => (socket === undefined ? 0 : socket.bytesRead - socket.readableLength);
    return dispatch(request, handler);
  };
  return client;
}

/** Gives a connection once it may be used, if it is still there then. */
function holdConnection(socket: Socket, wait: Promise<void>, callback: buildConnector.Callback): void {
  const onError = (): void => {};
  socket.on("error", onError);
  const fail = (error: unknown): void => {
    socket.destroy();
    callback(asError(error), null);
  };
  wait.then(() => {
    socket.off("error", onError);
    if (!socket.destroyed) callback(null, socket);
    else fail(Object.assign(new Error("The connection was closed"), { code: "ECONNRESET" }));
  }, fail);
}

/** Connects, for so long at most. Gives a function that gives up. */
function connectWithin(
  connect: buildConnector.connector,
  ms: number,
  target: buildConnector.Options,
  callback: buildConnector.Callback,
): (reason: Error) => void {
  let open = true;
  const settle: buildConnector.Callback = (...result) => {
    if (!open) {
      // Not even null, if undici's own connector fails.
      result[1]?.on("error", () => {}).destroy();
      return;
    }
    open = false;
    stopWatch();
    callback(...result);
  };
  const giveUp = (reason: Error): void => {
    settle(reason, null);
    (making as Partial<Socket> | undefined)?.destroy?.();
  };
  let making: unknown;
  let stopWatch = (): void => {};
  const from = performance.now();
  stopWatch = watchTime(
    () => timeLeft(ms, performance.now() - from),
    () => giveUp(new errors.ConnectTimeoutError(`No connection in ${ms} ms`)),
  );
  try {
    if (open) making = connect(target, settle);
  } catch (error) {
    settle(error as Error, null);
  }
  return giveUp;
}

// ---------------------------------------------------------------- one request and its response

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of a response that has come whole: to make an error takes longer than to read a small body. */
const CANCELLED = new errors.RequestAbortedError("The body was cancelled");

/** Takes what undici's parser gives, holds it and gives it out: all that came, then the error if there was one. */
class Exchange implements Dispatcher.DispatchHandler, AsyncIterableIterator<Uint8Array> {
  readonly head: Promise<Head>;
  /** Those of the body. */
  wireBytes = 0;
  /** Those that undici's parser has taken from the socket, of this exchange and of those before it. */
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
  #controller: Dispatcher.DispatchController | undefined;
  #giveUp: ((reason: Error) => void) | undefined;
  #settleHead!: { resolve: (head: Head) => void; reject: (error: unknown) => void };
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

  /** A connection is being made for it, which can be given up. */
  whileConnecting(giveUp: (reason: Error) => void): void {
    this.#giveUp = giveUp;
    if (this.#failure !== undefined) giveUp(asError(this.#failure.error));
  }

  /** There is a connection for it; a promise if it may not be used at once. */
  connectedTo({ remoteAddress }: Socket): Promise<void> | undefined {
    if (remoteAddress === undefined || this.#failure !== undefined) return undefined;
    return this.#onAddress?.(remoteAddress);
  }

  /** Ends it. A response that has come whole leaves its connection as it is. */
  cancel(): void {
    this.#stop(this.#ended ? CANCELLED : new errors.RequestAbortedError(CANCELLED.message));
  }

  /**
   * Stops what the server sends without end though none of it is a body: a reason phrase (sec-H08), chunk
   * extensions (sec-B10). Chunks of five bytes are the smallest that are worth their frame.
   */
  checkOverhead(): void {
    if (this.#ended || this.#failure !== undefined) return;
    const overhead = this.parsedBytes() - this.#parsedBefore - this.wireBytes;
    if (overhead <= this.#maxOverhead + this.wireBytes) return;
    this.#controller?.abort(new ProtocolError("The answer is more frame than body"));
  }

  // -------------------------------------------------- from undici

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
    this.#ended = true;
    this.#finish();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#failure ??= { error: translate(error) };
    this.#settleHead.reject(this.#failure.error);
    this.#finish();
  }

  // -------------------------------------------------- to the reader

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
    const found = this.#chunks.findIndex((chunk) => chunk.length >= MIN_PIECE);
    const smallOnes = found < 0 ? this.#chunks.length : found;
    return smallOnes > 1 ? Buffer.concat(this.#chunks.splice(0, smallOnes)) : this.#chunks.shift();
  }

  readonly #onAbort = (): void => this.#stop(this.#signal.reason);

  /** Ends it from this side; what has come is dropped. */
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

function asError(reason: unknown): Error {
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

/** undici tells some violations of the protocol by its words or by a failed assertion alone (sec-H05, sec-H09). */
function translate(error: Error & { code?: unknown }): Error {
  const isViolation =
    error.code === "ERR_ASSERTION" ||
    (error.code === "UND_ERR_SOCKET" && /^bad (response|upgrade)$/.test(error.message));
  return isViolation ? new ProtocolError("The answer breaks HTTP", { cause: error }) : error;
}
