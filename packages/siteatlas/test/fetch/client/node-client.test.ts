/** The client suite on the Node client, and its additional behavior. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { createServer } from "node:tls";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { classifyCut, classifyError } from "../../../src/fetch/classify-error.ts";
import type { ClosableClient } from "../../../src/fetch/client/client.ts";
import { createNodeClient, type NodeClientOptions } from "../../../src/fetch/client/node-client.ts";
import { eventually, type RawBehaviour, watchLeftovers } from "../../support/http-server.ts";
import { hasOpenssl, makeCertificate } from "../../support/tls-site.ts";
import { ask, describeClient, failureOf, open, openRaw, readAll, textOf } from "./client-suite.ts";

/** The servers are on loopback. ssrf-guard.test.ts tests what is blocked otherwise. */
const OPEN = { allowPrivateNetworks: true };

describeClient("createNodeClient()", () => createNodeClient(OPEN));

function create(options?: NodeClientOptions): ClosableClient {
  const client = createNodeClient({ ...OPEN, ...options });
  onTestFinished(client.close);
  return client;
}

/** Writes it repeatedly. */
function flood(socket: Duplex, text: string): void {
  const send = (): void => {
    while (!socket.destroyed && socket.write(text));
  };
  socket.on("drain", send);
  send();
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody";

describe("a body without a length", () => {
  const heads = ["HTTP/1.1 200 OK", "HTTP/1.0 200 OK", "HTTP/1.1 200 OK\r\nConnection: close"];

  it.each(heads)("%j: a reset cuts it, and the received bytes are kept", async (head) => {
    let reset = (): void => {};
    const { url } = await openRaw((socket) => {
      socket.write(`${head}\r\n\r\nfirst`);
      reset = () => socket.resetAndDestroy();
    });
    const iterator = (await create()(ask(url))).body[Symbol.asyncIterator]();
    const first = await iterator.next();
    expect(Buffer.from(first.value!).toString()).toBe("first");
    const next = failureOf(iterator.next());
    reset();
    expect(classifyCut(await next)).toBe("http.truncated");
  });

  it.each(heads)("%j: the end of the connection ends it", async (head) => {
    const { url } = await openRaw((socket) => socket.end(`${head}\r\n\r\nfirst`));
    expect(await textOf(await create()(ask(url)))).toBe("first");
  });

  it("a complete body with a length stays complete if a reset follows", async () => {
    const { url } = await openRaw((socket) => socket.write(OK, () => socket.resetAndDestroy()));
    const client = create();
    const response = await client(ask(url));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await textOf(response)).toBe("body");
  });
});

