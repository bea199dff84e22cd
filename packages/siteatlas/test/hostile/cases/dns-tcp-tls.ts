/** Hostile DNS, TCP and TLS: sec-C01 to sec-C17. */
import { Resolver } from "node:dns";
import { createSecureServer } from "node:http2";
import type { LookupFunction } from "node:net";
import { openBlackhole } from "../blackhole.ts";
import {
  CONNECT_TIMEOUT_MS,
  type Context,
  type HostileCase,
  MIB,
  outcomeOf,
  SLACK_MS,
  type Stage,
  type Tls,
} from "../case.ts";
import { httpResponse, type RawBehaviour, urlset } from "../raw-server.ts";

const sitemap = urlset(3);
const found = { outcome: "found", pageCount: 3 } as const;
const atOnce = { ms: 1000 };
const connectBound = { ms: CONNECT_TIMEOUT_MS + SLACK_MS };
/** Without retries, so that a time limit applies to one attempt. */
const ONCE = { retries: 0 };

const failed = (
  code: "http.dns" | "http.connection" | "http.tls" | "http.protocol" | "http.blocked-address",
) => ({ outcome: "failed", code }) as const;

function resolverAt(port: string | number | undefined, timeout = 10_000): Resolver {
  const resolver = new Resolver({ timeout, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return resolver;
}

/** Queries the DNS server of the case, like a custom resolver. Looks up IPv4 only. */
function lookupAt(port: string | number | undefined, timeout?: number): LookupFunction {
  return lookupWith(resolverAt(port, timeout));
}

function lookupWith(resolver: Resolver): LookupFunction {
  return (name, options, callback) => {
    resolver.resolve4(name, (error, addresses = []) => {
      if (error) callback(error, "", 4);
      else if (options.all)
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
      else callback(null, addresses[0] ?? "", 4);
    });
  };
}

/** The URL with the name and the port of the server, and a client that uses the DNS server of the case. */
const nameOf = (context: Context, name: string): string => `http://${name}:${context.site["port"] ?? 80}/`;
const portOf = (url: string): number => Number(new URL(url).port);

/** 127.0.0.1 to 127.0.0.9 stand for public addresses, the others are private. */
const isStandIn = (address: string): boolean => /^127\.0\.0\.\d$/.test(address);

/** Walks a site that has only a robots.txt. */
async function expectRobots(
  context: Context,
  url: string,
  wanted: ReturnType<typeof failed>,
  what = "robots.txt",
): Promise<string> {
  const { robots } = await context.walk(url, { limits: ONCE });
  context.expectSitemap(robots, wanted, what);
  return outcomeOf(robots);
}

const secure = (stage: Stage, tls: Tls): Promise<string> =>
  stage.http({ "/sitemap.xml": { body: sitemap } }, { tls });

export const cases: readonly HostileCase[] = [
  {
    id: "sec-C01",
    server: "a name that does not exist",
    expected: "http.dns, retried at most once",
    bounds: { ms: 2000 },
    serve: async (stage) => ({ dns: await stage.dns(() => "no-such-name") }),
    async run(context) {
      const { robots } = await context.walk("http://nowhere.example/", {
        clientOptions: { lookup: lookupAt(context.site["dns"]) },
      });
      context.expectSitemap(robots, failed("http.dns"));
      const { questions } = await context.facts();
      context.expect(questions.length >= 1 && questions.length <= 2, `${questions.length} questions`);
      return `${outcomeOf(robots)} after ${questions.length} questions`;
    },
  },
  {
    id: "sec-C02",
    server: "a DNS server that never answers",
    expected: "http.connection or http.dns in time; other hosts do not wait",
    bounds: { ...connectBound },
    serve: async (stage) => ({
      dns: await stage.dns((name) => (name === "good.example" ? { addresses: ["127.0.0.1"] } : "silence")),
      port: portOf(await stage.http({ "/sitemap.xml": { body: sitemap } })),
    }),
    async run(context) {
      const resolver = resolverAt(context.site["dns"]);
      const clientOptions = { lookup: lookupWith(resolver), allow: isStandIn };
      const names = ["a", "b", "c", "d", "e"].map((label) => nameOf(context, `${label}.silent.example`));
      const silent = Promise.all(names.map((name) => context.walk(name, { clientOptions, limits: ONCE })));
      const good = await context.walk(nameOf(context, "good.example"), { clientOptions });
      context.expectInTime(good.ms < 500, `the other host took ${good.ms.toFixed(0)} ms`);
      const outcomes = (await silent).map(({ robots }) => outcomeOf(robots));
      for (const outcome of outcomes)
        context.expect(/^failed http\.(connection|dns)$/.test(outcome), outcome);
      // The resolver belongs to the caller and would keep waiting.
      resolver.cancel();
      return `${outcomes[0]}; the other host after ${good.ms.toFixed(0)} ms`;
    },
  },
  {
    id: "sec-C03",
    server: "a name with 500 addresses, most of which do not respond",
    expected: "the first eight are tried, within the time of one connection",
    bounds: { ...connectBound },
    serve: async (stage) => {
      const url = await stage.http({ "/sitemap.xml": { body: sitemap } }, { address: "127.0.0.9" });
      return { port: portOf(url) };
    },
    async run(context) {
      const clientOptions = { lookup: manyAddresses, allow: (address: string) => address.startsWith("127.") };
      const third = await context.walk(nameOf(context, "third.example"), { clientOptions });
      context.expectSitemap(third.robots, { outcome: "found" }, "the third address");
      const before = (await context.facts()).connections;
      const { robots } = await context.walk(nameOf(context, "last.example"), { clientOptions, limits: ONCE });
      context.expectSitemap(robots, failed("http.connection"), "the last address");
      context.expectEqual((await context.facts()).connections, before, "connections to the last address");
      return `third: ${outcomeOf(third.robots)}; 500th: ${outcomeOf(robots)}`;
    },
  },
  {
    id: "sec-C04",
    server: "a name that resolves to a public address first, then to a private one",
    expected: "http.blocked-address for the second connection, which is not made",
    serve: async (stage) => {
      const behave: RawBehaviour = (socket) => socket.end(httpResponse(sitemap, { connection: "close" }));
      const url = await stage.raw(behave, { address: "127.0.0.2", robots: false });
      const trap = await stage.tcp((socket) => socket.destroy(), {
        address: "127.0.0.66",
        port: portOf(url),
      });
      return {
        port: portOf(url),
        trap,
        dns: await stage.dns((_, __, nth) => ({ addresses: [nth === 1 ? "127.0.0.2" : "127.0.0.66"] })),
      };
    },
    async run(context) {
      const walked = await context.walk(nameOf(context, "rebind.example"), {
        useKnownPaths: true,
        clientOptions: { lookup: lookupAt(context.site["dns"]), allow: isStandIn },
      });
      context.expect(
        walked.sitemaps.some(({ code }) => code === "http.blocked-address"),
        "nothing was blocked",
      );
      const { connections, connectionsOf } = await context.facts();
      context.expectEqual(
        connectionsOf[String(context.site["trap"])],
        0,
        "connections to the private address",
      );
      context.expect(connections >= 1, "the first connection was not made");
      return "http.blocked-address, no connection";
    },
  },
  {
    id: "sec-C05",
    server: "a name with a public and a private address",
    expected: "http.blocked-address, no connection to either",
    bounds: { connections: 0 },
    serve: async (stage) => {
      const url = await stage.http({ "/sitemap.xml": { body: sitemap } }, { address: "127.0.0.2" });
      await stage.tcp((socket) => socket.destroy(), { address: "127.0.0.66", port: portOf(url) });
      return { port: portOf(url), dns: await stage.dns(() => ({ addresses: ["127.0.0.2", "127.0.0.66"] })) };
    },
    async run(context) {
      const { robots } = await context.walk(nameOf(context, "mixed.example"), {
        clientOptions: { lookup: lookupAt(context.site["dns"]), allow: isStandIn },
      });
      context.expectSitemap(robots, failed("http.blocked-address"));
      return outcomeOf(robots);
    },
  },
  {
    id: "sec-C06",
    server: "aliases in a circle, and a chain of aliases without end",
    expected: "http.dns",
    bounds: { ms: 5000 },
    serve: async (stage) => {
      let next = 0;
      return {
        dns: await stage.dns((name) => ({
          alias: name.includes("circle")
            ? name.startsWith("a")
              ? "b.circle.example"
              : "a.circle.example"
            : `n${next++}.chain.example`,
        })),
      };
    },
    async run(context) {
      const outcomes: string[] = [];
      for (const name of ["a.circle.example", "n.chain.example"]) {
        const { robots } = await context.walk(`http://${name}/`, {
          clientOptions: { lookup: lookupAt(context.site["dns"], 1000) },
        });
        context.expectSitemap(robots, failed("http.dns"), name);
        outcomes.push(outcomeOf(robots));
      }
      const { questions } = await context.facts();
      context.expect(questions.length < 50, `${questions.length} questions`);
      return outcomes.join(", ");
    },
  },
  {
    id: "sec-C07",
    server: "packets that are never answered",
    expected: "http.connection",
    bounds: connectBound,
    serve: async () => ({ url: `http://127.0.0.1:${await openBlackhole()}` }),
    run: (context) => expectRobots(context, context.url(), failed("http.connection")),
  },
  {
    id: "sec-C08",
    server: "refuses the connection; resets it",
    expected: "http.connection after three attempts",
    bounds: atOnce,
    serve: async (stage) => {
      const reset = await stage.tcp((socket) => socket.resetAndDestroy());
      // A port that was free a moment ago.
      const { createServer } = await import("node:net");
      const server = createServer().listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      const { port } = server.address() as { port: number };
      await new Promise((resolve) => server.close(resolve));
      return { url: `http://127.0.0.1:${port}`, reset: `http://${reset}`, host: reset };
    },
    async run(context) {
      const refused = await context.walk(context.url());
      context.expectSitemap(refused.robots, failed("http.connection"), "refused");
      const reset = await context.walk(String(context.site["reset"]));
      context.expectSitemap(reset.robots, failed("http.connection"), "reset");
      const { connectionsOf } = await context.facts();
      context.expectEqual(connectionsOf[String(context.site["host"])], 3, "connections");
      return outcomeOf(reset.robots);
    },
  },
  {
    id: "sec-C09",
    server: "accepts, sends nothing and closes",
    expected: "http.connection, not an empty document",
    bounds: atOnce,
    serve: async (stage) => ({ url: `http://${await stage.tcp((socket) => socket.end())}` }),
    async run(context) {
      const { robots } = await context.walk(context.url());
      context.expectSitemap(robots, failed("http.connection"));
      return outcomeOf(robots);
    },
  },
  {
    id: "sec-C10",
    server: "a TLS handshake that stalls, at once and after the first bytes",
    expected: "http.connection within the time of a connection",
    bounds: connectBound,
    serve: async (stage) => ({
      url: `https://${await stage.tcp((socket) => socket.resume())}`,
      later: `https://${await stage.tcp((socket) => socket.on("data", () => socket.write(Buffer.from("160303", "hex"))))}`,
    }),
    async run(context) {
      await expectRobots(
        context,
        String(context.site["later"]),
        failed("http.connection"),
        "after the first bytes",
      );
      return expectRobots(context, context.url(), failed("http.connection"));
    },
  },
  {
    id: "sec-C11",
    server: "a certificate that is self-signed, expired, for another name",
    expected: "http.tls, no fallback",
    bounds: atOnce,
    serve: async (stage) => ({
      url: await secure(stage, stage.certificate()),
      selfSigned: await secure(stage, stage.certificate({ selfSigned: true })),
      expired: await secure(stage, stage.certificate({ expired: true })),
      otherName: await secure(stage, stage.certificate({ names: ["other.example"] })),
    }),
    async run(context) {
      const good = await context.walk(context.url());
      context.expectSitemap(good.document, found, "a good certificate");
      for (const name of ["selfSigned", "expired", "otherName"]) {
        await expectRobots(context, String(context.site[name]), failed("http.tls"), name);
      }
      const { requests } = await context.facts();
      context.expectEqual(
        requests.filter(({ server }) => server !== context.site["url"]),
        [],
        "requests in spite of it",
      );
      return "http.tls (3 ways)";
    },
  },
  {
    id: "sec-C12",
    server: "TLS on an http port, http on a TLS port",
    expected: "http.protocol or http.connection; http.tls",
    bounds: atOnce,
    serve: async (stage) => ({
      url: (await stage.http(() => {})).replace("http:", "https:"),
      tls: (await secure(stage, stage.certificate())).replace("https:", "http:"),
    }),
    async run(context) {
      const plain = await expectRobots(context, context.url(), failed("http.tls"), "http on the port of TLS");
      const { robots } = await context.walk(String(context.site["tls"]), { limits: ONCE });
      const isRight = robots?.code === "http.protocol" || robots?.code === "http.connection";
      context.expect(isRight, `TLS on the port of http: ${outcomeOf(robots)}`);
      return `${plain}; ${outcomeOf(robots)}`;
    },
  },
  {
    id: "sec-C13",
    server: "a certificate chain of 1 MB; control bytes in the name",
    expected: "http.tls, and no message contains the name",
    bounds: { ms: 1500, wireBytes: 1.1 * MIB },
    serve: async (stage) => {
      const own = stage.certificate();
      const nasty = stage.certificate({
        commonName: "\x1b]0;gotcha\x07\x1b[31mred\u009b31m",
        names: ["other.example"],
      });
      const long = { ...own, cert: own.cert + stage.certificate({ selfSigned: true }).cert.repeat(1800) };
      return { url: await secure(stage, long), nasty: await secure(stage, nasty) };
    },
    async run(context) {
      const { robots } = await context.walk(String(context.site["nasty"]), { limits: ONCE });
      context.expectSitemap(robots, failed("http.tls"), "control bytes");
      context.expect(!JSON.stringify(robots).includes("gotcha"), "the name is in the result");
      return expectRobots(context, context.url(), failed("http.tls"), "1 MB");
    },
  },
  {
    id: "sec-C14",
    server: "supports only HTTP/2",
    expected: "http.tls, no retry",
    bounds: { ...atOnce, connections: 1 },
    serve: async (stage) => ({ url: await secure(stage, { ...stage.certificate(), ALPNProtocols: ["h2"] }) }),
    run: (context) => expectRobots(context, context.url(), failed("http.tls")),
  },
  {
    id: "sec-C15",
    server: "offers HTTP/2, on which it would send endless data",
    expected: "HTTP/1.1 is spoken: found",
    bounds: atOnce,
    async serve(stage) {
      const server = createSecureServer({ ...stage.certificate(), allowHTTP1: true });
      server.on("request", (request, response) => {
        if (request.httpVersionMajor === 2) {
          response.writeHead(200);
          setInterval(() => response.write("x".repeat(100_000)), 1);
        } else
          response.end(
            request.url === "/robots.txt"
              ? `Sitemap: https://${request.headers.host}/sitemap.xml\n`
              : sitemap,
          );
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return { url: `https://127.0.0.1:${(server.address() as { port: number }).port}` };
    },
    async run(context) {
      const { document } = await context.walk(context.url());
      context.expectSitemap(document, found);
      return outcomeOf(document);
    },
  },
  {
    id: "sec-C16",
    server: "200 connections that stay open",
    expected: "found; all closed at the end",
    bounds: { ms: 5000 },
    serve: async (stage) => {
      const sitemaps = Array.from({ length: 200 }, (_, n) => `/${n}.xml`);
      const waiting: (() => void)[] = [];
      // Responds when all requests have arrived, so that each has its own connection.
      const behave: RawBehaviour = (socket) => {
        waiting.push(() => socket.write(httpResponse(sitemap)));
        if (waiting.length >= 8) setTimeout(() => waiting.splice(0).forEach((go) => void go()), 5);
        else setTimeout(() => waiting.splice(0).forEach((go) => void go()), 100);
      };
      return { url: await stage.raw(behave, { sitemaps }) };
    },
    async run(context) {
      const { pageCount } = await context.walk(context.url(), { concurrency: 200 });
      context.expectEqual(pageCount, 600, "pages");
      const { connections } = await context.facts();
      return `${pageCount} pages over ${connections} connections`;
    },
  },
  {
    id: "sec-C17",
    server: "an extra response on an idle connection",
    expected: "each request gets its own response",
    bounds: atOnce,
    serve: async (stage) => {
      const behave: RawBehaviour = (socket, { path }) => {
        socket.write(httpResponse(urlset(3, `http://good${path.slice(1)}.example`)), () =>
          setTimeout(() => socket.write(httpResponse(urlset(3, "http://evil.example"))), 20),
        );
      };
      return { url: await stage.raw(behave, { sitemaps: ["/1", "/2", "/3"] }) };
    },
    async run(context) {
      const { pages, pageCount } = await context.walk(context.url(), { concurrency: 1, delayMs: 60 });
      context.expectEqual(pageCount, 9, "pages");
      context.expectEqual(pages.filter(({ url }) => url.includes("evil")).length, 0, "poisoned pages");
      return `${pageCount} pages`;
    },
  },
];

/** 500 addresses of which one responds: the third, or the last. */
const manyAddresses: LookupFunction = (name, _, callback) => {
  const at = name.startsWith("third") ? 2 : 499;
  const addresses = Array.from({ length: 500 }, (_, n) =>
    n === at ? "127.0.0.9" : `127.${1 + (n >> 8)}.${n & 255}.1`,
  );
  callback(
    null,
    addresses.map((address) => ({ address, family: 4 })),
  );
};
