/**
 * The limits of one request at zero, at next to nothing, at what the server needs, and without bound. Those of
 * redirects, retries and bytes, at the limit and one above, are in fetch-resource.test.ts.
 */
import { brotliCompressSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";
import { type FetchLimits, fetchResource } from "../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../src/fetch/host-gate.ts";
import { createNodeClient } from "../../src/fetch/node-client.ts";
import { serve } from "../support/http-server.ts";

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
): Promise<{ code: string | undefined; text: string; ms: number }> {
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
  return { code, text: text.join(""), ms: performance.now() - from };
}

const WHOLE = { code: undefined, text: "x".repeat(10) };
const NOTHING = { code: "http.timeout", text: "" };

it.each<[Partial<FetchLimits>, object]>([
  [{ headersMs: 0 }, NOTHING],
  [{ headersMs: 1 }, NOTHING],
  [{ headersMs: 5000 }, WHOLE],
  [{ headersMs: NONE }, WHOLE],
  [{ requestMs: 0 }, NOTHING],
  [{ requestMs: 1 }, NOTHING],
  [{ requestMs: 200 }, { code: "http.timeout", text: expect.stringMatching(/^x{1,9}$/) }],
  [{ requestMs: 5000 }, WHOLE],
  [{ requestMs: NONE }, WHOLE],
  [{ idleMs: 0 }, { code: "http.timeout", text: expect.stringMatching(/^x{0,9}$/) }],
  [{ idleMs: 1 }, { code: "http.timeout", text: expect.stringMatching(/^x{0,9}$/) }],
  [{ idleMs: 5000 }, WHOLE],
  [{ idleMs: NONE }, WHOLE],
  // Ten bytes in 300 ms; looked at once 100 ms of them are over.
  [{ bytesPerSecond: 0, idleMs: 100 }, WHOLE],
  [{ bytesPerSecond: 1, idleMs: 100 }, WHOLE],
  [
    { bytesPerSecond: 500, idleMs: 100 },
    { code: "http.timeout", text: expect.stringMatching(/^x{1,9}$/) },
  ],
  [{ bytesPerSecond: 500, idleMs: 5000 }, WHOLE],
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