describe("connections", () => {
  it("are reused", async () => {
    const server = await open((_, response) => response.end("x".repeat(100_000)));
    const client = create();
    for (let n = 0; n < 5; n++) await textOf(await client(ask(server.url)));
    expect(server.connections).toBe(1);
  });

  it("are reused after a small body that was not read", async () => {
    const server = await open((_, response) => response.writeHead(301, { location: "/b" }).end("moved"));
    const client = create();
    for (let n = 0; n < 5; n++) (await client(ask(server.url))).cancel?.();
    expect(server.connections).toBe(1);
  });

  it("are reused after other connections of the origin were cut", async () => {
    const server = await open({
      "/cut": (_, response) => response.write("x".repeat(100_000)),
      "/": (_, response) => response.end("body"),
    });
    const client = create();
    const readMany = async (): Promise<void> => {
      for (let n = 0; n < 20; n++) await textOf(await client(ask(server.url)));
    };
    const cut = await client(ask(`${server.url}/cut`));
    const reading = [readMany(), readMany()];
    // The connection is cut while the others are being opened.
    await new Promise((resolve) => setImmediate(resolve));
    cut.cancel?.();
    await Promise.all(reading);
    expect(server.connections).toBeLessThanOrEqual(4);
  });

  it("are not made again after an abort", async () => {
    const server = await openRaw((socket) => socket.write(OK.slice(0, -1)));
    const response = await create()(ask(server.url));
    response.cancel?.();
    await eventually(() => server.open.size === 0, "the connection is closed");
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.connections).toBe(1);
  });

  it("are limited in number, and a waiting request can be aborted", async () => {
    const server = await open((_, response) => setTimeout(() => response.end("body"), 20));
    const client = create({ connections: 1 });
    const controller = new AbortController();
    const first = client(ask(server.url)).then(textOf);
    const left = failureOf(client(ask(server.url, { signal: controller.signal })));
    const third = client(ask(server.url)).then(textOf);
    const reason = new Error("not any more");
    controller.abort(reason);
    expect(await left).toBe(reason);
    expect(await Promise.all([first, third])).toEqual(["body", "body"]);
    expect(server.requests).toHaveLength(2);
    expect(server.maxActive).toBe(1);
  });

  it("that are never established time out", async () => {
    const check = watchLeftovers();
    // Accepts and sends nothing: the TLS handshake never starts (sec-C10).
    const server = await openRaw();
    const client = create({ connectTimeoutMs: 50 });
    const error = await failureOf(client(ask(server.url.replace("http:", "https:"))));
    expect((error as Error).message).toBe("No connection in 50 ms");
    expect(classifyError(error)).toMatchObject({ code: "http.connection", connecting: true });
    await eventually(() => server.open.size === 0, "the connection is closed");
    await server.close();
    await check();
  });

  it("come from the custom connector", async () => {
    const server = await open((_, response) => response.end("body"));
    const client = create({
      connect: buildConnector({
        lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
      }),
    });
    expect(await textOf(await client(ask(`http://www.example.com:${server.port}/`)))).toBe("body");
    expect(server.requests[0]!.headers["host"]).toBe(`www.example.com:${server.port}`);
  });

  it("that a connector returns too late are closed", async () => {
    const server = await open((_, response) => response.end("body"));
    const real = buildConnector({});
    const controller = new AbortController();
    const late: buildConnector.connector = (target, callback) => {
      setTimeout(() => controller.abort(), 1);
      setTimeout(() => real(target, callback), 50);
    };
    await failureOf(create({ connect: late })(ask(server.url, { signal: controller.signal })));
    expect(server.connections).toBe(0);
    await eventually(
      () => server.connections === 1 && server.open.size === 0,
      "the late connection was closed",
    );
    expect(server.requests).toHaveLength(0);
  });

  it.each<[string, buildConnector.connector]>([
    ["refuses", (_, callback) => callback(Object.assign(new Error(), { code: "ERR_BLOCKED_ADDRESS" }), null)],
    [
      "throws",
      () => {
        throw Object.assign(new Error(), { code: "ERR_BLOCKED_ADDRESS" });
      },
    ],
  ])("fail when the connector %s", async (_, connect) => {
    const error = await failureOf(create({ connect })(ask("http://127.0.0.1:9/")));
    expect(classifyError(error)).toMatchObject({ code: "http.blocked-address", isTransient: false });
  });

  it("end with `close`, idle or not, and with the end of an `await using`", async () => {
    const check = watchLeftovers();
    const server = await openRaw((socket) => socket.write(OK));
    const client = createNodeClient(OPEN);
    await textOf(await client(ask(server.url)));
    const stalled = await openRaw((socket) => socket.write(OK.slice(0, -1)));
    const { body } = await client(ask(stalled.url));
    await client[Symbol.asyncDispose]();
    expect((await readAll(body)).error).toBeInstanceOf(Error);
    const late = await failureOf(client(ask(server.url)));
    expect(classifyError(late)).toMatchObject({ code: "http.connection", isTransient: false });
    await Promise.all([server.close(), stalled.close()]);
    await check();
  });
});

