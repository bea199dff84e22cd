/** undici's connector with rules for TLS, and with errors that contain the certificate of the server. */
import type { LookupFunction, Socket } from "node:net";
import type { ConnectionOptions, DetailedPeerCertificate, TLSSocket } from "node:tls";
import { buildConnector } from "undici";

/** The TLS options of a host. Called for the first https connection. */
export type TlsRule = () => Pick<ConnectionOptions, "secureContext" | "rejectUnauthorized">;

/** Returns one of a few functions, so that connectors can be cached. `host` has no brackets. */
export type TlsFor = (host: string) => TlsRule;

/** The caller must set a timeout. */
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
 * Adds the certificate of the server to the error of a failed verification, so that a message can say what is wrong
 * with it. Node adds it only if the name is wrong.
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
  // This listener must be the first: the next one verifies the certificate and destroys the socket.
  socket.prependListener("secure", () => {
    certificate = certificateFacts(socket.getPeerCertificate(true));
  });
  // By its type a connector returns nothing. The caller destroys the socket on a timeout.
  return socket satisfies Socket as unknown as undefined;
}

/** Stops a chain that has no end. */
const MAX_CHAIN = 10;

/** Without the other certificates of the chain, which refer to each other in a circle (tls-faults.ts reads it). */
function certificateFacts(leaf: DetailedPeerCertificate): object {
  let top = leaf;
  for (let step = 0; step < MAX_CHAIN && top.issuerCertificate !== undefined; step++) {
    if (top.issuerCertificate === top) break;
    top = top.issuerCertificate;
  }
  const { issuerCertificate: _, ...facts } = leaf;
  return { ...facts, authority: top.issuer };
}
