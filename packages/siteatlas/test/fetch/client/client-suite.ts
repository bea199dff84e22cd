/** The contract of a client, tested on node-client, fetch-client and a minimal custom client. */
import { randomBytes } from "node:crypto";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { decompress } from "../../../src/decode/inflate.ts";
import { classifyError } from "../../../src/fetch/classify-error.ts";
import {
  type Client,
  type ClientRequest,
  type ClientResponse,
  type ClosableClient,
  discard,
} from "../../../src/fetch/client/client.ts";
import {
  closedPort,
  eventually,
  type RawBehaviour,
  type Routes,
  serve,
  serveRaw,
  type TestServer,
  watchLeftovers,
} from "../../support/http-server.ts";

export async function open(routes: Routes): Promise<TestServer> {
  const server = await serve(routes);
  onTestFinished(server.close);
  return server;
}

export async function openRaw(behave?: RawBehaviour): Promise<TestServer> {
  const server = await serveRaw(behave);
  onTestFinished(server.close);
  return server;
}

export function ask(url: string, options: Partial<ClientRequest> = {}): ClientRequest {
  return { url, headers: {}, signal: new AbortController().signal, ...options };
}

export async function textOf(response: ClientResponse): Promise<string> {
  const { bytes, error } = await readAll(response.body);
  if (error !== undefined) throw error;
  return bytes.toString();
}

/** The received bytes, and the error that ended the body early. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<{ bytes: Buffer; error: unknown }> {
  const parts: Uint8Array[] = [];
  try {
    for await (const chunk of body) parts.push(chunk);
  } catch (error) {
    return { bytes: Buffer.concat(parts), error };
  }
  return { bytes: Buffer.concat(parts), error: undefined };
}

/** The rejection reason. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("It must reject"),
    (error: unknown) => error,
  );
}

const DOCUMENT = `<?xml version="1.0"?><urlset>${"<url><loc>https://www.example.com/a</loc></url>".repeat(50)}</urlset>`;

const CODINGS: readonly (readonly [name: string, header: string, encode: (text: string) => Uint8Array])[] = [
  ["gzip", "gzip", (text) => gzipSync(text)],
  ["deflate as zlib", "deflate", (text) => deflateSync(text)],
  ["raw deflate", "deflate", (text) => deflateRawSync(text)],
  ["br", "br", (text) => brotliCompressSync(text)],
];

/** Sends without end. */
const endless: RawBehaviour = (socket) => {
  socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
  const send = (): void => {
    while (!socket.destroyed && socket.write("x".repeat(1024)));
  };
  socket.on("drain", send);
  send();
};

export interface Traits {
  /** An abort does not stop connecting: the fetch of Node continues until it is connected. */
  readonly leavesConnecting?: boolean;
}

