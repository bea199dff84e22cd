/**
 * The caller's headers are sent only to the origin that they are for. A different host, scheme or port alone is
 * another origin, whatever leads there (sec-R05, sec-R06, sec-R07, sec-U04, sec-U06).
 */
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import { fetchClient } from "../../src/fetch/client/fetch-client.ts";
import { createNodeClient, type NodeClientOptions } from "../../src/fetch/client/node-client.ts";
import type { WalkEvent } from "../../src/walk/events/events.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { robotsTxt, sitemapIndex, urlset } from "../support/test-site.ts";
import { hasOpenssl, makeCertificate } from "../support/tls-site.ts";

const CALLERS = {
  Authorization: "Basic c2VjcmV0",
  Cookie: "session=secret",
  "X-Api-Key": "secret",
};

const NAMES = ["authorization", "cookie", "x-api-key"] as const;

/** The caller's headers that the server received. */
const secretsIn = ({ headers }: Pick<IncomingMessage, "headers">): string[] =>
  NAMES.filter((name) => headers[name] !== undefined);

// ---------------------------------------------------------------- servers

interface Site {
  /** Scheme, host and port. */
  url: string;
  readonly requests: IncomingMessage[];
}

async function listen(server: Server, address: string, port = 0): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket.on("error", () => {}).on("close", () => sockets.delete(socket)));
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, address, resolve);
  });
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

/** Logs requests and responds by its routes, which may be added later. */
function site(): Site & { routes: RequestListener } {
  const requests: IncomingMessage[] = [];
  return { url: "", requests, routes: (_, response) => response.writeHead(404).end() };
}

const listenerOf =
  (own: ReturnType<typeof site>): RequestListener =>
  (request, response) => {
    own.requests.push(request);
    own.routes(request, response);
  };

/** Two sites that differ only in host, port or scheme. */
type Axis = "host" | "port" | "scheme";

