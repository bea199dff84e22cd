/**
 * A walk that is left by `break` or by a signal, at every stage of a request: within one second, no socket, timer or
 * file is left.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import { sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { streamPageBatches, streamPages, walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { eventually, watchLeftovers } from "../support/http-server.ts";
import {
  openSite,
  pageUrls,
  redirectTo,
  robotsTxt,
  type SiteHandler,
  type SiteRoutes,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const never = (): Promise<undefined> => new Promise(() => {});
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends headers and these bytes, and then nothing. */
const stalls =
  (bytes: string | Uint8Array): SiteHandler =>
  (_, response) => {
    response.writeHead(200);
    response.write(bytes);
    return never();
  };

/** Sends pages without end, as fast as they are read. */
const endless =
  (base: string): SiteHandler =>
  (_, response) => {
    response.write("<urlset>");
    let count = 0;
    const write = (): void => {
      while (!response.destroyed && count < 2_000_000) {
        const rows = pageUrls(`${base}/${count}`, 200).map((url) => `<url><loc>${url}</loc></url>`);
        count += rows.length;
        if (!response.write(rows.join(""))) {
          response.once("drain", write);
          return;
        }
      }
      response.end("</urlset>");
    };
    write();
    return never();
  };

/** A port whose connections are never established, because its queue is full. */
async function openBlackHole(): Promise<string> {
  const script = `
    const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:fs").writeSync(1, server.address().port + "\\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    });`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve) =>
    child.stdout.once("data", (text) => resolve(Number(text))),
  );
  const fillers: Socket[] = [];
  onTestFinished(() => {
    for (const socket of fillers) socket.destroy();
    child.kill("SIGKILL");
  });
  let made = 0;
  for (let count = 0; count < 8; count++) {
    const socket = connect(port, "127.0.0.1", () => made++);
    socket.on("error", () => {});
    fillers.push(socket);
  }
  await sleep(100);
  expect(made).toBeLessThan(8);
  return `http://127.0.0.1:${port}`;
}

/** A port that accepts connections and never sends a byte, so that the TLS handshake does not start. */
async function openSilence(): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // Without reading, the socket does not notice that the other side has closed the connection.
    socket.resume();
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return `https://127.0.0.1:${port}`;
}

interface Stage {
  readonly name: string;
  /** The stage begins when this path is requested. @default "/a.xml" */
  readonly path?: string;
  /** The URL that robots.txt lists. */
  readonly sitemap?: () => Promise<string>;
  readonly routes?: (base: string) => SiteRoutes;
  readonly options?: WalkOptions;
}

const STAGES: readonly Stage[] = [
  { name: "connecting", path: "/robots.txt", sitemap: async () => `${await openBlackHole()}/a.xml` },
  { name: "TLS handshake", path: "/robots.txt", sitemap: async () => `${await openSilence()}/a.xml` },
  { name: "headers", routes: () => ({ "/a.xml": never }) },
  { name: "body", routes: (base) => ({ "/a.xml": stalls(`<urlset><url><loc>${base}/1</loc>`) }) },
  {
    name: "compressed body",
    routes: (base) => {
      const rows = Array.from({ length: 5000 }, (_, at) => `${base}/${Math.sin(at)}`);
      return { "/a.xml": stalls(gzipSync(urlset(rows)).subarray(0, 20_000)) };
    },
  },
  { name: "parsing", routes: (base) => ({ "/a.xml": endless(base) }) },
  {
    name: "backoff",
    routes: () => ({ "/a.xml": { status: 503 } }),
    options: { limits: { backoffMs: 60_000 } },
  },
  {
    name: "Retry-After",
    routes: () => ({ "/a.xml": { status: 503, headers: { "retry-after": "60" } } }),
  },
  {
    name: "a redirect",
    path: "/b.xml",
    routes: () => ({ "/a.xml": redirectTo("/b.xml"), "/b.xml": never }),
  },
  {
    name: "waiting at the gate",
    path: "/c/1",
    routes: (base) => ({
      "/a.xml": sitemapIndex(pageUrls(`${base}/c`, 30)),
      ...Object.fromEntries(pageUrls("/c", 30).map((path) => [path, never])),
    }),
    options: { concurrency: 1 },
  },
  {
    name: "waiting for the next request",
    path: "/robots.txt",
    routes: () => ({}),
    options: { delayMs: 60_000 },
  },
  {
    name: "a callback that does not answer",
    path: "/robots.txt",
    routes: () => ({}),
    options: { recurseCallback: never as never },
  },
  {
    name: "the homepage",
    path: "/",
    routes: () => ({ "/": never }),
    options: { useHomepageLinks: true },
  },
];

async function openStage({ sitemap, routes }: Stage): Promise<TestSite> {
  const target = await sitemap?.();
  return openSite((base) => ({
    "/robots.txt": robotsTxt([target ?? `${base}/a.xml`]),
    ...routes?.(base),
  }));
}

const optionsOf = ({ options }: Stage): WalkOptions => ({
  allowPrivateNetworks: true,
  useKnownPaths: false,
  useHomepageLinks: false,
  ...options,
});

/** A temporary folder for this file alone: other tests write to the default one. */
const usualFolder = process.env["TMPDIR"];
const temporary = mkdtempSync(join(tmpdir(), "leaving-"));
process.env["TMPDIR"] = temporary;
afterAll(() => {
  if (usualFolder === undefined) delete process.env["TMPDIR"];
  else process.env["TMPDIR"] = usualFolder;
  rmSync(temporary, { recursive: true });
});

const countTimers = (): number =>
  process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

/** The smallest count is used, because the test runner also starts and ends timers. */
let timersAtRest = Number.POSITIVE_INFINITY;
beforeAll(async () => {
  for (let sample = 0; sample < 20; sample++) {
    await sleep(20);
    timersAtRest = Math.min(timersAtRest, countTimers());
  }
});

