/**
 * Concurrent requests that servers receive when many host names resolve to them: two per registrable domain,
 * four per address, however many walks share the client. All names resolve to loopback.
 */
import type { LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import { createNodeClient, type NodeClientOptions } from "../../src/fetch/client/node-client.ts";
import { fetchResource, type Resource } from "../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../src/fetch/politeness.ts";
import { DEFAULT_LIMITS } from "../../src/walk/options.ts";
import { streamPages } from "../../src/walk/walk-sitemaps.ts";
import { type Routes, serve, type TestServer, watchLeftovers } from "../support/http-server.ts";
import { robotsTxt, urlset } from "../support/test-site.ts";

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const slow: Routes = async (_, response) => {
  await wait(30);
  response.end("body");
};

/** The first `count` requests get their response when all of them are there. */
function together(count: number): Routes {
  let active = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return async (_, response) => {
    if (++active === count) release();
    await released;
    response.end("body");
  };
}

async function open(routes: Routes = slow, address = "127.0.0.1"): Promise<TestServer> {
  const server = await serve(routes, { address });
  onTestFinished(() => server.close());
  return server;
}

/** Every name is at 127.0.0.1, and `hostN` with a number at that of 127.0.0.0/24. */
function create(options: NodeClientOptions = {}): ReturnType<typeof createNodeClient> {
  const client = createNodeClient({
    allow: ["127.0.0.0/8"],
    lookup: (name, _options, done) => {
      const address = `127.0.0.${/^host(\d+)\./.exec(name)?.[1] ?? 1}`;
      done(null, [{ address, family: 4 }]);
    },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

interface Options {
  readonly concurrency?: number;
  readonly limits?: Partial<typeof DEFAULT_LIMITS>;
  readonly signal?: AbortSignal;
}

async function get(client: Client, url: string, options: Options = {}): Promise<Resource> {
  const { concurrency = 2, limits, signal = new AbortController().signal } = options;
  const resource = await fetchResource(url, {
    client,
    gate: gateOf(client),
    rules: () => ({ concurrency, delayMs: 0 }),
    headers: () => ({}),
    limits: { ...DEFAULT_LIMITS, retries: 0, ...limits },
    signal,
    report: () => {},
  });
  if (resource.kind === "body") for await (const _ of resource.body);
  return resource;
}

/** Requests each host `times` times, all at the same time. */
async function getAll(
  client: Client,
  server: TestServer,
  { hosts, times = 3, ...options }: Options & { hosts: readonly string[]; times?: number },
): Promise<void> {
  const urls = hosts.flatMap((host) =>
    Array.from({ length: times }, (_, n) => `http://${host}:${server.port}/${n}`),
  );
  const resources = await Promise.all(urls.map((url) => get(client, url, options)));
  expect(resources.map(({ kind }) => kind)).toEqual(urls.map(() => "body"));
}

const SITES = Array.from({ length: 8 }, (_, n) => `www.site${n}.com`);

describe("a registrable domain", () => {
  it("gets two requests at a time, whatever its hosts are called", async () => {
    const server = await open();
    await getAll(create(), server, { hosts: ["example.com", "www.example.com", "cdn.example.com"] });
    expect(server.maxActive).toBe(2);
  });

  it("gets two requests at a time, also on several addresses", async () => {
    let active = 0;
    let most = 0;
    const count: Routes = async (_, response) => {
      most = Math.max(most, ++active);
      await wait(20);
      active--;
      response.end("body");
    };
    const first = await open(count);
    const second = await serve(count, { address: "127.0.0.2", port: first.port });
    onTestFinished(() => second.close());
    await getAll(create(), first, { hosts: ["www.example.co.uk", "host2.example.co.uk"] });
    expect(most).toBe(2);
    await getAll(create(), first, { hosts: ["www.co.uk", "host2.co.uk"] });
    expect(most).toBe(4);
  });

  it("gets more if the caller sets a higher concurrency", async () => {
    const server = await open(together(8));
    await getAll(create(), server, { hosts: ["www.example.com"], times: 8, concurrency: 8 });
    expect(server.maxActive).toBe(8);
  });
});

describe("an address", () => {
  it("gets four requests at a time, even before its address is known", async () => {
    const server = await open();
    const client = create();
    await getAll(client, server, { hosts: SITES });
    expect(server.maxActive).toBe(4);
    // Now the address is known before a connection is made.
    await getAll(client, server, { hosts: SITES });
    expect(server.maxActive).toBe(4);
  });

  it.each([1, 3])("gets twice the concurrency, here %d", async (concurrency) => {
    const server = await open(together(2 * concurrency));
    await getAll(create(), server, { hosts: SITES, concurrency });
    expect(server.maxActive).toBe(2 * concurrency);
  });

  it("does not share slots with another address", async () => {
    const routes = together(8);
    const server = await open(routes);
    const other = await serve(routes, { address: "127.0.0.2", port: server.port });
    onTestFinished(() => other.close());
    const hosts = SITES.flatMap((name) => [name, name.replace("www", "host2").replace("site", "two")]);
    await getAll(create(), server, { hosts, times: 1 });
    expect([server.maxActive, other.maxActive]).toEqual([4, 4]);
  });

  it("shares slots between its ports", async () => {
    const servers = await Promise.all([1, 2, 3].map(() => open(slow)));
    const client = create();
    const urls = servers.flatMap(({ url }) => [`${url}/1`, `${url}/2`]);
    let most = 0;
    let active = 0;
    const counting: Client = async (request) => {
      const response = await client(request);
      most = Math.max(most, ++active);
      await wait(20);
      active--;
      return response;
    };
    await Promise.all(urls.map((url) => get(counting, url)));
    expect(most).toBe(4);
  });

  it("does not count waiting for a slot as time of the server", async () => {
    const server = await open(async (_, response) => {
      await wait(500);
      response.end("body");
    });
    const hosts = Array.from({ length: 24 }, (_, n) => `www.site${n}.com`);
    // Six rounds, so the last request waits for 2500 ms and then needs 500 ms.
    const limits = { headersMs: 2500, requestMs: 2500 };
    await getAll(create({ connectTimeoutMs: 2500 }), server, { hosts, times: 1, limits });
    expect(server.maxActive).toBe(4);
  });

  it("lets a waiting request be aborted", async () => {
    const check = watchLeftovers();
    const server = await serve((request, response) => {
      if (request.url !== "/hang") response.end("body");
    });
    const client = create();
    const controller = new AbortController();
    const { signal } = controller;
    const hanging = SITES.map((host) =>
      get(client, `http://${host}:${server.port}/hang`, { signal }).catch((error: unknown) => error),
    );
    // All are connected, and four have sent a request.
    for (let n = 0; server.connections < 8 && n < 200; n++) await wait(5);
    expect([server.connections, server.requests.length]).toEqual([8, 4]);
    const reason = new Error("not any more");
    controller.abort(reason);
    expect(await Promise.all(hanging)).toEqual(SITES.map(() => reason));
    await getAll(client, server, { hosts: SITES.map((name) => `x.${name}`), times: 1 });
    await client.close();
    await server.close();
    await check();
  });

  it("fails as usual if the server closes the connection while it waits", async () => {
    const server = await open(async (request, response) => {
      await wait(request.url === "/0" ? 200 : 0);
      response.end("body");
    });
    const client = create();
    const first = getAll(client, server, { hosts: SITES.slice(0, 4), times: 1 });
    for (let n = 0; server.requests.length < 4 && n < 200; n++) await wait(5);
    const late = get(client, `http://www.late.com:${server.port}/1`, {
      limits: { retries: 2, backoffMs: 1 },
    });
    for (let n = 0; server.connections < 5 && n < 200; n++) await wait(5);
    server.cut(5);
    expect(await late).toMatchObject({ kind: "body" });
    await first;
  });

  it("is not counted for a proxy or a custom connector", async () => {
    const lookup: LookupFunction = (_name, _options, done) =>
      done(null, [{ address: "127.0.0.1", family: 4 }]);
    for (const make of [
      ({ url }: TestServer) => create({ proxy: url }),
      () => create({ connect: buildConnector({ lookup }) }),
    ]) {
      const server = await open(together(8));
      await getAll(make(server), server, { hosts: SITES, times: 1 });
      expect(server.maxActive).toBe(8);
    }
  });
});

it("a hundred sites on one address: walks that share a client do not flood it (sec-S08)", async () => {
  const server = await open({
    "/robots.txt": async (request, response) => {
      await wait(5);
      response.end(robotsTxt([`http://${request.headers.host}/s.xml`]));
    },
    "/s.xml": async (_, response) => {
      await wait(5);
      response.end(urlset(["/a"]));
    },
  });
  const client = create();
  const names = Array.from({ length: 100 }, (_, n) => `www.site${n}.com`);
  const options = { client, useKnownPaths: false, useHomepageLinks: false };
  const counts = await Promise.all(
    names.map(async (name) => {
      let count = 0;
      for await (const _ of streamPages(`http://${name}:${server.port}/`, options)) count++;
      return count;
    }),
  );
  expect(counts).toEqual(names.map(() => 1));
  expect(server.requests).toHaveLength(200);
  expect(server.maxActive).toBe(4);
});
