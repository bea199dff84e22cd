/**
 * The client for Node: HTTP/1.1 on undici's connection pools, with one request at a time per connection.
 * fetch-resource.ts handles redirects, retries and time limits.
 */
import type { LookupFunction, Socket } from "node:net";
import { type buildConnector, Client, type Dispatcher, errors, Pool } from "undici";
import { checkOptions, type OptionRules } from "../../check/check-options.ts";
import {
  BOOLEAN,
  callable,
  either,
  listOf,
  number,
  type Rule,
  rule,
  wholeNumber,
} from "../../check/rules.ts";
import { maskNoUrl } from "../../escape/userinfo.ts";
import { asNetworkError } from "../client-faults.ts";
import { type HoldWindow, undoCodings } from "../content-coding.ts";
import { AddressPolicy, ALLOWED_HOST, type AllowList } from "../guard/address-policy.ts";
import { checkUrl, guardedConnector } from "../guard/ssrf-guard.ts";
import { runningClock } from "../running-clock.ts";
import { MAX_TIMER, timeLeft, watchTime } from "../timeout-signal.ts";
import type { ClientRequest, ClientResponse, ClosableClient } from "./client.ts";
import { asError, HttpExchange, type ResponseHead } from "./http-exchange.ts";
import { OriginPools } from "./origin-pools.ts";
import { type HttpProxy, PROXY, type ProxyFor, proxyRule } from "./proxy.ts";
import { refused } from "./proxy-error.ts";
import { type Connecting, proxyConnector, tunnelConnector } from "./proxy-tunnel.ts";
import { CERTIFICATES, tlsRules } from "./tls-options.ts";
import { WindowBudget } from "./window-budget.ts";

/** Options of `createNodeClient`, all optional. */
export interface NodeClientOptions {
  /**
   * The proxy to use: an http or https URL, optionally with user and password. Or `"environment"`, to use the variables
   * HTTPS_PROXY, HTTP_PROXY and NO_PROXY. The proxy itself may have a private address. The proxy resolves host names.
   * So for requests through the proxy, the guard checks only ports, `localhost`, names of cloud metadata services, and
   * hosts that are IP addresses.
   *
   * @default none
   */
  readonly proxy?: string | URL | undefined;
  /**
   * Certificates of additional authorities to trust, in PEM format. The authorities that Node trusts stay trusted.
   *
   * @example
   * createNodeClient({ ca: readFileSync("company-ca.pem", "utf8") });
   *
   * @default none
   */
  readonly ca?: string | readonly string[] | undefined;
  /**
   * Hosts whose certificates are not verified: `["staging.example.com"]`. An attacker on the network can then read and
   * change all data, including credentials. Prefer `ca`.
   *
   * @default none
   */
  readonly insecure?: readonly string[] | undefined;
  /**
   * Also allow private addresses: this machine, its network and reserved ranges. Link-local addresses stay blocked
   * unless `allow` lists them. Cloud metadata services are always blocked.
   * @default false
   */
  readonly allowPrivateNetworks?: boolean | undefined;
  /**
   * Private hosts (`intranet.example.com`), hosts with a port (`localhost:8080`) and ranges of addresses
   * (`10.1.0.0/16`) to allow.
   *
   * @default none
   */
  readonly allow?: AllowList | undefined;
  /**
   * One or more URLs. If the host of a URL is a private address or `localhost`, this host and port are allowed. If a
   * walk creates its own client, it passes its start URLs here.
   *
   * @default none
   */
  readonly homepage?: string | URL | readonly (string | URL)[] | undefined;
  /** Function to use instead of `dns.lookup`. The addresses that it returns are also checked. @default dns.lookup */
  readonly lookup?: LookupFunction | undefined;
  /** Time limit for name lookup, connection and TLS handshake together, in milliseconds. @default 10_000 */
  readonly connectTimeoutMs?: number | undefined;
  /**
   * Maximum size of all headers of a response, in bytes. All bytes outside the body, including 1xx responses and chunk
   * headers, may be at most four times this size, plus one byte for each byte of the body.
   * @default 65_536
   */
  readonly maxHeaderBytes?: number | undefined;
  /** Maximum number of connections to one origin. Further requests wait. @default Infinity */
  readonly connections?: number | undefined;
  /** Time in milliseconds that an idle connection stays open, unless the server sends another time. @default 4_000 */
  readonly keepAliveMs?: number | undefined;
  /**
   * A function that opens the connections. siteatlas does not check the addresses that the function connects to. If it
   * returns its socket, siteatlas destroys the socket when the request is aborted. Not used for requests through a
   * proxy.
   *
   * @default the connections of Node
   */
  readonly connect?: buildConnector.connector | undefined;
}

