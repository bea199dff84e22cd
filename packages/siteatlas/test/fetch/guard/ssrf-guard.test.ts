/**
 * The guard on real sockets: a blocked connection must not reach the listening socket. Addresses
 * of 127.0.0.0/8 that `allow` names stand for public ones, and a table resolves names. Nothing outside of
 * loopback is connected to or resolved.
 */
import type { LookupAddress } from "node:dns";
import { type AddressInfo, createServer, isIP, type LookupFunction, Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Client } from "../../../src/fetch/client/client.ts";
import { createNodeClient, type NodeClientOptions } from "../../../src/fetch/client/node-client.ts";
import type { WalkEvent } from "../../../src/walk/events/events.ts";
import type { WalkOptions } from "../../../src/walk/options.ts";
import { walkSitemaps } from "../../../src/walk/walk-sitemaps.ts";
import { closedPort, type Routes, serve, type TestServer } from "../../support/http-server.ts";
import { robotsTxt, sitemapIndex, urlset } from "../../support/test-site.ts";
import { ask, failureOf, openRaw, textOf } from "../client/client-suite.ts";

/** Stands for a public address. */
const PUBLIC = "127.0.0.2";
/** Stands for a private address. */
const PRIVATE = "127.0.0.3";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

const isStandIn = (address: string): boolean => address === PUBLIC || address.startsWith("127.1.");

// ---------------------------------------------------------------- test servers

interface Trap {
  readonly port: number;
  readonly touched: number;
}

/** A listening socket that counts connections. By default on all of loopback, both families. */
async function openTrap({ address = hasIpv6 ? "::" : "0.0.0.0", port = 0 } = {}): Promise<Trap> {
  let touched = 0;
  const server = createServer((socket) => {
    touched++;
    socket.on("error", () => {}).destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, address, resolve);
  });
  onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
  return {
    port: (server.address() as AddressInfo).port,
    get touched() {
      return touched;
    },
  };
}

async function openPublic(routes: Routes): Promise<TestServer> {
  const server = await serve(routes, { address: PUBLIC });
  onTestFinished(server.close);
  return server;
}

/** Resolves from a table: the same addresses each time, or the next of several. */
function resolverOf(table: Readonly<Record<string, readonly (readonly string[])[]>>): {
  readonly lookup: LookupFunction;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const lookup: LookupFunction = (name, options, callback) => {
    const answers = table[name];
    const times = asked.filter((other) => other === name).length;
    asked.push(name);
    const addresses = answers?.[Math.min(times, answers.length - 1)];
    if (addresses === undefined || !options.all) {
      callback(Object.assign(new Error("No such name"), { code: "ENOTFOUND" }), []);
      return;
    }
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    queueMicrotask(() => callback(null, found));
  };
  return { lookup, asked };
}

function create(options: NodeClientOptions = {}): Client {
  const client = createNodeClient({ allow: isStandIn, ...options });
  onTestFinished(client.close);
  return client;
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  ((await failureOf(work)) as { code?: unknown }).code;

async function walk(homepage: string, options: WalkOptions): Promise<WalkEvent[]> {
  const events: WalkEvent[] = [];
  const given = { useKnownPaths: false, useHomepageLinks: false, limits: { retries: 0 }, ...options };
  for await (const event of walkSitemaps(homepage, given)) events.push(event);
  return events;
}

/** URL → outcome of each sitemap. */
function endings(events: readonly WalkEvent[]): Record<string, string> {
  const sitemaps = events.flatMap((event) => (event.kind === "sitemap" ? [event.sitemap] : []));
  return Object.fromEntries(sitemaps.map(({ url, code, outcome }) => [url, code ?? outcome]));
}

/**
 * Disables connecting: a socket looks up its name, records the target, and fails. For addresses outside of
 * loopback, which must not be contacted even if the guard fails.
 */
function forbidConnecting(): { readonly sockets: number; readonly targets: readonly string[] } {
  const seen = { sockets: 0, targets: [] as string[] };
  const dial = function (this: Socket, ...args: unknown[]): Socket {
    seen.sockets++;
    // net.connect passes its arguments as one list.
    const [{ host, lookup }] = args.flat() as [{ host: string; lookup: LookupFunction }];
    const fail = (error: Error | null, addresses: readonly string[]): void => {
      if (error === null) seen.targets.push(...addresses);
      this.destroy(error ?? new Error("Connecting is disabled"));
    };
    if (isIP(host)) fail(null, [host]);
    else
      lookup(host, { all: true }, (error, found) =>
        fail(
          error,
          (found as LookupAddress[]).map(({ address }) => address),
        ),
      );
    return this;
  };
  const spy = vi.spyOn(Socket.prototype, "connect").mockImplementation(dial as Socket["connect"]);
  onTestFinished(() => spy.mockRestore());
  return seen;
}

// ---------------------------------------------------------------- literals

/** Each of these is this machine. */
const LOOPBACK = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "127.0.0.1.",
  "127.255.255.254",
  "0x7f.1",
  "0x7f000001",
  "0x7f.0x0.0x0.0x1",
  "0177.0.0.1",
  "017700000001",
  "2130706433",
  "①②⑦.⓪.⓪.①",
  "１２７.０.０.１",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "0",
  "0.0.0.0",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
];

