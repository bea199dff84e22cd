/** A real HTTP proxy on loopback: forwards plain requests, opens tunnels, and may refuse both. */
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface ConnectProxy {
  /** Without a final slash. */
  readonly url: string;
  readonly host: string;
  /** `CONNECT host:443` or `GET http://host/path`, in order. */
  readonly lines: string[];
  readonly requests: IncomingMessage[];
}

interface ProxyOptions {
  /** Refuses everything with this status. */
  readonly status?: number;
  /** Accepts only this `user:password`. */
  readonly credentials?: string;
  /** The port on 127.0.0.1 that all hosts lead to. @default the port in the URL */
  readonly port?: number;
}

export async function openProxy({ status, credentials, port }: ProxyOptions = {}): Promise<ConnectProxy> {
  const requests: IncomingMessage[] = [];
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const refusal = (request: IncomingMessage): number | undefined => {
    requests.push(request);
    lines.push(`${request.method} ${request.url}`);
    const sent = request.headers["proxy-authorization"];
    const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
    return sent === expected || credentials === undefined ? status : 407;
  };
  const server = createServer((request, response) => {
    const refused = refusal(request);
    if (refused !== undefined) {
      response.writeHead(refused).end("refused by the proxy");
      return;
    }
    const url = new URL(request.url ?? "");
    const { "proxy-authorization": _, ...headers } = request.headers;
    const to = { host: "127.0.0.1", port: port ?? url.port, path: url.pathname + url.search, headers };
    const inner = httpRequest(to, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    inner.on("error", () => response.writeHead(502).end()).end();
  });
  server.on("connection", keep);
  server.on("connect", (request, socket: Socket) => {
    const refused = refusal(request);
    if (refused !== undefined) {
      socket.end(`HTTP/1.1 ${refused} Refused\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const [, given] = /:(\d+)$/.exec(request.url ?? "") ?? [];
    const inner = keep(connect(port ?? Number(given), "127.0.0.1"));
    inner.on("connect", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(inner).pipe(socket);
    });
    inner.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port: own } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${own}`, host: `127.0.0.1:${own}`, lines, requests };
}
