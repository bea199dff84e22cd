/**
 * The guard against server-side request forgery (SSRF): an untrusted site must not make siteatlas connect to private
 * addresses. The guard is part of the connector, because every connection uses the connector: for URLs of sitemaps and
 * for redirects.
 *
 * There are four checks, because each check alone can be bypassed:
 * - a literal address (an IP address in the URL), because it needs no lookup;
 * - the port;
 * - every address that the lookup for this connection returns, because an earlier lookup may have returned other
 *   addresses (DNS rebinding);
 * - the address that the socket is connected to.
 *
 * A proxy resolves host names itself. So for requests through a proxy, only literal addresses, `localhost`, names of
 * metadata services and ports are checked.
 */
import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import { type AddressPolicy, type Admit, targetOf } from "./address-policy.ts";
import { isMetadataName } from "./metadata-services.ts";
import { addressKind } from "./public-address.ts";
import { socketConnector, type TlsFor, type TlsRule } from "./socket-connector.ts";

/** Blocked ports: the list of https://fetch.spec.whatwg.org/#port-blocking, port 0, and 6379 for Redis (sec-U12). */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Maximum number of addresses that are tried per host name. A name may have hundreds of dead addresses (sec-C03). */
const MAX_ADDRESSES = 8;

/** Maximum number of characters of a host name in an error message. */
const MAX_SHOWN = 253;

const DEFAULT_TLS: TlsRule = () => ({});

/**
 * Thrown if an address is blocked. The message does not contain the address that a name resolved to. Otherwise the
 * owner of the name could use the message to explore the private network.
 */
class BlockedAddressError extends Error {
  override readonly name = "BlockedAddressError";
  readonly code = "ERR_BLOCKED_ADDRESS";
  /**
   * Explains the failure more precisely than the general text for this error code in classify-error.ts. See
   * `DetailedError`.
   */
  readonly detail: { readonly reason: string } | undefined;

  constructor(message: string, reason: string | undefined) {
    super(message);
    this.detail = reason === undefined ? undefined : { reason };
  }
}

class BlockedPortError extends Error {
  override readonly name = "BlockedPortError";
  readonly code = "ERR_BLOCKED_PORT";
}

/** Returns a connector for undici that blocks private addresses. The caller must set a timeout. */
export function guardedConnector(
  policy: AddressPolicy,
  lookup: LookupFunction = systemLookup as LookupFunction,
  tlsFor: TlsFor = () => DEFAULT_TLS,
): buildConnector.connector {
  // Keep one connector for each pair of `admit` and TLS rule. undici does not pass the port to the lookup function, so
  // one connector cannot serve hosts with different rules.
  const connectors = new Map<Admit, Map<TlsRule, buildConnector.connector>>();
  const connectorFor = (admit: Admit, rule: TlsRule): buildConnector.connector => {
    const byRule = connectors.get(admit) ?? new Map<TlsRule, buildConnector.connector>();
    connectors.set(admit, byRule);
    const connect =
      byRule.get(rule) ?? socketConnector(rule, { lookup: filteredLookup(policy, admit, lookup) });
    byRule.set(rule, connect);
    return connect;
  };
  return (target, callback) => {
    const { host, port } = targetOf(target);
    const refusal = refuse(policy, host, port);
    if (refusal !== undefined) {
      callback(refusal, null);
      return;
    }
    const admit = policy.admitFor(host, port);
    // Return the socket, so that the caller can destroy it on a timeout.
    return connectorFor(admit, tlsFor(host))(target, (...[error, socket]) => {
      if (error) callback(error, null);
      else checkSocket(socket as Socket, host, policy, admit, callback);
    });
  };
}

/** Checks a request that is sent through a proxy. @throws {BlockedAddressError | BlockedPortError} */
export function checkUrl(policy: AddressPolicy, url: URL): void {
  const { host, port } = targetOf(url);
  const refusal = refuse(policy, host, port) ?? refuseLocalhost(policy, host, port);
  if (refusal !== undefined) throw refusal;
}