describe("the body", () => {
  it("is yielded up to the cut, even if the server cut it long before it is read (H20)", async () => {
    const { url } = await openRaw((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n${"x".repeat(40_000)}`);
    });
    const response = await create()(ask(url));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { bytes, error } = await readAll(response.body);
    expect(bytes.length).toBe(40_000);
    expect(error).toBeInstanceOf(Error);
    expect(response.wireBytes?.()).toBe(40_000);
  });

  it("waits on the server's side while it is not read", async () => {
    let written = 0;
    const { url } = await openRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
      const send = (): void => {
        for (let isFull = false; !isFull && written < 100_000_000; written += 100_000) {
          isFull = !socket.write(Buffer.alloc(100_000));
        }
      };
      socket.on("drain", send);
      send();
    });
    const response = await create()(ask(url));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(response.wireBytes?.()).toBeLessThan(1_000_000);
    expect(written).toBeLessThan(50_000_000);
    const { bytes, error } = await readAll(response.body);
    expect(error).toBeUndefined();
    expect(bytes.length).toBe(100_000_000);
  });

  it("counts the bytes on the wire, and gzip stays compressed (H21, H23)", async () => {
    const text = "<urlset>".repeat(1000);
    const { url } = await open({
      "/gzip": { headers: { "content-encoding": "gzip" }, body: gzipSync(text) },
      "/plain": { headers: { "content-encoding": "gzip" }, body: text },
      "/br": { headers: { "content-encoding": "br" }, body: brotliCompressSync(text) },
    });
    const client = create();
    const zipped = await client(ask(`${url}/gzip`));
    expect((await readAll(zipped.body)).bytes.equals(gzipSync(text))).toBe(true);
    expect(zipped.headers).toMatchObject({
      "content-encoding": "gzip",
      "content-length": expect.any(String),
    });
    expect(await textOf(await client(ask(`${url}/plain`)))).toBe(text);
    const brotli = await client(ask(`${url}/br`));
    expect(await textOf(brotli)).toBe(text);
    expect(brotli.wireBytes?.()).toBe(brotliCompressSync(text).length);
    expect(Object.keys(brotli.headers)).not.toContain("content-encoding");
    expect(Object.keys(brotli.headers)).not.toContain("content-length");
  });

  it("accepts the codings that can be decoded, unless a header overrides it (H22)", async () => {
    const server = await open((_, response) => response.end());
    await create()(ask(server.url));
    await create()(ask(server.url, { headers: { "accept-encoding": "identity" } }));
    expect(server.requests.map(({ headers }) => headers["accept-encoding"])).toEqual([
      "gzip, deflate, br",
      "identity",
    ]);
  });

  describe("in chunks", () => {
    const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    const first = "5\r\nfirst\r\n";

    it.each([
      ["20,000 of one byte", "1\r\n.\r\n", 20_000],
      ["400,000 of five bytes", "5\r\n.....\r\n", 400_000],
    ])("%s: comes in larger chunks", async (_, chunk, count) => {
      const { url } = await openRaw((socket) => socket.write(`${chunked}${chunk.repeat(count)}0\r\n\r\n`));
      const { body, wireBytes } = await create()(ask(url));
      let pieces = 0;
      let bytes = 0;
      for await (const piece of body) {
        pieces++;
        bytes += piece.length;
      }
      expect(bytes).toBe(count * Number(chunk[0]));
      expect(wireBytes?.()).toBe(bytes);
      expect(pieces).toBeLessThan(count / 100);
    });

    const hostile: [string, string][] = [
      ["with extensions", `1;x=${"y".repeat(1000)}\r\n.\r\n`],
      ["of one byte", "1\r\n.\r\n"],
      ["with an endless header", "x"],
    ];

    it.each(hostile)(
      "%s, without end: is stopped, and the received bytes are kept (sec-B10)",
      async (_, chunk) => {
        let read = 0;
        const connect = buildConnector({});
        const client = create({
          connect: (target, callback) =>
            connect(target, (...result) => {
              result[1]?.on("close", () => {
                read = result[1]!.bytesRead;
              });
              callback(...result);
            }),
        });
        const server = await openRaw((socket) => {
          socket.write(chunked + first + (chunk === "x" ? "5;" : ""));
          flood(socket, chunk.repeat(100));
        });
        const { body } = await client(ask(server.url));
        const { bytes, error } = await readAll(body);
        expect(bytes.subarray(0, 5).toString()).toBe("first");
        expect(bytes.length).toBeLessThan(300_000);
        expect(classifyError(error).code).toBe("http.protocol");
        await eventually(() => server.open.size === 0, "the connection is closed");
        expect(read).toBeLessThan(2_000_000);
      },
    );

    it.runIf(hasOpenssl)("with extensions, over TLS: is ended as well (sec-B10)", async () => {
      const server = createServer(makeCertificate(), (socket) => {
        socket.on("error", () => {});
        socket.write(chunked + first);
        flood(socket, hostile[0]![1]);
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => void server.close());
      const client = create({ connect: buildConnector({ rejectUnauthorized: false }) });
      const { port } = server.address() as AddressInfo;
      const { body } = await client(ask(`https://127.0.0.1:${port}/`));
      const { bytes, error } = await readAll(body);
      expect(bytes.subarray(0, 5).toString()).toBe("first");
      expect(classifyError(error).code).toBe("http.protocol");
    });
  });

  it("cannot be read once it was canceled, even if it was received completely", async () => {
    const { url } = await open((_, response) => response.end("body"));
    const response = await create()(ask(url));
    response.cancel?.();
    expect((await readAll(response.body)).error).toBeInstanceOf(Error);
  });
});

