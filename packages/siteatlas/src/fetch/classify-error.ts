/** Maps the error of a client to an issue code, and decides whether a retry could help. */
import type { IssueCode } from "../model/issue-severity.ts";
import { clientMessage } from "./client-faults.ts";
import type { DetailedError, FailureCause } from "./failure-cause.ts";
import { type CertificateFacts, tlsFault } from "./tls-faults.ts";

export interface NetworkFailure {
  readonly code: IssueCode;
  /**
   * Explains the failure. Safe to print: text of a server or a client is quoted only without control characters and
   * secrets.
   */
  readonly reason: string;
  /** The exact cause, if the issue code alone is not precise enough. */
  readonly cause?: FailureCause;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  /** Whether the connection itself failed, so that the host may be dead. */
  readonly connecting: boolean;
}

function failure(
  code: IssueCode,
  reason: string,
  {
    isTransient = false,
    connecting = false,
    cause,
  }: { isTransient?: boolean; connecting?: boolean; cause?: FailureCause } = {},
): NetworkFailure {
  return { code, reason, isTransient, connecting, ...(cause !== undefined && { cause }) };
}

/** A failure to connect. A retry may succeed. */
function noConnection(reason: string, cause: FailureCause): NetworkFailure {
  return failure("http.connection", reason, { isTransient: true, connecting: true, cause });
}

const PATTERNS: readonly (readonly [RegExp, NetworkFailure])[] = [
  [/^ECONNREFUSED$/, noConnection("the host refused the connection", "connection-refused")],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT)$/, noConnection("connecting took too long", "connection-timeout")],
  [
    /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN)$/,
    noConnection("the network of the host cannot be reached", "network-unreachable"),
  ],
  [
    // First the error codes of getaddrinfo, then the codes of c-ares, the resolver of node:dns (sec-U14).
    /^(ENOTFOUND|EAI_\w+|E(NODATA|SERVFAIL|FORMERR|NOTIMP|REFUSED|NONAME|BAD(NAME|QUERY|RESP|FAMILY|STR|FLAGS|HINTS)|TIMEOUT|CANCELLED))$/,
    failure("http.dns", "the host name does not resolve", { connecting: true }),
  ],
  [
    /^(SITEATLAS_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ABORT_ERR)$/,
    failure("http.timeout", "the server took too long"),
  ],
  [
    /^ERR_BLOCKED_ADDRESS$/,
    failure(
      "http.blocked-address",
      "the address is not public and neither allowPrivateNetworks nor allow permits it",
    ),
  ],
  [
    /^ERR_BLOCKED_PORT$/,
    failure(
      "http.blocked-port",
      "siteatlas does not connect to this reserved port because it belongs to another protocol",
    ),
  ],
  [/^SITEATLAS_PROXY_REFUSED$/, failure("http.proxy", "the proxy refused the request", { connecting: true })],
  [
    /^SITEATLAS_PROXY_DOWN$/,
    failure("http.proxy", "the proxy does not work", { isTransient: true, connecting: true }),
  ],
  [/^SITEATLAS_CODING$/, failure("http.bad-content-encoding", "the body is not encoded as its header says")],
  [
    /^(HPE_|UND_ERR_RES|UND_ERR_HEADERS_OVERFLOW|SITEATLAS_PROTOCOL)/,
    failure("http.protocol", "the response is not valid HTTP"),
  ],
  [
    /^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$/,
    failure("http.connection", "the HTTP client was closed or rejected the request"),
  ],
];

const OTHER = failure("http.connection", "the connection broke", { isTransient: true });
const RESET = failure("http.connection", "the connection broke", {
  isTransient: true,
  cause: "connection-reset",
});

const RESET_CODE = /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET)$/;

const TLS_CODE =
  /^(?:CERT_|CRL_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|EPROTO|UND_ERR_PRX_TLS)/;

/** Thrown instead of sending a request, because earlier requests to the same host failed. */
export class DeadHostError extends Error {
  override readonly name = "DeadHostError";
  readonly code = "SITEATLAS_DEAD_HOST";
  readonly failure: NetworkFailure;

  constructor(failure: NetworkFailure) {
    super(failure.reason);
    this.failure = failure;
  }
}

/** The failure of a request that is not sent. The argument is the failure of earlier requests to the same host. */
export function skippedAfter({ code, reason }: Pick<NetworkFailure, "code" | "reason">): NetworkFailure {
  return failure(code, `skipped: earlier requests to this host failed (${reason})`, {
    connecting: true,
    cause: "host-failed",
  });
}

export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code = "SITEATLAS_PROTOCOL";
}

/** Classifies an error by its `code` or by the code of one of its causes. */
export function classifyError(error: unknown): NetworkFailure {
  for (const cause of causesOf(error)) {
    if (cause instanceof DeadHostError) return cause.failure;
    const code = codeOf(cause);
    if (code === undefined) continue;
    if (TLS_CODE.test(code)) return tlsFailure(cause, code);
    if (RESET_CODE.test(code)) return RESET;
    const found = PATTERNS.find(([pattern]) => pattern.test(code));
    if (found !== undefined) return { ...found[1], ...(cause as DetailedError).detail };
  }
  const message = clientMessage(error, causesOf(error));
  if (message === undefined) return OTHER;
  return failure("http.connection", `the client failed: ${message}`, {
    isTransient: true,
    cause: "client-error",
  });
}

/** A TLS failure counts as a failed connection: with a bad certificate, no request to the host can succeed. */
function tlsFailure(error: Error & { readonly cert?: CertificateFacts }, code: string): NetworkFailure {
  const { cause, reason } = tlsFault(code, error.cert);
  return failure("http.tls", reason, { connecting: true, cause });
}

/**
 * Returns the issue code for a body that ended early. In most cases the server closed the connection: `http.truncated`.
 */
export function classifyCut(error: unknown): IssueCode {
  const { code } = classifyError(error);
  if (code === "http.timeout" || code === "http.bad-content-encoding") return code;
  return code === "http.protocol" && !isEarlyEnd(error) ? code : "http.truncated";
}

/**
 * Whether the error means a truncated body. If the server had sent `Connection: close`, undici reports a truncated body
 * as a protocol error.
 */
function isEarlyEnd(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      codeOf(cause) === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || /Invalid EOF state/.test(cause.message),
  );
}

/** Returns the error and its causes, at most five in total, because causes may form a cycle. */
export function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause)
    causes.push(cause);
  return causes;
}

function codeOf(error: Error & { code?: unknown }): string | undefined {
  if (typeof error.code === "string") return error.code;
  // undici 7 drops the code of parser errors, so recognize these errors by their name.
  return error.name === "HTTPParserError" ? "HPE_" : undefined;
}