/**
 * undici's own timeouts, in case the time limits of fetch-resource.ts fail. They are not enough alone: undici's timers
 * are inexact, and each 1xx response resets one of them.
 */
const PHASE_TIMEOUT = 300_000;

const ACCEPT_ENCODING = "gzip, deflate, br";

/**
 * A client that reuses connections and connects only to public addresses.
 *
 * @example
 * const client = createNodeClient({ allow: ["intranet.example.com", "10.1.0.0/16"] });
 */
export function createNodeClient(options: NodeClientOptions = {}): ClosableClient {
  checkOptions("createNodeClient", CLIENT_OPTIONS, options);
  const { maxHeaderBytes = 65_536, connect } = options;
  const maxOverhead = 4 * maxHeaderBytes;
  const policy = new AddressPolicy(options);
  const proxyFor = proxyRule(options.proxy) ?? (() => undefined);
  const dispatchers = createDispatchers({ ...options, maxHeaderBytes }, policy, proxyFor);
  const windows = new WindowBudget();
  const client = async (given: ClientRequest): Promise<ClientResponse> => {
    const { url, method = "GET", headers, signal, onAddress, onHold = (wait) => wait } = given;
    // Wait one turn of the event loop. After that, the connection of a response that has just ended can be reused.
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    if (!URL.canParse(url)) throw new TypeError(`Cannot request "${maskNoUrl(url)}": it is not a URL`);
    const target = new URL(url);
    const proxy = proxyFor(target);
    if (proxy !== undefined) checkUrl(policy, target);
    // With a proxy, all connections have the address of the proxy, which is useless for politeness. With a custom
    // connector, the addresses are not known.
    const knowsAddresses = proxy === undefined && connect === undefined;
    const exchange = new HttpExchange(signal, maxOverhead, knowsAddresses ? onAddress : undefined);
    const sent = { "accept-encoding": ACCEPT_ENCODING, ...headers };
    const forwarder = proxy !== undefined && isForwarded(proxy, target) ? proxy : undefined;
    const request =
      forwarder === undefined ? directRequest(target, sent) : forwardedRequest(target, sent, forwarder);
    const options: ExchangeOptions = { ...request, method, exchange };
    dispatchers.for(forwarder).dispatch(options, exchange);
    const head = await exchange.head.catch((error: unknown) => {
      throw asNetworkError(error);
    });
    if (forwarder !== undefined && head.status === 407) {
      exchange.cancel();
      throw refused(forwarder, head.status);
    }
    const holdWindow: HoldWindow = async (bytes) => {
      if (!windows.take(bytes)) await onHold(windows.wait(bytes, signal));
      return () => windows.release(bytes);
    };
    return toResponse(head, exchange, holdWindow);
  };
  let closed = false;
  const close = (): Promise<void> => {
    closed = true;
    return dispatchers.destroy();
  };
  Object.defineProperty(client, "closed", { get: () => closed });
  return Object.assign(client, { close, [Symbol.asyncDispose]: close });
}

/**
 * Whether the proxy forwards the request itself, without a tunnel. Plain http needs this, because many proxies allow
 * tunnels only to port 443.
 */
