/**
 * A proxy in the worker that passes everything to the real proxy, and adds the real user name and password. So walker
 * processes do not need them. They get a random password, which is valid only for this relay and only until the worker
 * ends.
 *
 * The relay does not parse the bytes of sites.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

export interface ProxyRelay {
  /** The URL that walker processes use as their proxy. */
  readonly url: string;
  close(): void;
}

/** Whether the URL of a proxy has a user name or a password. */
export function hasCredentials(proxy: string): boolean {
  const { username, password } = new URL(proxy);
  return username !== "" || password !== "";
}

export async function startProxyRelay(proxy: string): Promise<ProxyRelay> {
  const url = new URL(proxy);
  const authorization = basic(decodeURIComponent(url.username), decodeURIComponent(url.password));
  const password = randomBytes(24).toString("hex");
  const expected = basic("walker", password);
  const sockets = new Set<Socket>();
  const relay = (request: IncomingMessage, client: Socket, head: Buffer): void => {
    if (request.headers["proxy-authorization"] !== expected) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\n\r\n");
      return;
    }
    const server = connectTo(url);
    sockets.add(server.on("close", () => sockets.delete(server)));
    const end = (): void => {
      server.destroy();
      client.destroy();
    };
    server.on("error", end);
    client.on("error", end).on("close", end);
    server.write(headOf(request, authorization));
    server.write(head);
    server.pipe(client);
    if (request.method === "CONNECT") client.pipe(server);
  };
  const server = createServer((request) => relay(request, request.socket, Buffer.alloc(0)));
  server.on("connect", (request, client, head) => relay(request, client as Socket, head));
  server.on("connection", (socket: Socket) => sockets.add(socket.on("close", () => sockets.delete(socket))));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  // The server must not keep the process alive if the worker has nothing else to do.
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://walker:${password}@127.0.0.1:${port}/`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function connectTo({ protocol, hostname, port }: URL): Socket {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  return protocol === "https:"
    ? connectTls({ host, servername: host, port: Number(port || 443) })
    : connectTcp({ host, port: Number(port || 80) });
}

/**
 * The request line and the headers for the real proxy, with its credentials. Node has already checked the characters of
 * the line and the headers.
 */
function headOf({ method, url, rawHeaders }: IncomingMessage, authorization: string): string {
  const lines = [`${method} ${url} HTTP/1.1`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (!/^(?:proxy-authorization|connection|proxy-connection)$/i.test(name)) {
      lines.push(`${name}: ${rawHeaders[at + 1]}`);
    }
  }
  lines.push(`Proxy-Authorization: ${authorization}`);
  // The relay does not parse responses, so it does not know where a response ends. Only one request is sent per
  // connection.
  if (method !== "CONNECT") lines.push("Connection: close");
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
