/** Errors of a custom client: its failures are reported with their message, bugs in its code are thrown at once. */
import { describe, expect, it } from "vitest";
import {
  type Client,
  type ClientRequest,
  type ClientResponse,
  createNodeClient,
  fetchClient,
  type ResponseClient,
  sitemapTreeForHomepage,
  walkSitemaps,
} from "../../src/index.ts";
import { serve } from "../support/http-server.ts";

const HOMEPAGE = "http://127.0.0.1:9/";
const quick = { useKnownPaths: false, useHomepageLinks: false, limits: { backoffMs: 1 } } as const;
/** A retry would wait for up to an hour, so a test that retries does not end. */
const patient = { ...quick, limits: { backoffMs: 3_600_000 } };

function response(more: object): ClientResponse {
  return { status: 200, headers: {}, body: (async function* () {})(), ...more };
}

describe("a failure that the client reports", () => {
  const thrown = new Error("quota exceeded at https://me:pw@api.example/\u001b[2J", {
    cause: new Error("the key expired"),
  });
  const client: Client = async () => {
    throw thrown;
  };

  it("is the reason of the invalid node, with its causes, without secrets and escapes", async () => {
    const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, { ...quick, client });
    expect(subSitemaps[0]).toMatchObject({
      kind: "invalid",
      code: "http.connection",
      cause: "client-error",
      reason: "the client failed: quota exceeded at https://***@api.example/\\u001b[2J: the key expired",
    });
  });

  it("is in the issues of the retries and in the event", async () => {
    const values: (string | undefined)[] = [];
    for await (const event of walkSitemaps(HOMEPAGE, { ...quick, client })) {
      if (event.kind === "issue" && event.issue.code === "http.retry") values.push(event.issue.value);
      if (event.kind === "sitemap") values.push(event.sitemap.reason);
    }
    expect(values).toHaveLength(3);
    for (const value of values) expect(value).toMatch(/the client failed: quota exceeded.*the key expired/);
  });

  it("may be any value", async () => {
    const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, {
      ...quick,
      client: () => Promise.reject("no coins left"),
    });
    expect(subSitemaps[0]).toMatchObject({ reason: "the client failed: no coins left" });
  });

  it("with a network error code has the issue of that code", async () => {
    const error = Object.assign(new Error("custom"), { code: "ENOTFOUND" });
    const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, {
      ...quick,
      client: () => Promise.reject(error),
    });
    expect(subSitemaps[0]).toMatchObject({ code: "http.dns" });
  });
});

describe("a bug in the client's code is thrown at once", () => {
  const bugs: Readonly<Record<string, Client>> = {
    "a TypeError": async () => (undefined as unknown as { send(): Promise<ClientResponse> }).send(),
    "a TypeError thrown synchronously": () =>
      (undefined as unknown as { send(): Promise<ClientResponse> }).send(),
    "a ReferenceError": async () => {
      throw new ReferenceError("axios is not defined");
    },
    "a TypeError of Node": async () => {
      Buffer.from(3 as never);
      return response({});
    },
    "a bug while the body is read": async () =>
      response({
        body: (async function* () {
          yield new Uint8Array(4);
          (undefined as unknown as { read(): void }).read();
        })(),
      }),
    "a bug in a function for fetchClient": fetchClient((() =>
      Promise.reject(new TypeError("x is not a function"))) as never),
    "no response": async () => undefined as never,
    "a response without status": async () => ({ headers: {}, body: [] }) as never,
    "a body that is a string": async () => response({ body: "text" }),
    "headers that are missing": async () => response({ headers: undefined }),
  };

  it.each(Object.entries(bugs))("%s", async (_, client) => {
    const walk = sitemapTreeForHomepage(HOMEPAGE, { ...patient, client });
    await expect(walk).rejects.toSatisfy(
      (error) => error instanceof TypeError || error instanceof ReferenceError,
    );
  });

  it("the message says what is wrong with a response", async () => {
    const client = bugs["a body that is a string"]!;
    await expect(sitemapTreeForHomepage(HOMEPAGE, { ...patient, client })).rejects.toThrow(
      'client: body of its result must be an async iterable of Uint8Array, such as a stream, not "text"',
    );
  });
});

