/** The relay: sites are reached through a proxy with a password, which only the relay has. */
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { createNodeClient, streamPages } from "siteatlas";
import { afterEach, expect, test } from "vitest";
import { openProxy } from "../../../siteatlas/test/support/connect-proxy.ts";
import { serve } from "../../../siteatlas/test/support/http-server.ts";
import { hasCredentials, type ProxyRelay, startProxyRelay } from "../../src/processes/proxy-relay.ts";

let relay: ProxyRelay | undefined;
afterEach(() => relay?.close());

const PAGES = Array.from({ length: 40 }, (_, page) => `/${page}`);

async function pagesThrough(proxy: string, homepage: string): Promise<string[]> {
  const pages: string[] = [];
  const client = createNodeClient({ proxy, allow: ["127.0.0.0/8"] });
  for await (const { url } of streamPages(homepage, { client })) pages.push(new URL(url).pathname);
  return pages;
}

/** A text sitemap, with absolute URLs of the server. */
function list(paths: readonly string[], prefix = "") {
  return ({ headers }: IncomingMessage, response: ServerResponse) =>
    response.end(paths.map((path) => `${prefix}http://${headers.host}${path}\n`).join(""));
}

test("plain requests go to the real proxy with its password, and responses come back whole", async () => {
  const server = await serve({
    "/robots.txt": list(["/a.txt", "/b.txt"], "Sitemap: "),
    "/a.txt": list(PAGES.slice(0, 20)),
    "/b.txt": list(PAGES.slice(20)),
  });
  const proxy = await openProxy({ credentials: "user:p@ss" });
  relay = await startProxyRelay(proxy.url.replace("://", "://user:p%40ss@"));
  expect(relay.url).not.toContain("user");
  expect((await pagesThrough(relay.url, server.url)).sort()).toEqual(PAGES.toSorted());
  expect(proxy.lines).toContain(`GET ${server.url}/robots.txt`);
  await server.close();
});

test("tunnels are opened by the real proxy", async () => {
  const server = await serve({ "/": { body: "hello" } });
  const proxy = await openProxy({ credentials: "user:pass" });
  relay = await startProxyRelay(proxy.url.replace("://", "://user:pass@"));
  const { port, username, password } = new URL(relay.url);
  const tunnel = await new Promise<Socket>((resolve, reject) => {
    request({
      port,
      method: "CONNECT",
      path: server.host,
      headers: { "proxy-authorization": basic(username, password) },
    })
      .on("connect", (_, socket: Socket) => resolve(socket))
      .on("error", reject)
      .end();
  });
  tunnel.write(`GET / HTTP/1.1\r\nHost: ${server.host}\r\nConnection: close\r\n\r\n`);
  expect((await tunnel.toArray()).join("")).toMatch(/^HTTP\/1\.1 200 .*hello/s);
  expect(proxy.lines).toEqual([`CONNECT ${server.host}`]);
  await server.close();
});

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

test("a client without the password of the relay is refused", async () => {
  const proxy = await openProxy({ credentials: "user:pass" });
  relay = await startProxyRelay(proxy.url.replace("://", "://user:pass@"));
  const { port } = new URL(relay.url);
  for (const url of [`http://127.0.0.1:${port}`, `http://walker:wrong@127.0.0.1:${port}`]) {
    expect(await pagesThrough(url, "http://127.0.0.1:9/")).toEqual([]);
  }
  expect(proxy.lines).toEqual([]);
});

test("only a proxy with a user name or a password needs a relay", () => {
  expect(hasCredentials("http://proxy.example:3128")).toBe(false);
  expect(hasCredentials("http://user@proxy.example:3128")).toBe(true);
  expect(hasCredentials("http://:secret@proxy.example:3128")).toBe(true);
});
