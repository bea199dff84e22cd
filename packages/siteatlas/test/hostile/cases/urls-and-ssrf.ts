/**
 * Hostile URLs, and attempts to make siteatlas request internal addresses (SSRF): sec-U01 to sec-U16.
 *
 * Nothing here leaves loopback: all names resolve to it, and addresses of 127.0.0.0/8 act as public ones. An address
 * that must not be connected to is a listening socket that counts connections (a trap), or is refused before any
 * socket is opened.
 */
import { Resolver } from "node:dns";
import type { LookupFunction } from "node:net";
import type { WalkedSitemap } from "../../../src/walk/events/events.ts";
import { type Context, type HostileCase, outcomeOf, type Stage } from "../case.ts";
import { documentCase, entry, URLSET } from "../documents.ts";
import { namesAt } from "../names.ts";
import { type Route, sitemapIndex, urlset } from "../raw-server.ts";

const NO_LIMIT = { foreignHosts: Number.POSITIVE_INFINITY };

const BLOCKED: Partial<WalkedSitemap> = { outcome: "failed", code: "http.blocked-address" };

/** A port that must not receive connections. Returns `host:port`. */
const openTrap = (stage: Stage, address = "127.0.0.1", port = 0): Promise<string> =>
  stage.tcp((socket) => socket.destroy(), { address, port });

/** Checks that no trap of the case was contacted. */
async function expectUntouched(context: Context): Promise<void> {
  const { connectionsOf } = await context.facts();
  for (const [name, trap] of Object.entries(context.site)) {
    if (!name.startsWith("trap")) continue;
    context.expectEqual(connectionsOf[String(trap)], 0, `connections to ${name}`);
  }
}

/** A header as its bytes in UTF-8. */
const utf8 = (text: string): string => Buffer.from(text).toString("latin1");

const portOf = (url: string | number | undefined): string => new URL(String(url)).port;

/** A site whose robots.txt lists URLs that are derived from its host. */
const siteNaming = (
  stage: Stage,
  make: (host: string) => readonly string[],
  others: Readonly<Record<string, Route>> = {},
  address = "127.0.0.1",
): Promise<string> =>
  stage.http(
    {
      "/robots.txt": ({ headers: { host } }, response) =>
        response.end(
          make(String(host))
            .map((url) => `Sitemap: ${url}\n`)
            .join(""),
        ),
      ...others,
    },
    { address },
  );

const indexOf =
  (make: (host: string) => Iterable<string>): Route =>
  ({ headers: { host } }, response) =>
    response.end(sitemapIndex(make(String(host))));

// ---------------------------------------------------------------- addresses

/** Spellings of this machine. */
const LOOPBACK: readonly string[] = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "0x7f.1",
  "0x7f000001",
  "2130706433",
  "017700000001",
  "0177.0.0.1",
  "127.0.0.1.",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "127.255.255.254",
  "0",
  "0.0.0.0",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "localhost",
  "LOCALHOST.",
];

/** Address of the site, which acts as a public one. */
const PUBLIC = "127.0.0.2";
const onlyPublic = namesAt(
  (name) => (name.startsWith("localhost") ? "127.0.0.1" : PUBLIC),
  (address) => address === PUBLIC,
);

