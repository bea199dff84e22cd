/**
 * With any behavior of the server, a walk ends, reports what happened, and leaves no unhandled rejection. The same
 * applies if the caller leaves the walk early.
 */
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { knownPaths } from "../../src/discover/known-paths.ts";
import { sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { type RawBehaviour, serveRaw, type TestServer } from "../support/http-server.ts";

const OPTIONS: WalkOptions = {
  useHomepageLinks: true,
  concurrency: 8,
  limits: { headersMs: 150, idleMs: 150, requestMs: 400, retries: 1, backoffMs: 1, timeMs: 20_000 },
};

const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => {
  rejections.push(reason);
};
beforeAll(() => {
  process.on("unhandledRejection", onRejection);
});
afterAll(() => {
  process.off("unhandledRejection", onRejection);
});

async function expectNoRejection(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rejections).toEqual([]);
}

const head = (lines: string): string => `HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`;
const sends =
  (text: string | Buffer): RawBehaviour =>
  (socket) =>
    socket.end(text);
/** Sends the text repeatedly for a while, with a pause between two writes. */
const keepsSending =
  (first: string, again: string, ms: number): RawBehaviour =>
  (socket: Socket) => {
    socket.write(first);
    let left = 300;
    const timer = setInterval(() => {
      if (left-- === 0 || socket.destroyed) clearInterval(timer);
      else socket.write(again);
    }, ms);
    socket.on("close", () => clearInterval(timer));
  };

const BEHAVIOURS: Record<string, RawBehaviour> = {
  "closes at once": (socket) => socket.destroy(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "is silent": () => {},
  "sends garbage": sends(Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7919) % 256))),
  "sends zeros": sends(Buffer.alloc(5000)),
  "sends half a status line": sends("HTTP/1.1 20"),
  "sends half of the headers and waits": (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Ty"),
  "speaks HTTP/0.9": sends("<urlset><url><loc>http://127.0.0.1/1</loc></url></urlset>"),
  "speaks HTTP/9.9": sends("HTTP/9.9 200 OK\r\n\r\n"),
  "answers 000": sends("HTTP/1.1 000 None\r\nContent-Length: 0\r\n\r\n"),
  "answers 999": sends("HTTP/1.1 999 Denied\r\nContent-Length: 0\r\n\r\n"),
  "answers 101": sends("HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello"),
  "sends 103 without end": keepsSending("", "HTTP/1.1 103 Early\r\nLink: </a>; rel=preload\r\n\r\n", 2),
  "sends one header without end": keepsSending("HTTP/1.1 200 OK\r\nX: ", "x".repeat(10_000), 2),
  "sends a thousand headers": sends(
    head(Array.from({ length: 1000 }, (_, at) => `X-${at}: ${"y".repeat(90)}`).join("\r\n")),
  ),
  "gives two lengths": sends(`${head("Content-Length: 5\r\nContent-Length: 6")}helloo`),
  "gives a negative length": sends(`${head("Content-Length: -1")}x`),
  "gives a length without end": sends(`${head(`Content-Length: ${"9".repeat(30)}`)}x`),
  "promises more than it sends": sends(
    `${head("Content-Length: 5000")}<urlset><url><loc>http://127.0.0.1/1</loc></url>`,
  ),
  "sends more than it promised": sends(`${head("Content-Length: 2")}${"x".repeat(10_000)}`),
  "sends a bad chunk size": sends(`${head("Transfer-Encoding: chunked")}zz\r\nhello\r\n`),
  "sends a chunk size without end": sends(`${head("Transfer-Encoding: chunked")}${"f".repeat(100)}\r\n`),
  "cuts a chunk": sends(`${head("Transfer-Encoding: chunked")}ff\r\n<urlset>`),
  "has a transfer coding of its own": sends(`${head("Transfer-Encoding: rot13")}<urlset>`),
  "names a hundred codings": sends(`${head(`Content-Encoding: ${"gzip, ".repeat(100)}gzip`)}<urlset>`),
  "sends a broken gzip": sends(
    Buffer.concat([
      Buffer.from(head("Content-Encoding: gzip")),
      Buffer.from("1f8b0800000000000003ffffff", "hex"),
    ]),
  ),
  "sends a broken brotli": sends(
    Buffer.concat([Buffer.from(head("Content-Encoding: br")), Buffer.from("8b0180ff00ff00ff00", "hex")]),
  ),
  "sends a broken deflate": sends(
    Buffer.concat([Buffer.from(head("Content-Encoding: deflate")), Buffer.from("ff00ff00ff00", "hex")]),
  ),
  "redirects to nowhere": sends("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
  "redirects to no URL": sends("HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n"),
  "redirects to a script": sends(
    "HTTP/1.1 302 Found\r\nLocation: javascript:alert(1)\r\nContent-Length: 0\r\n\r\n",
  ),
  "redirects to a bad port": sends(
    "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
  ),
  "redirects ever on": (socket, request) => {
    const path = request.split(" ", 2)[1] ?? "/";
    socket.end(`HTTP/1.1 302 Found\r\nLocation: ${path}x\r\nContent-Length: 0\r\n\r\n`);
  },
  "redirects with a Location of 50 KB": sends(
    `HTTP/1.1 302 Found\r\nLocation: /${"x".repeat(50_000)}\r\nContent-Length: 0\r\n\r\n`,
  ),
  "wants to be asked later": sends("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"),
  "wants to be asked at no time": sends(
    "HTTP/1.1 429 Busy\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n",
  ),
  "sends a byte at a time": keepsSending(head("Content-Length: 100000"), "<", 20),
};

async function open(behave: RawBehaviour): Promise<TestServer> {
  const server = await serveRaw(behave);
  onTestFinished(server.close);
  return server;
}

describe.each(Object.entries(BEHAVIOURS))("a server that %s", (_, behave) => {
  it("is walked to the end, each location with its reason", async () => {
    const { url } = await open(behave);
    const walked: WalkedSitemap[] = [];
    for await (const event of walkSitemaps(url, OPTIONS))
      if (event.kind === "sitemap") walked.push(event.sitemap);
    expect(walked.length).toBeGreaterThanOrEqual(1 + knownPaths("usual").length);
    for (const { outcome, code } of walked) {
      if (outcome !== "found" && outcome !== "shared")
        expect(code).toMatch(/^(http|content|gzip|limit|index)\./);
    }
    await expectNoRejection();
  });

  it("can be left at any time", async () => {
    const { url } = await open(behave);
    const reason = new Error("enough");
    await Promise.all(
      [1, 3, 10, 30, 60, 100].map(async (ms) => {
        const controller = new AbortController();
        const timer = setTimeout(() => controller.abort(reason), ms);
        const options = { ...OPTIONS, signal: controller.signal };
        await sitemapTreeForHomepage(url, options).catch((error: unknown) => expect(error).toBe(reason));
        clearTimeout(timer);
      }),
    );
    for await (const event of walkSitemaps(url, OPTIONS)) if (event.kind === "sitemap") break;
    await expectNoRejection();
  });
});
