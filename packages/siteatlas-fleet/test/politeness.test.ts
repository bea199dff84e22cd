/** What sites are promised, held against workers that are processes of their own. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type Routes, serve, type TestServer } from "../../siteatlas/test/support/http-server.ts";
import { Fleet } from "./support/fleet.ts";
import { until } from "./support/private-server.mjs";
import { startRedis } from "./support/start-redis.mjs";

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

test("robots.txt is honoured: what it disallows is not requested", async () => {
  const server = await site("127.60.0.1", (origin) => ({
    "/robots.txt": robots(origin, ["/named.xml"], "User-agent: *\nDisallow: /"),
    "/named.xml": urlset(origin, "/a"),
    "/sitemap.xml": urlset(origin, "/b"),
  }));
  await add(server);
  fleet.feeder();
  fleet.worker();
  await fleet.done();
  // What robots.txt itself names is meant to be read.
  expect(server.requests.map(({ path }) => path)).toEqual(["/robots.txt", "/named.xml"]);
  // And each request says whose it is.
  for (const { headers } of server.requests) {
    expect(headers["user-agent"]).toMatch(/^siteatlas-fleet\/\S+ \(\+https:\/\/\S+\)$/);
  }
});

test("a crawl-delay is waited for, also from one host of a domain to the next, in another process", async () => {
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
  expect(Math.min(...gaps)).toBeGreaterThan(950);
});

test("one visit at a time for each registrable domain, whoever makes it", async () => {
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

test("Retry-After holds for every process, though the one that was told it is dead", async () => {
  let busyAt: number | undefined;
  const server = await site("127.60.0.4", (origin) => ({
    "/robots.txt": robots(origin, ["/a.xml", "/b.xml"]),
    "/a.xml": urlset(origin, "/a1", "/a2"),
    "/b.xml": (_, response) => {
      if (busyAt !== undefined) return response.end(urlset(origin, "/b1").body);
      busyAt = performance.now();
      return response.writeHead(503, { "retry-after": "12" }).end();
    },
  }));
  await add(server);
  fleet.feeder();
  const first = fleet.worker("--lease", "4");
  await until(async () => busyAt !== undefined, "the site asks to be left alone");
  await until(
    async () => (await fleet.pool.query("select from lease where not_before > now()")).rowCount === 1,
    "the pause is known to all",
  );
  first.kill("SIGKILL");
  fleet.worker("--lease", "4");
  await fleet.done();
  const after = timesOf(server).filter((at) => at > busyAt! + 200);
  expect(after.length).toBeGreaterThan(0);
  expect(Math.min(...after) - busyAt!).toBeGreaterThan(11_900);
  expect(await fleet.pages()).toMatchObject(new Map([[server.host, { pages: 3, doubled: 0 }]]));
});

test("the stop list takes effect within a quarter of a lease, and so does its end", async () => {
  const names = Array.from({ length: 400 }, (_, number) => `/${number}.xml`);
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
  await until(async () => server.requests.length > 20, "the visit goes on");
  await fleet.run("stop", server.host, "--reason", "they asked us to");
  const stoppedAt = performance.now();
  await sleep(4000);
  const last = Math.max(...timesOf(server));
  expect(last - stoppedAt).toBeLessThan(2500);
  await sleep(2000);
  expect(Math.max(...timesOf(server))).toBe(last);
  await fleet.run("go", server.host);
  await fleet.done();
  expect(await fleet.pages()).toMatchObject(new Map([[server.host, { pages: 400, doubled: 0 }]]));
});

test("a tenant that has spent its day is not fed, others are", async () => {
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
  await until(async () => hosts[2]!.requests.length > 0, "the other tenant is fed");
  await sleep(2500);
  expect(hosts[1]!.requests).toEqual([]);
  await expect(
    fleet.run("tenant", "poor", "--sites", "2").then(() => fleet.add(sites, "--tenant", "poor")),
  ).rejects.toThrow(/may have 0 sites more/);
});

test("nobody is visited without a contact, nor from a Redis that forgets", async () => {
  await expect(fleet.run("work", "--contact", "")).rejects.toThrow(/--contact is missing/);
  await expect(fleet.run("work", "--contact", "nobody")).rejects.toThrow(/--contact is missing, or no URL/);
  const volatile = await startRedis({ appendonly: false });
  try {
    await expect(fleet.run("work", "--redis", volatile.url)).rejects.toThrow(/appendonly is no, not yes/);
  } finally {
    await volatile.stop();
  }
});