function isForwarded({ url }: HttpProxy, target: URL): boolean {
  return target.protocol === "http:" && url.protocol === "http:";
}

type Request = Pick<Dispatcher.DispatchOptions, "origin" | "path" | "headers">;

function directRequest({ origin, pathname, search }: URL, headers: Record<string, string>): Request {
  return { origin, path: pathname + search, headers };
}

/** Creates a request for a proxy, with the absolute URL (RFC 9112 section 3.2.2). */
function forwardedRequest(
  target: URL,
  headers: Record<string, string>,
  { url, authorization }: HttpProxy,
): Request {
  const { origin, host, pathname, search } = target;
  return {
    origin: url.origin,
    path: origin + pathname + search,
    headers: {
      host,
      ...headers,
      ...(authorization !== undefined && { "proxy-authorization": authorization }),
    },
  };
}

const HOST: Rule<string> = rule(
  "a host such as staging.example.com",
  (value) => typeof value === "string" && /^(?:[^\s/\\?#@:]+|\[?[\da-f:.]+\]?)$/i.test(value),
);

const ABSOLUTE_URL: Rule<string | URL> = rule(
  "an absolute URL",
  (value) => value instanceof URL || (typeof value === "string" && URL.canParse(value)),
);

const CLIENT_OPTIONS: OptionRules<NodeClientOptions> = {
  proxy: PROXY,
  ca: CERTIFICATES,
  insecure: listOf(HOST, "an array of hosts"),
  allowPrivateNetworks: BOOLEAN,
  allow: either(listOf(ALLOWED_HOST, "an array of hosts and address ranges"), callable()),
  homepage: either(ABSOLUTE_URL, listOf(ABSOLUTE_URL, "an array of URLs")),
  lookup: callable(),
  connectTimeoutMs: number(0),
  maxHeaderBytes: number(0),
  connections: wholeNumber(1),
  keepAliveMs: number(0),
  connect: callable(),
};

function toResponse(
  { status, headers }: ResponseHead,
  exchange: HttpExchange,
  holdWindow: HoldWindow,
): ClientResponse {
  const { body, contentEncoding, codings, isMiscoded, usedBytes } = undoCodings(
    headers["content-encoding"],
    exchange,
    holdWindow,
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

/** The options of a request. undici passes them to the pool client that sends the request. */
interface ExchangeOptions extends Dispatcher.DispatchOptions {
  readonly exchange: HttpExchange;
}

interface Dispatchers {
  /** Returns the dispatcher for requests that this proxy forwards. Pass `undefined` for all other requests. */
  for(forwarder: HttpProxy | undefined): OriginPools;
  destroy(): Promise<void>;
}

function createDispatchers(
  options: NodeClientOptions & { readonly maxHeaderBytes: number },
  policy: AddressPolicy,
  proxyFor: ProxyFor,
): Dispatchers {
  const { connectTimeoutMs = 10_000, maxHeaderBytes, keepAliveMs = 4_000 } = options;
  const { connections = Number.POSITIVE_INFINITY, lookup } = options;
  const tlsFor = tlsRules(options);
  const { connect: connectDirectly = guardedConnector(policy, lookup, tlsFor) } = options;
  const settings: Client.Options = {
    allowH2: false,
    pipelining: 1,
    // Add 1, because undici also rejects headers of exactly the maximum size. Use the minimum, because undici does not
    // accept Infinity.
    maxHeaderSize: Math.min(Math.floor(maxHeaderBytes) + 1, Number.MAX_SAFE_INTEGER),
    headersTimeout: PHASE_TIMEOUT,
    bodyTimeout: PHASE_TIMEOUT,
    keepAliveTimeout: Math.min(Math.max(keepAliveMs, 1), MAX_TIMER),
  };
  const poolsFor = (connect: buildConnector.connector): OriginPools =>
    new OriginPools(
      (origin) =>
        new Pool(origin, {
          ...settings,
          connect,
          ...(Number.isFinite(connections) && { connections }),
          factory: (url, client) => createPoolClient(url, client, connectTimeoutMs),
        }),
    );
  const tunnelFor = cached((proxy) => tunnelConnector(proxy, tlsFor));
  const connect: buildConnector.connector = (target, callback) => {
    const { protocol, hostname, port } = target;
    const url = new URL(`${protocol}//${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`);
    const proxy = proxyFor(url);
    return (proxy === undefined ? connectDirectly : tunnelFor(proxy))(target, callback);
  };
  const direct = poolsFor(connect);
  const forwarded: OriginPools[] = [];
  const poolsOf = cached((proxy) => {
    const pools = poolsFor(proxyConnector(proxy, tlsFor));
    forwarded.push(pools);
    return pools;
  });
  return {
    for: (forwarder) => (forwarder === undefined ? direct : poolsOf(forwarder)),
    destroy: async () => {
      await Promise.all([direct, ...forwarded].map((each) => each.destroy()));
    },
  };
}

function cached<T>(create: (proxy: HttpProxy) => T): (proxy: HttpProxy) => T {
  const made = new Map<HttpProxy, T>();
  return (proxy) => {
    const value = made.get(proxy) ?? create(proxy);
    made.set(proxy, value);
    return value;
  };
}

/**
 * Creates one connection of a pool. undici does not tell a connector which request it connects for. So each connection
 * has its own connector. This makes it possible to cancel the connection attempt of an aborted request, and to count
 * bytes per socket.
 */
function createPoolClient(origin: URL, options: Client.Options, timeoutMs: number): Client {
  const connect = options.connect as buildConnector.connector;
  let exchange: HttpExchange | undefined;
  let socket: Socket | undefined;
  const client = new Client(origin, {
    ...options,
    connect: (target, callback) => {
      const giveUp = connectWithin(connect, timeoutMs, target, (...result) => {
        const [, made] = result;
        socket = made ?? undefined;
        socket?.once("error", (error) => exchange?.noteSocketError(error));
        const wait = made && exchange?.connectedTo(made);
        if (wait) holdConnection(made, wait, callback);
        else callback(...result);
      });
      exchange?.whileConnecting(giveUp);
    },
  });
  // This listener runs after undici's own listener, so undici has already parsed the data.
  client.on("connect", () => socket?.on("readable", () => exchange?.checkOverhead()));
  const dispatch = client.dispatch.bind(client);
  client.dispatch = (request, handler) => {
    // One variable is enough: with pipelining 1, a connection has only one request at a time.
    exchange = (request as ExchangeOptions).exchange;
    exchange.parsedBytes = () => (socket === undefined ? 0 : socket.bytesRead - socket.readableLength);
    return dispatch(request, handler);
  };
  return client;
}

/** Passes the connection to undici when `wait` has resolved. Fails if the connection was closed before that. */
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

/** Connects within a time limit. Returns a function that cancels the connection attempt. */
function connectWithin(
  connect: buildConnector.connector,
  ms: number,
  target: buildConnector.Options,
  callback: buildConnector.Callback,
): (reason: Error) => void {
  let open = true;
  const settle: buildConnector.Callback = (...result) => {
    if (!open) {
      // Too late: the attempt was canceled. Destroy the socket. It is undefined if undici's connector failed.
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
  const from = runningClock.now();
  stopWatch = watchTime(
    () => timeLeft(ms, runningClock.now() - from),
    () => {
      const error = new errors.ConnectTimeoutError(`No connection in ${ms} ms`);
      giveUp((making as Partial<Connecting> | undefined)?.timeoutError?.(error) ?? error);
    },
  );
  try {
    if (open) making = connect(target, settle);
  } catch (error) {
    settle(error as Error, null);
  }
  return giveUp;
}
