/** The windows of brotli decoders: how large they are, and that bodies wait for memory without a timeout. */
import { brotliCompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Client } from "../../../src/fetch/client/client.ts";
import { WindowBudget } from "../../../src/fetch/client/window-budget.ts";
import { undoCodings } from "../../../src/fetch/content-coding.ts";
import { fetchResource } from "../../../src/fetch/fetch-resource.ts";
import { gateOf } from "../../../src/fetch/politeness.ts";
import { RunningClock } from "../../../src/fetch/running-clock.ts";
import { readAll } from "./client-suite.ts";

const MIB = 1024 * 1024;
const TEXT = "<urlset/>".repeat(1000);

async function* sourceOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const br = (text: string | Uint8Array, bits: number): Buffer =>
  brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: bits },
  });

describe("the window of a body", () => {
  const held = async (header: string, body: Uint8Array): Promise<{ sizes: number[]; text: string }> => {
    const sizes: number[] = [];
    let freed = 0;
    const { body: decoded } = undoCodings(header, sourceOf(body), async (bytes) => {
      sizes.push(bytes);
      return () => freed++;
    });
    const { bytes } = await readAll(decoded);
    expect(freed).toBe(sizes.length);
    return { sizes, text: bytes.toString() };
  };

  it.each(Array.from({ length: 15 }, (_, at) => at + 10))(
    "of %i bits is read from its first byte",
    async (bits) => {
      // The encoder writes the window that it was told only for a text that is longer.
      const text = TEXT.repeat(1 + Math.ceil(2 ** bits / TEXT.length));
      expect(await held("br", br(text, bits))).toEqual({ sizes: [2 ** bits], text });
    },
  );

  it("is reserved once for two layers, with the largest for the inner one", async () => {
    const body = br(br(TEXT, 24), 10);
    expect((await held("br, br", body)).sizes).toEqual([2 ** 10 + 16 * MIB]);
  });

  it.each([
    ["text", "br", Buffer.from("<urlset></urlset>")],
    ["an empty body", "br", Buffer.alloc(0)],
    ["plain text in deflate", "deflate", Buffer.from("<urlset></urlset>")],
  ])("is not reserved for %s", async (_name, header, body) => {
    expect((await held(header, body)).sizes).toEqual([]);
  });

  it("of a large-window stream is refused", async () => {
    // RFC 7932 section 9.1 reserves this first byte; "large window brotli" uses it for windows of up to 1 GiB.
    const { body } = undoCodings("br", sourceOf(Buffer.of(0x11, 0x1e, 0x00, 0x00, 0x01, 0x02)));
    expect((await readAll(body)).error).toMatchObject({ name: "ContentCodingError" });
  });
});

describe("the memory for windows", () => {
  const { signal } = new AbortController();

  it("has room for twelve usual windows, and one of 16 MiB never waits for another large one only", () => {
    const budget = new WindowBudget();
    for (let n = 0; n < 12; n++) expect(budget.take(4 * MIB)).toBe(true);
    expect(budget.take(4 * MIB)).toBe(false);
    const other = new WindowBudget();
    expect(other.take(16 * MIB)).toBe(true);
    expect(other.take(16 * MIB)).toBe(false);
    for (let n = 0; n < 8; n++) expect(other.take(4 * MIB)).toBe(true);
  });

  it("has room for two layers of the largest size, alone", () => {
    const budget = new WindowBudget();
    expect(budget.take(32 * MIB)).toBe(true);
    expect(budget.take(8 * MIB)).toBe(false);
  });

  it("goes to the first body that fits when another one ends", async () => {
    const budget = new WindowBudget();
    budget.take(16 * MIB);
    for (let n = 0; n < 8; n++) budget.take(4 * MIB);
    const order: string[] = [];
    const large = budget.wait(16 * MIB, signal).then(() => order.push("large"));
    const usual = budget.wait(4 * MIB, signal).then(() => order.push("usual"));
    budget.release(4 * MIB);
    await usual;
    budget.release(16 * MIB);
    await large;
    expect(order).toEqual(["usual", "large"]);
  });

  it("is not given to a body that was aborted", async () => {
    const budget = new WindowBudget();
    budget.take(16 * MIB);
    const controller = new AbortController();
    const waiting = budget.wait(16 * MIB, controller.signal);
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(budget.wait(16 * MIB, controller.signal)).rejects.toThrow("enough");
    budget.release(16 * MIB);
    expect(budget.take(16 * MIB)).toBe(true);
  });
});

describe("a body that the client delays itself", () => {
  const IDLE_MS = 1000;

  async function cutOf(isHeld: boolean): Promise<string | undefined> {
    let time = 0;
    const clock = new RunningClock({ now: () => time, monotonic: () => 0, wall: () => 0 });
    const later = async (): Promise<void> => {
      await undefined;
      time += 10 * IDLE_MS;
    };
    const client: Client = async ({ onHold }) => ({
      status: 200,
      headers: {},
      body: (async function* () {
        await (isHeld ? onHold?.(later()) : later());
        yield Buffer.from("<urlset/>");
      })(),
    });
    const resource = await fetchResource("http://a.example/", {
      client,
      gate: gateOf(client),
      rules: () => ({ concurrency: 2, delayMs: 0 }),
      headers: () => ({}),
      signal: new AbortController().signal,
      report: () => {},
      clock,
      limits: {
        redirects: 0,
        retries: 0,
        retryAfterMs: 0,
        backoffMs: 0,
        headersMs: IDLE_MS,
        idleMs: IDLE_MS,
        requestMs: IDLE_MS,
        wireBytes: 1000,
        bytesPerSecond: 1000,
      },
    });
    if (resource.kind !== "body") throw new Error("no body");
    await readAll(resource.body);
    return resource.cut();
  }

  it("does not time out", async () => {
    expect(await cutOf(true)).toBeUndefined();
  });

  it("times out if it does not tell", async () => {
    expect(await cutOf(false)).toBe("http.timeout");
  });
});
