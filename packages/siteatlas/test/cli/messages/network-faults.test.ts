/** Each fault of the network has a message of its own, with a hint that helps. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAuthority } from "../../support/certificates.ts";
import { openProxy } from "../../support/connect-proxy.ts";
import { closedPort, serveRaw } from "../../support/http-server.ts";
import { openSite, robotsTxt, urlset } from "../../support/test-site.ts";
import { hasOpenssl, openTlsSite } from "../../support/tls-site.ts";
import { buildCli, type CliResult, emptyFolder, runCli } from "../support/cli.ts";

buildCli();

const ROBOTS: RequestListener = (_, response) => void response.end(robotsTxt([]));

const ls = (url: string, ...more: readonly string[]): Promise<CliResult> =>
  runCli(["ls", url, "--retries", "0", ...more]);

function expectError({ code, stderr }: CliResult, text: string, hint: string): void {
  expect([code, stderr]).toEqual([3, `error: ${text}\n  ${hint}\n`]);
}

describe.runIf(hasOpenssl)("TLS", () => {
  const authority = hasOpenssl ? createAuthority() : undefined!;
  const trust = ["--cacert", hasOpenssl ? authority.caFile : ""];

  it("with a certificate that has expired", async () => {
    const url = await openTlsSite(ROBOTS, authority.issue({ days: -1 }));
    const { host } = new URL(url);
    const { stderr } = await ls(url, ...trust);
    expect(stderr).toMatch(
      new RegExp(`^error: the certificate of ${host} expired on \\d{4}-\\d\\d-\\d\\d\n`),
    );
    expect(stderr).toContain("\n  The site has to renew it. Until then, skip the check with --insecure.\n");
  });

  it("with a certificate that is self-signed", async () => {
    const url = await openTlsSite(ROBOTS);
    expectError(
      await ls(url),
      `the certificate of ${new URL(url).host} is self-signed`,
      "Trust it with --cacert FILE or NODE_EXTRA_CA_CERTS, or skip the check with --insecure.",
    );
  });

  it("with a certificate for another name", async () => {
    const url = await openTlsSite(ROBOTS, authority.issue({ names: ["www.other.example"] }));
    expectError(
      await ls(url, ...trust),
      `the certificate of ${new URL(url).host} is for another host: www.other.example`,
      "Use a host name that the certificate covers, or skip the check with --insecure.",
    );
  });

  it("without the intermediate certificate", async () => {
    const url = await openTlsSite(
      ROBOTS,
      authority.issue({ intermediate: "missing", hasIssuerAddress: true }),
    );
    expectError(
      await ls(url, ...trust),
      `the certificate of ${new URL(url).host} cannot be verified: the server does not send the certificate of its issuer (Test Intermediate)`,
      "The site has to send its intermediate certificate. Until then, add it with --cacert FILE, or skip the check with --insecure.",
    );
  });

  it("with a certificate of a private authority, or without the intermediate certificate", async () => {
    const url = await openTlsSite(ROBOTS, authority.issue());
    expectError(
      await ls(url),
      `the issuer of the certificate of ${new URL(url).host} is not known (Test Root): it is a private authority, or the server does not send an intermediate certificate`,
      "If it is a private authority, trust it with --cacert FILE or NODE_EXTRA_CA_CERTS. If not, the site has to send its intermediate certificate. Until then, skip the check with --insecure.",
    );
  });

  it("of an old version", async () => {
    const url = await openTlsSite(ROBOTS, {
      ...authority.issue(),
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    expectError(
      await ls(url),
      `${new URL(url).host} supports only TLS versions that are too old`,
      "Allow TLS 1.0 and 1.1, which are not secure: NODE_OPTIONS='--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0' siteatlas …",
    );
    const env = { NODE_OPTIONS: "--tls-min-v1.0 --tls-cipher-list=DEFAULT@SECLEVEL=0" };
    const { stderr } = await runCli(["ls", url, "--retries", "0", "--no-known", ...trust], { env });
    expect(stderr).toContain("no sitemap found on");
  });

  it("with a client certificate", async () => {
    const url = await openTlsSite(ROBOTS, {
      ...authority.issue(),
      requestCert: true,
      rejectUnauthorized: true,
    });
    expectError(
      await ls(url, ...trust),
      `${new URL(url).host} wants a client certificate`,
      "siteatlas sends none. A proxy that adds one can help: --proxy URL.",
    );
  });

  it("at a server that uses plain http", async () => {
    const server = createServer(ROBOTS).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const given of [`https://${host}/`, host]) {
      expectError(await ls(given), `${host} does not use TLS`, `Use http: http://${host}/`);
      expectError(
        await ls(given, "--https-only"),
        `${host} does not use TLS`,
        "Allow plain http by removing --https-only.",
      );
    }
  });

  it("at the URL with http", async () => {
    const url = (await openTlsSite(ROBOTS)).replace("https:", "http:");
    const { stderr } = await ls(url);
    expect(stderr).toContain(`If it uses TLS, try ${url.replace("http:", "https:")}`);
  });
});

describe("a proxy", () => {
  it.each([
    [{ status: 407 }, "requires a user name and password (407)", "Put them into its URL: "],
    [{ status: 403 }, "does not allow this host (403)", "Name another proxy with --proxy URL, "],
    [{ status: 502 }, "cannot connect to the host (502)", "Check the spelling of the host: "],
  ])("that answers %j is named, not the site", async (options, text, hint) => {
    const proxy = await openProxy(options);
    const { code, stderr } = await ls("https://site.example/", "--proxy", proxy.url);
    expect(code).toBe(3);
    expect(stderr).toContain(`error: the proxy ${proxy.host} ${text}\n  ${hint}`);
    expect(stderr).not.toContain("site.example");
  });

  it("that rejects a password says so, and does not ask for one", async () => {
    const proxy = await openProxy({ status: 407 });
    const { stderr } = await ls("https://site.example/", "--proxy", `http://a:b@${proxy.host}`);
    expect(stderr).toBe(
      `error: the proxy ${proxy.host} rejected the user name and password (407)\n` +
        "  Check the user name and password in its URL.\n",
    );
  });

  it("that is not running is named", async () => {
    const port = await closedPort();
    expectError(
      await ls("http://site.example/", "--proxy", `http://127.0.0.1:${port}`),
      `the proxy 127.0.0.1:${port} does not work: the host refused the connection`,
      "Name another proxy with --proxy URL, or connect directly with --no-proxy.",
    );
  });
});

describe("a host", () => {
  it("that closes every connection", async () => {
    const server = createTcpServer((socket) => socket.on("error", () => {}).destroy()).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { stderr } = await ls(`http://${host}/`);
    expect(stderr).toContain(`error: ${host} closed the connection without an answer\n`);
    // The hint for plain http contradicts --https-only.
    expect((await ls(host)).stderr).toContain(`  If it uses plain http, try http://${host}/\n`);
    expect((await ls(host, "--https-only")).stderr).not.toContain("http:");
  });

  it("that does not answer is named with the limit, and only its flag", async () => {
    const silent = await serveRaw();
    onTestFinished(silent.close);
    expectError(
      await ls(silent.url, "--headers-timeout", "300ms"),
      `${silent.host} did not answer within 0.3 s`,
      "Wait longer with --headers-timeout 2m.",
    );
  });

  it("with a private address, to which the site redirects, is named in the advice", async () => {
    const site = await openSite(
      {},
      { fallback: ({ url }) => ({ status: 302, headers: { location: `http://10.9.8.7${url}` } }) },
    );
    expectError(
      await ls(site.url),
      `${new URL(site.url).host} redirects to another host: 10.9.8.7 is not requested because it has a private address`,
      "Allow it with --allow 10.9.8.7, or all private addresses with --allow-private.",
    );
  });

  it("with a private address that robots.txt lists is named in the advice", async () => {
    const site = await openSite({ "/robots.txt": robotsTxt(["http://10.9.8.7/sitemap.xml"]) });
    const { stderr } = await ls(site.url);
    expect(stderr).toContain(
      "  Allow 10.9.8.7 with --allow 10.9.8.7, or all private addresses with --allow-private.\n",
    );
  });
});

describe("a site that refuses every request", () => {
  it.each([
    [
      401,
      [],
      "refuses these requests (401)",
      "Send a user name and password with --auth user:password, or a token with -H.",
    ],
    [401, ["--auth", "a:b"], "refuses these requests (401)", "Check the user name and password."],
    [
      403,
      [],
      "refuses these requests (403)",
      "Set a User-Agent with -A, or send credentials with --auth or -H.",
    ],
    [
      429,
      [],
      "is unavailable: every request was answered with 429",
      "Send fewer requests with --delay 2s, or try again later.",
    ],
    [503, [], "is unavailable: every request was answered with 503", "Try again later."],
    [
      407,
      [],
      "is unavailable: every request was answered with 407",
      "Is this a proxy? Name it with --proxy URL.",
    ],
  ])("%i %j", async (status, args, text, hint) => {
    const site = await openSite(() => ({}), { fallback: { status } });
    expectError(await ls(site.url, ...args), `${new URL(site.url).host} ${text}`, hint);
  });

  it.each([
    ["Basic realm=x", [], " and wants Basic authentication", "Send a user name and password with --auth "],
    ["Basic realm=x", ["--auth", "a:b"], " and wants Basic authentication", "Check the user name and "],
    ["Digest realm=x, Basic", [], " and wants Basic authentication", "Send a user name and password "],
    ["Bearer", ["--auth", "a:b"], " and wants Bearer authentication", "Send a token with -H "],
    ['Digest realm="x"', ["--auth", "a:b"], " and wants Digest authentication", "--auth sends only Basic. "],
    ["NTLM", [], " and wants Negotiate or NTLM authentication", "--auth sends only Basic. A proxy "],
    ["Unheard-of", [], "", "Send a user name and password with --auth "],
  ])("names what WWW-Authenticate asks for: %s %j", async (header, args, text, hint) => {
    const site = await openSite(() => ({}), {
      fallback: { status: 401, headers: { "www-authenticate": header } },
    });
    const { stderr } = await ls(site.url, ...args);
    expect(stderr).toContain(
      `error: ${new URL(site.url).host} refuses these requests (401)${text}\n  ${hint}`,
    );
  });

  it("with 400 may use TLS", async () => {
    const site = await openSite(() => ({}), { fallback: { status: 400 } });
    expectError(
      await ls(site.url),
      `${new URL(site.url).host} is unavailable: every request was answered with 400`,
      `If it uses TLS, try ${site.url.replace("http:", "https:")}/`,
    );
  });

  it("except for robots.txt", async () => {
    const site = await openSite({ "/robots.txt": robotsTxt([]) }, { fallback: { status: 401 } });
    expectError(
      await ls(site.url),
      `${new URL(site.url).host} refuses these requests (401)`,
      "Send a user name and password with --auth user:password, or a token with -H.",
    );
  });

  it.each([
    [401, "Send a user name and password with --auth user:password, or a token with -H."],
    [403, "Set a User-Agent with -A, or send credentials with --auth or -H."],
    [503, "Try again later."],
  ])("at the URL of one sitemap: %i", async (status, hint) => {
    const site = await openSite(() => ({}), { fallback: { status } });
    const url = `${site.url}/a.xml`;
    expectError(await ls(url), `no sitemap at ${url} (${status})`, hint);
  });

  it("after a sync that could read it", async () => {
    let status = 200;
    const site = await openSite((base) => ({
      "/sitemap.xml": () => (status === 200 ? { body: urlset([`${base}/a`]) } : { status }),
      "/robots.txt": () => ({ status: status === 200 ? 404 : status }),
    }));
    const cwd = emptyFolder();
    const args = ["sync", site.url, "--auth", "a:b", "--allow-private", "--retries", "0", "--no-known"];
    expect((await runCli([...args, "--known-path", "/sitemap.xml"], { cwd })).code).toBe(0);
    status = 401;
    const { stderr } = await runCli([...args, "--known-path", "/sitemap.xml"], { cwd });
    expect(stderr).toContain("  Check the user name and password.\n");
    expect(stderr).not.toContain("Try again later");
  });

  it("with a Retry-After that is too long is unavailable as well", async () => {
    const site = await openSite(() => ({}), {
      fallback: { status: 503, headers: { "retry-after": "7200" } },
    });
    const { stderr } = await ls(site.url, "--max-retry-after", "1ms");
    expect(stderr).toContain("is unavailable: every request was answered with 503");
    expect(stderr).not.toContain("--known thorough");
  });
});

describe("a 503", () => {
  const SHAPES: Readonly<Record<string, (base: string) => Readonly<Record<string, number | string>>>> = {
    "of every URL": () => ({ "": 503 }),
    "of robots.txt": () => ({ "/robots.txt": 503, "": 404 }),
    "of a listed sitemap": (base) => ({
      "/robots.txt": robotsTxt([`${base}/pages.xml`]),
      "/pages.xml": 503,
      "": 404,
    }),
    "of the known locations": () => ({ "/robots.txt": "User-agent: *\n", "/": 200, "": 503 }),
    "of the homepage": () => ({ "/": 503, "": 404 }),
  };

  it.each(Object.keys(SHAPES))("%s is never answered with --known thorough", async (shape) => {
    let answers: Readonly<Record<string, number | string>> = {};
    const site = await openSite(
      {},
      {
        fallback: ({ url = "" }) => {
          const answer = answers[url] ?? answers[""]!;
          return typeof answer === "string" ? { body: answer } : { status: answer };
        },
      },
    );
    answers = SHAPES[shape]!(site.url);
    for (const command of ["ls", "find", "tree", "stats", "sync"]) {
      const args = [command, site.url, "--retries", "0"];
      const { code, stderr } = await runCli(args, { cwd: emptyFolder() });
      expect([command, code]).toEqual([command, 3]);
      expect(stderr).not.toContain("--known thorough");
    }
  });
});

it("a server that answers only some requests is not answered with --known thorough", async () => {
  const site = await openSite({
    "/robots.txt": (_, response) => {
      response.destroy();
      return undefined;
    },
  });
  const { code, stderr } = await ls(site.url, "--retries", "0");
  expect(code).toBe(3);
  expect(stderr).toContain("Try again later.");
  expect(stderr).not.toContain("--known thorough");
});

describe("redirects", () => {
  it("in a loop may need a cookie", async () => {
    const site = await openSite(
      {},
      { fallback: ({ url }) => ({ status: 302, headers: { location: url! } }) },
    );
    expectError(
      await ls(site.url, "--no-known"),
      `${new URL(site.url).host} redirects in a loop`,
      "It may expect a cookie. Send one with -H 'Cookie: name=value'.",
    );
  });

  it.each(["/login", "/accounts/login/?next=/", "/sso/start", "/users/sign_in"])(
    "to %s mean that the site wants a login",
    async (path) => {
      const site = await openSite(
        { [new URL(path, "http://x.test").pathname]: "<!doctype html><title>Log in</title>" },
        { fallback: { status: 302, headers: { location: path } } },
      );
      const hint = "Log in with a browser and send its cookie: -H 'Cookie: name=value'.";
      const login = `wants a login: it redirects to ${site.url}${path}`;
      expectError(await ls(site.url), `${new URL(site.url).host} ${login}`, hint);
      expectError(await ls(`${site.url}/a.xml`), `${site.url}/a.xml ${login}`, hint);
    },
  );

  it("of a known location to a login page do not, if robots.txt can be read", async () => {
    const site = await openSite(
      { "/robots.txt": robotsTxt([]), "/login": "<!doctype html><title>Log in</title>" },
      { fallback: { status: 302, headers: { location: "/login" } } },
    );
    expect((await ls(site.url)).stderr).toContain("error: no sitemap found on");
  });

  it.runIf(hasOpenssl)("to plain http are refused with --https-only, and the message says so", async () => {
    const url = await openTlsSite(
      (request, response) =>
        void response.writeHead(301, { location: `http://127.0.0.1:9${request.url}` }).end(),
    );
    const { stderr } = await ls(url, "--https-only", "--insecure");
    expect(stderr).toContain(
      `error: ${new URL(url).host} redirects to plain http\n  Allow that by removing --https-only.\n`,
    );
  });
});

describe("siteatlas robots", () => {
  it("warns if the server refuses robots.txt", async () => {
    const site = await openSite({}, { fallback: { status: 401 } });
    const { stderr } = await runCli(["robots", site.url]);
    expect(stderr).toBe(
      'warning: the server refuses robots.txt (401): crawlers take that as "everything is allowed"\n' +
        "  If the site has a password, send it with --auth user:password, or a token with -H.\n",
    );
  });

  it("says how to log in, if --auth cannot", async () => {
    const fallback = { status: 401, headers: { "www-authenticate": "Digest" } };
    const { stderr } = await runCli(["robots", (await openSite({}, { fallback })).url]);
    expect(stderr).toContain("\n  --auth sends only Basic. A proxy that logs in can help: --proxy URL.\n");
  });

  it("says that a site may be back later", async () => {
    const site = await openSite({}, { fallback: { status: 503 } });
    const { stderr } = await runCli(["robots", site.url, "--can-fetch", "/", "--retries", "0"]);
    expect(stderr).toContain("\n  Try again later.\n");
  });
});

describe("Retry-After", () => {
  it("that is longer than the limit is shown with both times", async () => {
    const site = await openSite(() => ({}), {
      fallback: { status: 503, headers: { "retry-after": "3600" } },
    });
    const { stderr } = await ls(site.url, "--max-retry-after", "1s", "--no-known");
    expect(stderr).toContain(
      `${new URL(site.url).host} answered 503 and asked for a pause of 1 h. Waiting 1 s (--max-retry-after)\n`,
    );
  });

  it("is shown with its time, and counted down", async () => {
    let requests = 0;
    const site = await openSite((base) => ({
      "/robots.txt": () =>
        ++requests === 1
          ? { status: 503, headers: { "retry-after": "2" } }
          : { body: robotsTxt([`${base}/a.xml`]) },
      "/a.xml": urlset([`${base}/a`]),
    }));
    const { host } = new URL(site.url);
    const { code, stderr } = await runCli(["ls", site.url, "--no-known", "--progress", "json"]);
    expect(code).toBe(0);
    const events = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    // Twice the same pause is one note.
    expect(events.filter(({ event }) => event === "note")).toEqual([
      {
        event: "note",
        message: `${host} answered 503 and asked for a pause. Waiting 2 s (Retry-After)`,
      },
    ]);
    const { paused } = events.find(({ event }) => event === "progress");
    expect(paused).toMatchObject({ host });
    expect(paused.ms).toBeLessThan(2000);
  });
});

describe("--respect-robots", () => {
  const hint = "by removing --respect-robots";

  it("is named only if robots.txt disallows something", async () => {
    const open = await openSite({ "/robots.txt": robotsTxt([]) });
    expect((await ls(open.url, "--respect-robots")).stderr).not.toContain(hint);
    const missing = await openSite({});
    expect((await ls(missing.url, "--respect-robots")).stderr).not.toContain(hint);
    const closed = await openSite({ "/robots.txt": robotsTxt([], "Disallow: /sitemap") });
    const { stderr } = await ls(closed.url, "--respect-robots");
    expect(stderr).toMatch(/robots\.txt disallows \d+ locations\. Try them by removing --respect-robots\./);
    const one = await openSite((base) => ({
      "/robots.txt": robotsTxt([], "Disallow: /a.xml"),
      "/a.xml": urlset([`${base}/a`]),
    }));
    expect((await ls(`${one.url}/a.xml`, "--respect-robots")).stderr).toContain(
      `error: no sitemap at ${one.url}/a.xml (disallowed by robots.txt)\n  Fetch it anyway ${hint}.\n`,
    );
  });
});