const METADATA = [
  "169.254.169.254",
  "2852039166",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[fd00:ec2::254]",
  "[fe80::a9fe:a9fe]",
  "[2606:4700::5efe:a9fe:a9fe]",
  "169.254.0.23",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
];

describe("loopback in every spelling", () => {
  it.each(LOOPBACK)("%s is blocked, and reached only if allowed", async (host) => {
    const trap = await openTrap();
    const url = `http://${host}:${trap.port}/`;
    expect(await codeOf(create()(ask(url)))).toBe("ERR_BLOCKED_ADDRESS");
    expect(await codeOf(create()(ask(url.replace("http:", "https:"))))).toBe("ERR_BLOCKED_ADDRESS");
    expect(trap.touched).toBe(0);
    // Checks that the socket can be reached at all.
    if (host.startsWith("[") && !hasIpv6) return;
    await failureOf(create({ allowPrivateNetworks: true })(ask(url)));
    expect(trap.touched).toBe(1);
  });

  it.each(LOOPBACK)("%s as a homepage is blocked by a shared client (sec-U01)", async (host) => {
    const trap = await openTrap();
    const events = await walk(`http://${host}:${trap.port}/`, { client: create(), useKnownPaths: true });
    expect(new Set(Object.values(endings(events)))).toEqual(new Set(["http.blocked-address"]));
    expect(trap.touched).toBe(0);
  });

  it("is blocked in robots.txt, in indexes and as the target of redirects (sec-R04, sec-U04)", async () => {
    const trap = await openTrap();
    const targets = LOOPBACK.map((host, at) => `http://${host}:${trap.port}/${at}`);
    const hops = targets.map((_, at) => `/hop/${at}`);
    const server = await openPublic((request, response) => {
      const path = request.url ?? "";
      const hop = /^\/hop\/(\d+)$/.exec(path);
      const home = `http://${request.headers.host}`;
      if (hop)
        response
          .writeHead(302, { location: Buffer.from(`${targets[Number(hop[1])]}/hop`).toString("latin1") })
          .end();
      else if (path === "/robots.txt")
        response.end(
          robotsTxt([`${home}/index.xml`, `${home}/good.xml`, ...targets.map((url) => `${url}/robots`)]),
        );
      else if (path === "/index.xml")
        response.end(sitemapIndex([...hops.map((hop) => home + hop), ...targets]));
      else if (path === "/good.xml") response.end(urlset([`${home}/page`]));
      else response.writeHead(404).end();
    });
    const events = await walk(`${server.url}/`, { client: create() });
    const {
      [`${server.url}/robots.txt`]: robots,
      [`${server.url}/index.xml`]: index,
      ...rest
    } = endings(events);
    const { [`${server.url}/good.xml`]: good, ...others } = rest;
    expect([robots, index, good]).toEqual(["found", "found", "found"]);
    // From robots.txt, from the index, and from redirects.
    expect(Object.values(others)).toEqual(Array(3 * LOOPBACK.length).fill("http.blocked-address"));
    expect(events.filter((event) => event.kind === "page")).toHaveLength(1);
    expect(trap.touched).toBe(0);
  });
});