const u01: HostileCase = {
  id: "sec-U01",
  server: `${LOOPBACK.length} spellings of loopback: in robots.txt, as children, behind redirects, as homepage`,
  expected: "failed http.blocked-address, 0 connections",
  async serve(stage) {
    const trap = await openTrap(stage);
    const port = Number(trap.split(":")[1]);
    const others: Record<string, string> = { trap2: await openTrap(stage, "127.255.255.254", port) };
    // Not every machine has IPv6.
    const six = await openTrap(stage, "::1", port).catch(() => undefined);
    if (six !== undefined) others["trap3"] = six;
    const spelled = (path: string): string[] =>
      LOOPBACK.map((form, n) => `http://${form}:${port}/${path}${n}`);
    const url = await siteNaming(
      stage,
      (host) => [
        ...spelled("robots"),
        `http://${host}/index.xml`,
        ...LOOPBACK.map((_, n) => `http://${host}/redirect?${n}`),
      ],
      {
        "/index.xml": indexOf(() => spelled("child")),
        "/redirect": ({ url: path = "" }, response) =>
          response.writeHead(302, { location: utf8(spelled("target")[Number(path.split("?")[1])]!) }).end(),
      },
      PUBLIC,
    );
    return { url: url.replace(PUBLIC, "www.example.com"), trap, ...others };
  },
  async run(context) {
    const { sitemaps } = await context.walk(context.url(), { limits: NO_LIMIT, clientOptions: onlyPublic });
    const led = sitemaps.filter(({ url }) => !/robots\.txt|index\.xml/.test(url));
    context.expectEqual(led.length, 3 * LOOPBACK.length, "URLs of loopback");
    for (const sitemap of led) context.expectSitemap(sitemap, BLOCKED, sitemap.requestedUrl ?? sitemap.url);
    const port = String(context.site["trap"]).split(":")[1];
    for (const form of LOOPBACK) {
      // A shared client has no homepage.
      const { robots } = await context.walk(`http://${form}:${port}/`, {
        clientOptions: { ...onlyPublic, homepage: undefined },
      });
      context.expectSitemap(robots, BLOCKED, `homepage ${form}`);
    }
    // For a homepage on loopback, only its port is allowed.
    const own = await context.walk(context.url().replace("www.example.com", PUBLIC), {
      limits: NO_LIMIT,
      clientOptions: { lookup: onlyPublic.lookup },
    });
    context.expectSitemap(own.robots, { outcome: "found" }, "homepage on loopback");
    const others = own.sitemaps.filter(({ url }) => new URL(url).port === port);
    for (const sitemap of others)
      context.expectSitemap(sitemap, BLOCKED, `from a homepage on loopback: ${sitemap.url}`);
    await expectUntouched(context);
    return `${led.length + LOOPBACK.length + others.length} times ${outcomeOf(led[0])}, 0 connections`;
  },
};

// ---------------------------------------------------------------- other hosts

const SECRETS = { authorization: "Bearer s3cret", cookie: "id=s3cret", "x-api-key": "s3cret" };

/** Hosts that received a request, and hosts that received the caller's headers for the homepage. */
async function seenHosts(context: Context): Promise<{ all: string[]; trusted: string[] }> {
  const { requests } = await context.facts();
  const hosts = (list: typeof requests): string[] =>
    [...new Set(list.map(({ headers }) => String(headers["host"]).split(":")[0]!))].sort();
  return {
    all: hosts(requests),
    trusted: hosts(requests.filter(({ headers }) => JSON.stringify(headers).includes("s3cret"))),
  };
}

const u02: HostileCase = {
  id: "sec-U02",
  server: "children on another host of the site and on another site",
  expected: "followed without the caller's headers; not with crossHost same-site, none",
  serve: async (stage) => {
    const route: Route = (request, response) => {
      const { url = "", headers } = request;
      const port = String(headers.host).split(":")[1];
      if (url === "/robots.txt") return response.end(`Sitemap: http://${headers.host}/index.xml\n`);
      if (url !== "/index.xml") return response.end(urlset(1, `http://${headers.host}`));
      const hosts = ["www.example.com", "cdn.example.com", "other.example.net"];
      return response.end(sitemapIndex(hosts.map((host) => `http://${host}:${port}/s.xml`)));
    };
    return { url: (await stage.http(route)).replace("127.0.0.1", "www.example.com") };
  },
  async run(context) {
    const outcomes: string[] = [];
    const wanted = { follow: 3, "same-site": 2, none: 1 } as const;
    for (const crossHost of ["none", "same-site", "follow"] as const) {
      const { pageCount, sitemaps } = await context.walk(context.url(), {
        crossHost,
        headers: SECRETS,
        clientOptions: namesAt(),
      });
      context.expectEqual(pageCount, wanted[crossHost], `pages with ${crossHost}`);
      const skipped = sitemaps.filter(
        ({ outcome, code }) => outcome === "skipped" && code === "url.cross-host",
      );
      context.expectEqual(skipped.length, 3 - wanted[crossHost], `skipped with ${crossHost}`);
      const { all } = await seenHosts(context);
      context.expectEqual(all.length, wanted[crossHost], `hosts with ${crossHost}`);
      outcomes.push(`${crossHost} ${pageCount} pages`);
    }
    const { trusted } = await seenHosts(context);
    context.expectEqual(trusted, ["www.example.com"], "hosts that got the caller's headers");
    return outcomes.join(", ");
  },
};

