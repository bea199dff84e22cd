/**
 * The limits of one request at zero, at next to nothing, at what the server needs, and without bound. What
 * decides them exactly is in exact-limits.test.ts; those of redirects, retries and bytes, at the limit and one
 * above, are in fetch-resource.test.ts.
 */
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { classifyError } from "../../src/fetch/errors.ts";
import { type FetchLimits, fetchResource } from "../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../src/fetch/host-gate.ts";
import { createNodeClient } from "../../src/fetch/node-client.ts";
import { serve, serveRaw } from "../support/http-server.ts";
import { ask } from "./client-suite.ts";

const LIMITS: FetchLimits = {
  redirects: 10,
  retries: 1,
  retryAfterMs: 10_000,
  backoffMs: 1,
  headersMs: 10_000,
  idleMs: 10_000,
  requestMs: 10_000,
  wireBytes: 1_000_000,
  bytesPerSecond: 0,
};

const NONE = Number.POSITIVE_INFINITY;

/** Headers after 50 ms, then ten pieces, one each 30 ms; `/busy` is busy once, for a second. */
async function fetchFrom(
  path: string,
  limits: Partial<FetchLimits>,
): Promise<{ code: string | undefined; text: string; ms: number; requests: number }> {
  let times = 0;
  await using server = await serve(async (request, response) => {
    if (request.url === "/busy" && ++times === 1) {
      response.writeHead(503, { "retry-after": "1" }).end();
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
    claim: () => true,
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
const SOME = { code: "http.timeout", text: expect.stringMatching(/^x{1,9}$/) };

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
  // The first piece may come with the headers.
  [{ idleMs: 1 }, { code: "http.timeout", text: expect.stringMatching(/^x{0,9}$/) }],
  [{ idleMs: 5000 }, WHOLE],
  [{ idleMs: NONE }, WHOLE],
  // Ten bytes in 300 ms; looked at once 100 ms of them are over.
  [{ bytesPerSecond: 0, idleMs: 100 }, WHOLE],
  [{ bytesPerSecond: 1, idleMs: 100 }, WHOLE],
  [{ bytesPerSecond: 500, idleMs: 100 }, SOME],
  [{ bytesPerSecond: 500, idleMs: 5000 }, WHOLE],
  [{ bytesPerSecond: NONE, idleMs: 100 }, WHOLE],
])("%j", async (limits, expected) => {
  expect(await fetchFrom("/", limits)).toMatchObject(expected);
});

it.each([
  [0, 0, 900],
  [1, 0, 900],
  [999, 990, 2900],
  [1000, 990, 2900],
  [NONE, 990, 2900],
])("retryAfterMs %d: a Retry-After of a second takes from %d to %d ms", async (retryAfterMs, least, most) => {
  const { code, text, ms } = await fetchFrom("/busy", { retryAfterMs });
  expect({ code, text }).toEqual(WHOLE);
  expect(ms).toBeGreaterThan(least);
  expect(ms).toBeLessThan(most);
});

describe("connectTimeoutMs (row 5)", () => {
  it.each([0, 1, 50])("%d: a server that never begins TLS (sec-C10)", async (connectTimeoutMs) => {
    await using server = await serveRaw();
    const client = createNodeClient({ allowPrivateNetworks: true, connectTimeoutMs });
    onTestFinished(() => client.close());
    const from = performance.now();
    const url = server.url.replace("http:", "https:");
    const error: unknown = await client(ask(url)).catch((reason: unknown) => reason);
    expect(classifyError(error)).toMatchObject({ code: "http.connection", connecting: true });
    expect(performance.now() - from).toBeLessThan(2000);
    if (connectTimeoutMs === 0) expect(server.connections).toBe(0);
  });

  it.each([5000, NONE, undefined])("%s: one that answers", async (connectTimeoutMs) => {
    await using server = await serve((_, response) => response.end("body"));
    const client = createNodeClient({ allowPrivateNetworks: true, connectTimeoutMs });
    onTestFinished(() => client.close());
    expect((await client(ask(server.url))).status).toBe(200);
  });
});

describe("maxHeaderBytes (row 11)", () => {
  /** Whether headers whose names and values are so many bytes come through. */
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
])("a client with %s %d is misuse", (name, value) => {
  expect(() => createNodeClient({ [name]: value })).toThrow(RangeError);
});

it("wireBytes counts what came, not what the client made of it", async () => {
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
      claim: () => true,
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