describe("metadata services", () => {
  it.each(METADATA)("%s is blocked without a socket, whatever is allowed", async (host) => {
    const seen = forbidConnecting();
    const url = `http://${host}/`;
    const { hostname } = new URL(url);
    for (const options of [
      {},
      { allowPrivateNetworks: true },
      { allow: () => true },
      { allow: [hostname, "0.0.0.0/0", "::/0"] },
      { homepage: url },
    ]) {
      expect(await codeOf(create(options)(ask(url)))).toBe("ERR_BLOCKED_ADDRESS");
    }
    expect(Object.values(endings(await walk(url, { allowPrivateNetworks: true })))).toEqual([
      "http.blocked-address",
    ]);
    expect(seen).toEqual({ sockets: 0, targets: [] });
  });

  it.each(METADATA)("a name that resolves to %s is blocked, whatever is allowed", async (host) => {
    const seen = forbidConnecting();
    const address = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, "");
    const { lookup } = resolverOf({ "metadata.example": [[address]] });
    for (const options of [{}, { allowPrivateNetworks: true }, { allow: ["metadata.example"] }]) {
      const work = create({ ...options, lookup })(ask("http://metadata.example/"));
      expect(await codeOf(work)).toBe("ERR_BLOCKED_ADDRESS");
    }
    expect(seen).toEqual({ sockets: 3, targets: [] });
  });

  it("the reason says that they are always blocked, and names no option", async () => {
    const url = "http://169.254.169.254/";
    const { lookup } = resolverOf({
      "metadata.example": [["169.254.169.254"]],
      "private.example": [["10.0.0.1"]],
    });
    const reasonsOf = async (homepage: string, options: NodeClientOptions): Promise<unknown[]> => {
      const events = await walk(homepage, { client: create({ lookup, ...options }) });
      return events.flatMap((event) => (event.kind === "sitemap" ? [event.sitemap.reason] : []));
    };
    const always = ["cloud metadata services are always blocked"];
    const named = "http://metadata.example/";
    expect(await reasonsOf(url, {})).toEqual(always);
    expect(await reasonsOf(url, { allowPrivateNetworks: true })).toEqual(always);
    const never = [
      "its address is link-local or belongs to a cloud metadata service. No option allows that for a name",
    ];
    expect(await reasonsOf(named, { allowPrivateNetworks: true })).toEqual(never);
    expect(await reasonsOf(named, { allow: ["metadata.example"] })).toEqual(never);
    // Without such an option, the reason does not tell what kind of address a name has.
    const notAllowed = ["the address is not public and neither allowPrivateNetworks nor allow permits it"];
    expect(await reasonsOf(named, {})).toEqual(notAllowed);
    expect(await reasonsOf("http://private.example/", {})).toEqual(notAllowed);
    expect(await reasonsOf("http://10.0.0.1/", {})).toEqual(notAllowed);
  });

  it("their names are blocked without a lookup, through a proxy as well", async () => {
    const seen = forbidConnecting();
    const url = "http://metadata.google.internal/computeMetadata/v1/";
    const { lookup, asked } = resolverOf({});
    for (const options of [{}, { allow: ["metadata.google.internal"] }, { proxy: "http://127.0.0.1:3128" }]) {
      const failure = await failureOf(create({ allowPrivateNetworks: true, lookup, ...options })(ask(url)));
      expect(failure).toMatchObject({
        code: "ERR_BLOCKED_ADDRESS",
        message: "Cannot connect to metadata.google.internal: cloud metadata services are always blocked",
      });
    }
    expect([seen.sockets, asked]).toEqual([0, []]);
  });

  it("other names are looked up and would be connected to", async () => {
    const seen = forbidConnecting();
    const { lookup } = resolverOf({ "www.example": [[PRIVATE]] });
    await failureOf(create({ allowPrivateNetworks: true, lookup })(ask("http://www.example/")));
    await failureOf(create({ allowPrivateNetworks: true })(ask(`http://${PRIVATE}/`)));
    expect(seen).toEqual({ sockets: 2, targets: [PRIVATE, PRIVATE] });
  });
});

