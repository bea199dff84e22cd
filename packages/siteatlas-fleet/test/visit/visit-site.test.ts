/** Single parts of visits, on unusual and hostile sites. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createNodeClient } from "siteatlas";
import {
  createVisitor,
  type LegRequest,
  type LegResult,
  type ObjectStore,
  openStore,
  type VisitRules,
} from "siteatlas-fleet";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Routes, serve, type TestServer } from "../../../siteatlas/test/support/http-server.ts";

const client = createNodeClient({ allow: ["127.0.0.0/8"] });
let folder: string;
let store: ObjectStore;
let paused: { domain: string; ms: number }[];
let stopped: Set<string>;
let isHeld: () => boolean;
const servers: TestServer[] = [];
/** A walk that waits only briefly before its retry, which the pause then forbids. */
const IMPATIENT: Partial<VisitRules> = { limits: { retryAfterMs: 100 } };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "siteatlas-fleet-"));
  store = await openStore(join(folder, "store"));
  paused = [];
  stopped = new Set();
  isHeld = () => true;
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
  await rm(folder, { recursive: true });
});

async function open(routes: Routes, address = "127.61.0.1"): Promise<TestServer> {
  const server = await serve(routes, { address });
  servers.push(server);
  return server;
}

/** Runs the parts of a visit one after the other, as a worker would, up to `most`. */
async function visit(
  { url, host }: TestServer,
  most = 10,
  more: Partial<LegRequest> = {},
  rules: Partial<VisitRules> = {},
): Promise<LegResult[]> {
  const visitLeg = createVisitor({
    ...rules,
    store,
    client,
    folder: join(folder, "tmp"),
    userAgent: "test (+https://example.com/)",
  });
  const results: LegResult[] = [];
  const told = new Map<string, boolean>();
  for (let leg = 0; leg < most; leg++) {
    const last = results.at(-1);
    const failed = [...told].filter(([, isFailed]) => isFailed).map(([name]) => name);
    const result = await visitLeg(
      {
        host,
        domain: host,
        shard: 0,
        homepage: `${url}/`,
        epoch: 1,
        visit: 1,
        leg,
        began: "2026-11-15T00:00:00.000Z",
        snapshot: last?.snapshot ?? null,
        done: told.size - failed.length,
        failed,
        requestMs: last?.requestMs ?? null,
        ...(leg === 0 && more),
      },
      {
        signal: new AbortController().signal,
        isHeld: () => isHeld(),
        isStopped: (name, domain) => stopped.has(name) || stopped.has(domain),
        onPause: (domain, ms) => paused.push({ domain, ms }),
      },
    );
    results.push(result);
    for (const { url: name, code } of result.sitemaps) told.set(name, code !== undefined);
    if (result.isOver) break;
  }
  return results;
}

const urlset = (...urls: readonly string[]): string =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`;

const index = (urls: readonly string[]): string =>
  `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls
    .map((url) => `<sitemap><loc>${url}</loc></sitemap>`)
    .join("")}</sitemapindex>`;

test("two hundred sitemaps that redirect to one page: the visit ends, and each is requested once", async () => {
  const server = await open((request, response) => {
    const { url = "" } = request;
    const origin = `http://${request.headers.host}`;
    if (url === "/robots.txt") return response.end(`Sitemap: ${origin}/index.xml\n`);
    if (url === "/index.xml") {
      return response.end(index(Array.from({ length: 200 }, (_, number) => `${origin}/child-${number}.xml`)));
    }
    if (url.startsWith("/child-")) return response.writeHead(302, { location: "/login" }).end();
    return response.writeHead(url === "/login" ? 200 : 404, { "content-type": "text/html" }).end("<html>");
  });
  const results = await visit(server, 30);
  expect(results.at(-1)!.isOver).toBe(true);
  const children = server.requests.filter(({ path }) => path.startsWith("/child-")).map(({ path }) => path);
  expect(new Set(children).size).toBe(children.length);
});