const u03: HostileCase = {
  id: "sec-U03",
  server: "pages on another host, on loopback, on a metadata address",
  expected: "found with url.cross-host and url.private-host, never requested",
  bounds: { requests: 2 },
  async serve(stage) {
    const trap = await openTrap(stage);
    const pages = [
      `http://${trap}/a`,
      "http://other.example.net/b",
      "http://169.254.169.254/latest/meta-data/",
    ];
    const url = await stage.http({
      "/sitemap.xml": { body: `${URLSET}${pages.map((page) => entry(page)).join("")}</urlset>` },
    });
    return { url, trap };
  },
  async run(context) {
    const { document, codes } = await context.walk(context.url());
    context.expectSitemap(document, { outcome: "found", pageCount: 3 });
    context.expect(codes.has("url.cross-host"), "no url.cross-host");
    context.expect(codes.has("url.private-host"), "no url.private-host");
    await expectUntouched(context);
    return `${outcomeOf(document)}, 0 connections`;
  },
};

/** Metadata services of clouds, and a link-local address. The one of Azure is within a public range. */
const METADATA = [
  "169.254.169.254",
  "[fd00:ec2::254]",
  "[fe80::a9fe:a9fe]",
  "100.100.100.200",
  "168.63.129.16",
  "[::ffff:a9fe:a9fe]",
  "[2606:4700::5efe:a9fe:a9fe]",
  "169.254.7.7",
];

const u04: HostileCase = {
  id: "sec-U04",
  server: "robots.txt names sitemaps on another host, on loopback, on metadata addresses",
  expected: "the first is found without the caller's headers, the others are blocked, whatever is allowed",
  bounds: { ms: 2000 },
  async serve(stage) {
    const trap = await openTrap(stage);
    const url = await siteNaming(
      stage,
      (host) => [
        `http://other.example.net:${host.split(":")[1]}/s.xml`,
        `http://${trap}/s.xml`,
        ...METADATA.map((address) => `http://${address}/latest/meta-data/`),
      ],
      { "/s.xml": (_, response) => response.end(urlset(3)) },
      PUBLIC,
    );
    return { url: url.replace(PUBLIC, "www.example.com"), trap };
  },
  async run(context) {
    const guarded = await context.walk(context.url(), {
      limits: NO_LIMIT,
      headers: SECRETS,
      clientOptions: onlyPublic,
    });
    context.expectEqual(guarded.pageCount, 3, "pages");
    const led = guarded.sitemaps.filter(({ url }) => !url.includes("example"));
    context.expectEqual(led.length, 1 + METADATA.length, "URLs that are not public");
    for (const sitemap of led) context.expectSitemap(sitemap, BLOCKED, sitemap.url);
    await expectUntouched(context);
    const open = await context.walk(context.url(), {
      limits: NO_LIMIT,
      clientOptions: { lookup: onlyPublic.lookup, allowPrivateNetworks: true },
    });
    const metadata = open.sitemaps.filter(({ url }) => url.includes("meta-data"));
    context.expectEqual(metadata.length, METADATA.length, "metadata URLs");
    for (const sitemap of metadata)
      context.expectSitemap(sitemap, BLOCKED, `allowPrivateNetworks: ${sitemap.url}`);
    const { trusted } = await seenHosts(context);
    context.expectEqual(trusted, ["www.example.com"], "hosts that got the caller's headers");
    return `${guarded.pageCount} pages, ${led.length} times ${outcomeOf(led[0])}`;
  },
};

