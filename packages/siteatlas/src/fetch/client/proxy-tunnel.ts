/**
 * Connects through a proxy. A tunnel is requested with CONNECT (RFC 9110 section 9.3.6). TLS to the site runs inside
 * the tunnel, so the proxy sees neither URLs nor headers. An error before the tunnel is open counts as a failure of the
 * proxy.
 */
import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import type { buildConnector } from "undici";
import { targetOf } from "../guard/address-policy.ts";
import { socketConnector, type TlsFor, type TlsRule } from "../guard/socket-connector.ts";
import type { HttpProxy } from "./proxy.ts";
import { refused, unreachable } from "./proxy-error.ts";

/** A connection attempt in progress, as the connectors of this file return it. */
export interface Connecting {
  destroy(): void;
  /** Converts a timeout error: until the tunnel is open, a timeout is a failure of the proxy, not of the site. */
  timeoutError?(error: Error): Error;
}

/** Connects to the proxy itself. Its address is not checked by the guard, because the caller chose the proxy. */
export function proxyConnector(proxy: HttpProxy, tlsFor: TlsFor): buildConnector.connector {
  const { host, protocol, port } = proxy.url;
  const { host: hostname } = targetOf(proxy.url);
  const connect = socketConnector(tlsFor(hostname));
  return (_, callback) => {
    const socket = connect({ hostname, host, protocol, port }, (...[error, made]) => {
      if (error) callback(unreachable(proxy, error), null);
      else callback(null, made as Socket);
    }) as unknown as Socket;
    return connecting(
      () => socket.destroy(),
      (error) => unreachable(proxy, error),
    );
  };
}

/** Connects to a site through a tunnel of the proxy. */
export function tunnelConnector(proxy: HttpProxy, tlsFor: TlsFor): buildConnector.connector {
  const connectToProxy = proxyConnector(proxy, tlsFor);
  const connectors = new Map<TlsRule, buildConnector.connector>();
  return (target, callback) => {
    const { host, port } = targetOf(target);
    const rule = tlsFor(host);
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    let stage: { destroy(): void } | undefined;
    let isOpen = false;
    const onTunnel = (tunnel: Socket): void => {
      isOpen = true;
      if (target.protocol !== "https:") {
        callback(null, tunnel);
        return;
      }
      const connectTls = connectors.get(rule) ?? socketConnector(rule);
      connectors.set(rule, connectTls);
      stage = connectTls({ ...target, httpSocket: tunnel }, callback) as unknown as Socket;
    };
    const toProxy = connectToProxy(target, (...[error, socket]) => {
      if (error) callback(error, null);
      else {
        stage = socket as Socket;
        requestTunnel(proxy, authority, socket as Socket, (problem, tunnel) => {
          if (problem) callback(problem, null);
          else onTunnel(tunnel!);
        });
      }
    }) as unknown as Connecting;
    return connecting(
      () => (stage ?? toProxy).destroy(),
      (error) => (isOpen ? error : unreachable(proxy, error)),
    );
  };
}

/**
 * Returns a `Connecting` object, although the return type is `void`: undici's type of a connector allows no result.
 * node-client.ts checks whether the result has the methods of `Connecting`.
 */
function connecting(destroy: () => void, timeoutError: (error: Error) => Error): void {
  const result: Connecting = { destroy, timeoutError };
  return result as unknown as undefined;
}

function requestTunnel(
  proxy: HttpProxy,
  authority: string,
  socket: Socket,
  done: (error: Error | undefined, tunnel?: Socket) => void,
): void {
  const request = httpRequest({
    method: "CONNECT",
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization !== undefined && { "proxy-authorization": proxy.authorization }),
    },
    createConnection: () => socket,
  });
  request.on("error", (error) => done(unreachable(proxy, error)));
  request.on("connect", ({ statusCode = 0 }, tunnel: Socket, head: Buffer) => {
    if (statusCode < 200 || statusCode > 299) {
      tunnel.on("error", () => {}).destroy();
      done(refused(proxy, statusCode));
      return;
    }
    if (head.length > 0) tunnel.unshift(head);
    done(undefined, tunnel);
  });
  request.end();
}