/** Call this first, then call the returned function. It fails unless everything is gone within a second. */
function watchAll(site: TestSite): () => Promise<void> {
  const expectNothing = watchLeftovers();
  return async () => {
    await expectNothing();
    await eventually(() => countTimers() <= timersAtRest, "no timer is left");
    await eventually(() => site.sockets.size === 0, "no connection is open");
    expect(readdirSync(temporary)).toEqual([]);
  };
}

/** Time until the response, its bytes and their timers are in flight. */
const SETTLING_MS = 100;
/** The time limit has no event to wait for. */
const TIME_MS = 300;

async function reach({ path = "/a.xml" }: Stage, site: TestSite): Promise<void> {
  await eventually(() => site.count(path) > 0, `${path} is asked for`, 60_000);
  await sleep(SETTLING_MS);
}

describe.each(STAGES)("$name", (stage) => {
  it("break", async () => {
    const site = await openStage(stage);
    const expectNothing = watchAll(site);
    for await (const _ of walkSitemaps(site.url, optionsOf(stage))) {
      await reach(stage, site);
      break;
    }
    await expectNothing();
  });

  it("a signal, while an event is awaited", async () => {
    const site = await openStage(stage);
    const expectNothing = watchAll(site);
    const controller = new AbortController();
    const reason = new Error("enough");
    const reached = reach(stage, site).then(() => controller.abort(reason));
    const walk = async (): Promise<void> => {
      for await (const _ of walkSitemaps(site.url, { ...optionsOf(stage), signal: controller.signal }));
    };
    await expect(walk()).rejects.toBe(reason);
    await reached;
    await expectNothing();
  });

  it("a signal to the tree", async () => {
    const site = await openStage(stage);
    const expectNothing = watchAll(site);
    const controller = new AbortController();
    const reached = reach(stage, site).then(() => controller.abort());
    const tree = sitemapTreeForHomepage(site.url, { ...optionsOf(stage), signal: controller.signal });
    await expect(tree).rejects.toMatchObject({ name: "AbortError" });
    await reached;
    await expectNothing();
  });

  it("the time limit: no error, and nothing left behind", async () => {
    const site = await openStage(stage);
    const expectNothing = watchAll(site);
    const { limits, ...options } = optionsOf(stage);
    const tree = await sitemapTreeForHomepage(site.url, {
      ...options,
      limits: { ...limits, timeMs: TIME_MS },
    });
    expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.time" }] });
    await expectNothing();
  });
});

it("a DNS lookup without an answer: the signal ends the walk, close the client", async () => {
  const expectNothing = watchLeftovers();
  let lookups = 0;
  const client = createNodeClient({
    lookup: () => {
      lookups++;
    },
  });
  const controller = new AbortController();
  const reason = new Error("enough");
  const tree = sitemapTreeForHomepage("http://www.example.com/", { client, signal: controller.signal });
  const failed = expect(tree).rejects.toBe(reason);
  await eventually(() => lookups > 0, "the name is looked up", 60_000);
  controller.abort(reason);
  await failed;
  await client.close();
  await expectNothing();
});

it("a signal that is already aborted: nothing is requested", async () => {
  const site = await openSite({});
  const reason = new Error("never mind");
  const signal = AbortSignal.abort(reason);
  await expect(sitemapTreeForHomepage(site.url, { signal })).rejects.toBe(reason);
  await expect(streamPages(site.url, { signal }).next()).rejects.toBe(reason);
  await expect(streamPageBatches(site.url, { signal }).next()).rejects.toBe(reason);
  expect(site.requests).toHaveLength(0);
});

it("nothing happens before the first call of next", async () => {
  const site = await openSite({});
  const events = walkSitemaps(site.url);
  await sleep(50);
  expect(site.requests).toHaveLength(0);
  await events.return(undefined);
  expect(site.requests).toHaveLength(0);
});

it("after a signal no event is emitted, even if many wait", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": urlset(pageUrls(base, 5000)),
  }));
  const controller = new AbortController();
  let seen = 0;
  const walk = async (): Promise<void> => {
    for await (const _ of streamPages(site.url, { signal: controller.signal })) {
      if (++seen === 10) controller.abort(new Error("enough"));
    }
  };
  await expect(walk()).rejects.toThrow("enough");
  expect(seen).toBe(10);
});

it("pages in batches: the same pages in the same order, no batch is empty", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/none.xml`]),
    "/a.xml": urlset(pageUrls(base, 5000)),
    "/none.xml": urlset([]),
  }));
  const sizes: number[] = [];
  const urls: string[] = [];
  for await (const pages of streamPageBatches(site.url)) {
    sizes.push(pages.length);
    urls.push(...pages.map(({ url }) => url));
  }
  expect(urls).toEqual(pageUrls(site.url, 5000));
  expect(Math.min(...sizes)).toBeGreaterThan(0);
  expect(sizes.length).toBeGreaterThan(1);
  expect(sizes.length).toBeLessThan(500);
});

it("with a client of the caller: open connections are closed, the client still works", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`]),
    "/a.xml": never,
    "/sitemap.txt": `${base}/1`,
  }));
  const expectNothing = watchAll(site);
  const client = createNodeClient({ allowPrivateNetworks: true });
  for await (const _ of walkSitemaps(site.url, { client, useKnownPaths: false })) {
    await sleep(50);
    break;
  }
  const pages: string[] = [];
  const options = { client, useRobots: false, useHomepageLinks: false } as const;
  for await (const page of streamPages(site.url, options)) pages.push(page.url);
  expect(pages).toEqual([`${site.url}/1`]);
  await client.close();
  await expectNothing();
});
