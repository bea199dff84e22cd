/**
 * The guard against requests to where a stranger must not send us (SSRF): it stands in the connector, the
 * one place that all connections come through, whatever URL, redirect or name led to them.
 *
 * Four checks, because each of them alone has a way around it: the literal (no lookup is made for one),
 * the port, every answer of the lookup that the connection then uses (a name looked up before it is used
 * may resolve otherwise by then), and the address that the socket is connected to in the end.
 *
 * Behind a proxy the names are the proxy's to resolve: there only literals and ports are checked.
 */
import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { buildConnector } from "undici";
import createConnector from "undici/lib/core/connect.js";
import { type AddressPolicy, type Admit, targetOf } from "./address-policy.ts";

/** Ports of other protocols: https://fetch.spec.whatwg.org/#port-blocking, 0, and Redis (sec-U12). */
const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Stops the name with hundreds of addresses where nobody answers: each would get its try (sec-C03). */
const MAX_ADDRESSES = 8;

/** As much of a host as a message repeats. */
const MAX_SHOWN = 253;

/** Says neither which address it was nor what is there: whoever reads it may be the one who chose the name. */
export class BlockedAddressError extends Error {
  override readonly name = "BlockedAddressError";
  readonly code = "ERR_BLOCKED_ADDRESS";
}

export class BlockedPortError extends Error {
  override readonly name = "BlockedPortError";
  readonly code = "ERR_BLOCKED_PORT";
}

/** A connector of undici's behind the guard. It has no timeout of its own. */
export function guardedConnector(
  policy: AddressPolicy,
  lookup: LookupFunction = systemLookup as LookupFunction,
): buildConnector.connector {
  // One for each rule: undici tells a lookup neither the port nor who asks.
  const connectors = new Map<Admit, buildConnector.connector>();
  return (target, callback) => {
    const { host, port } = targetOf(target);
    const refusal = refuse(policy, host, port);
    if (refusal !== undefined) {
      callback(refusal, null);
      return;
    }
    const admit = policy.admitFor(host, port);
    let connect = connectors.get(admit);
    if (connect === undefined) {
      connect = createConnector({ timeout: 0, lookup: filteredLookup(policy, admit, lookup) });
      connectors.set(admit, connect);
    }
    // Returned, so that whoever gives up can destroy it.
    return connect(target, (...[error, socket]) => {
      // undici leaves the socket out of a failure.
      if (error) callback(error, null);
      else checkSocket(socket as Socket, host, policy, admit, callback);
    });
  };
}

/** For requests through a proxy. @throws {BlockedAddressError | BlockedPortError} */
export function checkUrl(policy: AddressPolicy, url: URL): void {
  const { host, port } = targetOf(url);
  const refusal = refuse(policy, host, port) ?? refuseLocalhost(policy, host, port);
  if (refusal !== undefined) throw refusal;
}

/** Why a port or a literal may not be connected to. */
function refuse(policy: AddressPolicy, host: string, port: number): Error | undefined {
  if (BAD_PORTS.has(port) && !policy.namesPort(host, port)) {
    const shown = host.slice(0, MAX_SHOWN);
    return new BlockedPortError(
      `Cannot connect to port ${port} of ${shown}: it belongs to another protocol. Name ${shown}:${port} in the option allow to do it`,
    );
  }
  if (isIP(host) === 0 || policy.admitFor(host, port)([host])) return undefined;
  return blockedAddress(policy, host);
}

/** A name that a proxy would resolve to itself (RFC 6761 section 6.3). */
function refuseLocalhost(policy: AddressPolicy, host: string, port: number): Error | undefined {
  if (!/(?:^|\.)localhost\.?$/.test(host) || policy.admitFor(host, port)(["127.0.0.1"])) return undefined;
  return blockedAddress(policy, host);
}

/** Looks up all addresses of a name. One that is not allowed refuses the name (sec-C05). */
function filteredLookup(policy: AddressPolicy, admit: Admit, lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer, family) => {
      if (error) {
        callback(error, []);
        return;
      }
      const addresses = readAnswer(answer, family);
      if (addresses.length === 0) {
        const nothing = new Error(`No address for ${hostname.slice(0, MAX_SHOWN)}`);
        callback(Object.assign(nothing, { code: "ENOTFOUND" }), []);
      } else if (!admit(addresses.map(({ address }) => address))) {
        callback(blockedAddress(policy, hostname), []);
      } else if (options.all) {
        callback(null, firstOf(addresses));
      } else {
        callback(null, addresses[0]!.address, addresses[0]!.family);
      }
    });
  };
}

/** A lookup of the caller's may give one address though it was asked for all. */
function readAnswer(answer: string | readonly LookupAddress[], family: number | undefined): LookupAddress[] {
  const given = typeof answer === "string" ? [{ address: answer, family: family ?? 0 }] : answer;
  return given.map(({ address }) => ({ address, family: isIP(address) }));
}

/** Some of both families, which are tried in turn. */
function firstOf(addresses: readonly LookupAddress[]): LookupAddress[] {
  if (addresses.length <= MAX_ADDRESSES) return [...addresses];
  const { family } = addresses[0]!;
  const others = addresses.filter((address) => address.family !== family).slice(0, MAX_ADDRESSES / 2);
  const preferred = addresses.filter((address) => address.family === family);
  return [...preferred.slice(0, MAX_ADDRESSES - others.length), ...others];
}

/** Belt and braces: whatever led here, this is where we are connected to. */
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
  callback(remoteAddress === undefined ? closed : blockedAddress(policy, host), null);
}

function blockedAddress(policy: AddressPolicy, host: string): BlockedAddressError {
  const why = policy.allowsPrivateNetworks
    ? "cloud metadata services are never asked"
    : "its address is not public. Set the option allowPrivateNetworks, or name it in the option allow, to do it";
  return new BlockedAddressError(`Cannot connect to ${host.slice(0, MAX_SHOWN)}: ${why}`);
}
