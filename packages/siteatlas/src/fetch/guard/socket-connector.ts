/**
 * Connects sockets with undici's connector and the TLS options of the host. Adds the server's certificate to errors.
 */
import type { LookupFunction, Socket } from "node:net";
import type { ConnectionOptions, DetailedPeerCertificate, TLSSocket } from "node:tls";
import { buildConnector } from "undici";

/** Returns the TLS options of a host. A connector calls this function once, for its first https connection. */
export type TlsRule = () => Pick<ConnectionOptions, "secureContext" | "rejectUnauthorized">;

/**
 * Returns the TLS rule of a host. There are only a few rules, so that a connector can be cached for each rule. `host`
 * has no IPv6 brackets.
 */
export type TlsFor = (host: string) => TlsRule;

/** Returns a connector for undici. It has no timeout: the caller must set one. */
export function socketConnector(
  tls: TlsRule,
  options: { readonly lookup?: LookupFunction } = {},
): buildConnector.connector {
  const plain = buildConnector({ timeout: 0, ...options });
  let secure: buildConnector.connector | undefined;
  return (target, callback) => {
    if (target.protocol !== "https:") return plain(target, callback);
    secure ??= buildConnector({ timeout: 0, ...options, ...tls() });
    return connectSecurely(secure, target, callback);
  };
}

/**
 * Adds the server's certificate to the error if the verification fails. So a message can explain what is wrong with the
 * certificate. Node itself adds the certificate only if the host name is wrong.
 */
function connectSecurely(
  connect: buildConnector.connector,
  target: buildConnector.Options,
  callback: buildConnector.Callback,
): void {
  let certificate: object | undefined;
  const socket = connect(target, (...result) => {
    const [error] = result;
    if (error && certificate !== undefined) Object.assign(error, { cert: certificate });
    callback(...result);
  }) as unknown as TLSSocket;
  // This listener must run first: the next listener verifies the certificate and may destroy the socket.
  socket.prependListener("secure", () => {
    certificate = certificateFacts(socket.getPeerCertificate(true));
  });
  // Return the socket, although a connector returns nothing by its type. The caller destroys the socket on a timeout.
  return socket satisfies Socket as unknown as undefined;
}

/** Maximum number of certificates of a chain that are visited. A server may send a chain without end. */
const MAX_CHAIN = 10;

/**
 * The facts of a certificate that tls-faults.ts reads. Omits the other certificates of the chain, because they refer to
 * each other in a circle.
 */
function certificateFacts(leaf: DetailedPeerCertificate): object {
  let top = leaf;
  for (let step = 0; step < MAX_CHAIN && top.issuerCertificate !== undefined; step++) {
    if (top.issuerCertificate === top) break;
    top = top.issuerCertificate;
  }
  const { issuerCertificate: _, ...facts } = leaf;
  return { ...facts, authority: top.issuer };
}
