/**
 * Readable texts for errors of the operating system and of connections. Users do not have to know codes such as
 * `ENOENT`.
 */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or folder",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be larger than allowed (ulimit -f)",
  ENOTDIR: "a part of the path is not a folder",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its symbolic links form a cycle",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  EIO: "the device reported an error",
  EADDRINUSE: "another program uses this port",
  EADDRNOTAVAIL: "this machine does not have the address",
  EBUSY: "another program is using it",
  ETXTBSY: "another program is using it",
  ENXIO: "no program reads from it",
  ENOTFOUND: "unknown host",
  EAI_AGAIN: "the name server did not answer",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection reset",
  UND_ERR_SOCKET: "connection reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the host",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate chain is incomplete",
};

/**
 * The cause of an error as text, in lower case and without a final period. If the code is unknown, the text is Node's
 * message without the code and the path: `stale file handle` for `ESTALE: stale file handle, open 'x'`.
 */
export function systemReason(error: unknown): string {
  const { code = "", message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  return (
    REASONS[code] ??
    message.replace(/^(?:\w+ )?E[A-Z\d]+: /, "").replace(/, \w+(?: '.*?')?(?: -> '.*')?$/s, "")
  );
}
