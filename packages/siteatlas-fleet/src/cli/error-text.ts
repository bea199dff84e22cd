/**
 * Turns errors of the operating system, of connections and of the fleet into one readable line, without codes such as
 * ENOENT.
 */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EEXIST: "it already exists",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  EIO: "the device reported an error",
  EADDRINUSE: "another program uses this port",
  EADDRNOTAVAIL: "this machine does not have this address",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the name server did not answer",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the host",
};

interface SystemError extends NodeJS.ErrnoException {
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/**
 * The cause of an error as text, in lower case and without a final period. Returns its message if its code is not in
 * `REASONS`.
 */
export function systemReason(error: unknown): string {
  const { code = "", message } = error as Partial<SystemError>;
  return withoutStack((Object.hasOwn(REASONS, code) ? REASONS[code] : message) || String(error));
}

/** Some libraries put the stack of another error into a message. It is of no use to an operator. */
function withoutStack(text: string): string {
  return text.replace(/(?:\n\s+at [^\n]*)+/g, "").trimEnd();
}

/** The text for an error, such as `cannot connect to 127.0.0.1:5432: connection refused`. */
export function errorText(error: unknown): string {
  // A host has several addresses, and all connections failed. Show only the error of the first address.
  if (error instanceof AggregateError && error.errors.length > 0) return errorText(error.errors[0]);
  const { code = "", syscall, path, address, port, hostname } = error as Partial<SystemError>;
  if (code === "ERR_INVALID_URL") return "the URL of the database or of Redis is not valid";
  const reason = systemReason(error);
  if (!Object.hasOwn(REASONS, code)) return reason;
  const place = hostname ?? (port === undefined ? address : `${address}:${port}`);
  if (syscall === "listen") return `cannot listen on ${place}: ${reason}`;
  if (place !== undefined) return `cannot connect to ${place}: ${reason}`;
  return path === undefined ? reason : `cannot use ${path}: ${reason}`;
}
