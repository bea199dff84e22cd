/** The promises of docs/fleet.md about politeness, tested with workers as separate processes. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Routes, serve, type TestServer } from "../../siteatlas/test/support/http-server.ts";
import { startDnsServer } from "./support/dns-server.ts";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";
import { askRedis, startRedis } from "./support/start-redis.mjs";

let fleet: Fleet;
const servers: TestServer[] = [];

beforeAll(async () => {
  fleet = await Fleet.start({ sites: 1, shards: 2 });
});

afterAll(() => fleet?.close());

afterEach(async () => {
  for (const started of fleet.processes.splice(0)) {
    started.kill("SIGKILL");
    await started.ended;
  }
  await fleet.pool.query("truncate site, sitemap, part, lease, stop, usage");
  await fleet.redis.kill();
  await fleet.redis.restart();
  for (const server of servers.splice(0)) await server.close();
});

/** Ports of one address are hosts of one registrable domain. */
async function site(address: string, routes: (origin: string) => Routes): Promise<TestServer> {
  let answers: Routes = {};
  const server = await serve(
    (request, response) => {
      const route = (answers as Record<string, unknown>)[request.url ?? ""] ?? { status: 404 };
      if (typeof route === "function") return route(request, response);
      const {
        status = 200,
        headers = {},
        body = "",
      } = route as { status?: number; headers?: Record<string, string>; body?: string };
      response.writeHead(status, headers).end(body);
    },
    { address },
  );
  answers = routes(server.url);
  servers.push(server);
  return server;
}

const urlset = (origin: string, ...paths: readonly string[]): { body: string } => ({
  body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths
    .map((path) => `<url><loc>${origin}${path}</loc></url>`)
    .join("")}</urlset>`,
});

const robots = (origin: string, names: readonly string[], more = ""): { body: string } => ({
  body: `${more}\n${names.map((name) => `Sitemap: ${origin}${name}`).join("\n")}\n`,
});

const add = (...added: readonly TestServer[]): Promise<void> =>
  fleet.add(added.map(({ url }) => ({ ...fleet.farm.sites[0]!, homepage: `${url}/` })));

const timesOf = ({ requests }: TestServer): number[] => requests.map(({ at }) => at);

test("URLs that robots.txt disallows are not requested", async () => {
  const server = await site("127.60.0.1", (origin) => ({
    "/robots.txt": robots(origin, ["/named.xml"], "User-agent: *\nDisallow: /"),
    "/named.xml": urlset(origin, "/a"),
    "/sitemap.xml": urlset(origin, "/b"),
  }));
  await add(server);
  fleet.feeder();
  fleet.worker();
  await fleet.done();
  // A sitemap that robots.txt lists is fetched even if it is disallowed.
  expect(server.requests.map(({ path }) => path)).toEqual(["/robots.txt", "/named.xml"]);
  // Each request identifies the operator.
  for (const { headers } of server.requests) {
    expect(headers["user-agent"]).toMatch(/^siteatlas-fleet\/\S+ \(\+https:\/\/\S+\)$/);
  }
});

test("Crawl-delay also holds between two hosts of a domain that are visited by different processes", async () => {
  const names = ["/1.xml", "/2.xml", "/3.xml"];
  const make = (): Promise<TestServer> =>
    site("127.60.0.2", (origin) => ({
      "/robots.txt": robots(origin, names, "User-agent: *\nDisallow: /sitemap\nDisallow: /*\nCrawl-delay: 1"),
      ...Object.fromEntries(names.map((name) => [name, urlset(origin, `${name}-page`)])),
    }));
  const pair = [await make(), await make()] as const;
  await add(...pair);
  fleet.feeder();
  fleet.worker();
  fleet.worker();
  await fleet.done();
  const times = pair.flatMap(timesOf).sort((a, b) => a - b);
  expect(times).toHaveLength(8);
  const gaps = times.slice(1).map((at, index) => at - times[index]!);
  // The times are arrivals: on a busy machine one late arrival shortens the next gap, but not the others.
  gaps.sort((a, b) => a - b);
  expect(gaps[3]).toBeGreaterThan(950);
  expect(gaps[0]).toBeGreaterThan(500);
});

test("domains with the same address wait until its rate allows another visit", async () => {
  const server = await site("127.60.0.6", (origin) => ({ "/robots.txt": robots(origin, ["/a.xml"]) }));
  const dns = await startDnsServer(() => "127.60.0.6");
  try {
    const { port } = new URL(server.url);
    const homepages = ["one.test", "two.test"].map((name) => `http://${name}:${port}/`);
    await fleet.add(homepages.map((homepage) => ({ ...fleet.farm.sites[0]!, homepage })));
    // As after visits of another worker: the bucket of the address is full again in six seconds.
    const setAt = performance.now();
    await askRedis(fleet.redis.port, "SET", "{address:127.60.0.6}", String(Date.now() + 6000));
    fleet.feeder();
    fleet.worker("--dns", dns.address, "--address-rate", "10");
    await fleet.done();
    expect(new Set(dns.queries)).toEqual(new Set(["one.test", "two.test"]));
    const visited = server.requests.map(({ headers }) => headers.host);
    expect(visited).toEqual(expect.arrayContaining([`one.test:${port}`, `two.test:${port}`]));
    // A visit may start one second earlier.
    expect(Math.min(...timesOf(server)) - setAt).toBeGreaterThan(4900);
  } finally {
    dns.close();
  }
});