test("an index that lists itself is read by every part, and is not reported as recursion", async () => {
  const server = await open((request, response) => {
    const { url = "" } = request;
    const origin = `http://${request.headers.host}`;
    if (url === "/robots.txt") return response.end(`Sitemap: ${origin}/index.xml\n`);
    if (url === "/index.xml") {
      const children = Array.from({ length: 90 }, (_, number) => `${origin}/child-${number}.xml`);
      return response.end(index([`${origin}/index.xml`, ...children, `${origin}/back.xml`]));
    }
    if (url === "/back.xml") return response.end(index([`${origin}/index.xml`]));
    return /^\/child/.test(url)
      ? response.end(urlset(`${origin}${url}/page`))
      : response.writeHead(404).end();
  });
  const results = await visit(server);
  expect(results.length).toBeGreaterThan(1);
  expect(results.at(-1)).toMatchObject({ isOver: true, outcome: "found", pageCount: 90 });
  const told = results.flatMap(({ sitemaps }) => sitemaps).filter(({ url }) => url.endsWith("/index.xml"));
  expect(told.map(({ outcome, code }) => code ?? outcome)).not.toContain("index.self-reference");
  expect(told.some(({ outcome }) => outcome === "found")).toBe(true);
});

test.each([
  ["a server error", (response: ServerResponse) => response.writeHead(500).end()],
  ["no answer", (response: ServerResponse) => response.destroy()],
])("if robots.txt gives %s, nothing else is requested", async (_, answer) => {
  const server = await open((request, response) => {
    if (request.url === "/robots.txt") return answer(response);
    return response.end(urlset(`http://${request.headers.host}/page`));
  });
  const [result] = await visit(server);
  expect(result).toMatchObject({ outcome: "unreachable", isOver: true, pageCount: 0 });
  expect(new Set(server.requests.map(({ path }) => path))).toEqual(new Set(["/robots.txt"]));
});

test("a sitemap that was postponed and then read is reported", async () => {
  let asked = 0;
  const server = await open((request, response) => {
    const { url = "" } = request;
    const origin = `http://${request.headers.host}`;
    if (url === "/robots.txt") return response.end(`Sitemap: ${origin}/a.xml\n`);
    if (url !== "/a.xml") return response.writeHead(404).end();
    if (++asked === 1) return response.writeHead(503, { "retry-after": "11" }).end();
    return response.end(urlset(`${origin}/page`));
  });
  // With this limit the walk itself waits until the pause is over.
  const [first] = await visit(server, 1, {}, { guess: false, limits: { retryAfterMs: 20_000 } });
  expect(asked).toBe(2);
  expect(first!.sitemaps).toContainEqual(
    expect.objectContaining({ url: `${server.url}/a.xml`, outcome: "found", hasPages: true }),
  );
});

test("a Retry-After or Crawl-delay of years is shortened", async () => {
  const busy = await open({
    "/robots.txt": { body: "Sitemap: /a.xml\n" },
    "/a.xml": { status: 503, headers: { "retry-after": "999999999" } },
  });
  const [result] = await visit(busy, 1, {}, IMPATIENT);
  expect(result).toMatchObject({ outcome: "paused", isOver: false });
  expect(result!.pauseMs).toBeLessThanOrEqual(7 * 86_400_000);
  expect(paused[0]!.domain).toBe("127.61.0.1");
  const slow = await open(
    { "/robots.txt": { body: "User-agent: *\nDisallow: /\nCrawl-delay: 99999999999\n" } },
    "127.61.0.2",
  );
  expect((await visit(slow, 1))[0]).toMatchObject({ outcome: "disallowed", pauseMs: 600_000 });
});

test("a sitemap that was postponed by a pause has not failed, and the next part requests it", async () => {
  let isBusy = true;
  const server = await open((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === "/robots.txt")
      return response.end(`Sitemap: ${origin}/a.xml\nSitemap: ${origin}/b.xml\n`);
    if (request.url === "/b.xml" && isBusy) return response.writeHead(429, { "retry-after": "60" }).end();
    if (/^\/[ab]\.xml$/.test(request.url!)) return response.end(urlset(`${origin}${request.url}-page`));
    return response.writeHead(404).end();
  });
  const [first] = await visit(server, 1, {}, IMPATIENT);
  expect(first).toMatchObject({ outcome: "paused", isOver: false });
  expect(first!.sitemaps.filter(({ code }) => code !== undefined)).toEqual([]);
  isBusy = false;
  const snapshot = first!.snapshot ?? null;
  const [second] = await visit(server, 1, { leg: 1, snapshot, done: 2, visit: 1 });
  expect(second).toMatchObject({ outcome: "found", isOver: true, pageCount: 2 });
});