// ---------------------------------------------------------------- schemes, credentials, length

const SCHEMES = (trap: string): string[] => [
  "file:///etc/passwd",
  `gopher://${trap}/_x`,
  `ftp://${trap}/x`,
  "unix:/var/run/docker.sock",
  "http+unix://%2Fvar%2Frun%2Fdocker.sock/x",
  "data:application/xml,&lt;urlset/>",
  "javascript:alert(1)",
  `ws://${trap}/`,
  `view-source:http://${trap}/`,
  `feed:http://${trap}/`,
  `jar:http://${trap}!/x`,
];

const u05: HostileCase = {
  id: "sec-U05",
  server: "file:, gopher:, ftp:, unix:, data:, javascript: and others, as pages, children and Sitemap lines",
  expected: "dropped with url.unsupported-scheme; nothing requested",
  bounds: { requests: 3 },
  async serve(stage) {
    const trap = await openTrap(stage);
    const schemes = SCHEMES(trap);
    const url = await siteNaming(
      stage,
      (host) => [`http://${host}/index.xml`, `http://${host}/pages.xml`, ...schemes],
      {
        "/index.xml": indexOf(() => schemes),
        "/pages.xml": (_, response) =>
          response.end(`${URLSET}${schemes.map((scheme) => entry(scheme)).join("")}</urlset>`),
      },
    );
    return { url, trap };
  },
  async run(context) {
    const { sitemaps, pageCount, codes, issues } = await context.walk(context.url());
    context.expectEqual(pageCount, 0, "pages");
    context.expectEqual(sitemaps.length, 3, "sitemaps");
    context.expect(codes.has("url.unsupported-scheme"), `no url.unsupported-scheme among ${[...codes]}`);
    await expectUntouched(context);
    const dropped = issues.filter(({ code }) => code === "url.unsupported-scheme").length;
    return `${dropped} times url.unsupported-scheme, 0 connections`;
  },
};