describe("link-local addresses", () => {
  it("are blocked, and connected to only if allow lists exactly this address", async () => {
    const seen = forbidConnecting();
    const url = "http://169.254.7.7/";
    for (const options of [
      {},
      { allowPrivateNetworks: true },
      { allow: () => true },
      { allow: ["169.254.0.0/16", "169.254.7.8"] },
      { homepage: url },
    ]) {
      expect(await failureOf(create(options)(ask(url)))).toMatchObject({
        code: "ERR_BLOCKED_ADDRESS",
        message:
          "Cannot connect to 169.254.7.7: it is a link-local address. To allow it, add this address to the option allow",
      });
    }
    expect(seen.targets).toEqual([]);
    await failureOf(create({ allow: ["169.254.7.7"] })(ask(url)));
    expect(seen.targets).toEqual(["169.254.7.7"]);
  });

  it("are blocked for names, whatever is allowed", async () => {
    const seen = forbidConnecting();
    const { lookup } = resolverOf({ "l.example": [["169.254.7.7"]] });
    const allow = ["l.example", "169.254.7.7", "169.254.0.0/16"];
    const failure = await failureOf(
      create({ allowPrivateNetworks: true, allow, lookup })(ask("http://l.example/")),
    );
    expect(failure).toMatchObject({ code: "ERR_BLOCKED_ADDRESS" });
    expect(seen.targets).toEqual([]);
  });
});

// ---------------------------------------------------------------- names

describe("a name", () => {
  it("is looked up once per connection, and connections are reused", async () => {
    const server = await openPublic((_, response) => response.end("body"));
    const { lookup, asked } = resolverOf({ "www.example": [[PUBLIC]] });
    const client = create({ lookup });
    for (let n = 0; n < 5; n++) {
      expect(await textOf(await client(ask(`http://www.example:${server.port}/${n}`)))).toBe("body");
    }
    expect(asked).toEqual(["www.example"]);
    expect(server.connections).toBe(1);
    expect(server.requests[0]!.headers["host"]).toBe(`www.example:${server.port}`);
  });

  it.each([["127.0.0.3"], ["0.0.0.0"], ["::1"], ["::"], ["::ffff:127.0.0.3"], ["not an address"], ["127.1"]])(
    "that resolves to %s is blocked",
    async (address) => {
      const trap = await openTrap();
      const { lookup } = resolverOf({ "www.example": [[address]] });
      const url = `http://www.example:${trap.port}/`;
      expect(await codeOf(create({ lookup })(ask(url)))).toBe("ERR_BLOCKED_ADDRESS");
      expect(trap.touched).toBe(0);
    },
  );

  it.each([[[PUBLIC, PRIVATE]], [[PRIVATE, PUBLIC]], [[PUBLIC, PUBLIC, "::1"]]])(
    "that resolves to %j is blocked, and no address is contacted (sec-C05)",
    async (addresses) => {
      const trap = await openTrap();
      const { lookup } = resolverOf({ "www.example": [addresses] });
      const url = `http://www.example:${trap.port}/`;
      expect(await codeOf(create({ lookup })(ask(url)))).toBe("ERR_BLOCKED_ADDRESS");
      expect(trap.touched).toBe(0);
    },
  );

  it("that resolves to a private address the second time is blocked then (sec-C04)", async () => {
    const server = await openPublic((_, response) => response.setHeader("connection", "close").end("body"));
    const trap = await openTrap({ address: PRIVATE, port: server.port });
    const { lookup, asked } = resolverOf({ "rebinding.example": [[PUBLIC], [PRIVATE]] });
    const url = `http://rebinding.example:${server.port}/`;
    // Not even as the homepage.
    const client = create({ lookup, homepage: url });
    expect(await textOf(await client(ask(url)))).toBe("body");
    expect(await codeOf(client(ask(url)))).toBe("ERR_BLOCKED_ADDRESS");
    expect(asked).toHaveLength(2);
    expect(trap.touched).toBe(0);
  });

  it("that resolves to a private address during a walk is blocked from then on (sec-C04)", async () => {
    const server = await openPublic((request, response) => {
      const home = `http://${request.headers.host}`;
      response.setHeader("connection", "close");
      response.end(request.url === "/robots.txt" ? robotsTxt([`${home}/a.xml`]) : urlset([`${home}/page`]));
    });
    const trap = await openTrap({ address: PRIVATE, port: server.port });
    const { lookup } = resolverOf({ "rebinding.example": [[PUBLIC], [PRIVATE]] });
    const home = `http://rebinding.example:${server.port}`;
    expect(endings(await walk(home, { client: create({ lookup }) }))).toEqual({
      [`${home}/robots.txt`]: "found",
      [`${home}/a.xml`]: "http.blocked-address",
    });
    expect(trap.touched).toBe(0);
  });

  it("is blocked with a message that says what to do and does not contain the addresses", async () => {
    const seen = forbidConnecting();
    const { lookup } = resolverOf({ "www.example": [["10.1.2.3"]] });
    const error = (await failureOf(create({ lookup })(ask("http://www.example/")))) as Error;
    expect(error.message).toContain("www.example");
    expect(error.message).toContain("allowPrivateNetworks");
    expect(JSON.stringify([error.message, Object.entries(error)])).not.toContain("10.1.2.3");
    const events = await walk("http://www.example/", { client: create({ lookup }) });
    expect(JSON.stringify(events)).not.toContain("10.1.2.3");
    expect(seen.targets).toEqual([]);
  });

  it("without any address, or unknown, does not resolve", async () => {
    const { lookup } = resolverOf({ "empty.example": [[]] });
    expect(await codeOf(create({ lookup })(ask("http://empty.example/")))).toBe("ENOTFOUND");
    expect(await codeOf(create({ lookup })(ask("http://unknown.example/")))).toBe("ENOTFOUND");
  });

  it("with 500 addresses gets eight tries (sec-C03)", async () => {
    const port = await closedPort();
    const many = Array.from({ length: 500 }, (_, at) => `127.1.${at >> 8}.${at & 255}`);
    const { lookup } = resolverOf({ "many.example": [many] });
    const error = await failureOf(create({ lookup })(ask(`http://many.example:${port}/`)));
    expect((error as AggregateError).errors).toHaveLength(8);
  });

  it("with many addresses gets tries in both families", async () => {
    const server = await openPublic((_, response) => response.end("body"));
    const { lookup } = resolverOf({ "many.example": [[...Array(20).fill("::1"), PUBLIC]] });
    const client = create({ lookup, allow: (address) => address === "::1" || isStandIn(address) });
    expect(await textOf(await client(ask(`http://many.example:${server.port}/`)))).toBe("body");
  });

  it("may be resolved to one address by a lookup that returns no lists", async () => {
    const server = await openPublic((_, response) => response.end("body"));
    const lookup: LookupFunction = (name, _, callback) =>
      callback(null, name === "good.example" ? PUBLIC : PRIVATE, 4);
    const client = create({ lookup });
    expect(await textOf(await client(ask(`http://good.example:${server.port}/`)))).toBe("body");
    expect(await codeOf(client(ask(`http://bad.example:${server.port}/`)))).toBe("ERR_BLOCKED_ADDRESS");
  });

  it("whose socket is connected to a blocked address gets no request", async () => {
    const server = await openPublic((_, response) => response.end("body"));
    const { lookup } = resolverOf({ "www.example": [[PUBLIC]] });
    // Allowed for the lookup, but not for the socket.
    let asked = 0;
    const client = create({ lookup, allow: () => ++asked === 1 });
    expect(await codeOf(client(ask(`http://www.example:${server.port}/`)))).toBe("ERR_BLOCKED_ADDRESS");
    expect(server.requests).toEqual([]);
  });
});

