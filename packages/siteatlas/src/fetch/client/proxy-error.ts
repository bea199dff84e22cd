/** Errors for failures of the proxy. They must not be reported as failures of the site. */
import { classifyError } from "../classify-error.ts";
import type { DetailedError, FailureCause, FailureDetail } from "../failure-cause.ts";
import type { HttpProxy } from "./proxy.ts";

/**
 * Codes for classify-error.ts. After SITEATLAS_PROXY_DOWN, a retry may succeed. After SITEATLAS_PROXY_REFUSED, it
 * cannot succeed.
 */
type ProxyErrorCode = "SITEATLAS_PROXY_REFUSED" | "SITEATLAS_PROXY_DOWN";

export class ProxyError extends Error implements DetailedError {
  override readonly name = "ProxyError";
  readonly code: ProxyErrorCode;
  readonly detail: FailureDetail;

  constructor(code: ProxyErrorCode, cause: FailureCause, reason: string) {
    super(reason);
    this.code = code;
    this.detail = { cause, reason };
  }
}

/** The error if the proxy cannot be reached, or its answer is not HTTP. */
export function unreachable({ url }: HttpProxy, error: unknown): ProxyError {
  const { reason } = classifyError(error);
  const text = `the proxy ${url.host} does not work: ${reason}`;
  return new ProxyError("SITEATLAS_PROXY_DOWN", "proxy-unreachable", text);
}

/** The error if the proxy itself refused a request with this HTTP status. */
export function refused({ url, authorization }: HttpProxy, status: number): ProxyError {
  const name = `the proxy ${url.host}`;
  if (status === 407) {
    const text =
      authorization === undefined
        ? `${name} requires a user name and password`
        : `${name} rejected the user name and password`;
    return new ProxyError("SITEATLAS_PROXY_REFUSED", "proxy-authentication", `${text} (407)`);
  }
  return status >= 500
    ? new ProxyError(
        "SITEATLAS_PROXY_DOWN",
        "proxy-gateway",
        `${name} cannot connect to the host (${status})`,
      )
    : new ProxyError(
        "SITEATLAS_PROXY_REFUSED",
        "proxy-refused",
        `${name} does not allow this host (${status})`,
      );
}