const u06: HostileCase = {
  id: "sec-U06",
  server: "user names and passwords in the URLs of pages, children and Sitemap lines",
  expected: "removed: never sent, in no URL, reason or issue value",
  bounds: { requests: 4 },
  serve: async (stage) => ({
    url: await siteNaming(stage, (host) => [`http://user:hunter2@${host}/index.xml`], {
      "/index.xml": indexOf((host) => [
        `http://user:hunter2@${host}/s.xml`,
        `http://:hunter2@${host}/gone.xml`,
      ]),
      "/s.xml": ({ headers: { host } }, response) =>
        response.end(`${URLSET}${entry(`http://user:hunter2@${host}/page`)}</urlset>`),
    }),
  }),
  async run(context) {
    const { sitemap, sitemaps, issues, pages } = await context.walk(context.url());
    context.expectSitemap(sitemap("/s.xml"), { outcome: "found", pageCount: 1 });
    context.expectEqual(pages[0]?.url, context.url("/page"), "page");
    context.expect(!JSON.stringify(sitemaps).includes("hunter2"), "a password in a sitemap");
    const told = issues.filter(({ value }) => value?.includes("hunter2")).map(({ code }) => code);
    context.expectEqual(told, [], "issues that contain a password");
    const { requests } = await context.facts();
    const sent = requests.filter(
      ({ headers, path }) => headers["authorization"] !== undefined || path.includes("hunter2"),
    );
    context.expectEqual(sent.length, 0, "requests with a password");
    return `${outcomeOf(sitemap("/s.xml"))}, no password reported`;
  },
};

const u07 = documentCase({
  id: "sec-U07",
  server: "URLs of 3, 10 and 60 KB and of 1 MB, as pages and children",
  expected:
    "beyond 8,192 characters dropped with url.too-long or xml.too-long, reported in at most 200 characters",
  documents: {
    pages: {
      body: (at) =>
        `${URLSET}${entry(`${at}/a`)}${[3000, 10_000, 60_000, 1_000_000]
          .map((length) => entry(`${at}/${"x".repeat(length)}`))
          .join("")}${entry(`${at}/b`)}</urlset>`,
      ends: { outcome: "found", pageCount: 3 },
      codes: ["url.too-long", "xml.too-long"],
    },
    children: {
      body: (at) => sitemapIndex([10_000, 60_000, 1_000_000].map((length) => `${at}/${"x".repeat(length)}`)),
      ends: { outcome: "found", childCount: 0 },
      codes: ["url.too-long", "xml.too-long"],
    },
  },
  check(context, { issues }) {
    const longest = Math.max(...issues.map(({ value = "" }) => value.length));
    context.expect(longest <= 200, `a value of ${longest} characters`);
  },
});

// ---------------------------------------------------------------- spelling

const u08: HostileCase = {
  id: "sec-U08",
  server: "NUL, CR LF, ESC, bidi and zero-width characters in the URLs of pages and children",
  expected: "URLs are printable ASCII; no header is injected",
  serve: async (stage) => {
    const urls = (host: string): string[] => [
      `http://${host}/1\0x`,
      `http://${host}/2?x&#13;&#10;X-Evil: 1&#13;&#10;`,
      `http://${host}/3%0d%0aX-Evil:%201`,
      `http://${host}/4 HTTP/1.1\r\nX-Evil: 1\r\n\r\n`,
      `http://${host}/5\u001b[2J\u009b31m`,
      `http://${host}/6\u202egnp.exe`,
      `http://${host}/7\u200b\ufeff\u00ad`,
      `http://${host}&#13;&#10;X-Evil: 1/8`,
    ];
    return {
      url: await siteNaming(stage, (host) => [`http://${host}/index.xml`, `http://${host}/pages.xml`], {
        "/index.xml": indexOf(urls),
        "/pages.xml": ({ headers: { host } }, response) =>
          response.end(
            `${URLSET}${urls(String(host))
              .map((url) => entry(url))
              .join("")}</urlset>`,
          ),
      }),
    };
  },
  async run(context) {
    const { pages, sitemaps } = await context.walk(context.url());
    const { requests } = await context.facts();
    const urls = [...pages, ...sitemaps].map(({ url }) => url);
    context.expectEqual(
      urls.filter((url) => !/^https?:\/\/[\x21-\x7e]+$/.test(url)),
      [],
      "URLs that are not printable ASCII",
    );
    const injected = requests.filter(({ headers }) => headers["x-evil"] !== undefined);
    context.expectEqual(injected.length, 0, "requests with an injected header");
    context.expect(pages.length >= 6, `${pages.length} pages`);
    return `${pages.length} pages, ${requests.length} requests, none with an injected header`;
  },
};

const u09: HostileCase = {
  id: "sec-U09",
  server: "homographs, punycode and sharp s in the hosts of homepage, children and pages",
  expected: "punycode everywhere",
  serve: async (stage) => {
    const route: Route = ({ url = "", headers: { host = "" } }, response) => {
      const port = host.split(":")[1];
      if (url === "/robots.txt") return response.end(`Sitemap: http://аpple.example:${port}/s.xml\n`);
      const hosts = ["аpple.example", "xn--pple-43d.example", "faß.example", "BÜCHER.example"];
      return response.end(`${URLSET}${hosts.map((name) => entry(`http://${name}/`)).join("")}</urlset>`);
    };
    return { url: (await stage.http(route)).replace("127.0.0.1", "faß.example") };
  },
  async run(context) {
    const { pages } = await context.walk(context.url(), { clientOptions: namesAt() });
    const hosts = pages.map(({ url }) => new URL(url).hostname);
    context.expectEqual(
      hosts,
      ["xn--pple-43d.example", "xn--fa-hia.example", "xn--bcher-kva.example"],
      "hosts of pages",
    );
    const { all } = await seenHosts(context);
    context.expectEqual(all, ["xn--fa-hia.example", "xn--pple-43d.example"], "hosts that were asked");
    return hosts.join(", ");
  },
};

const u10: HostileCase = {
  id: "sec-U10",
  server:
    "one child in seven spellings: case, escapes, dots at the end of the host and in the path, its port",
  expected: "requested once",
  bounds: { requests: 3 },
  serve: async (stage) => {
    const url = await siteNaming(stage, (host) => [`http://${host}/index.xml`], {
      "/index.xml": indexOf((host) => {
        const [name = "", port] = host.split(":");
        return [
          `http://${host}/s.xml`,
          `http://${name.toUpperCase()}:${port}/s.xml`,
          `http://${name.replace("a", "%61")}:${port}/s.xml`,
          `http://${name}:0${port}/s.xml`,
          `http://${name}.:${port}/s.xml`,
          `http://${host}/x/../s.xml`,
          `HTTP://${host}/./s.xml#top`,
        ];
      }),
      "/s.xml": (_, response) => response.end(urlset(2)),
    });
    return { url: url.replace("127.0.0.1", "www.example.com") };
  },
  async run(context) {
    const { pageCount } = await context.walk(context.url(), { clientOptions: namesAt() });
    const { requests } = await context.facts();
    const asked = requests.filter(({ path }) => path.endsWith("s.xml")).length;
    context.expectEqual([asked, pageCount], [1, 2], "requests and pages");
    return `${asked} request, ${pageCount} pages`;
  },
};

const u11: HostileCase = {
  id: "sec-U11",
  server: "URLs that parsers read differently: backslash, @, # and ? in front of another host",
  expected: "parsed as by WHATWG: the other host is never requested",
  serve: async (stage) => ({
    url: (
      await siteNaming(stage, (host) => [`http://${host}/index.xml`, `http://${host}/redirect`], {
        "/index.xml": indexOf((host) => [
          `http://${host}\\@evil.example/1`,
          `http://${host}/@evil.example/2`,
          `http://${host}?@evil.example/3`,
          `http://${host}#@evil.example/4`,
          `http://${host}\\.evil.example/5`,
          `http:\\\\${host}\\\\evil.example/6`,
          `http://${host}/%5c@evil.example/7`,
        ]),
        "/redirect": ({ headers: { host } }, response) =>
          response.writeHead(302, { location: `http://${host}\\@evil.example/8` }).end(),
      })
    ).replace("127.0.0.1", "www.example.com"),
  }),
  async run(context) {
    const asked: string[] = [];
    const names = namesAt((name) => {
      asked.push(name);
      return "127.0.0.1";
    });
    const { sitemaps } = await context.walk(context.url(), { clientOptions: names });
    const { all } = await seenHosts(context);
    context.expectEqual(all, ["www.example.com"], "hosts that were asked");
    context.expectEqual([...new Set(asked)], ["www.example.com"], "names that were looked up");
    return `${sitemaps.length - 1} URLs, all on ${all[0]}`;
  },
};

/** SSH, SMTP, Redis, IRC, amanda. */
const PORTS = [22, 25, 6379, 6667, 10_080];
/** An address where these ports are free on any machine. */
const PORTS_ADDRESS = "127.86.86.86";

const u12: HostileCase = {
  id: "sec-U12",
  server: "ports 22, 25, 6379 and others, in robots.txt, as children, behind redirects",
  expected: "failed http.blocked-port, 0 connections",
  async serve(stage) {
    const traps: [string, string][] = [];
    for (const port of PORTS) {
      // Ports below 1024 need root.
      const trap = await openTrap(stage, PORTS_ADDRESS, port).catch(() => undefined);
      if (trap !== undefined) traps.push([`trap${port}`, trap]);
    }
    const urls = (path: string): string[] => PORTS.map((port) => `http://ports.example.com:${port}/${path}`);
    const url = await siteNaming(
      stage,
      (host) => [
        ...urls("a"),
        `http://${host}/index.xml`,
        ...PORTS.map((port) => `http://${host}/redirect?${port}`),
      ],
      {
        "/index.xml": indexOf(() => urls("b")),
        "/redirect": ({ url: path = "" }, response) =>
          response.writeHead(302, { location: `http://ports.example.com:${path.split("?")[1]}/c` }).end(),
      },
    );
    return { url: url.replace("127.0.0.1", "www.example.com"), ...Object.fromEntries(traps) };
  },
  async run(context) {
    const names = namesAt((name) => (name.startsWith("ports") ? PORTS_ADDRESS : "127.0.0.1"));
    const { sitemaps } = await context.walk(context.url(), { clientOptions: names });
    const led = sitemaps.filter(({ url }) => url.includes("ports.example.com"));
    context.expectEqual(led.length, 3 * PORTS.length, "URLs with such ports");
    for (const sitemap of led) {
      context.expectSitemap(sitemap, { outcome: "failed", code: "http.blocked-port" }, sitemap.url);
    }
    await expectUntouched(context);
    context.note(`${Object.keys(context.site).length - 1} of ${PORTS.length} ports with a trap`);
    return `${led.length} times ${outcomeOf(led[0])}, 0 connections`;
  },
};

const u13: HostileCase = {
  id: "sec-U13",
  server: "relative URLs of pages and children: /a, a.xml, //host/a, ?a, behind a redirect",
  expected: "resolved against the URL after redirects, with url.relative",
  serve: async (stage) => ({
    url: await siteNaming(stage, (host) => [`http://${host}/moved.xml`], {
      "/moved.xml": (_, response) => response.writeHead(301, { location: "/dir/index.xml" }).end(),
      "/dir/index.xml": indexOf((host) => ["/a.xml", "b.xml", `//${host}/c.xml`, "?d"]),
      "/dir/b.xml": (_, response) =>
        response.end(`${URLSET}${["/e", "f.html", "../g"].map((url) => entry(url)).join("")}</urlset>`),
    }),
  }),
  async run(context) {
    const { sitemaps, pages, codes } = await context.walk(context.url());
    const paths = sitemaps
      .filter(({ level }) => level === 2)
      .map(({ url }) => url.slice(context.url("").length));
    context.expectEqual(paths.sort(), ["/a.xml", "/c.xml", "/dir/b.xml", "/dir/index.xml?d"], "children");
    const urls = pages.map(({ url }) => url.slice(context.url("").length));
    context.expectEqual(urls, ["/e", "/dir/f.html", "/g"], "pages");
    context.expect(codes.has("url.relative"), "no url.relative");
    return `${paths.length} children, ${urls.length} pages`;
  },
};

// ---------------------------------------------------------------- names

/** Invalid DNS names: a label of 64 characters, 400 characters, an empty label. */
const IMPOSSIBLE = [
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(200)}example`,
  "a..example",
  `${"x".repeat(300)}`,
];

/** Queries a DNS server on loopback with c-ares. */
function resolverAt(port: number): LookupFunction {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  return (name, _options, callback) => {
    resolver.resolve4(name, (error, addresses) => {
      if (error) callback(error, []);
      else
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
    });
  };
}

const u14: HostileCase = {
  id: "sec-U14",
  server: "hosts with a label of 64 characters, of 400 characters, with an empty label",
  expected: "failed http.dns, once each",
  bounds: { ms: 3000 },
  async serve(stage) {
    const dns = await stage.dns((name) =>
      name === "www.example.com" ? { addresses: ["127.0.0.1"] } : "no-such-name",
    );
    const url = await siteNaming(stage, (host) =>
      IMPOSSIBLE.map((name) => `http://${name}:${host.split(":")[1]}/s.xml`),
    );
    return { url: url.replace("127.0.0.1", "www.example.com"), dns };
  },
  async run(context) {
    const { sitemaps } = await context.walk(context.url(), {
      clientOptions: { lookup: resolverAt(Number(context.site["dns"])), allow: () => true },
    });
    const led = sitemaps.filter(({ url }) => url.endsWith("/s.xml"));
    context.expect(led.length >= 3, `${led.length} of ${IMPOSSIBLE.length} were tried`);
    for (const sitemap of led) {
      context.expectSitemap(sitemap, { outcome: "failed", code: "http.dns" }, sitemap.url.slice(0, 60));
    }
    return `${led.length} times ${outcomeOf(led[0])}`;
  },
};

