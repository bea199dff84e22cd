/** What an error of a client means: the issue that it is, and whether asking again could help. */
import type { IssueCode } from "../issues.ts";

export interface NetworkFailure {
  readonly code: IssueCode;
  /** In words, without addresses or anything else that the server could have put there. */
  readonly reason: string;
  /** The same request may go through later. */
  readonly passing: boolean;
  /** No connection came about: the host may be dead. */
  readonly connecting: boolean;
}

const PATTERNS: readonly (readonly [RegExp, NetworkFailure])[] = [
  [
    /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ECONNREFUSED|EHOSTDOWN)$/,
    { code: "http.connection", reason: "no connection to the host", passing: true, connecting: true },
  ],
  [
    /^SITEATLAS_DEAD_HOST$/,
    { code: "http.connection", reason: "the host did not answer before", passing: false, connecting: true },
  ],
  [
    // getaddrinfo's, then those of c-ares, which node:dns gives (sec-U14).
    /^(ENOTFOUND|EAI_\w+|E(NODATA|SERVFAIL|FORMERR|NOTIMP|REFUSED|NONAME|BAD(NAME|QUERY|RESP|FAMILY|STR|FLAGS|HINTS)|TIMEOUT|CANCELLED))$/,
    { code: "http.dns", reason: "the host name does not resolve", passing: false, connecting: true },
  ],
  [
    /^(SITEATLAS_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ABORT_ERR)$/,
    { code: "http.timeout", reason: "the server took too long", passing: false, connecting: false },
  ],
  [
    /^ERR_BLOCKED_ADDRESS$/,
    {
      code: "http.blocked-address",
      reason: "the address is not public and allowPrivateNetworks does not open it",
      passing: false,
      connecting: false,
    },
  ],
  [
    /^ERR_BLOCKED_PORT$/,
    { code: "http.blocked-port", reason: "the port is none of the web", passing: false, connecting: false },
  ],
  [
    /^(CERT_|CRL_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_|EPROTO|UND_ERR_PRX_TLS)/,
    {
      code: "http.tls",
      reason: "the certificate or the TLS connection is not valid",
      passing: false,
      connecting: false,
    },
  ],
  [
    /^SITEATLAS_CODING$/,
    {
      code: "http.bad-content-encoding",
      reason: "the body is not encoded as its header says",
      passing: false,
      connecting: false,
    },
  ],
  [
    /^(HPE_|UND_ERR_RES|UND_ERR_HEADERS_OVERFLOW|SITEATLAS_PROTOCOL)/,
    { code: "http.protocol", reason: "the answer is not valid HTTP", passing: false, connecting: false },
  ],
  [
    /^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG)$/,
    { code: "http.connection", reason: "the client makes no request", passing: false, connecting: false },
  ],
];

/** No request was made: the host let others wait before. */
export class DeadHostError extends Error {
  override readonly name = "DeadHostError";
  readonly code = "SITEATLAS_DEAD_HOST";
}

/** The answer breaks HTTP. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code = "SITEATLAS_PROTOCOL";
}

const OTHER: NetworkFailure = {
  code: "http.connection",
  reason: "the connection broke",
  passing: true,
  connecting: false,
};

/** Reads the `code` of an error or of what caused it. */
export function classifyError(error: unknown): NetworkFailure {
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    if (code === undefined) continue;
    const found = PATTERNS.find(([pattern]) => pattern.test(code));
    if (found !== undefined) return found[1];
  }
  return OTHER;
}

/** What cut a body that had begun: most often, its connection ended. */
export function classifyCut(error: unknown): IssueCode {
  const { code } = classifyError(error);
  if (code === "http.timeout" || code === "http.bad-content-encoding") return code;
  return code === "http.protocol" && !isEarlyEnd(error) ? code : "http.truncated";
}

/** What undici says of a body that is too short when the server had announced that it would close the connection. */
function isEarlyEnd(error: unknown): boolean {
  return causesOf(error).some(
    (cause) =>
      codeOf(cause) === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || /Invalid EOF state/.test(cause.message),
  );
}

/** The error and what caused it, which may be a circle. */
function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let cause = error; cause instanceof Error && causes.length < 5; cause = cause.cause)
    causes.push(cause);
  return causes;
}

function codeOf(error: Error & { code?: unknown }): string | undefined {
  if (typeof error.code === "string") return error.code;
  // undici 7 loses the code of these.
  return error.name === "HTTPParserError" ? "HPE_" : undefined;
}