/** Returns an error if the port or the literal address is blocked. */
function refuse(policy: AddressPolicy, host: string, port: number): Error | undefined {
  if (BAD_PORTS.has(port) && !policy.namesPort(host, port)) {
    const shown = host.slice(0, MAX_SHOWN);
    return new BlockedPortError(
      `Cannot connect to port ${port} of ${shown}: it is reserved for another protocol. To allow it, add ${shown}:${port} to the option allow`,
    );
  }
  const admit = policy.admitFor(host, port);
  if (isMetadataName(host)) return blockedAddress(policy, admit, host);
  return isIP(host) === 0 || admit([host]) ? undefined : blockedAddress(policy, admit, host);
}

/** Returns an error for `localhost`: a proxy would resolve it to its own machine (RFC 6761 section 6.3). */
function refuseLocalhost(policy: AddressPolicy, host: string, port: number): Error | undefined {
  const admit = policy.admitFor(host, port);
  if (!/(?:^|\.)localhost\.?$/.test(host) || admit(["127.0.0.1"])) return undefined;
  return blockedAddress(policy, admit, host);
}

/** Looks up all addresses of a host name. A single forbidden address blocks the name (sec-C05). */
function filteredLookup(policy: AddressPolicy, admit: Admit, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      if (error) {
        callback(error, []);
        return;
      }
      const addresses = readAnswer(answer, family);
      if (addresses.length === 0) {
        const absent = new Error(`No address for ${hostname.slice(0, MAX_SHOWN)}`);
        callback(Object.assign(absent, { code: "ENOTFOUND" }), []);
      } else if (!admit(addresses.map(({ address }) => address))) {
        callback(blockedAddress(policy, admit, hostname), []);
      } else if (options.all) {
        callback(null, firstOf(addresses));
      } else {
        callback(null, addresses[0]!.address, addresses[0]!.family);
      }
    });
  };
}

/** Converts the result to a list, because a custom lookup may return one address although all were requested. */
function readAnswer(answer: string | readonly LookupAddress[], family: number | undefined): LookupAddress[] {
  const given = typeof answer === "string" ? [{ address: answer, family: family ?? 0 }] : answer;
  return given.map(({ address }) => ({ address, family: isIP(address) }));
}

/** Returns up to eight addresses, from both IPv4 and IPv6 if the host has both. */
function firstOf(addresses: readonly LookupAddress[]): LookupAddress[] {
  if (addresses.length <= MAX_ADDRESSES) return [...addresses];
  const { family } = addresses[0]!;
  const others = addresses.filter((address) => address.family !== family).slice(0, MAX_ADDRESSES / 2);
  const preferred = addresses.filter((address) => address.family === family);
  return [...preferred.slice(0, MAX_ADDRESSES - others.length), ...others];
}

/** The last check of the guard: the address that the socket is connected to must be allowed. */
function checkSocket(
  socket: Socket,
  host: string,
  policy: AddressPolicy,
  admit: Admit,
  callback: buildConnector.Callback,
): void {
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined && admit([remoteAddress])) {
    callback(null, socket);
    return;
  }
  socket.on("error", () => {}).destroy();
  const closed = Object.assign(new Error("The connection was closed at once"), { code: "ECONNRESET" });
  callback(remoteAddress === undefined ? closed : blockedAddress(policy, admit, host), null);
}

const METADATA = "cloud metadata services are always blocked";
const LINK_LOCAL = "it is a link-local address. To allow it, add this address to the option allow";
const NEVER_BY_NAME =
  "its address is link-local or belongs to a cloud metadata service. No option allows that for a name";
const NOT_PUBLIC =
  "its address is not public. To allow it, set the option allowPrivateNetworks or add the host to the option allow";

function blockedAddress(policy: AddressPolicy, admit: Admit, host: string): BlockedAddressError {
  const why = whyBlocked(policy, admit, host);
  const text = `Cannot connect to ${host.slice(0, MAX_SHOWN)}: ${why}`;
  return new BlockedAddressError(text, why === NOT_PUBLIC ? undefined : why);
}

function whyBlocked(policy: AddressPolicy, admit: Admit, host: string): string {
  const kind = addressKind(host);
  if (kind === "metadata" || isMetadataName(host)) return METADATA;
  if (kind === "link-local") return LINK_LOCAL;
  return policy.allowsPrivate(admit) ? NEVER_BY_NAME : NOT_PUBLIC;
}