const u15: HostileCase = {
  id: "sec-U15",
  server: "__proto__ and constructor as hosts, parameters, headers and media types",
  expected: "found like other sitemaps; no prototype changed",
  serve: async (stage) => {
    const route: Route = ({ url = "", headers: { host = "" } }, response) => {
      const port = host.split(":")[1];
      response.setHeader("__proto__", "x");
      response.setHeader("constructor", "x");
      if (url === "/robots.txt") {
        const names = ["__proto__", "constructor", "__proto__.example.com"];
        return response.end(
          names.map((name) => `Sitemap: http://${name}:${port}/s.xml?__proto__=1&constructor=2\n`).join(""),
        );
      }
      response.setHeader("content-type", "__proto__/constructor; charset=__proto__");
      return response.end(
        `<urlset xmlns:__proto__="constructor"><url __proto__="1" constructor="2"><loc>http://${host}/__proto__?a[__proto__][x]=1</loc>` +
          "<__proto__:__proto__>1</__proto__:__proto__><changefreq>constructor</changefreq><priority>__proto__</priority></url></urlset>",
      );
    };
    return { url: (await stage.http(route)).replace("127.0.0.1", "__proto__") };
  },
  async run(context) {
    const before = JSON.stringify(Reflect.ownKeys(Object.prototype).map(String));
    const { pages, sitemaps } = await context.walk(context.url(), { clientOptions: namesAt() });
    context.expectEqual(pages.length, 3, "pages");
    context.expectEqual(sitemaps.filter(({ outcome }) => outcome === "found").length, 4, "sitemaps found");
    context.expectEqual(pages[0]?.changeFrequency, undefined, "change frequency");
    context.expectEqual(
      JSON.stringify(Reflect.ownKeys(Object.prototype).map(String)),
      before,
      "Object.prototype",
    );
    return `${sitemaps.length} sitemaps, ${pages.length} pages`;
  },
};

