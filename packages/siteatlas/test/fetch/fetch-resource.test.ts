/** Fetches one resource from servers on loopback: redirects, retries, limits, and no leftovers. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Client, ClosableClient } from "../../src/fetch/client/client.ts";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import {
  type FetchLimits,
  fetchHop,
  fetchResource,
  type Resource,
  type ResourceOptions,
} from "../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../src/fetch/politeness.ts";
import { RunningClock } from "../../src/fetch/running-clock.ts";
import { closedPort, eventually, type RawBehaviour, watchLeftovers } from "../support/http-server.ts";
import { failureOf, open, openRaw } from "./client/client-suite.ts";
import { plainClient } from "./client/plain-client.ts";

/** The servers are on loopback. */
const OPEN = { allowPrivateNetworks: true };

/** Generous for a busy machine. Tests of a limit set it low. */
const LIMITS: FetchLimits = {
  redirects: 10,
  retries: 2,
  retryAfterMs: 2500,
  backoffMs: 5,
  headersMs: 10_000,
  idleMs: 10_000,
  requestMs: 20_000,
  wireBytes: 1_000_000,
  bytesPerSecond: 1024,
};

/** For tests of one time limit: no other one ends the request. */
const NO_TIME_LIMITS = {
  headersMs: Number.POSITIVE_INFINITY,
  idleMs: Number.POSITIVE_INFINITY,
  requestMs: Number.POSITIVE_INFINITY,
};

interface Fetched {
  readonly resource: Resource;
  readonly text: string;
  readonly cut: string | undefined;
  readonly issues: readonly string[];
}

let client: ClosableClient;
beforeAll(() => {
  client = createNodeClient(OPEN);
});
afterAll(() => client.close());

type Options = Omit<Partial<ResourceOptions>, "limits"> & { readonly limits?: Partial<FetchLimits> };

function optionsOf({ limits, ...given }: Options = {}): ResourceOptions {
  const own = given.client ?? client;
  return {
    client: own,
    gate: gateOf(own),
    rules: () => ({ concurrency: 2, delayMs: 0 }),
    headers: () => ({}),
    signal: new AbortController().signal,
    report: () => {},
    ...given,
    limits: { ...LIMITS, ...limits },
  };
}

/** Fetches and reads all of the body. */
async function get(url: string, given?: Options): Promise<Fetched> {
  const issues: string[] = [];
  const options = optionsOf({
    report: (code, value) => issues.push(value === undefined ? code : `${code} ${value}`),
    ...given,
  });
  const resource = await fetchResource(url, options);
  let text = "";
  if (resource.kind === "body")
    for await (const chunk of resource.body) text += Buffer.from(chunk).toString();
  const cut = resource.kind === "body" ? resource.cut() : undefined;
  return { resource, text, cut, issues };
}