export function describeClient(
  name: string,
  create: () => Client | ClosableClient,
  { leavesConnecting = false }: Traits = {},
): void {
  describe(`client: ${name}`, () => {
    let client: Client;
    beforeAll(() => {
      client = create();
    });
    afterAll(async () => {
      if ("close" in client) await (client as ClosableClient).close();
    });

    describe("the response", () => {
      it("has status and headers, with names in lower case and repeated headers joined", async () => {
        const { url } = await open((_, response) => {
          response.writeHead(418, "odd", [
            ["X-One", "1"],
            ["Link", "</a>; rel=sitemap"],
            ["LINK", "</b>; rel=sitemap"],
          ]);
          response.end("body");
        });
        const response = await client(ask(`${url}/x?y=1`));
        expect(response.status).toBe(418);
        expect(response.headers).toMatchObject({
          "x-one": "1",
          link: "</a>; rel=sitemap, </b>; rel=sitemap",
        });
        expect(await textOf(response)).toBe("body");
      });

      it("has the body", async () => {
        const sent = randomBytes(3_000_000);
        const { url } = await open((_, response) => response.end(sent));
        const { bytes, error } = await readAll((await client(ask(url))).body);
        expect(error).toBeUndefined();
        expect(bytes.equals(sent)).toBe(true);
      });

      it("yields the first bytes before the last are sent", async () => {
        let sendRest = (): void => {};
        const { url } = await open((_, response) => {
          response.write("first");
          sendRest = () => response.end("last");
        });
        const response = await client(ask(url));
        const iterator = response.body[Symbol.asyncIterator]();
        const first = await iterator.next();
        expect(Buffer.from(first.value ?? []).toString()).toBe("first");
        sendRest();
        const second = await iterator.next();
        expect(Buffer.from(second.value ?? []).toString()).toBe("last");
        expect((await iterator.next()).done).toBe(true);
      });

      it.each(CODINGS)("%s is decoded, or can be recognized by its bytes", async (_, coding, encode) => {
        const { url } = await open((request, response) => {
          const isAccepted = String(request.headers["accept-encoding"] ?? "").includes(coding);
          if (!isAccepted) return response.end(DOCUMENT);
          response.setHeader("content-encoding", coding);
          return response.end(encode(DOCUMENT));
        });
        const response = await client(ask(url));
        const options = { report: () => {}, url, onCut: () => expect.fail("It is not cut") };
        const { bytes, error } = await readAll(decompress(response.body, options));
        expect(error).toBeUndefined();
        expect(bytes.toString()).toBe(DOCUMENT);
        // A decoded body has no Content-Encoding and Content-Length (H23, H24).
        expect(["gzip", undefined]).toContain(response.headers["content-encoding"]);
      });

      it.each([
        ["an empty body", 200],
        ["204", 204],
      ])("has no bytes for %s", async (_, status) => {
        const { url } = await open((_, response) => response.writeHead(status).end());
        const response = await client(ask(url));
        expect(response.status).toBe(status);
        expect(await textOf(response)).toBe("");
      });

      it("is the redirect itself", async () => {
        const server = await open((_, response) => response.writeHead(302, { location: "/next" }).end());
        const response = await client(ask(server.url));
        expect(response.status).toBe(302);
        expect(response.headers["location"]).toBe("/next");
        discard(response);
        expect(server.requests).toHaveLength(1);
      });
    });

    describe("the request", () => {
      it("is a GET of path and query with the given headers", async () => {
        const server = await open((request, response) => response.end(request.method));
        const headers = { "user-agent": "siteatlas-test", "x-own": "a b" };
        const response = await client(ask(`${server.url}/a%20b/?c=d&e`, { headers }));
        expect(await textOf(response)).toBe("GET");
        expect(server.requests[0]).toMatchObject({ path: "/a%20b/?c=d&e", headers });
      });

      it("may be conditional (H30)", async () => {
        const server = await open((request, response) => {
          const isFresh = request.headers["if-none-match"] === '"1"';
          response.writeHead(isFresh ? 304 : 200, { etag: '"1"' }).end(isFresh ? undefined : "body");
        });
        const headers = { "if-none-match": '"1"', "if-modified-since": "Tue, 02 Jan 2024 03:04:05 GMT" };
        const response = await client(ask(server.url, { headers }));
        expect(response.status).toBe(304);
        expect(response.headers["etag"]).toBe('"1"');
        expect(await textOf(response)).toBe("");
        expect(server.requests[0]!.headers).toMatchObject(headers);
      });
    });

    describe("abort", () => {
      const reason = new Error("The test is over");

      it("before the start sends no request", async () => {
        const server = await open((_, response) => response.end());
        expect(
          await failureOf(asPromise(client, ask(server.url, { signal: AbortSignal.abort(reason) }))),
        ).toBeDefined();
        expect(server.connections).toBe(0);
      });

      it("while it connects", async () => {
        // A connection whose TLS handshake never ends.
        const server = await openRaw();
        await abortWhen(
          server,
          server.url.replace("http:", "https:"),
          () => server.connections === 1,
          leavesConnecting,
        );
      });

      it("while it waits for the headers", async () => {
        const server = await openRaw();
        await abortWhen(server, server.url, () => server.requests.length === 1);
      });

      async function abortWhen(
        server: TestServer,
        url: string,
        isTime: () => boolean,
        isLeft = false,
      ): Promise<void> {
        const check = watchLeftovers();
        const controller = new AbortController();
        const asked = failureOf(client(ask(url, { signal: controller.signal })));
        await eventually(isTime, "the request is under way", 60_000);
        controller.abort(reason);
        await asked;
        if (isLeft) return;
        await eventually(() => !server.open.has(1), "the server sees the connection close");
        await check();
      }

      it("while the body is received", async () => {
        const server = await openRaw((socket) =>
          socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nfirst"),
        );
        const controller = new AbortController();
        const response = await client(ask(server.url, { signal: controller.signal }));
        const iterator = response.body[Symbol.asyncIterator]();
        await iterator.next();
        const asked = failureOf(iterator.next());
        controller.abort(reason);
        await asked;
        await eventually(() => !server.open.has(1), "the server sees the connection close");
      });

      it("before the body is read", async () => {
        const server = await openRaw(endless);
        const controller = new AbortController();
        const response = await client(ask(server.url, { signal: controller.signal }));
        controller.abort(reason);
        await eventually(() => !server.open.has(1), "the server sees the connection close");
        expect((await readAll(response.body)).error).toBeDefined();
      });
    });

    describe("leaving", () => {
      it("the loop over the body frees the connection", async () => {
        const server = await openRaw(endless);
        for await (const chunk of (await client(ask(server.url))).body) {
          expect(chunk.length).toBeGreaterThan(0);
          break;
        }
        await eventually(() => !server.open.has(1), "the server sees the connection close");
      });

      it("a body that was not read frees the connection, by `cancel` or by the signal", async () => {
        const server = await openRaw(endless);
        const controller = new AbortController();
        const response = await client(ask(server.url, { signal: controller.signal }));
        if (response.cancel === undefined) controller.abort();
        else response.cancel();
        await eventually(() => !server.open.has(1), "the server sees the connection close");
      });
    });

    describe("failure", () => {
      it("no connection", async () => {
        const error = await failureOf(client(ask(`http://127.0.0.1:${await closedPort()}/`)));
        expect(classifyError(error)).toMatchObject({
          code: "http.connection",
          isTransient: true,
          connecting: true,
        });
      });

      it("no such name", async () => {
        // A label of more than 63 characters fails in the resolver, without a DNS query.
        const error = await failureOf(client(ask(`http://${"a".repeat(64)}.invalid/`)));
        expect(classifyError(error)).toMatchObject({
          code: "http.dns",
          isTransient: false,
          connecting: true,
        });
      });

      it("TLS with a server that has none (sec-C12)", async () => {
        const { url } = await open((_, response) => response.end());
        const error = await failureOf(client(ask(url.replace("http:", "https:"))));
        expect(classifyError(error)).toMatchObject({ code: "http.tls", isTransient: false });
      });

      it.each<[string, RawBehaviour]>([
        ["reset", (socket) => socket.resetAndDestroy()],
        ["closed without a response (sec-C09)", (socket) => socket.end()],
      ])("the connection is %s", async (_, behave) => {
        const { url } = await openRaw(behave);
        const error = await failureOf(client(ask(url)));
        expect(classifyError(error)).toMatchObject({
          code: "http.connection",
          isTransient: true,
          connecting: false,
        });
      });

      it("the response is not HTTP (sec-H11)", async () => {
        const { url } = await openRaw((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
        const error = await failureOf(client(ask(url)));
        expect(classifyError(error)).toMatchObject({ code: "http.protocol", isTransient: false });
      });

      it.each([
        ["before its Content-Length (H20)", "Content-Length: 100\r\n\r\nfirst"],
        ["before its last chunk (sec-B06)", "Transfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n"],
      ])("the body ends %s: yields the received bytes, then throws", async (_, head) => {
        let cut = (): void => {};
        const { url } = await openRaw((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\n${head}`);
          cut = () => socket.end();
        });
        const response = await client(ask(url));
        const iterator = response.body[Symbol.asyncIterator]();
        const first = await iterator.next();
        expect(Buffer.from(first.value ?? []).toString()).toBe("first");
        cut();
        expect(await failureOf(iterator.next())).toBeInstanceOf(Error);
      });
    });
  });
}

/** A client may throw instead of rejecting. */
async function asPromise(client: Client, request: ClientRequest): Promise<ClientResponse> {
  return client(request);
}
