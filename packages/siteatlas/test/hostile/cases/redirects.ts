/** Hostile redirects, and the caller's credentials: sec-R01 to sec-R14. */
import type { Socket } from "node:net";
import type { WalkedSitemap } from "../../../src/walk/events/events.ts";
import { type Context, type HostileCase, outcomeOf, type SeenRequest, type Stage } from "../case.ts";
import { httpResponse, type RawBehaviour, sitemapIndex, urlset } from "../raw-server.ts";
import { type Variants, variantsOf } from "../variants.ts";

const sitemap = urlset(3);
const found = { outcome: "found", pageCount: 3 } as const;
const atOnce = { ms: 1000 };
const failed = (code: WalkedSitemap["code"]): Partial<WalkedSitemap> => ({ outcome: "failed", code: code! });

const redirect = (location: string, status = "302 Found"): Buffer => httpResponse("", { location }, status);

/** A header as its bytes in UTF-8. */
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

/** Redirects to each of these URLs, with the expected outcome. */
const redirects = (targets: Readonly<Record<string, string>>, wanted: Partial<WalkedSitemap>): Variants =>
  Object.fromEntries(
    Object.entries(targets).map(([name, target]) => [
      name,
      { behave: (socket) => socket.write(redirect(target)), wanted },
    ]),
  );

/** The caller's headers, for the origin of the homepage only. */
const SECRETS: Readonly<Record<string, string>> = {
  authorization: "Bearer secret",
  cookie: "session=secret",
  "proxy-authorization": "Basic secret",
  "x-api-key": "secret",
};

const hasSecret = ({ headers }: SeenRequest): boolean => JSON.stringify(headers).includes("secret");

/** All of loopback is allowed, as if it were public. */
const OPEN = { allow: ["127.0.0.0/8"] } as const;

/** A host that responds to everything with a sitemap. */
const honest = (stage: Stage, options: Parameters<Stage["http"]>[1] = {}): Promise<string> =>
  stage.http({ "/sitemap.xml": { body: sitemap }, "/robots.txt": { body: "" } }, options);

/** No request to another origin may have the caller's headers. */
async function expectNoLeak(context: Context): Promise<void> {
  const { requests } = await context.facts();
  const leaks = requests.filter((request) => request.server !== context.site["url"] && hasSecret(request));
  context.expectEqual(
    leaks.map(({ server, path }) => server + path),
    [],
    "credentials sent elsewhere",
  );
  context.expect(
    requests.some((request) => request.server === context.site["url"] && hasSecret(request)),
    "credentials were never sent at all",
  );
}