describe("an answer", () => {
  it("has a body with status, headers and bytes", async () => {
    const { url } = await open({ "/a": { headers: { etag: '"1"' }, body: "body" } });
    const { resource, text, cut, issues } = await get(`${url}/a`);
    expect(resource).toMatchObject({ kind: "body", url: `${url}/a`, status: 200, headers: { etag: '"1"' } });
    expect(text).toBe("body");
    expect(cut).toBeUndefined();
    expect(resource.kind === "body" && resource.bytes()).toBe(4);
    expect(issues).toEqual([]);
  });

  it.each([400, 401, 403, 404, 410, 501, 304])(
    "%d is a failure without a retry (H10 to H12, H30)",
    async (status) => {
      const server = await open((_, response) => response.writeHead(status).end());
      const { resource } = await get(server.url);
      expect(resource).toEqual({
        kind: "failed",
        url: server.url,
        code: "http.status",
        reason: `the server answered ${status}`,
        status,
        connecting: false,
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  it("206 is read and reported (H19)", async () => {
    const { url } = await open({ "/": { status: 206, body: "half" } });
    expect(await get(`${url}/`)).toMatchObject({
      text: "half",
      cut: "http.partial",
      issues: ["http.partial"],
    });
  });

  it("is requested with the caller's headers for its URL", async () => {
    const server = await open((request, response) => response.end(request.headers["x-own"]));
    expect(await get(`${server.url}/a`, { headers: (url) => ({ "x-own": url.pathname }) })).toMatchObject({
      text: "/a",
    });
  });
});

describe("redirects", () => {
  it.each([301, 302, 303, 307, 308])("%d is followed (H01)", async (status) => {
    const { url } = await open({
      "/a": { status, headers: { location: "/b" }, body: "moved" },
      "/b": { body: "body" },
    });
    const { resource, text } = await get(`${url}/a`);
    expect(resource).toMatchObject({ kind: "body", url: `${url}/b`, status: 200 });
    expect(text).toBe("body");
  });

  it.each([300, 304, 305, 306])("%d is not (sec-R10)", async (status) => {
    const server = await open((_, response) => response.writeHead(status, { location: "/b" }).end());
    expect((await get(`${server.url}/a`)).resource).toMatchObject({ code: "http.status", status });
    expect(server.requests).toHaveLength(1);
  });

  it("without a Location are not redirects", async () => {
    const { url } = await open({ "/a": { status: 301 } });
    expect((await get(`${url}/a`)).resource).toMatchObject({ code: "http.status", status: 301 });
  });

  it.each([
    ["b?c=d", "/dir/b?c=d"],
    ["../b", "/b"],
    ["?q", "/dir/a?q"],
    ["  /b  ", "/b"],
    ["/b#part", "/b"],
    ["/a b", "/a%20b"],
    // Bytes of UTF-8, and of Latin-1 that are not valid UTF-8.
    ["/\xc3\xa9", "/%C3%A9"],
    ["/\xe9", "/%C3%A9"],
  ])("to %j are resolved as browsers do (sec-R08)", async (location, path) => {
    const { url } = await openRaw((socket, request) => {
      const isFirst = request.startsWith("GET /dir/a ");
      const head = isFirst ? `301 Moved\r\nLocation: ${location}` : "200 OK";
      socket.write(Buffer.from(`HTTP/1.1 ${head}\r\nContent-Length: 0\r\n\r\n`, "latin1"));
    });
    expect((await get(`${url}/dir/a`)).resource).toMatchObject({ kind: "body", url: url + path });
  });

  it("to another host are followed, without user and password (H07, sec-R05)", async () => {
    const other = await open({ "/b": { body: "body" } });
    const { url } = await open({
      "/a": { status: 302, headers: { location: `${other.url.replace("//", "//user:secret@")}/b` } },
    });
    const { resource, issues } = await get(`${url}/a`);
    expect(resource).toMatchObject({ kind: "body", url: `${other.url}/b` });
    expect(issues).toEqual(["url.credentials"]);
    expect(JSON.stringify([resource, issues])).not.toContain("secret");
    expect(other.requests[0]!.headers["authorization"]).toBeUndefined();
  });

  it("that are refused end the fetch before the request", async () => {
    const other = await open({ "/b": { body: "body" } });
    const { url } = await open({ "/a": { status: 302, headers: { location: `${other.url}/b` } } });
    const refuse: NonNullable<ResourceOptions["refuse"]> = async (next) =>
      next.startsWith(other.url) ? { code: "url.cross-host", reason: "on another host" } : undefined;
    expect((await get(`${url}/a`, { refuse })).resource).toMatchObject({
      kind: "failed",
      url: `${url}/a`,
      code: "url.cross-host",
      reason: `redirects to ${other.url}/b: on another host`,
    });
    expect(other.requests).toEqual([]);
  });

  it.each([
    ["to itself (H02)", { "/a": "/a" }, 1],
    ["to nothing (sec-R01)", { "/a": "" }, 1],
    ["in a circle (sec-R01)", { "/a": "/b", "/b": "/c", "/c": "/b" }, 3],
  ])("%s end at the first repeat", async (_, hops: Record<string, string>, requests) => {
    const server = await open((request, response) =>
      response.writeHead(301, { location: hops[request.url!] }).end(),
    );
    expect((await get(`${server.url}/a`)).resource).toMatchObject({
      kind: "failed",
      code: "http.redirect-loop",
    });
    expect(server.requests).toHaveLength(requests);
  });

  it.each([
    [0, 0, true],
    [0, 1, false],
    [1, 1, true],
    [1, 2, false],
    [10, 10, true],
    [10, 11, false],
  ])("at most %d: %d are followed: %s (sec-R02)", async (redirects, count, isFollowed) => {
    const server = await open((request, response) => {
      const hop = Number(request.url!.slice(1));
      if (hop === count) response.end("body");
      else response.writeHead(302, { location: `/${hop + 1}` }).end();
    });
    const { resource } = await get(`${server.url}/0`, { limits: { redirects } });
    expect(resource).toMatchObject(isFollowed ? { kind: "body" } : { code: "http.too-many-redirects" });
    expect(server.requests).toHaveLength(redirects + 1);
  });

  it.each([
    ["file:///etc/passwd", "http.redirect-scheme"],
    ["data:text/plain,x", "http.redirect-scheme"],
    ["javascript:alert(1)", "http.redirect-scheme"],
    ["ftp://127.0.0.1/x", "http.redirect-scheme"],
    ["http://", "http.bad-redirect"],
    ["http://127.0.0.1:99999/", "http.bad-redirect"],
    [`/${"x".repeat(8192)}`, "http.bad-redirect"],
  ])("to %.40s are refused (H04, sec-R03, sec-R09)", async (location, code) => {
    const server = await open({ "/a": { status: 301, headers: { location } } });
    expect((await get(`${server.url}/a`)).resource).toMatchObject({
      kind: "failed",
      url: `${server.url}/a`,
      code,
    });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    [8192, "http.status", 1],
    [8193, "http.bad-redirect", 0],
  ])("to a URL of %i characters: %s (sec-R09)", async (length, code, requests) => {
    const target = await open({});
    const location = `${target.url}/`.padEnd(length, "x");
    const { url } = await open({ "/": { status: 301, headers: { location } } });
    expect((await get(`${url}/`)).resource).toMatchObject({ kind: "failed", code });
    expect(target.requests).toHaveLength(requests);
  });

  it("from https to http are followed and reported (H06)", async () => {
    const { url, host } = await open({
      "/a": (request, response) =>
        response.writeHead(301, { location: `http://${request.headers.host}/b` }).end(),
      "/b": { body: "body" },
    });
    const insecure: Client = (request) => client({ ...request, url: request.url.replace("https:", "http:") });
    const { resource, issues } = await get(`https://${host}/a`, { client: insecure });
    expect(resource).toMatchObject({ kind: "body", url: `${url}/b` });
    expect(issues).toEqual([`http.downgrade ${url}/b`]);
  });

  it("are given back by fetchHop, before the next request (C04, C10)", async () => {
    const server = await open({ "/a": { status: 301, headers: { location: "/b" } }, "/b": { body: "body" } });
    const hop = await fetchHop(`${server.url}/a`, optionsOf());
    expect(hop).toEqual({ kind: "redirect", url: `${server.url}/b`, status: 301 });
    expect(server.requests.map(({ path }) => path)).toEqual(["/a"]);
  });

  it("with an endless body are followed at once (sec-B04)", async () => {
    const server = await openRaw((socket, request) => {
      if (request.startsWith("GET /b "))
        return socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody");
      socket.write("HTTP/1.1 301 Moved\r\nLocation: /b\r\nContent-Length: 1000000000\r\n\r\n");
      const send = (): void => {
        while (!socket.destroyed && socket.write("x".repeat(10_000)));
      };
      socket.on("drain", send);
      return send();
    });
    expect((await get(`${server.url}/a`)).text).toBe("body");
    await eventually(() => !server.open.has(1), "the first connection is closed");
  });
});

describe("retries", () => {
  /** Responds with each status in turn, then with 200. */
  const inTurn = (...answers: { status: number; headers?: Record<string, string> }[]) => {
    let at = 0;
    return open((_, response) => {
      const { status, headers } = answers[at++] ?? { status: 200 };
      response.writeHead(status, headers).end(status === 200 ? "body" : "sorry");
    });
  };

  it.each([408, 425, 429, 500, 502, 503, 504, 522])(
    "%d twice, then 200: succeeds (H15, H16)",
    async (status) => {
      const server = await inTurn({ status }, { status });
      expect(await get(server.url)).toMatchObject({
        text: "body",
        issues: [`http.retry status ${status}`, `http.retry status ${status}`],
      });
      expect(server.requests).toHaveLength(3);
    },
  );

  it.each([0, 1, 2])("end after %d, with the status as the result (sec-B18)", async (retries) => {
    const server = await open((_, response) => response.writeHead(503).end());
    expect((await get(server.url, { limits: { retries } })).resource).toMatchObject({
      code: "http.status",
      status: 503,
    });
    expect(server.requests).toHaveLength(retries + 1);
  });

  it("wait up to twice as long as the last time", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(1);
    onTestFinished(() => random.mockRestore());
    const server = await open((_, response) => response.writeHead(503).end());
    await get(server.url, { limits: { backoffMs: 50 } });
    const [first = 0, second = 0, third = 0] = server.requests.map(({ at }) => at);
    expect(second - first).toBeGreaterThanOrEqual(49);
    expect(third - second).toBeGreaterThanOrEqual(99);
  });

  it.each([
    ["seconds (H13)", () => "1"],
    ["a date (H14)", () => new Date(Date.now() + 1999).toUTCString()],
  ])("Retry-After in %s pauses the whole host", async (_, header) => {
    const server = await open((request, response) => {
      const isFirst = request.url === "/a" && server.requests.length === 1;
      if (isFirst) response.writeHead(429, { "retry-after": header() }).end();
      else response.end("body");
    });
    const from = performance.now();
    const first = get(`${server.url}/a`, { rules: () => ({ concurrency: 1, delayMs: 0 }) });
    // Waits for a slot while the first request runs, and must not start when that one ends.
    const second = get(`${server.url}/b`, { rules: () => ({ concurrency: 1, delayMs: 0 }) });
    expect((await first).text).toBe("body");
    expect((await second).text).toBe("body");
    expect(server.requests).toHaveLength(3);
    for (const { at } of server.requests.slice(1)) expect(at - from).toBeGreaterThanOrEqual(900);
  });

  it("Retry-After in the last response pauses the host for other requests", async () => {
    const server = await open((request, response) =>
      request.url === "/a" ? response.writeHead(503, { "retry-after": "1" }).end() : response.end("body"),
    );
    const { resource } = await get(`${server.url}/a`, { limits: { retries: 0 } });
    expect(resource).toMatchObject({ code: "http.status", status: 503 });
    await get(`${server.url}/b`);
    expect(server.requests[1]!.at - server.requests[0]!.at).toBeGreaterThanOrEqual(990);
  });

  it.each(["3600", "999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])(
    "Retry-After %s, above the limit, is shortened to the limit (sec-H16)",
    async (header) => {
      const server = await inTurn({ status: 503, headers: { "retry-after": header } });
      expect((await get(server.url, { limits: { retryAfterMs: 300 } })).text).toBe("body");
      const [first = 0, second = 0] = server.requests.map(({ at }) => at);
      expect(second - first).toBeGreaterThanOrEqual(290);
    },
  );

  it.each(["-1", "soon", ""])("Retry-After %j is ignored (sec-H16)", async (header) => {
    const server = await inTurn({ status: 503, headers: { "retry-after": header } });
    expect((await get(server.url)).text).toBe("body");
  });

  it("a reset connection is retried", async () => {
    const server = await openRaw((socket) => {
      if (server.requests.length < 3) socket.resetAndDestroy();
      else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody");
    });
    expect(await get(server.url)).toMatchObject({
      text: "body",
      issues: ["http.retry the connection broke", "http.retry the connection broke"],
    });
  });

  it("a refused connection is reported (H36)", async () => {
    const { resource, issues } = await get(`http://127.0.0.1:${await closedPort()}/`);
    expect(resource).toMatchObject({ kind: "failed", code: "http.connection", connecting: true });
    expect(issues).toHaveLength(2);
  });

  it("permanent failures are not retried", async () => {
    const server = await openRaw((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    const { resource, issues } = await get(server.url);
    expect(resource).toMatchObject({ kind: "failed", code: "http.protocol", connecting: false });
    expect(issues).toEqual([]);
  });
});

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";

/** Sends a chunk repeatedly. */
const drip =
  (piece: string, ms: number, onSend = (): void => {}): RawBehaviour =>
  (socket) => {
    const timer = setInterval(() => {
      onSend();
      socket.write(piece);
    }, ms);
    socket.on("close", () => clearInterval(timer));
  };

describe.each([
  ["the Node client", () => client as Client],
  ["a minimal custom client", () => plainClient],
  [
    "a client that ignores its signal",
    (): Client => {
      const deaf = createNodeClient(OPEN);
      onTestFinished(deaf.close);
      return (request) => deaf({ ...request, signal: new AbortController().signal });
    },
  ],
])("limits apply to %s", (_, pick) => {
  it.each<[string, RawBehaviour | undefined]>([
    ["no response (sec-H01)", undefined],
    [
      "headers byte by byte (sec-H02)",
      (socket, request) => {
        socket.write("HTTP/1.1 200 OK\r\nX: ");
        drip("x", 20)(socket, request);
      },
    ],
    ["interim responses in between (sec-H04)", drip("HTTP/1.1 102 Processing\r\n\r\n", 40)],
  ])("headers: %s", async (_, behave) => {
    const server = await openRaw(behave);
    const limits = { ...NO_TIME_LIMITS, headersMs: 150 };
    const { resource, issues } = await get(server.url, { client: pick(), limits });
    expect(resource).toMatchObject({ kind: "failed", code: "http.timeout", connecting: false });
    expect(issues).toEqual([]);
  });

  it("idle: a stalled body is cut, and the received bytes are kept (sec-B02)", async () => {
    const server = await openRaw((socket) => socket.write(`${HEAD}first`));
    const limits = { ...NO_TIME_LIMITS, idleMs: 150 };
    const fetched = await get(server.url, { client: pick(), limits });
    expect(fetched).toMatchObject({ text: "first", cut: "http.timeout" });
  });

  it("speed: a slow body is cut, and the received bytes are kept (H37)", async () => {
    const server = await openRaw((socket, request) => {
      // The first byte comes with the head: a busy machine may not deliver any other in time.
      socket.write(`${HEAD}x`);
      drip("x", 20)(socket, request);
    });
    const limits = { ...NO_TIME_LIMITS, idleMs: 150 };
    const { text, cut } = await get(server.url, { client: pick(), limits });
    expect(cut).toBe("http.timeout");
    expect(text).toMatch(/^x+$/);
  });

  it("time: a request is cut when its time is up", async () => {
    // Time passes with each byte that the server sends, so that a busy machine does not cut the request earlier.
    let time = 0;
    const server = await openRaw((socket, request) => {
      socket.write(HEAD);
      drip("x", 20, () => {
        time += 20;
      })(socket, request);
    });
    const limits = { ...NO_TIME_LIMITS, requestMs: 250, bytesPerSecond: 0 };
    const clock = new RunningClock({ now: () => time, monotonic: () => 0, wall: () => 0 });
    const { text, cut } = await get(server.url, { client: pick(), limits, clock });
    expect(cut).toBe("http.timeout");
    expect(text).toMatch(/^x+$/);
  });

  it.each([
    [0, "limit.bytes"],
    [1, "limit.bytes"],
    [999, "limit.bytes"],
    [1000, undefined],
    [1001, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])("bytes: %d of 1000", async (wireBytes, cut) => {
    const head = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";
    const server = await openRaw((socket) => socket.end(head + "x".repeat(1000)));
    const fetched = await get(server.url, { client: pick(), limits: { wireBytes } });
    expect(fetched.cut).toBe(cut);
    expect(fetched.text).toHaveLength(Math.min(wireBytes, 1000));
  });

  it.each([
    [0, 0, true],
    [0, 1, false],
    [1, 1, true],
    [1000, 1000, true],
    [1000, 1001, false],
    [1000, 1e15, false],
  ])(
    "bytes: with a limit of %d, a Content-Length of %d is read: %s (sec-B05)",
    async (wireBytes, length, isBegun) => {
      const server = await openRaw((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`);
        if (isBegun) socket.write("x".repeat(length));
      });
      const { resource, text } = await get(server.url, { client: pick(), limits: { wireBytes } });
      expect(text).toHaveLength(isBegun ? length : 0);
      if (isBegun) expect(resource.kind).toBe("body");
      else {
        expect(resource).toMatchObject({
          kind: "failed",
          code: "limit.bytes",
          reason: `the Content-Length is above the limit (${length} bytes; limits.wireBytes allows ${wireBytes})`,
        });
        await eventually(() => server.open.size === 0, "the connection is closed");
      }
      expect(server.requests).toHaveLength(1);
    },
  );

  it.each([
    ["br, br, br", false],
    [Array(1000).fill("gzip").join(","), false],
    ["identity, gzip, identity, gzip", true],
  ])("codings: %s (sec-H15)", async (header, isRead) => {
    const body = gzipSync(gzipSync("body"));
    const server = await open({ "/": { headers: { "content-encoding": header }, body } });
    const { resource } = await get(`${server.url}/`);
    expect(resource).toMatchObject(isRead ? { kind: "body" } : { code: "http.bad-content-encoding" });
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ["gzip", "plain text", ["http.bad-content-encoding"]],
    ["gzip", gzipSync("x"), []],
    ["br", "plain text", ["http.bad-content-encoding"]],
    ["br", brotliCompressSync("x"), []],
    ["deflate", "plain text", ["http.bad-content-encoding"]],
    ["deflate", deflateSync("x"), []],
    ["deflate", deflateRawSync("x"), []],
    ["deflate", gzipSync("x"), ["http.bad-content-encoding"]],
    ["zstd", "plain text", ["http.bad-content-encoding zstd"]],
    ["gzip", "", []],
  ])("a body labeled %s that is %j (H21)", async (coding, body, issues) => {
    const { url } = await open({ "/": { headers: { "content-encoding": coding }, body } });
    expect((await get(`${url}/`)).issues).toEqual(issues);
  });

  it("a content coding that breaks is cut there", async () => {
    const coded = brotliCompressSync(Buffer.from(Array.from({ length: 5000 }, (_, at) => at % 251)));
    const { url } = await open({
      "/": { headers: { "content-encoding": "br" }, body: coded.subarray(0, -9) },
    });
    expect((await get(`${url}/`)).cut).toBe("http.bad-content-encoding");
  });

  it.each<[string, RawBehaviour]>([
    [
      "its Content-Length (H20)",
      (socket) => socket.write(`${HEAD}first`, () => setTimeout(() => socket.end(), 20)),
    ],
    [
      "its last chunk (sec-B06)",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n", () =>
          setTimeout(() => socket.end(), 20),
        ),
    ],
    [
      "a reset (sec-B06)",
      (socket) => socket.write(`${HEAD}first`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ],
    [
      "its Content-Length, with Connection: close",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100\r\n\r\nfirst", () =>
          setTimeout(() => socket.end(), 20),
        ),
    ],
    [
      "its last chunk, with Connection: close",
      (socket) =>
        socket.write(
          "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n",
          () => setTimeout(() => socket.end(), 20),
        ),
    ],
  ])("a body that ends before %s is truncated, and the received bytes are kept", async (_, behave) => {
    const server = await openRaw(behave);
    expect(await get(server.url, { client: pick() })).toMatchObject({ text: "first", cut: "http.truncated" });
  });
});

it.each([
  ["a chunk size that overflows", "f".repeat(17)],
  ["a chunk size that is not a number", "zz"],
])("a body that violates HTTP is cut there: %s (sec-H12)", async (_, size) => {
  const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const server = await openRaw((socket) => socket.write(`${head}5\r\nfirst\r\n${size}\r\nsecond`));
  expect(await get(server.url)).toMatchObject({ text: "first", cut: "http.protocol" });
});

describe("the reader", () => {
  it("may take longer than the time limit of the server", async () => {
    const { url } = await openRaw((socket) =>
      socket.write(HEAD + "x".repeat(500), () => {
        setTimeout(() => socket.write("y".repeat(500)), 50);
      }),
    );
    const limits = { idleMs: 500, requestMs: 1000, bytesPerSecond: 5000 };
    const resource = await fetchResource(url, optionsOf({ limits }));
    if (resource.kind !== "body") return expect.fail("It is a body");
    let length = 0;
    for await (const chunk of resource.body) {
      length += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
    expect(length).toBe(1000);
    expect(resource.cut()).toBeUndefined();
    return undefined;
  });

  it.each([
    ["the Node client", () => createNodeClient(OPEN)],
    ["a client without `cancel`", () => Object.assign(plainClient.bind(null), { close: async () => {} })],
  ])("leaving the loop frees the connection and the slot: %s", async (_, create) => {
    const check = watchLeftovers();
    const own = create();
    const server = await openRaw((socket) => socket.write(`${HEAD}first`));
    const one = { client: own, rules: () => ({ concurrency: 1, delayMs: 0 }) };
    for (let n = 1; n <= 3; n++) {
      const resource = await fetchResource(server.url, optionsOf(one));
      if (resource.kind !== "body") return expect.fail("It is a body");
      if (n === 1) for await (const _ of resource.body) break;
      else resource.cancel();
      await eventually(() => !server.open.has(n), "the connection is closed");
    }
    await own.close();
    await server.close();
    return check();
  });
});

it("the finally block of a body generator runs, however the loop is left", async () => {
  let ends = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(10);
    } finally {
      ends++;
    }
  }
  const generating: Client = async () => ({ status: 200, headers: {}, body: endless() });
  await get("http://www.example.com/", { client: generating, limits: { wireBytes: 25 } });
  expect(ends).toBe(1);
  const resource = await fetchResource("http://www.example.com/", optionsOf({ client: generating }));
  if (resource.kind === "body") for await (const _ of resource.body) break;
  expect(ends).toBe(2);
});

it("chunks that are always available do not bypass the time limit (sec-B10)", async () => {
  async function* busy(): AsyncGenerator<Uint8Array> {
    for (let n = 0; n < 200; n++) {
      const until = performance.now() + 2;
      while (performance.now() < until);
      yield new Uint8Array(10);
    }
  }
  const client: Client = async () => ({ status: 200, headers: {}, body: busy() });
  const { text, cut } = await get("http://www.example.com/", { client, limits: { requestMs: 50 } });
  expect(cut).toBe("http.timeout");
  expect(text.length).toBeLessThanOrEqual(250);
});

describe("the caller's abort", () => {
  const reason = new Error("not any more");
  const one: Options = { rules: () => ({ concurrency: 1, delayMs: 0 }) };

  it.each<[string, RawBehaviour | undefined, string, Options]>([
    ["while it connects", undefined, "https:", {}],
    ["while it waits for the headers", undefined, "http:", {}],
    ["between two attempts", (socket) => socket.resetAndDestroy(), "http:", { limits: { backoffMs: 1e9 } }],
    [
      "in a pause of the host",
      (socket) => socket.write("HTTP/1.1 503 No\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"),
      "http:",
      { limits: { retryAfterMs: 3_600_000 } },
    ],
  ])("%s is thrown, and leaves nothing behind", async (_, behave, scheme, given) => {
    const check = watchLeftovers();
    const own = createNodeClient(OPEN);
    const server = await openRaw(behave);
    const controller = new AbortController();
    const url = server.url.replace("http:", scheme);
    const asked = failureOf(get(url, { ...given, ...one, client: own, signal: controller.signal }));
    await eventually(() => server.connections === 1, "the request is running", 60_000);
    await new Promise((resolve) => setTimeout(resolve, 30));
    controller.abort(reason);
    expect(await asked).toBe(reason);
    await own.close();
    await server.close();
    await check();
  });

  it("ends the body, and the received bytes are kept", async () => {
    const server = await openRaw((socket) => socket.write(`${HEAD}first`));
    const controller = new AbortController();
    const resource = await fetchResource(server.url, optionsOf({ signal: controller.signal }));
    if (resource.kind !== "body") return expect.fail("It is a body");
    let text = "";
    for await (const chunk of resource.body) {
      text += Buffer.from(chunk).toString();
      // While it waits for the next chunk.
      setTimeout(() => controller.abort(reason), 20);
    }
    expect(text).toBe("first");
    expect(resource.cut()).toBe("http.truncated");
    return await eventually(() => server.open.size === 0, "the connection is closed");
  });
});

describe("politeness", () => {
  it("two walks with one client share its gate: 50 requests, 2 at a time", async () => {
    const server = await open((_, response) => setTimeout(() => response.end("body"), 5));
    const walk = (): Promise<Fetched[]> =>
      Promise.all(Array.from({ length: 25 }, (_, n) => get(`${server.url}/${n}`)));
    const all = await Promise.all([walk(), walk()]);
    expect(all.flat().every(({ text }) => text === "body")).toBe(true);
    expect(server.requests).toHaveLength(50);
    expect(server.maxActive).toBe(2);
    expect(server.connections).toBeLessThanOrEqual(4);
  });

  it("keeps the delay between requests", async () => {
    const server = await open((_, response) => response.end("body"));
    const from = performance.now();
    let lastAt = 0;
    const timed: Client = (request) => {
      lastAt = performance.now();
      return client(request);
    };
    const rules = () => ({ concurrency: 2, delayMs: 40 });
    await Promise.all([1, 2, 3].map((n) => get(`${server.url}/${n}`, { client: timed, rules })));
    expect(lastAt - from).toBeGreaterThanOrEqual(78);
  });

  it("holds the slot until the body is read", async () => {
    const server = await open((_, response) => response.end("body"));
    const rules = () => ({ concurrency: 1, delayMs: 0 });
    const first = await fetchResource(`${server.url}/1`, optionsOf({ rules }));
    const second = get(`${server.url}/2`, { rules });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(server.requests).toHaveLength(1);
    if (first.kind === "body") first.cancel();
    expect((await second).text).toBe("body");
  });
});

it("a thousand concurrent requests to 200 hosts leave nothing behind", async () => {
  const check = watchLeftovers();
  const own = createNodeClient(OPEN);
  const server = await open((_, response) => response.end("body"));
  // One server stands for 200 hosts: the client sends every request to it.
  const many: Client = (request) => own({ ...request, url: `${server.url}${new URL(request.url).pathname}` });
  const all = await Promise.all(
    Array.from({ length: 1000 }, (_, n) => get(`http://host-${n % 200}.example/${n}`, { client: many })),
  );
  expect(all.every(({ text }) => text === "body")).toBe(true);
  await own.close();
  await server.close();
  await check();
});