test("each registrable domain has one visit at a time, over all workers", async () => {
  const names = Array.from({ length: 20 }, (_, number) => `/${number}.xml`);
  const slow = (origin: string): Routes =>
    Object.fromEntries([
      ["/robots.txt", robots(origin, names)],
      ...names.map((name) => [
        name,
        async (_: unknown, response: { end(text: string): void }) => {
          await sleep(20);
          response.end(urlset(origin, `${name}-page`).body);
        },
      ]),
    ]) as Routes;
  const hosts = await Promise.all([1, 2, 3, 4].map(() => site("127.60.0.3", slow)));
  await add(...hosts);
  fleet.feeder();
  for (let number = 0; number < 3; number++) fleet.worker();
  await fleet.done();
  const spans = hosts.map((host) => [Math.min(...timesOf(host)), Math.max(...timesOf(host))] as const);
  spans.sort(([a], [b]) => a - b);
  for (const [index, [from]] of spans.entries()) {
    if (index > 0) expect(from).toBeGreaterThan(spans[index - 1]![1]);
  }
});

test("Retry-After holds for all processes, even if the one that received it is dead", async () => {
  let busyAt: number | undefined;
  const server = await site("127.60.0.4", (origin) => ({
    "/robots.txt": robots(origin, ["/a.xml", "/b.xml"]),
    "/a.xml": urlset(origin, "/a1", "/a2"),
    "/b.xml": (_, response) => {
      if (busyAt !== undefined) return response.end(urlset(origin, "/b1").body);
      busyAt = performance.now();
      return response.writeHead(503, { "retry-after": "6" }).end();
    },
  }));
  await add(server);
  fleet.feeder();
  // Another worker can have the site after about three seconds, in the middle of the pause.
  const first = fleet.worker("--lease", "2");
  await until(async () => busyAt !== undefined, "the site asks for a pause");
  await until(
    async () => (await fleet.pool.query("select from lease where not_before > now()")).rowCount === 1,
    "the pause is in the database",
  );
  first.kill("SIGKILL");
  await first.ended;
  const times = timesOf(server);
  fleet.worker("--lease", "2");
  await fleet.done();
  // Of the first worker: one request that was in flight, and one that it sent before it had the response.
  expect(times.filter((at) => at > busyAt!).length).toBeLessThanOrEqual(2);
  const after = timesOf(server).slice(times.length);
  expect(after.length).toBeGreaterThan(0);
  expect(Math.min(...after) - busyAt!).toBeGreaterThan(5900);
  expect(await fleet.pages()).toMatchObject(new Map([[server.host, { pages: 3, doubled: 0 }]]));
});

test("adding to the stop list and removing from it take effect within a quarter of a lease", async () => {
  // At least six seconds of requests: if the list took longer than half a lease, the visit would be over.
  const names = Array.from({ length: 240 }, (_, number) => `/${number}.xml`);
  const server = await site("127.60.0.5", (origin) => ({
    "/robots.txt": robots(origin, names),
    ...Object.fromEntries(
      names.map((name) => [
        name,
        async (_: unknown, response: { end(text: string): void }) => {
          await sleep(50);
          response.end(urlset(origin, `${name}-page`).body);
        },
      ]),
    ),
  }));
  await add(server);
  fleet.feeder();
  fleet.worker("--lease", "8");
  await until(async () => server.requests.length > 20, "the visit is in progress");
  await fleet.run("stop", server.host, "--reason", "they asked us to");
  let sent: number;
  do {
    sent = server.requests.length;
    await sleep(1000);
  } while (server.requests.length > sent);
  expect(sent).toBeLessThan(names.length);
  await sleep(2000);
  expect(server.requests).toHaveLength(sent);
  await fleet.run("go", server.host);
  await fleet.done();
  expect(await fleet.pages()).toMatchObject(new Map([[server.host, { pages: 240, doubled: 0 }]]));
});

test("sites of a tenant without budget are not enqueued, those of others are", async () => {
  const hosts = await Promise.all(
    ["127.60.1.1", "127.60.1.2", "127.60.1.3"].map((address) =>
      site(address, (origin) => ({
        "/robots.txt": robots(origin, ["/a.xml"]),
        "/a.xml": urlset(origin, "/a"),
      })),
    ),
  );
  await fleet.run("tenant", "poor", "--requests", "1");
  const sites = hosts.map(({ url }) => ({ ...fleet.farm.sites[0]!, homepage: `${url}/` }));
  await fleet.add([sites[0]!], "--tenant", "poor");
  fleet.feeder();
  fleet.worker();
  await fleet.done();
  await fleet.add([sites[1]!], "--tenant", "poor");
  await fleet.add([sites[2]!]);
  await until(async () => hosts[2]!.requests.length > 0, "the site of the other tenant is visited");
  await sleep(2500);
  expect(hosts[1]!.requests).toEqual([]);
  await expect(
    fleet.run("tenant", "poor", "--sites", "2").then(() => fleet.add(sites, "--tenant", "poor")),
  ).rejects.toThrow(/error: Not all sites were added: tenant poor has room for 0 more sites/);
});

test("a worker does not start without a contact, or with a Redis that may lose jobs", async () => {
  await expect(fleet.run("work", "--contact", "")).rejects.toThrow(/--contact is missing/);
  await expect(fleet.run("work", "--contact", "nobody")).rejects.toThrow(
    /--contact is missing, or is not an http, https or mailto URL/,
  );
  const volatile = await startRedis({ appendonly: false });
  try {
    await expect(fleet.run("work", "--redis", volatile.url)).rejects.toThrow(
      /appendonly must be yes, but is no/,
    );
  } finally {
    await volatile.stop();
  }
});
