/**
 * The limits of one request at zero, slightly above, at what the server needs, and without a limit.
 * exact-time-limits.test.ts tests the exact boundaries. fetch-resource.test.ts tests redirects, retries and
 * bytes, at the limit and one above.
 */
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { classifyError } from "../../src/fetch/classify-error.ts";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import { type FetchLimits, fetchResource } from "../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../src/fetch/politeness.ts";
import { serve, serveRaw } from "../support/http-server.ts";
import { ask } from "./client/client-suite.ts";

const LIMITS: FetchLimits = {
  redirects: 10,
  retries: 1,
  retryAfterMs: 10_000,
  backoffMs: 1,
  headersMs: 30_000,
  idleMs: 30_000,
  requestMs: 30_000,
  wireBytes: 1_000_000,
  bytesPerSecond: 0,
};

const NONE = Number.POSITIVE_INFINITY;

/**
 * Headers after 50 ms, then ten chunks, one every 30 ms; `/busy/N` answers 503 once, with a Retry-After
 * of N seconds.
 */
async function fetchFrom(
  path: string,
  limits: Partial<FetchLimits>,
): Promise<{ code: string | undefined; text: string; ms: number; requests: number }> {
  let times = 0;
  await using server = await serve(async (request, response) => {
    const [, seconds] = /^\/busy\/(\d+)$/.exec(request.url ?? "") ?? [];
    if (seconds !== undefined && ++times === 1) {
      response.writeHead(503, { "retry-after": seconds }).end();
      return;
    }
    const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    await wait(50);
    response.writeHead(200);
    for (let at = 0; at < 10 && !response.destroyed; at++) {
      response.write("x");
      await wait(30);
    }
    response.end();
  });
  const client = createNodeClient({ allowPrivateNetworks: true });
  onTestFinished(() => client.close());
  const from = performance.now();
  const resource = await fetchResource(server.url + path, {
    client,
    gate: gateOf(client),
    rules: () => ({ concurrency: 1, delayMs: 0 }),
    headers: () => ({}),
    signal: new AbortController().signal,
    report: () => {},
    limits: { ...LIMITS, ...limits },
  });
  const text: string[] = [];
  if (resource.kind === "body")
    for await (const chunk of resource.body) text.push(Buffer.from(chunk).toString());
  const code =
    resource.kind === "body" ? resource.cut() : resource.kind === "failed" ? resource.code : "known";
  return { code, text: text.join(""), ms: performance.now() - from, requests: server.requests.length };
}

const WHOLE = { code: undefined, text: "x".repeat(10) };
const NOTHING = { code: "http.timeout", text: "" };
const NO_REQUEST = { ...NOTHING, requests: 0 };
const SOME = { code: "http.timeout", text: expect.stringMatching(/^x{0,9}$/) };

it.each<[Partial<FetchLimits>, object]>([
  [{ headersMs: 0 }, NO_REQUEST],
  [{ headersMs: 1 }, NOTHING],
  [{ headersMs: 5000 }, WHOLE],
  [{ headersMs: NONE }, WHOLE],
  [{ requestMs: 0 }, NO_REQUEST],
  [{ requestMs: 1 }, NOTHING],
  [{ requestMs: 200 }, SOME],
  [{ requestMs: 5000 }, WHOLE],
  [{ requestMs: NONE }, WHOLE],
  [{ idleMs: 0 }, NOTHING],
  [{ idleMs: 1 }, SOME],
  [{ idleMs: 5000 }, WHOLE],
  [{ idleMs: NONE }, WHOLE],
  // Ten bytes in 300 ms. The speed is checked after 100 ms.
  [{ bytesPerSecond: 500, idleMs: 100 }, SOME],
  [{ bytesPerSecond: 500, idleMs: 5000 }, WHOLE],
])("%j", async (limits, expected) => {
  expect(await fetchFrom("/", limits)).toMatchObject(expected);
});