async function openPair(axis: Axis): Promise<[ReturnType<typeof site>, ReturnType<typeof site>]> {
  const [home, other] = [site(), site()];
  const homeServer = createHttpServer(listenerOf(home));
  if (axis === "scheme") {
    const plain = await listen(homeServer, "127.0.0.1");
    const secure = await listen(createHttpsServer(makeCertificate(), listenerOf(other)), "127.0.0.1");
    const port = await openSwitch(plain, secure);
    [home.url, other.url] = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${port}`];
    return [home, other];
  }
  const port = await listen(homeServer, "127.0.0.1");
  const address = axis === "host" ? "127.0.0.2" : "127.0.0.1";
  const otherPort = await listen(createHttpServer(listenerOf(other)), address, axis === "host" ? port : 0);
  [home.url, other.url] = [`http://127.0.0.1:${port}`, `http://${address}:${otherPort}`];
  return [home, other];
}

/** Serves http and https on one port: TLS begins with the byte 22. */
function openSwitch(plain: number, secure: number): Promise<number> {
  const server = createServer((socket) => {
    socket.once("data", (first) => {
      const inner = connect(first[0] === 22 ? secure : plain, "127.0.0.1");
      inner.on("error", () => socket.destroy()).on("close", () => socket.destroy());
      socket.on("close", () => inner.destroy());
      inner.write(first);
      socket.pipe(inner).pipe(socket);
    });
  });
  return listen(server, "127.0.0.1");
}

// ---------------------------------------------------------------- walks

const CLIENTS: readonly [string, () => Client][] = [
  ["the Node client", () => nodeClient({ allowPrivateNetworks: true })],
  ["fetchClient", () => fetchClient(fetch)],
];

function nodeClient(options: NodeClientOptions): Client {
  const client = createNodeClient(options);
  onTestFinished(client.close);
  return client;
}

async function walk(homepage: string, options: WalkOptions): Promise<WalkEvent[]> {
  const events: WalkEvent[] = [];
  const given = { useKnownPaths: false, useHomepageLinks: true, headers: CALLERS, ...options };
  for await (const event of walkSitemaps(homepage, given)) events.push(event);
  return events;
}

const pathsOf = ({ requests }: Site): string[] => requests.map(({ url }) => url ?? "").sort();

/** Every kind of link or redirect from one site to the other, and one back. */
async function checkEveryWay(axis: Axis, client: Client): Promise<void> {
  const [home, other] = await openPair(axis);
  home.routes = ({ url }, response) => {
    if (url === "/robots.txt")
      response.end(robotsTxt([`${other.url}/listed.xml`, `${home.url}/hop.xml`, `${home.url}/index.xml`]));
    else if (url === "/hop.xml") response.writeHead(307, { location: `${other.url}/hopped.xml` }).end();
    else if (url === "/index.xml")
      response.end(
        sitemapIndex([`${other.url}/child.xml`, `${other.url}/robots.txt`, `${other.url}/back.xml`]),
      );
    else if (url === "/") response.setHeader("link", `<${other.url}/linked.xml>; rel=sitemap`).end("<p>");
    else response.end(urlset([`${home.url}/page${url}`]));
  };
  other.routes = ({ url }, response) => {
    if (url === "/robots.txt") response.end(robotsTxt([`${other.url}/theirs.xml`]));
    else if (url === "/back.xml") response.writeHead(302, { location: `${home.url}/returned.xml` }).end();
    else response.end(urlset([`${home.url}/page${url}`]));
  };
  await walk(home.url, { client });
  expect(pathsOf(other)).toEqual([
    "/back.xml",
    "/child.xml",
    "/hopped.xml",
    "/linked.xml",
    "/listed.xml",
    "/robots.txt",
    "/theirs.xml",
  ]);
  expect(other.requests.flatMap(secretsIn)).toEqual([]);
  expect(pathsOf(home)).toEqual(["/", "/hop.xml", "/index.xml", "/returned.xml", "/robots.txt"]);
  for (const request of home.requests) expect(secretsIn(request)).toEqual(NAMES);
}

/** robots.txt redirects to the other site, and the known locations with it. */
async function checkMovedSite(axis: Axis, client: Client): Promise<void> {
  const [home, other] = await openPair(axis);
  home.routes = ({ url }, response) => response.writeHead(301, { location: other.url + url }).end();
  other.routes = ({ url }, response) =>
    url === "/robots.txt" ? response.end("User-agent: *\n") : response.writeHead(404).end();
  await walk(home.url, { client, useKnownPaths: true });
  expect(pathsOf(other)).toContain("/sitemap.xml");
  expect(other.requests.flatMap(secretsIn)).toEqual([]);
  for (const request of home.requests) expect(secretsIn(request)).toEqual(NAMES);
}

describe.each(CLIENTS)("the caller's headers with %s", (_, createClient) => {
  it.each<Axis>(["host", "port"])("are not sent to another %s", async (axis) => {
    await checkEveryWay(axis, createClient());
  });

  it.each<Axis>(["host", "port"])("are not sent when the site redirects to another %s", async (axis) => {
    await checkMovedSite(axis, createClient());
  });

  it("do not include headers for a proxy", async () => {
    const [home] = await openPair("port");
    await walk(home.url, { client: createClient(), headers: { "Proxy-Authorization": "Basic c2VjcmV0" } });
    expect(home.requests.length).toBeGreaterThan(0);
    for (const { headers } of home.requests) expect(headers["proxy-authorization"]).toBeUndefined();
  });

  it.each([
    ["in the homepage URL", (url: string) => url.replace("//", "//caller:secret@"), {}],
    ["in the option auth", (url: string) => url, { auth: "caller:secret" }],
  ])("include the user %s, but neither cookies nor the user of a listed URL", async (_, given, options) => {
    const [home, other] = await openPair("port");
    const withUser = (url: string): string => url.replace("//", "//somebody:hunter2@");
    home.routes = ({ url }, response) => {
      response.setHeader("set-cookie", "seen=1");
      if (url === "/robots.txt")
        response.end(
          robotsTxt([withUser(`${home.url}/a.xml`), withUser(`${other.url}/b.xml`), `${home.url}/c.xml`]),
        );
      else if (url === "/c.xml") response.writeHead(302, { location: withUser(`${home.url}/d.xml`) }).end();
      else response.end(urlset([`${home.url}/page`]));
    };
    other.routes = (_, response) => response.end(urlset([`${home.url}/other-page`]));
    const events = await walk(given(home.url), {
      client: createClient(),
      headers: {},
      useHomepageLinks: false,
      ...options,
    });
    expect(pathsOf(home)).toEqual(["/a.xml", "/c.xml", "/d.xml", "/robots.txt"]);
    expect(pathsOf(other)).toEqual(["/b.xml"]);
    expect(other.requests.flatMap(secretsIn)).toEqual([]);
    for (const request of home.requests) {
      expect(secretsIn(request)).toEqual(["authorization"]);
      expect(request.headers.authorization).toBe(`Basic ${Buffer.from("caller:secret").toString("base64")}`);
    }
    expect(JSON.stringify(events)).not.toMatch(/hunter2|secret/);
  });
});

describe.runIf(hasOpenssl)("the caller's headers", () => {
  const client = (): Client => nodeClient({ connect: buildConnector({ rejectUnauthorized: false }) });

  it("are not sent to another scheme", async () => {
    await checkEveryWay("scheme", client());
  });

  it("are not sent when the site redirects to another scheme", async () => {
    await checkMovedSite("scheme", client());
  });
});

// ---------------------------------------------------------------- the proxy's credentials

describe("the credentials of a proxy", () => {
  const BASIC = `Basic ${Buffer.from("user:hunter2").toString("base64")}`;

  /** A proxy with a tunnel to wherever `port` says; logs its requests. */
  async function openProxy(
    port: () => number,
    { isSecure = false } = {},
  ): Promise<{ readonly url: string; readonly asked: IncomingMessage[] }> {
    const asked: IncomingMessage[] = [];
    const server = isSecure ? createHttpsServer(makeCertificate()) : createHttpServer();
    server.on("request", (request, response) => {
      asked.push(request);
      response.end(urlset(["http://www.example/page"]));
    });
    server.on("connect", (request, socket) => {
      asked.push(request);
      const inner = connect(port(), "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      inner.on("error", () => socket.destroy());
      socket.on("error", () => inner.destroy());
      socket.pipe(inner).pipe(socket);
    });
    const own = await listen(server, "127.0.0.1");
    return { url: `http${isSecure ? "s" : ""}://user:hunter2@127.0.0.1:${own}`, asked };
  }

  /** The certificates of the tests are self-signed. */
  function trustEverybody(): void {
    const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    onTestFinished(() => {
      if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
    });
  }

  it("are sent to the proxy with each plain request, and no event contains them", async () => {
    const proxy = await openProxy(() => 0);
    const events = await walk("http://www.example/", { proxy: proxy.url, useHomepageLinks: false });
    expect(proxy.asked.map(({ url }) => url)).toEqual(["http://www.example/robots.txt"]);
    expect(proxy.asked[0]!.headers["proxy-authorization"]).toBe(BASIC);
    expect(JSON.stringify(events)).not.toContain("hunter2");
  });

  it.runIf(hasOpenssl)(
    "are sent only to the proxy with a tunnel, and the caller's headers only through it",
    async () => {
      trustEverybody();
      const target = site();
      const port = await listen(createHttpsServer(makeCertificate(), listenerOf(target)), "127.0.0.1");
      const proxy = await openProxy(() => port);
      await walk("https://www.example/", { proxy: proxy.url, useHomepageLinks: false });
      expect(proxy.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(["CONNECT www.example:443"]);
      expect(proxy.asked[0]!.headers["proxy-authorization"]).toBe(BASIC);
      expect(secretsIn(proxy.asked[0]!)).toEqual([]);
      expect(pathsOf(target)).toEqual(["/robots.txt"]);
      expect(secretsIn(target.requests[0]!)).toEqual(NAMES);
      expect(target.requests[0]!.headers["proxy-authorization"]).toBeUndefined();
    },
  );

  it.runIf(hasOpenssl)(
    "are not sent to servers through an https proxy, which tunnels plain requests",
    async () => {
      trustEverybody();
      const target = site();
      const port = await listen(createHttpServer(listenerOf(target)), "127.0.0.1");
      const proxy = await openProxy(() => port, { isSecure: true });
      await walk("http://www.example/", { proxy: proxy.url, useHomepageLinks: false });
      expect(proxy.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(["CONNECT www.example:80"]);
      expect(proxy.asked[0]!.headers["proxy-authorization"]).toBe(BASIC);
      expect(pathsOf(target)).toEqual(["/robots.txt"]);
      expect(target.requests[0]!.headers["proxy-authorization"]).toBeUndefined();
    },
  );
});