export const cases: readonly HostileCase[] = [
  {
    id: "sec-R01",
    server: "redirects to itself, in a cycle of two, to an empty Location",
    expected: "http.redirect-loop on the first repetition",
    bounds: { ...atOnce, requests: 5 },
    ...variantsOf({
      itself: {
        path: "/a",
        behave: (socket) => socket.write(redirect("/a")),
        wanted: failed("http.redirect-loop"),
      },
      circle: {
        path: "/b",
        behave: (socket, { path }) => socket.write(redirect(path === "/b" ? "/b?2" : "/b")),
        wanted: failed("http.redirect-loop"),
      },
      empty: {
        path: "/c",
        behave: (socket) => socket.write(redirect("")),
        wanted: failed("http.redirect-loop"),
      },
    }),
  },
  {
    id: "sec-R02",
    server: "endless redirects, each to a new URL",
    expected: "http.too-many-redirects after ten",
    bounds: { ...atOnce, requests: 12 },
    ...variantsOf({
      endless: {
        behave: (socket, { nth }) => socket.write(redirect(`/0?${nth}`)),
        wanted: failed("http.too-many-redirects"),
      },
    }),
  },
  {
    id: "sec-R03",
    server: "redirects to file:, data:, javascript:, ftp:, mailto:, unix:",
    expected: "http.redirect-scheme",
    bounds: { ...atOnce, requests: 7 },
    ...variantsOf(
      redirects(
        {
          file: "file:///etc/passwd",
          data: `data:text/xml,${encodeURIComponent(sitemap)}`,
          javascript: "javascript:alert(1)",
          ftp: "ftp://127.0.0.1/sitemap.xml",
          mailto: "mailto:a@example.com",
          unix: "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
        },
        failed("http.redirect-scheme"),
      ),
    ),
  },
  {
    id: "sec-R04",
    server: "redirects to loopback in many spellings, to metadata services and to 0.0.0.0",
    expected: "http.blocked-address without a connection",
    bounds: atOnce,
    serve: async (stage) => {
      // One port on several addresses. Counts connections.
      const trap = (socket: Socket): unknown => socket.end(httpResponse(sitemap));
      const port = Number((await stage.tcp(trap)).split(":")[1]);
      await stage.tcp(trap, { address: "127.0.0.2", port });
      // Some machines have no IPv6.
      await stage.tcp(trap, { address: "::1", port }).catch(() => {});
      const hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "127。0。0。1",
        "0.0.0.0",
        "0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "localhost",
        "127.0.0.2",
        "169.254.169.254",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "168.63.129.16",
        "10.0.0.1",
        "192.168.1.1",
      ];
      const behave: RawBehaviour = (socket, { path }) =>
        socket.write(redirect(utf8(`http://${hosts[Number(path.slice(1))]}:${port}/trap${path}`)));
      const url = await stage.raw(behave, { sitemaps: hosts.map((_, at) => `/${at}`) });
      return { url, port, count: hosts.length };
    },
    async run(context) {
      const walked = await context.walk(context.url(), { limits: { foreignHosts: 100 } });
      const count = Number(context.site["count"]);
      for (let at = 0; at < count; at++) {
        context.expectSitemap(walked.sitemap(`/${at}`), failed("http.blocked-address"), `target ${at}`);
      }
      const { connectionsOf } = await context.facts();
      const trapped = Object.entries(connectionsOf).filter(([name]) =>
        name.endsWith(`:${context.site["port"]}`),
      );
      context.expect(trapped.length >= 2, "the test servers are not listening");
      context.expectEqual(
        trapped.filter(([, count]) => count > 0),
        [],
        "connections to blocked addresses",
      );
      return `${count} targets: http.blocked-address, no connection`;
    },
  },
  {
    id: "sec-R05",
    server: "redirects to user:password@other",
    expected: "followed without them, url.credentials",
    bounds: atOnce,
    serve: async (stage) => {
      const other = await honest(stage, { address: "127.0.0.2" });
      const url = await stage.raw((socket) =>
        socket.write(redirect(`${other.replace("//", "//user:secret@")}/sitemap.xml`)),
      );
      return { url, other };
    },
    async run(context) {
      const { document, codes } = await context.walk(context.url(), { clientOptions: OPEN });
      context.expectSitemap(document, found);
      context.expect(codes.has("url.credentials"), "no url.credentials");
      const { requests } = await context.facts();
      const leaks = requests.filter(({ headers }) => "authorization" in headers);
      context.expectEqual(leaks.length, 0, "requests with Authorization");
      context.expect(!JSON.stringify(document).includes("secret"), "the password is in the result");
      return outcomeOf(document);
    },
  },
  {
    id: "sec-R06",
    server: "redirects to another host, port and scheme",
    expected: "followed; the caller's headers are sent only to the origin of the homepage",
    bounds: atOnce,
    serve: async (stage) => {
      const host = await honest(stage, { address: "127.0.0.2" });
      const port = await honest(stage);
      const scheme = await honest(stage, { tls: stage.certificate() });
      const targets = [host, port, scheme];
      const behave: RawBehaviour = (socket, { path }) =>
        socket.write(redirect(`${targets[Number(path.slice(1))]}/sitemap.xml`));
      return { url: await stage.raw(behave, { sitemaps: ["/0", "/1", "/2"] }) };
    },
    async run(context) {
      const walked = await context.walk(context.url(), { headers: SECRETS, clientOptions: OPEN });
      for (const path of ["/0", "/1", "/2"]) context.expectSitemap(walked.sitemap(path), found, path);
      await expectNoLeak(context);
      return outcomeOf(walked.sitemap("/2"));
    },
  },
  {
    id: "sec-R07",
    server: "redirects from https to http",
    expected: "followed without credentials, http.downgrade; with httpsOnly not followed",
    bounds: atOnce,
    serve: async (stage) => {
      const plain = await honest(stage);
      const url = await stage.http(
        { "/sitemap.xml": { status: 302, headers: { location: `${plain}/sitemap.xml` } } },
        { tls: stage.certificate() },
      );
      return { url, plain };
    },
    async run(context) {
      const { document, codes } = await context.walk(context.url(), {
        headers: SECRETS,
        clientOptions: OPEN,
      });
      context.expectSitemap(document, found);
      context.expect(codes.has("http.downgrade"), "no http.downgrade");
      await expectNoLeak(context);
      const plain = async (): Promise<number> =>
        (await context.facts()).requests.filter(({ server }) => server === context.site["plain"]).length;
      const before = await plain();
      const strict = await context.walk(context.url(), { httpsOnly: true, clientOptions: OPEN });
      context.expectSitemap(strict.document, { outcome: "skipped", code: "http.downgrade" }, "httpsOnly");
      context.expectEqual(await plain(), before, "requests over plain http with httpsOnly");
      return `${outcomeOf(document)}; httpsOnly: ${outcomeOf(strict.document)}`;
    },
  },
  {
    id: "sec-R08",
    server: "Location as //host, /\\host, with a tab, relative, ?q, in bare UTF-8, with a fragment",
    expected: "resolved as the URL standard does",
    bounds: atOnce,
    serve: async (stage) => {
      const other = await honest(stage, { address: "127.0.0.2" });
      const host = other.slice("http:".length);
      const targets = [
        `${host}/sitemap.xml`,
        `/\\${host.slice(2)}/sitemap.xml`,
        `\t${other}/sitemap.xml`,
        "to/x",
        "?q",
        "/caf\xc3\xa9",
        "/f#part",
      ];
      const url: string = await stage.raw(
        (socket, { path }) => {
          const target = targets[Number(path.slice(2))];
          if (path.startsWith("/d") && target !== undefined && !path.includes("?"))
            socket.write(Buffer.from(redirect(target).toString("latin1"), "latin1"));
          else if (["/to/x", "/d4?q", "/caf%C3%A9", "/f"].includes(path)) socket.write(httpResponse(sitemap));
          else socket.write(httpResponse("", {}, "404 Not Found"));
        },
        { sitemaps: targets.map((_, at) => `/d${at}`) },
      );
      return { url };
    },
    async run(context) {
      const walked = await context.walk(context.url(), { clientOptions: OPEN });
      const ends = [0, 1, 2, 3, 4, 5, 6].map((at) => {
        const one = walked.sitemap(`/d${at}`);
        // The first three redirect to one document, which is read once.
        context.expect(
          one?.outcome === "found" || (at < 3 && one?.outcome === "shared"),
          `/d${at}: ${outcomeOf(one)}`,
        );
        return one?.url.replace(/.*:\d+/, "");
      });
      context.expectEqual(
        ends,
        [...Array<string>(3).fill("/sitemap.xml"), "/to/x", "/d4?q", "/caf%C3%A9", "/f"],
        "targets",
      );
      return ends.join(" ");
    },
  },
  {
    id: "sec-R09",
    server: "redirects to an invalid URL, to port 99999, a Location of 9 KB and of 60 KB",
    expected: "http.bad-redirect",
    bounds: atOnce,
    ...variantsOf(
      redirects(
        {
          "no host": "http://",
          bracket: "http://[",
          "port 99999": "http://127.0.0.1:99999/",
          "9 KB": `/${"x".repeat(9000)}`,
          "60 KB": `/${"x".repeat(60_000)}`,
        },
        failed("http.bad-redirect"),
      ),
    ),
  },
  {
    id: "sec-R10",
    server: "Location with 300, 304, 305, 306 and with 301, 302, 303, 307, 308",
    expected: "only the latter are followed",
    bounds: atOnce,
    ...variantsOf(
      Object.fromEntries(
        [300, 304, 305, 306, 301, 302, 303, 307, 308].map((status, at) => [
          String(status),
          {
            behave: (socket, { path }) =>
              socket.write(
                path.includes("?") ? httpResponse(sitemap) : redirect(`/${at}?to`, `${status} Elsewhere`),
              ),
            wanted: at < 4 ? failed("http.status") : found,
          },
        ]),
      ),
    ),
  },
  {
    id: "sec-R11",
    server: "robots.txt that redirects to another host",
    expected: "followed; its rules apply to the site",
    bounds: atOnce,
    serve: async (stage) => {
      const url: string = await stage.http({
        "/robots.txt": (_, response) =>
          response.writeHead(301, { location: `${other}/elsewhere/rules.txt` }).end(),
        "/sitemap.xml": { body: sitemap },
        "/secret/sitemap.xml": { body: sitemap },
      });
      const other: string = await stage.http(
        {
          "/elsewhere/rules.txt": { body: `User-agent: *\nDisallow: /secret/\nSitemap: ${url}/index.xml\n` },
        },
        { address: "127.0.0.2" },
      );
      return { url, other };
    },
    async run(context) {
      const walked = await context.walk(context.url(), {
        clientOptions: OPEN,
        respectRobots: true,
        extraKnownPaths: ["secret/sitemap.xml"],
        useKnownPaths: true,
      });
      context.expectSitemap(walked.robots, { outcome: "found", format: "robots" }, "robots.txt");
      context.expectSitemap(
        walked.sitemap("/secret/sitemap.xml"),
        { outcome: "skipped", code: "robots.disallowed" },
        "/secret/sitemap.xml",
      );
      context.expectSitemap(walked.document, found);
      return outcomeOf(walked.document);
    },
  },
  {
    id: "sec-R12",
    server: "a child that redirects to the index above it",
    expected: "index.cycle, the index is read once",
    bounds: { ...atOnce, requests: 3 },
    serve: async (stage) => {
      const url: string = await stage.raw((socket, { path }) =>
        socket.write(
          path === "/sitemap.xml"
            ? httpResponse(sitemapIndex([`${url}/child.xml`]))
            : redirect("/sitemap.xml"),
        ),
      );
      return { url };
    },
    async run(context) {
      const walked = await context.walk(context.url());
      const child = walked.sitemap("/child.xml");
      context.expectSitemap(child, failed("index.cycle"));
      return outcomeOf(child);
    },
  },
  {
    id: "sec-R13",
    server: "meta refresh, a script that redirects, a Refresh header",
    expected: "content.html, not followed",
    bounds: { ...atOnce, requests: 4 },
    ...variantsOf({
      meta: {
        behave: (socket) =>
          socket.write(
            httpResponse(
              '<!DOCTYPE html><html><head><meta http-equiv="refresh" content="0; url=/x"></head></html>',
            ),
          ),
        wanted: failed("content.html"),
      },
      script: {
        behave: (socket) => socket.write(httpResponse('<html><script>location="/x"</script></html>')),
        wanted: failed("content.html"),
      },
      header: {
        behave: (socket) => socket.write(httpResponse("<html></html>", { refresh: "0; url=/x" })),
        wanted: failed("content.html"),
      },
    }),
  },
  {
    id: "sec-R14",
    server: "a proxy in the environment; a proxy by option, and a redirect from http to https",
    expected: "the environment is ignored; each hop uses the proxy",
    bounds: atOnce,
    serve: async (stage) => {
      const secure = await honest(stage, { tls: stage.certificate() });
      const url = await stage.raw((socket) => socket.write(redirect(`${secure}/sitemap.xml`)));
      const lines: string[] = [];
      const proxy = await stage.tcp((socket) =>
        socket.once("data", (bytes) => {
          const line = bytes.toString("latin1").split("\r\n")[0]!;
          lines.push(line);
          if (line.startsWith("GET /lines")) return socket.end(httpResponse(JSON.stringify(lines)));
          socket.end(
            line.startsWith("CONNECT ") ? "HTTP/1.1 502 No\r\n\r\n" : redirect(`${secure}/sitemap.xml`),
          );
        }),
      );
      return { url, secure, proxy: `http://${proxy}` };
    },
    async run(context) {
      const proxy = String(context.site["proxy"]);
      const trap = proxy.slice("http://".length);
      for (const name of ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"])
        process.env[name] = proxy;
      const direct = await context.walk(context.url(), { clientOptions: OPEN });
      context.expectSitemap(direct.document, found, "without a proxy");
      context.expectEqual(
        (await context.facts()).connectionsOf[trap],
        0,
        "connections to the proxy of the environment",
      );
      await context.walk("http://site.example/", { clientOptions: { ...OPEN, proxy } });
      const lines = (await (await fetch(`${proxy}/lines`)).json()) as string[];
      context.expect(
        lines[0]?.startsWith("GET http://site.example/robots.txt ") === true,
        `the proxy saw ${lines[0]}`,
      );
      context.expect(
        lines.some((line) => line.startsWith("CONNECT 127.0.0.1:")),
        `the proxy saw ${lines.join(", ")}`,
      );
      return `environment ignored; ${lines
        .slice(0, 2)
        .map((line) => line.split(" ")[0])
        .join(", then ")}`;
    },
  },
];