describe("a response with a wrong part", () => {
  const chunks = (...values: readonly unknown[]): object => ({
    body: (async function* () {
      yield* values;
    })(),
  });
  const cases: readonly (readonly [name: string, response: object, message: string])[] = [
    [
      "an ArrayBuffer as chunk",
      chunks(new ArrayBuffer(4)),
      "each chunk of its body must be a Uint8Array, not an ArrayBuffer",
    ],
    ["a number as chunk", chunks(7), "each chunk of its body must be a Uint8Array, not 7"],
    ["null as chunk", chunks(null), "each chunk of its body must be a Uint8Array, not null"],
    [
      "a string as chunk",
      chunks("<urlset>"),
      'each chunk of its body must be a Uint8Array, not "<urlset>". Encode it with TextEncoder.',
    ],
    [
      "a number as chunk of an error page",
      { status: 403, ...chunks(7) },
      "each chunk of its body must be a Uint8Array, not 7",
    ],
    ["wireBytes that is a number", { wireBytes: 5 }, "wireBytes of its result must be a function, not 5"],
    [
      "wireBytes that returns a string",
      { wireBytes: () => "x" },
      'result of wireBytes must be a whole number of at least 0, not "x"',
    ],
    [
      "wireBytes that returns -5",
      { wireBytes: () => -5 },
      "result of wireBytes must be a whole number of at least 0, not -5",
    ],
    [
      "usedBytes that returns NaN",
      { usedBytes: () => Number.NaN },
      "result of usedBytes must be a whole number of at least 0, not NaN",
    ],
    [
      "codings that is a string",
      { codings: "gzip" },
      'codings of its result must be a whole number of at least 0, not "gzip"',
    ],
    [
      "isMiscoded that is a boolean",
      { isMiscoded: true },
      "isMiscoded of its result must be a function, not true",
    ],
    ["cancel that is a boolean", { cancel: true }, "cancel of its result must be a function, not true"],
  ];

  it.each(cases)("%s", async (_, more, message) => {
    const client: Client = async () => response({ ...chunks(new Uint8Array(4)), ...more });
    const walk = sitemapTreeForHomepage(HOMEPAGE, { ...patient, client });
    await expect(walk).rejects.toThrow(new TypeError(`client: ${message}`));
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("cannot cancel");
      },
    ],
    ["rejects", () => Promise.reject(new Error("cannot cancel"))],
  ])("a cancel that %s does not end the walk", async (_, cancel) => {
    const client: Client = async () =>
      response({ ...chunks(new TextEncoder().encode("Sitemap: /a.xml")), cancel: cancel as () => void });
    const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, {
      ...quick,
      client,
      recurseCallback: () => false,
    });
    expect(subSitemaps[0]).toMatchObject({ kind: "index", url: `${HOMEPAGE}robots.txt` });
  });

  it("an iterator whose return throws does not end the walk", async () => {
    const body = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true, value: undefined }),
        return: () => {
          throw new Error("cannot return");
        },
      }),
    };
    const client: Client = async () => response({ body });
    const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, { ...quick, client });
    expect(subSitemaps[0]).toMatchObject({ url: `${HOMEPAGE}robots.txt` });
  });
});

it.each([
  [fetchClient((async () => 5) as never), "fetchClient: result of fetch must be a Response, not 5"],
  [
    (async () => {
      const response = new Response("text");
      await response.text();
      return response;
    }) as unknown as Client,
    "client: the body of its Response was already read. To read it yourself, read a clone() of the Response",
  ],
])("a wrong Response %#", async (client, message) => {
  await expect(sitemapTreeForHomepage(HOMEPAGE, { ...patient, client })).rejects.toThrow(
    new TypeError(message),
  );
});

it("a fetch function in place of a client is recognized at the first request", async () => {
  const client = ((...args: Parameters<typeof fetch>) => fetch(...args)) as unknown as Client;
  await expect(sitemapTreeForHomepage(HOMEPAGE, { ...patient, client })).rejects.toThrow(
    /^client: it must take a request object, not a URL\. If it is a fetch function, pass fetchClient\(fetch\)\./,
  );
});

describe("TypeErrors of the network are not bugs", () => {
  it.each([
    ["fetch of this runtime", fetchClient(fetch)],
    ["a client that calls fetch", ((request: { url: string }) => fetch(request.url)) as unknown as Client],
    ["a client around ours", (request: Parameters<Client>[0]) => createNodeClient()(request)],
  ])("%s", async (_, client) => {
    const server = await serve({});
    await server.close();
    const { subSitemaps } = await sitemapTreeForHomepage(server.url, { ...quick, client });
    expect(subSitemaps[0]).toMatchObject({ kind: "invalid" });
  });

  it.each(["Failed to fetch", "Load failed", "NetworkError when attempting to fetch resource."])(
    "%s",
    async (message) => {
      const client: Client = () => Promise.reject(new TypeError(message));
      const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, { ...quick, client });
      expect(subSitemaps[0]).toMatchObject({ code: "http.connection", reason: "the connection broke" });
    },
  );
});

describe("a client may return", () => {
  const robots = "Sitemap: /a.txt";

  it("a Response of fetch", async () => {
    await using server = await serve({
      "/robots.txt": { body: robots },
      "/a.txt": { status: 302, headers: { location: "/b.txt" } },
      "/b.txt": { body: "https://example.com/a" },
    });
    const client: ResponseClient = ({ url, headers, signal }) =>
      fetch(url, { headers, signal, redirect: "manual" });
    const { subSitemaps } = await sitemapTreeForHomepage(server.url, { ...quick, client });
    expect(subSitemaps[0]?.subSitemaps[0]).toMatchObject({ kind: "pages", url: `${server.url}/b.txt` });
  });

  it("but not a Response that followed a redirect", async () => {
    await using server = await serve({
      "/robots.txt": { status: 302, headers: { location: "/b.txt" } },
      "/b.txt": { body: robots },
    });
    const client = ({ url }: ClientRequest): Promise<Response> => fetch(url);
    await expect(sitemapTreeForHomepage(server.url, { ...patient, client })).rejects.toThrow(
      'client: it followed a redirect, but siteatlas follows redirects itself. Pass redirect: "manual" to fetch',
    );
  });

  it.each([
    ["Headers", new Headers({ Location: "/b.txt" })],
    ["header names in any case", { LOCATION: "/b.txt" }],
    ["headers of node:http", { location: "/b.txt", "set-cookie": ["a", "b"], age: undefined }],
  ])("%s", async (_, headers) => {
    const client = (async ({ url }: { url: string }) =>
      url.endsWith("/b.txt")
        ? response({
            body: (async function* () {
              yield new TextEncoder().encode(robots);
            })(),
          })
        : response({ status: 301, headers })) as unknown as Client;
    const { subSitemaps } = await sitemapTreeForHomepage(HOMEPAGE, {
      ...quick,
      client,
      recurseCallback: () => false,
    });
    expect(subSitemaps[0]).toMatchObject({ url: `${HOMEPAGE}b.txt`, kind: "index" });
  });
});