it.each([
  // `retryAfterMs` shortens the wait of 3,600 s. Otherwise the test would time out.
  [0, 3600, 0],
  [1, 3600, 0],
  [999, 3600, 990],
  [1000, 1, 990],
  [NONE, 1, 990],
])("retryAfterMs %d: a Retry-After of %d s takes at least %d ms", async (retryAfterMs, seconds, least) => {
  const { code, text, ms } = await fetchFrom(`/busy/${seconds}`, { retryAfterMs });
  expect({ code, text }).toEqual(WHOLE);
  expect(ms).toBeGreaterThan(least);
});

describe("connectTimeoutMs (row 5)", () => {
  it.each([0, 1, 50])(
    "%d: a server that never starts the TLS handshake (sec-C10)",
    async (connectTimeoutMs) => {
      await using server = await serveRaw();
      const client = createNodeClient({ allowPrivateNetworks: true, connectTimeoutMs });
      onTestFinished(() => client.close());
      const url = server.url.replace("http:", "https:");
      const error: unknown = await client(ask(url)).catch((reason: unknown) => reason);
      expect(classifyError(error)).toMatchObject({ code: "http.connection", connecting: true });
      expect((error as Error).message).toBe(`No connection in ${connectTimeoutMs} ms`);
      if (connectTimeoutMs === 0) expect(server.connections).toBe(0);
    },
  );

  it.each([5000, NONE, undefined])("%s: a server that responds", async (connectTimeoutMs) => {
    await using server = await serve((_, response) => response.end("body"));
    const client = createNodeClient({ allowPrivateNetworks: true, connectTimeoutMs });
    onTestFinished(() => client.close());
    expect((await client(ask(server.url))).status).toBe(200);
  });
});

describe("maxHeaderBytes (row 11)", () => {
  /** Whether headers of this size, names and values, are accepted. */
  async function passes(maxHeaderBytes: number | undefined, bytes: number): Promise<boolean> {
    const pad = bytes > 0 ? `X: ${"x".repeat(bytes - 1)}\r\n` : "";
    await using server = await serveRaw((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\n${pad}\r\n${"body".repeat(20)}`),
    );
    const client = createNodeClient({ allowPrivateNetworks: true, maxHeaderBytes });
    onTestFinished(() => client.close());
    const response = await client(ask(server.url)).catch((error: unknown) => {
      expect(classifyError(error)).toMatchObject({ code: "http.protocol" });
      return undefined;
    });
    response?.cancel?.();
    return response !== undefined;
  }

  it.each([
    [0, 0, true],
    [0, 2, false],
    [1, 2, false],
    [2, 2, true],
    [100, 100, true],
    [100, 101, false],
    [undefined, 65_536, true],
    [undefined, 65_537, false],
    [NONE, 100_000, true],
  ])("%s: %d bytes pass: %s", async (maxHeaderBytes, bytes, expected) => {
    expect(await passes(maxHeaderBytes, bytes)).toBe(expected);
  });
});

it.each([
  ["connectTimeoutMs", -1],
  ["connectTimeoutMs", Number.NaN],
  ["maxHeaderBytes", -1],
  ["connections", 0],
  ["keepAliveMs", Number.NaN],
])("a client with %s %d throws", (name, value) => {
  expect(() => createNodeClient({ [name]: value })).toThrow(RangeError);
});

it("wireBytes counts received bytes, not decoded ones", async () => {
  const body = brotliCompressSync("x".repeat(200_000));
  await using server = await serve((_, response) => {
    response.writeHead(200, { "content-encoding": "br" }).end(body);
  });
  const client = createNodeClient({ allowPrivateNetworks: true });
  onTestFinished(() => client.close());
  const read = async (wireBytes: number): Promise<number> => {
    const resource = await fetchResource(server.url, {
      client,
      gate: gateOf(client),
      rules: () => ({ concurrency: 1, delayMs: 0 }),
      headers: () => ({}),
      signal: new AbortController().signal,
      report: () => {},
      limits: { ...LIMITS, wireBytes },
    });
    let length = 0;
    if (resource.kind === "body") for await (const chunk of resource.body) length += chunk.length;
    return length;
  };
  expect(body.length).toBeLessThan(1000);
  expect(await read(body.length)).toBe(200_000);
  expect(await read(body.length - 1)).toBeLessThan(200_000);
});