test("with a damaged or missing snapshot everything is read again, and no changes are reported", async () => {
  const routes: Routes = (request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === "/robots.txt") return response.end(`Sitemap: ${origin}/a.xml\n`);
    if (request.url === "/a.xml") return response.end(urlset(`${origin}/1`, `${origin}/2`));
    return response.writeHead(404).end();
  };
  const server = await open(routes);
  await writeFile(join(folder, "bad"), "this is no snapshot");
  await store.put("snapshots/bad.gz", join(folder, "bad"));
  for (const snapshot of ["snapshots/bad.gz", "snapshots/none.gz"]) {
    const [result] = await visit(server, 1, { snapshot, visit: 2 });
    expect(result).toMatchObject({ outcome: "found", isOver: true, pages: 2 });
    expect(result!.parts.map(({ dataset }) => dataset)).toEqual(["pages", "sitemaps"]);
  }
});

test("pages of an unchanged sitemap are not written again, even if the server has no validators", async () => {
  let pages = 3;
  const server = await open((request, response) => {
    const { url = "" } = request;
    const origin = `http://${request.headers.host}`;
    const list = (name: string, count: number): string =>
      urlset(...Array.from({ length: count }, (_, number) => `${origin}/${name}-${number}`));
    if (url === "/robots.txt") {
      return response.end(["a", "b", "large"].map((name) => `Sitemap: ${origin}/${name}.xml\n`).join(""));
    }
    if (url === "/a.xml") return response.end(list("a", pages));
    if (url === "/b.xml") return response.end(list("b", 5));
    // More pages than are held back.
    if (url === "/large.xml") return response.end(list("large", 2500));
    return response.writeHead(404).end();
  });
  const written = ({ parts }: LegResult): number =>
    parts.find(({ dataset }) => dataset === "pages")?.rowCount ?? 0;
  const fresh = ({ sitemaps }: LegResult): string[] =>
    sitemaps
      .filter(({ hasPages }) => hasPages)
      .map(({ url }) => new URL(url).pathname)
      .sort();
  const [first] = await visit(server);
  expect(fresh(first!)).toEqual(["/a.xml", "/b.xml", "/large.xml"]);
  expect(written(first!)).toBe(2508);
  const [second] = await visit(server, 1, { visit: 2, epoch: 2, snapshot: first!.snapshot! });
  expect(fresh(second!)).toEqual(["/large.xml"]);
  expect(second!.sitemaps.find(({ url }) => url.endsWith("/b.xml"))).toMatchObject({
    outcome: "found",
    pageCount: 5,
    hasPages: false,
  });
  expect(second).toMatchObject({ outcome: "found", pageCount: 2508, pages: 2508, changes: 0 });
  pages = 4;
  const [third] = await visit(server, 1, { visit: 3, epoch: 3, snapshot: second!.snapshot! });
  expect(fresh(third!)).toEqual(["/a.xml", "/large.xml"]);
  expect(written(third!)).toBe(2504);
});

test("a host on the stop list gets no request during the visit of another site", async () => {
  const other = await open({ "/far.xml": { body: urlset("http://127.61.0.9/page") } }, "127.61.0.9");
  const server = await open((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === "/robots.txt") {
      return response.end(`Sitemap: ${other.url}/far.xml\nSitemap: ${origin}/near.xml\n`);
    }
    if (request.url === "/near.xml") return response.end(urlset(`${origin}/1`));
    return response.writeHead(404).end();
  });
  stopped.add("127.61.0.9");
  const [result] = await visit(server, 1);
  expect(result).toMatchObject({ outcome: "found", pages: 1 });
  expect(other.requests).toEqual([]);
});

test("a lease that expired during a part ends it, even if the lease is valid again", async () => {
  const server = await open((request, response) => {
    const origin = `http://${request.headers.host}`;
    if (request.url === "/robots.txt")
      return response.end(`Sitemap: ${origin}/a.xml\nSitemap: ${origin}/b.xml\n`);
    if (/^\/[ab]\.xml$/.test(request.url!)) return response.end(urlset(`${origin}${request.url}-page`));
    return response.writeHead(404).end();
  });
  let asked = 0;
  isHeld = () => ++asked !== 2;
  await expect(visit(server, 1)).rejects.toThrow("The lease was lost");
});