// ---------------------------------------------------------------- ports

describe("a port of another protocol", () => {
  it.each([1, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 6000, 6379, 6667, 10080])(
    "%i is blocked without a socket (sec-U12)",
    async (port) => {
      const seen = forbidConnecting();
      const { lookup, asked } = resolverOf({ "www.example": [[PUBLIC]] });
      const client = create({ lookup, allowPrivateNetworks: true });
      const error = await failureOf(client(ask(`http://www.example:${port}/`)));
      expect(error).toMatchObject({ code: "ERR_BLOCKED_PORT" });
      expect((error as Error).message).toContain(`www.example:${port}`);
      expect(await codeOf(client(ask(`https://127.0.0.1:${port}/`)))).toBe("ERR_BLOCKED_PORT");
      expect([seen.sockets, asked]).toEqual([0, []]);
    },
  );

  it("is an issue of the walk, and may be allowed together with its host", async () => {
    const home = "http://127.0.0.1:6667";
    expect(endings(await walk(home, {}))).toEqual({ [`${home}/robots.txt`]: "http.blocked-port" });
    // This port may be closed, or belong to another process.
    const client = create({ allow: ["127.0.0.1:6667"], connectTimeoutMs: 1000 });
    expect(await codeOf(client(ask(home)))).not.toBe("ERR_BLOCKED_PORT");
  });
});