const u16: HostileCase = {
  id: "sec-U16",
  server: "behind a proxy: children on loopback, private and metadata addresses, bad ports",
  expected: "blocked before the proxy is contacted; the proxy resolves names",
  async serve(stage) {
    const trap = await openTrap(stage);
    const proxy = await stage.http(({ url = "" }, response) => {
      if (!url.startsWith("http://public.example/")) return response.writeHead(502).end();
      if (!url.endsWith("/robots.txt")) return response.end(urlset(3));
      const targets = [
        "public.example/s.xml",
        "169.254.169.254/x",
        `${trap}/x`,
        "[::1]/x",
        "localhost/x",
        "a.localhost/x",
        "10.0.0.1/x",
        "2130706433/x",
        "[::ffff:10.0.0.1]/x",
        "public.example:6379/x",
      ];
      return response.end(targets.map((target) => `Sitemap: http://${target}\n`).join(""));
    });
    return { proxy, trap };
  },
  async run(context) {
    const { pageCount, sitemaps } = await context.walk("http://public.example/", {
      limits: NO_LIMIT,
      clientOptions: { proxy: String(context.site["proxy"]) },
    });
    context.expectEqual(pageCount, 3, "pages");
    const blocked = sitemaps.filter(({ url }) => url.endsWith("/x"));
    context.expectEqual(blocked.length, 9, "URLs to block");
    for (const sitemap of blocked) {
      const code = portOf(sitemap.url) === "6379" ? "http.blocked-port" : "http.blocked-address";
      context.expectSitemap(sitemap, { outcome: "failed", code }, sitemap.url);
    }
    const { requests } = await context.facts();
    const passed = requests
      .map(({ path }) => path)
      .filter((path) => !/^http:\/\/public\.example\//.test(path));
    context.expectEqual(passed, [], "requests that the proxy saw");
    await expectUntouched(context);
    return `${blocked.length} blocked, ${pageCount} pages through the proxy`;
  },
};

export const cases: readonly HostileCase[] = [
  u01,
  u02,
  u03,
  u04,
  u05,
  u06,
  u07,
  u08,
  u09,
  u10,
  u11,
  u12,
  u13,
  u14,
  u15,
  u16,
];