describe("the head", () => {
  const interim = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";

  it("may follow up to ten interim responses", async () => {
    const { url } = await openRaw((socket) => socket.write(interim.repeat(10) + OK));
    expect(await textOf(await create()(ask(url)))).toBe("body");
  });

  it.each<[string, RawBehaviour]>([
    ["an eleventh interim response (sec-H03)", (socket) => socket.write(interim.repeat(11) + OK)],
    ["a flood of them (sec-H03)", (socket) => flood(socket, interim.repeat(100))],
    [
      "a reason phrase without end (sec-H08)",
      (socket) => {
        socket.write("HTTP/1.1 200 ");
        flood(socket, "so good ".repeat(1000));
      },
    ],
    ["100 (sec-H05)", (socket) => socket.write(`HTTP/1.1 100 Continue\r\n\r\n${OK}`)],
    [
      "101 (sec-H05)",
      (socket) => socket.write("HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"),
    ],
    ["status 099 (sec-H09)", (socket) => socket.write(OK.replace("200", "099"))],
    [
      "headers over 64 KiB (sec-H06)",
      (socket) => socket.write(OK.replace("\r\n", `\r\nX: ${"x".repeat(70_000)}\r\n`)),
    ],
    ["HTTP/0.9 (sec-H11)", (socket) => socket.end("<html></html>")],
    ["two lengths (sec-H12)", (socket) => socket.write(OK.replace("\r\n", "\r\nContent-Length: 5\r\n"))],
  ])("is not %s", async (_, behave) => {
    const server = await openRaw(behave);
    const error = await failureOf(create()(ask(server.url)));
    expect(classifyError(error)).toMatchObject({ code: "http.protocol", isTransient: false });
    await eventually(() => server.open.size === 0, "the connection is closed");
  });

  it("may have one header of 60 KB, or several unexpected ones (sec-H06, sec-H07)", async () => {
    const odd = `\r\nX: ${"x".repeat(60_000)}\r\n__proto__: 1\r\nconstructor: 2\r\n`;
    const { url } = await openRaw((socket) => socket.write(OK.replace("\r\n", odd)));
    const { headers } = await create()(ask(url));
    expect(headers["x"]).toHaveLength(60_000);
    expect(Object.keys(headers)).toEqual(["x", "__proto__", "constructor", "content-length"]);
  });

  it("keeps to its own limit", async () => {
    const { url } = await openRaw((socket) =>
      socket.write(OK.replace("\r\n", `\r\nX: ${"x".repeat(200)}\r\n`)),
    );
    const error = await failureOf(create({ maxHeaderBytes: 100 })(ask(url)));
    expect(classifyError(error).code).toBe("http.protocol");
  });
});

describe("a proxy", () => {
  it("receives plain http as a proxy request, with its own credentials", async () => {
    const proxy = await openRaw((socket) => socket.write(OK));
    const client = create({ proxy: proxy.url.replace("//", "//user:p%40ss@") });
    expect(await textOf(await client(ask("http://www.example.com/a?b")))).toBe("body");
    expect(proxy.requests).toMatchObject([
      {
        path: "http://www.example.com/a?b",
        headers: {
          host: "www.example.com",
          "proxy-authorization": `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
        },
      },
    ]);
  });

  it.each([
    ["user@", "user:"],
    ["user:@", "user:"],
    [":p@", ":p"],
  ])("receives the credentials of %s", async (given, sent) => {
    const proxy = await openRaw((socket) => socket.write(OK));
    await textOf(
      await create({ proxy: proxy.url.replace("//", `//${given}`) })(ask("http://www.example.com/")),
    );
    const [request] = proxy.requests;
    expect(request!.headers["proxy-authorization"]).toBe(`Basic ${Buffer.from(sent).toString("base64")}`);
  });

  it("receives a tunnel request for https, and may reject it", async () => {
    const proxy = await openRaw((socket) =>
      socket.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
    );
    const error = await failureOf(create({ proxy: proxy.url })(ask("https://www.example.com/")));
    expect(classifyError(error)).toMatchObject({ code: "http.proxy", cause: "proxy-refused" });
    expect(proxy.requests).toMatchObject([{ path: "www.example.com:443" }]);
  });

  it("that does not respond times out, and an abort ends it at once", async () => {
    const proxy = await openRaw();
    const client = create({ proxy: proxy.url, connectTimeoutMs: 100 });
    const slow = await failureOf(client(ask("https://www.example.com/")));
    expect(classifyError(slow)).toMatchObject({ code: "http.proxy", cause: "proxy-unreachable" });
    const controller = new AbortController();
    const left = failureOf(client(ask("https://www.example.com/", { signal: controller.signal })));
    const reason = new Error("not any more");
    controller.abort(reason);
    expect(await left).toBe(reason);
  });

  it.each(["www.example.com:3128", "ftp://www.example.com", ""])("cannot be %j", (proxy) => {
    expect(() => createNodeClient({ proxy })).toThrow(TypeError);
  });
});
