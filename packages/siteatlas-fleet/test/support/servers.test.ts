/** The servers in support/, which the tests of the fleet rely on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { startFaultProxy } from "./fault-proxy.mjs";
import { until } from "./private-server.mjs";
import { type Farm, type FarmSite, startFarm, walkOnce } from "./site-farm.mjs";
import { startPostgres } from "./start-postgres.mjs";
import { askRedis, startRedis, startRedisCluster } from "./start-redis.mjs";

describe("startRedis", () => {
  test("data survives a kill and a restart", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    await askRedis(redis.port, "SET", "kept", "1");
    const { pid } = redis;
    await redis.kill();
    await expect(askRedis(redis.port, "PING")).rejects.toThrow(/refused/);
    await redis.restart();
    expect(redis.pid).not.toBe(pid);
    expect(await askRedis(redis.port, "GET", "kept")).toBe("1");
    expect(await askRedis(redis.port, "CONFIG", "GET", "maxmemory-policy")).toMatch(/noeviction$/);
    await redis.stop();
    expect(existsSync(redis.dir)).toBe(false);
  });

  test("a server that ends at once reports the reason, even if another one answers on its port", async () => {
    await expect(startRedis({ args: ["--no-such-setting", "1"] })).rejects.toThrow(/no-such-setting/);
    const first = await startRedis({ appendonly: false });
    onTestFinished(() => first.stop());
    await expect(startRedis({ port: first.port })).rejects.toThrow(/Address already in use/);
  });

  test("ends with the process that started it, even after SIGKILL", async () => {
    const module = new URL("./start-redis.mjs", import.meta.url).href;
    const code = `import { startRedis } from ${JSON.stringify(module)}; console.log(JSON.stringify(await startRedis()));`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(owner.stdout, "data");
    const { port, dir } = JSON.parse(String(line));
    expect(await askRedis(port, "PING")).toBe("PONG");
    owner.kill("SIGKILL");
    const isGone = () =>
      askRedis(port, "PING").then(
        () => false,
        () => true,
      );
    await until(isGone, "Redis is gone");
    await until(() => !existsSync(dir), "its directory is gone");
  });
});

test("startRedisCluster: a replica takes over from a killed master, which comes back as a replica", async () => {
  const cluster = await startRedisCluster();
  onTestFinished(() => cluster.stop());
  expect(cluster.ports).toHaveLength(6);
  expect(cluster.nodes.filter(({ isMaster }) => isMaster)).toHaveLength(3);
  // -c follows redirects to the node that has the slot.
  expect(await askRedis(cluster.ports[0]!, "-c", "SET", "kept", "1")).toBe("OK");
  const { killed, promoted } = await cluster.killMaster();
  const roleOf = (port: number) => cluster.nodes.find((node) => node.port === port)?.isMaster;
  expect([roleOf(killed), roleOf(promoted)]).toEqual([false, true]);
  expect(await askRedis(promoted, "CLUSTER", "INFO")).toContain("cluster_state:ok");
  expect(await askRedis(promoted, "-c", "GET", "kept")).toBe("1");
  await cluster.restart(killed);
  expect(roleOf(killed)).toBe(false);
  expect(await askRedis(killed, "ROLE")).toContain(String(promoted));
});

describe("startPostgres", () => {
  test("a committed row survives a kill and a restart", async () => {
    const postgres = await startPostgres({ settings: { work_mem: "5MB" } });
    onTestFinished(() => postgres.stop());
    await query(postgres.url, "create table kept (number int)");
    await query(postgres.url, "insert into kept values (7)");
    // An open connection keeps the shared memory for a moment.
    const other = new pg.Client(postgres.url);
    other.on("error", () => {});
    await other.connect();
    await postgres.kill();
    await expect(query(postgres.url, "select 1")).rejects.toThrow(/ECONNREFUSED/);
    await postgres.restart();
    expect(await query(postgres.url, "select number from kept")).toEqual([{ number: 7 }]);
    expect(await query(postgres.url, "show fsync")).toEqual([{ fsync: "on" }]);
    expect(await query(postgres.url, "show work_mem")).toEqual([{ work_mem: "5MB" }]);
    await postgres.stop();
    expect(existsSync(postgres.dir)).toBe(false);
  });

  test("fast: fsync is off; an invalid setting is reported", async () => {
    const postgres = await startPostgres({ fast: true });
    onTestFinished(() => postgres.stop());
    expect(await query(postgres.url, "show fsync")).toEqual([{ fsync: "off" }]);
    expect(await query(postgres.url, "select current_database() as name")).toEqual([{ name: "fleet" }]);
    await expect(startPostgres({ settings: { no_such_setting: 1 } })).rejects.toThrow(/no_such_setting/);
  });
});

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe("startFaultProxy", () => {
  test("passes all bytes and the end, in both directions", async () => {
    const { proxy } = await startEcho();
    const client = connect(proxy.port, "127.0.0.1");
    const sent = Buffer.alloc(3_000_000, "abcdefghij");
    client.end(sent);
    const received: Buffer[] = [];
    for await (const bytes of client) received.push(bytes);
    expect(Buffer.concat(received).equals(sent)).toBe(true);
    await until(() => proxy.connections === 0, "the connection is closed");
  });

  test("reset", async () => {
    const { proxy } = await startEcho();
    const client = await openClient(proxy.port);
    expect(await client.echo("one")).toBe("one");
    const failed = once(client.socket, "error");
    proxy.reset();
    expect(await failed).toMatchObject([{ code: "ECONNRESET" }]);
    expect(await (await openClient(proxy.port)).echo("two")).toBe("two");
  });

  test("blackhole: no data passes on open or new connections, and all of it is delivered later", async () => {
    const { proxy } = await startEcho();
    const open = await openClient(proxy.port);
    await open.echo("before");
    const from = performance.now();
    const over = proxy.blackhole(300);
    const late = await openClient(proxy.port);
    expect(await Promise.all([open.echo("one"), late.echo("two")])).toEqual(["one", "two"]);
    expect(performance.now() - from).toBeGreaterThan(290);
    await over;
  });

  test("refuse", async () => {
    const { proxy } = await startEcho();
    const open = await openClient(proxy.port);
    const over = proxy.refuse(200);
    await expect(openClient(proxy.port)).rejects.toThrow(/ECONNREFUSED/);
    expect(await open.echo("still here")).toBe("still here");
    await over;
    expect(await (await openClient(proxy.port)).echo("again")).toBe("again");
  });

  test("latency in each direction", async () => {
    const { proxy } = await startEcho();
    const client = await openClient(proxy.port);
    await client.echo("quick");
    proxy.latency(60);
    const from = performance.now();
    expect(await client.echo("late")).toBe("late");
    expect(performance.now() - from).toBeGreaterThan(115);
  });
});

async function startEcho() {
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { port: number };
  const proxy = await startFaultProxy({ port });
  onTestFinished(async () => {
    await proxy.close();
    server.close();
  });
  return { proxy };
}

async function openClient(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  const echo = async (text: string): Promise<string> => {
    socket.write(text);
    const [bytes] = await once(socket, "data");
    return String(bytes);
  };
  return { socket, echo };
}

describe("startFarm", () => {
  test("each shape has the pages and requests that it declares, before and after a change", async () => {
    const farm = await startFarm({ sites: 40, giant: 50 });
    onTestFinished(() => farm.close());
    expect(new Set(farm.sites.map(({ shape }) => shape)).size).toBe(21);
    expect(farm.sites.filter(({ isReadable }) => !isReadable).map(({ shape }) => shape)).toEqual([
      "nothing",
      "disallowed",
      "nothing",
      "disallowed",
    ]);
    const before = farm.sites;
    await expectAsDeclared(farm);

    await farm.reset();
    const changed = await farm.change(0.4);
    expect(changed.length).toBeGreaterThan(5);
    expect(changed.length).toBeLessThan(30);
    for (const [i, site] of farm.sites.entries()) {
      const isChanged = changed.some(({ host }) => host === site.host);
      expect(site.generation).toBe(isChanged ? 1 : 0);
      expect(site.expectedPages).toBe(before[i]!.expectedPages + (isChanged ? 2 : 0));
      expect(site.expectedDigest === before[i]!.expectedDigest).toBe(!isChanged);
    }
    await expectAsDeclared(farm);
  });

  test("the same seed gives the same sites, another seed gives others", async () => {
    const sizes = await Promise.all(
      [1, 1, 2].map(async (seed) => {
        const farm = await startFarm({ sites: 20, seed });
        await farm.close();
        return farm.sites.map(({ expectedPages }) => expectedPages);
      }),
    );
    expect(sizes[0]).toEqual(sizes[1]);
    expect(sizes[0]).not.toEqual(sizes[2]);
  });

  test("ETag: 304 until a change; counts of paths, statuses and concurrent requests", async () => {
    const farm = await startFarm({ sites: 1, latencyMs: 30 });
    onTestFinished(() => farm.close());
    const { host, homepage } = farm.sites[0]!;
    const url = `${homepage}maps/a.xml`;
    const first = await fetch(url);
    await first.text();
    const headers = { "if-none-match": first.headers.get("etag")! };
    const again = await Promise.all([fetch(url, { headers }), fetch(url, { headers })]);
    expect(again.map(({ status }) => status)).toEqual([304, 304]);
    await farm.change(1);
    const changed = await fetch(url, { headers });
    expect(changed.status).toBe(200);
    await changed.text();
    const { hosts, totals } = await farm.stats();
    const { firstAt = 0, lastAt = 0, ...counts } = hosts[host]!;
    expect(counts).toEqual({
      requests: 4,
      paths: { "/maps/a.xml": 4 },
      statuses: { 200: 2, 304: 2 },
      maxActive: 2,
      overlapping: 1,
    });
    expect(lastAt - firstAt).toBeGreaterThanOrEqual(55);
    expect(totals).toMatchObject({ hosts: 1, requests: 4, maxActive: 2, maxActivePerHost: 2 });
    await farm.reset();
    expect(await farm.totals()).toMatchObject({ hosts: 0, requests: 0, bytes: 0, maxActive: 0 });
  });
});

/** Walks all sites once, and compares pages and requests with what the farm declares. */
async function expectAsDeclared(farm: Farm): Promise<void> {
  const walks = await Promise.all(farm.sites.map((site) => walkOnce(site)));
  const { hosts } = await farm.stats();
  const found = farm.sites.map(({ host, shape }, i) => {
    const { paths = {}, requests = 0 } = hosts[host] ?? {};
    return { shape, ...walks[i], asked: requests, paths: Object.keys(paths).length };
  });
  const said = farm.sites.map((site: FarmSite) => {
    const requests = site.idealRequests + site.idealRetries;
    const { shape, expectedPages: pages, expectedDigest: digest, idealRequests: paths } = site;
    return { shape, pages, digest, requests, asked: requests, paths };
  });
  expect(found).toEqual(said);
}
