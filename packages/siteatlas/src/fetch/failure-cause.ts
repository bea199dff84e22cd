/**
 * The exact cause of a failed request, if the issue code alone is not precise enough. Public as `cause` of a sitemap.
 */

export type FailureCause =
  // any issue code: the request was not sent, because earlier requests to this host failed
  | "host-failed"
  // http.connection
  | "connection-refused"
  | "connection-timeout"
  | "network-unreachable"
  | "connection-reset"
  | "client-error"
  // http.timeout
  | "headers-timeout"
  | "idle-timeout"
  | "request-timeout"
  // http.tls
  | "certificate-expired"
  | "certificate-not-yet-valid"
  | "certificate-self-signed"
  | "certificate-name"
  | "certificate-incomplete"
  | "certificate-issuer"
  | "certificate-authority"
  | "certificate-revoked"
  | "client-certificate"
  | "tls-version"
  | "tls-handshake"
  | "not-tls"
  | "tls"
  // http.status 401: the scheme that WWW-Authenticate asks for
  | "basic-authentication"
  | "bearer-authentication"
  | "digest-authentication"
  | "negotiate-authentication"
  // http.proxy
  | "proxy-unreachable"
  | "proxy-authentication"
  | "proxy-refused"
  | "proxy-gateway";

export interface FailureDetail {
  readonly cause?: FailureCause;
  /** Replaces the general reason of the issue code. Contains no text from the server. */
  readonly reason: string;
}

/** An error that siteatlas throws. `detail` explains it more precisely than its issue code. */
export interface DetailedError extends Error {
  readonly detail?: FailureDetail | undefined;
}