// ---------------------------------------------------------------- a homepage that is private

describe("a homepage on loopback", () => {
  const site = (trap: Trap, at: (port: number) => string) =>
    serve((request, response) => {
      const home = at(request.socket.localPort!);
      if (request.url === "/robots.txt") {
        response.end(
          robotsTxt([
            `${home}/own.xml`,
            `${home}/away.xml`,
            `http://127.0.0.1:${trap.port}/port.xml`,
            `http://127.0.0.9:${request.socket.localPort}/address.xml`,
          ]),
        );
      } else if (request.url === "/away.xml") {
        response.writeHead(302, { location: `http://localhost:${trap.port}/redirected.xml` }).end();
      } else response.end(urlset([`${home}/page`]));
    });

  it("allows its own host and port only", async () => {
    const trap = await openTrap();
    const server = await site(trap, (port) => `http://127.0.0.1:${port}`);
    onTestFinished(server.close);
    expect(endings(await walk(server.url, {}))).toEqual({
      [`${server.url}/robots.txt`]: "found",
      [`${server.url}/own.xml`]: "found",
      [`http://localhost:${trap.port}/redirected.xml`]: "http.blocked-address",
      [`http://127.0.0.1:${trap.port}/port.xml`]: "http.blocked-address",
      [`http://127.0.0.9:${server.port}/address.xml`]: "http.blocked-address",
    });
    expect(trap.touched).toBe(0);
    const open = await walk(server.url, { allow: [`127.0.0.1:${trap.port}`] });
    expect(endings(open)[`http://127.0.0.1:${trap.port}/port.xml`]).toBe("http.connection");
    expect(trap.touched).toBe(1);
  });

  it("may be a name", async () => {
    const trap = await openTrap();
    const server = await site(trap, (port) => `http://localhost:${port}`);
    onTestFinished(server.close);
    const home = `http://localhost:${server.port}`;
    expect(endings(await walk(home, {}))).toEqual({
      [`${home}/robots.txt`]: "found",
      [`${home}/own.xml`]: "found",
      [`http://localhost:${trap.port}/redirected.xml`]: "http.blocked-address",
      [`http://127.0.0.1:${trap.port}/port.xml`]: "http.blocked-address",
      [`http://127.0.0.9:${server.port}/address.xml`]: "http.blocked-address",
    });
    expect(trap.touched).toBe(0);
  });
});

// ---------------------------------------------------------------- behind a proxy

describe("behind a proxy", () => {
  const OK = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";

  it.each([...LOOPBACK, ...METADATA, "localhost", "LOCALHOST", "localhost.", "a.localhost", "10.0.0.1"])(
    "%s is blocked before the proxy is contacted (sec-U16)",
    async (host) => {
      const proxy = await openRaw((socket) => socket.write(OK));
      const client = create({ proxy: proxy.url });
      for (const scheme of ["http", "https"]) {
        expect(await codeOf(client(ask(`${scheme}://${host}:8080/`)))).toBe("ERR_BLOCKED_ADDRESS");
        expect(await codeOf(client(ask(`${scheme}://www.example:22/`)))).toBe("ERR_BLOCKED_PORT");
      }
      expect(proxy.connections).toBe(0);
    },
  );

  it("the proxy resolves names, and may be on loopback itself", async () => {
    const proxy = await openRaw((socket) => socket.write(OK));
    const { lookup, asked } = resolverOf({ "www.example": [[PRIVATE]] });
    const client = create({ proxy: proxy.url, lookup });
    expect(await textOf(await client(ask("http://www.example/")))).toBe("body");
    expect(proxy.requests).toMatchObject([{ path: "http://www.example/" }]);
    expect(asked).toEqual([]);
  });

  it("allowed hosts are passed on", async () => {
    const proxy = await openRaw((socket) => socket.write(OK));
    const client = create({ proxy: proxy.url, allow: ["localhost:8080", "10.0.0.0/8"] });
    expect(await textOf(await client(ask("http://localhost:8080/")))).toBe("body");
    expect(await textOf(await client(ask("http://10.0.0.1/")))).toBe("body");
  });
});
