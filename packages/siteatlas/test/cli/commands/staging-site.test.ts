/** Sites that are not public: with a password, a private certificate, or behind a proxy. */
import { readFileSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAuthority } from "../../support/certificates.ts";
import { openProxy } from "../../support/connect-proxy.ts";
import {
  openSite,
  robotsTxt,
  type SiteAnswer,
  type SiteHandler,
  type TestSite,
  urlset,
} from "../../support/test-site.ts";
import { hasOpenssl, makeCertificate, openTlsSite } from "../../support/tls-site.ts";
import { buildCli, emptyFolder, runCli, startCli } from "../support/cli.ts";

buildCli();

const SECRET = "s3:cret ü";
const AUTH = `user:${SECRET}`;
const BASIC = `Basic ${Buffer.from(AUTH).toString("base64")}`;

/** Answers 401 without the password. Its robots.txt lists a sitemap on another host. */
async function openProtectedSite(): Promise<{ site: TestSite; other: TestSite }> {
  const other = await openSite({ "/other.xml": urlset(["https://www.example.com/other"]) });
  const site = await openSite((base) => {
    const guarded =
      (body: string) =>
      ({ headers }: { readonly headers: Record<string, unknown> }) =>
        headers["authorization"] === BASIC ? { body } : { status: 401 };
    return {
      "/robots.txt": guarded(robotsTxt([`${base}/a.xml`, `${other.url}/other.xml`])),
      "/a.xml": guarded(urlset([`${base}/page`])),
    };
  });
  return { site, other };
}

describe("a site with a password", () => {
  const options = ["--allow-private", "--no-known", "-vv", "--log-file", "run.log"];

  it.each([
    ["--auth", (url: string) => ["ls", url, "--auth", AUTH], {}],
    ["SITEATLAS_AUTH", (url: string) => ["ls", url], { SITEATLAS_AUTH: AUTH }],
    ["--auth-file", (url: string) => ["ls", url, "--auth-file", "secret.txt"], {}],
    ["siteatlas.config.json", (url: string) => ["ls", url, "--config", "auth.json"], {}],
    [
      "the URL",
      (url: string) => ["ls", url.replace("//", `//user:${encodeURIComponent(SECRET)}@`), "-f", "ndjson"],
      {},
    ],
  ])("gets it from %s, another host does not, and it is shown nowhere", async (_, args, env) => {
    const { site, other } = await openProtectedSite();
    const cwd = emptyFolder();
    // With the byte order mark that editors on Windows write.
    writeFileSync(join(cwd, "secret.txt"), `\uFEFF${AUTH}\nmore\n`);
    writeFileSync(join(cwd, "auth.json"), `\uFEFF${JSON.stringify({ auth: AUTH })}`);
    const { code, stdout, stderr } = await runCli([...args(site.url), ...options], { env, cwd });
    expect(code).toBe(0);
    expect(stdout).toContain(`${site.url}/page`);
    expect(site.requests.map(({ headers }) => headers["authorization"])).toEqual([BASIC, BASIC]);
    expect(other.requests.map(({ headers }) => headers["authorization"])).toEqual([undefined]);
    const log = readFileSync(join(cwd, "run.log"), "utf8");
    for (const text of [stdout, stderr, log]) {
      expect(text).not.toMatch(/s3|cret|%3A|c3VlckA|Basic/);
    }
  });

  it("is kept out of snapshots and of the metadata of files", async () => {
    const { site } = await openProtectedSite();
    const cwd = emptyFolder();
    const url = site.url.replace("//", `//user:${encodeURIComponent(SECRET)}@`);
    const more = ["--allow-private", "--no-known"];
    expect((await runCli(["sync", url, "--snapshot", "a.snapshot.gz", ...more], { cwd })).code).toBe(0);
    expect((await runCli(["ls", url, "-o", "a.parquet", ...more], { cwd })).code).toBe(0);
    const shown = await runCli(["snapshot", "show", "a.snapshot.gz", "--json"], { cwd });
    expect(shown.stdout).toContain(site.url);
    expect(shown.stdout).not.toMatch(/s3:|cret/);
    expect(readFileSync(join(cwd, "a.parquet"), "latin1")).not.toMatch(/s3:|cret/);
  });

  it.each(["robots", "tree", "stats", "find"])("works with %s", async (command) => {
    const { site } = await openProtectedSite();
    const { code } = await runCli([command, site.url, "--auth", AUTH, "--allow-private"]);
    expect(code).toBe(0);
  });

  it("does not get it after a redirect to another port, and the message says so", async () => {
    const other = await openSite({}, { fallback: { status: 401 } });
    const site = await openSite(
      {},
      { fallback: ({ url }) => ({ status: 302, headers: { location: other.url + url } }) },
    );
    const { code, stderr } = await runCli(["ls", site.url, "--auth", AUTH, "--allow-private"]);
    expect(code).toBe(3);
    expect(other.requests.length).toBeGreaterThan(0);
    for (const { headers } of other.requests) expect(headers["authorization"]).toBeUndefined();
    expect(stderr).toBe(
      `error: ${new URL(site.url).host} redirects to ${other.url}, which refuses these requests (401)\n` +
        `  siteatlas sends credentials only to the given origin. Try ${other.url}/\n`,
    );
  });

  it("is not sent to a host that robots.txt lists, and the message does not speak of a redirect", async () => {
    const other = await openSite({}, { fallback: { status: 401 }, everyAddress: true });
    const target = other.url.replace("127.0.0.1", "127.0.0.2");
    const site = await openSite({ "/robots.txt": `Sitemap: ${target}/sitemap.xml\n` });
    const args = ["ls", site.url, "--auth", AUTH, "--allow-private", "--no-known"];
    const { code, stderr } = await runCli(args);
    expect(code).toBe(3);
    expect(stderr).toBe(
      `error: ${new URL(site.url).host} lists sitemaps on ${target}, which refuses these requests (401)\n` +
        `  siteatlas sends credentials only to the given origin. If you trust ${new URL(target).host}, try ${target}/\n`,
    );
    for (const { headers } of other.requests) expect(headers["authorization"]).toBeUndefined();
  });

  it("of another host is not sent there, and the advice depends on trust", async () => {
    const other = await openSite({}, { fallback: { status: 401 }, everyAddress: true });
    const target = other.url.replace("127.0.0.1", "127.0.0.2");
    const site = await openSite(
      {},
      { fallback: ({ url }) => ({ status: 302, headers: { location: target + url } }) },
    );
    const { stderr } = await runCli(["ls", site.url, "-H", "Authorization: Bearer x", "--allow-private"]);
    expect(stderr).toContain(`If you trust ${new URL(target).host}, try ${target}/\n`);
  });

  it.runIf(hasOpenssl)("over https, to which http redirects, is named in the advice", async () => {
    const secure = await openTlsSite((_, response) => void response.writeHead(401).end());
    const plain = await openSite(
      {},
      { fallback: ({ url }) => ({ status: 301, headers: { location: secure + url } }) },
    );
    const to = await runCli(["ls", plain.url, "--auth", AUTH, "--insecure", "--allow-private"]);
    expect(to.stderr).toContain(`siteatlas sends credentials only to the given origin. Try ${secure}/\n`);
    const refusing = await openSite({}, { fallback: { status: 401 }, everyAddress: true });
    const target = refusing.url.replace("127.0.0.1", "127.0.0.2");
    const downgrading = await openTlsSite(
      ({ url }, response) => void response.writeHead(301, { location: target + url }).end(),
    );
    const back = await runCli(["ls", downgrading, "--auth", AUTH, "--insecure", "--allow-private"]);
    expect(back.stderr).toContain(
      `  siteatlas sends credentials only to the given origin. It does not send them to ${target}, which uses plain http.\n`,
    );
    expect(back.stderr).not.toContain(`ry ${target}`);
  });

  it("is not sent to several sites", async () => {
    const first = await openSite({ "/sitemap.xml": urlset(["https://www.example.com/"]) });
    const second = await openSite({ "/sitemap.xml": urlset(["https://www.example.com/"]) });
    const both = [first.url, second.url];
    const ways: [string[], { env?: Record<string, string>; input?: string }][] = [
      [["ls", ...both, "--auth", AUTH], {}],
      [["ls", "-"], { env: { SITEATLAS_AUTH: AUTH }, input: both.join("\n") }],
      [["watch", ...both, "-H", "Authorization: Bearer x"], {}],
    ];
    for (const [args, options] of ways) {
      const { code, stderr } = await runCli([...args, "--allow-private"], options);
      expect([code, stderr]).toEqual([
        2,
        `error: the same credentials cannot be sent to several sites: ${both.join(" and ")}\n` +
          "  Run one command per site, or put them into each URL: https://user:password@host/\n",
      ]);
    }
    expect([...first.requests, ...second.requests]).toEqual([]);
    const own = both.map((url) => url.replace("//", "//a:b@"));
    expect((await runCli(["ls", ...own, "--allow-private"])).code).toBe(0);
    const same = [first.url, `${first.url}/about`];
    expect((await runCli(["ls", ...same, "--auth", AUTH, "--allow-private"])).code).toBe(0);
  });

  it("gets it with --redirect-checks", async () => {
    const urls = ["/old-page-about-cats", "/a", "/b"];
    const site = await openSite((base) => {
      const guarded =
        (answer: () => SiteAnswer): SiteHandler =>
        ({ headers }) =>
          headers["authorization"] === BASIC && headers["x-key"] === "k" ? answer() : { status: 401 };
      return {
        "/sitemap.xml": guarded(() => ({ body: urlset(urls.map((path) => base + path)) })),
        "/old-page-about-cats": guarded(() => ({ status: 301, headers: { location: "/dogs" } })),
      };
    });
    const cwd = emptyFolder();
    const args = ["sync", site.url, "--auth", AUTH, "-H", "X-Key: k", "--allow-private", "-f", "ndjson"];
    expect((await runCli(args, { cwd })).code).toBe(0);
    urls[0] = "/dogs";
    const { stdout } = await runCli([...args, "--redirect-checks", "5", "--mass-removal", "100%"], { cwd });
    expect(stdout).toContain(`"movedTo":"${site.url}/dogs"`);
  });

  it.each([
    [["ls", "x.test", "--auth", "onlyauser"], "--auth must be user:password"],
    [["ls", "x.test", "--auth-file", "/dev/zero"], "--auth-file /dev/zero: it is larger than 16 MiB"],
    [["ls", "x.test", "--cacert", "/dev/zero"], "--cacert /dev/zero: it is larger than 16 MiB"],
    [["ls", "x.test", "--auth-file", "nosuch"], "--auth-file nosuch: no such file"],
    [["ls", "user:hidden@exa mple.test"], '"user:***@exa mple.test" is not a URL'],
    [["ls", "https://x.test", "user:hidden"], '"user:***" is not a URL'],
    [["robots", "x.test", "user:hidden"], 'siteatlas robots takes one site: "user:***" is one too many'],
    [["robots", "x.test", "user:1234"], 'siteatlas robots takes one site: "user:***" is one too many'],
    [["ls", "user:70000"], '"user:***" is not a URL'],
    [["ls", "https://u:hid#den@x.test/"], '"https://***@x.test/" is not a URL'],
    [
      ["ls", "x.test", "-H", "Content-Length: 5"],
      "--header must not be Content-Length: siteatlas sets this header itself",
    ],
    [
      ["ls", "x.test", "-H", "Connection: hidden"],
      '--header must be Connection with the value "close" or "keep-alive"',
    ],
    [
      ["ls", "x.test", "-H", "Proxy-Authorization: Basic hidden"],
      "--header must not be Proxy-Authorization; use --proxy http://user:password@host:port",
    ],
  ])("given wrongly is an error that does not repeat it: %j", async (args, message) => {
    const { code, stderr } = await runCli(args);
    expect(code).toBe(2);
    expect(stderr.split("\n")[0]).toBe(`error: ${message}`);
  });
});

describe("a password in a wrong place", () => {
  it("is not shown if it looks like a port", async () => {
    const first = await runCli(["ls", "nosuch.invalid:1234", "--retries", "0"]);
    expect(first.stderr).toContain("error: cannot find the host nosuch.invalid\n");
    const list = await runCli(["ls", "nosuch.invalid:1234", "other.invalid:4321", "--retries", "0"]);
    expect(list.stderr).toMatch(
      /2 sites not reached \((?:(?:nosuch|other)\.invalid: unknown host(?:, )?){2}\)/,
    );
    for (const { stderr } of [first, list]) expect(stderr).not.toMatch(/1234|4321/);
  });

  it("with special characters in the URL gets a hint", async () => {
    const hint =
      "  Percent-encode the characters / ? # \\ and spaces in the password (# is %23), or use --auth user:password.\n";
    for (const password of ["a#b", "a/b", "a?b", "a b", "a\\b"]) {
      const { code, stderr } = await runCli(["ls", `https://user:${password}@x.test/`]);
      expect([code, stderr.slice(stderr.indexOf("\n") + 1)]).toEqual([2, hint]);
      expect(stderr).not.toContain(password);
    }
    expect((await runCli(["ls", "exa mple.test"])).stderr).not.toContain("Percent-encode");
  });
});

describe("credentials from two places", () => {
  it.each([
    [["--auth", "a:b", "--auth-file", "f"], "--auth and --auth-file both name credentials"],
    [
      ["--auth", "a:b", "-H", "Authorization: Bearer x"],
      "--auth and -H 'Authorization: …' both name credentials",
    ],
  ])("are refused: %j", async (args, message) => {
    const { code, stderr } = await runCli(["ls", "https://127.0.0.1:1", ...args]);
    expect([code, stderr]).toEqual([2, `error: ${message}\n  Keep one of them.\n`]);
  });

  it("are refused, in the URL and in a header", async () => {
    const { code, stderr } = await runCli(["robots", "https://a:b@127.0.0.1:1", "-H", "Authorization: x"]);
    expect([code, stderr]).toEqual([
      2,
      "error: the URL and -H 'Authorization: …' both name credentials\n  Remove one of them.\n",
    ]);
  });

  it.each(["ls", "robots"])("in the URL win over --auth, with a warning: %s", async (command) => {
    const { site } = await openProtectedSite();
    const url = site.url.replace("//", `//user:${encodeURIComponent(SECRET)}@`);
    const { stderr } = await runCli([command, url, "--auth", "other:one"]);
    expect(stderr).toContain(
      `warning: the credentials in the URL of ${new URL(site.url).host} are used, not those of --auth\n`,
    );
    expect(site.requests[0]?.headers["authorization"]).toBe(BASIC);
  });

  it("of flags win over those of the environment", async () => {
    const { site } = await openProtectedSite();
    const env = { SITEATLAS_AUTH: "other:one", SITEATLAS_HEADER: "Authorization: Basic eDp5" };
    for (const args of [
      ["--auth", AUTH],
      ["-H", `Authorization: ${BASIC}`],
    ]) {
      await runCli(["robots", site.url, ...args], {
        env: args[0] === "-H" ? { SITEATLAS_AUTH: env.SITEATLAS_AUTH } : env,
      });
    }
    expect(site.requests.map(({ headers }) => headers["authorization"])).toEqual([BASIC, BASIC]);
  });
});

const PAGES =
  (base: () => string): RequestListener =>
  ({ url }, response) => {
    if (url === "/robots.txt") response.end(robotsTxt([`${base()}/a.xml`]));
    else if (url === "/a.xml") response.end(urlset([`${base()}/page`]));
    else response.writeHead(404).end();
  };

async function openSecureSite(
  options = makeCertificate() as { key: string | Buffer; cert: string | Buffer },
): Promise<string> {
  let url = "";
  url = await openTlsSite(
    PAGES(() => url),
    options,
  );
  return url;
}

describe.runIf(hasOpenssl)("a site with a private certificate", () => {
  const authority = hasOpenssl ? createAuthority() : undefined!;

  it("is read with --cacert, which keeps NODE_EXTRA_CA_CERTS", async () => {
    const url = await openSecureSite(authority.issue());
    const refused = await runCli(["ls", url]);
    expect(refused.code).toBe(3);
    expect((await runCli(["ls", url, "--cacert", authority.caFile])).stdout).toBe(`${url}/page\n`);
    const folder = emptyFolder();
    writeFileSync(join(folder, "other.pem"), makeCertificate().cert);
    const both = await runCli(["ls", url, "--cacert", join(folder, "other.pem")], {
      env: { NODE_EXTRA_CA_CERTS: authority.caFile },
    });
    expect(both.stdout).toBe(`${url}/page\n`);
  });

  it("is read with --insecure, which is loud and holds for the given host only", async () => {
    const other = await openSecureSite();
    let url = "";
    const both: RequestListener = (request, response) => {
      if (request.url === "/robots.txt") {
        response.end(robotsTxt([`${url}/a.xml`, `${other.replace("127.0.0.1", "localhost")}/a.xml`]));
      } else PAGES(() => url)(request, response);
    };
    url = await openTlsSite(both);
    const { code, stdout, stderr } = await runCli(["ls", url, "--insecure", "-q", "--allow-private"]);
    expect([code, stdout]).toEqual([0, `${url}/page\n`]);
    expect(stderr).toMatch(
      /^warning: the certificate of 127\.0\.0\.1 is not verified \(--insecure\)\n {2}Anyone /,
    );
    expect(stderr).toContain("1 sitemap failed (self-signed certificate)");
    expect((await runCli(["robots", url, "--insecure"])).code).toBe(0);
  });

  it.each([
    ["nosuch.pem", "--cacert nosuch.pem: no such file"],
    ["text.pem", "--cacert text.pem contains no certificate in PEM format"],
  ])("--cacert %s", async (file, message) => {
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "text.pem"), "not a certificate");
    const { code, stderr } = await runCli(["ls", "https://127.0.0.1:1", "--cacert", file], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`error: ${message}\n`);
  });
});

describe("a site behind a proxy", () => {
  it("of the environment is read through it, with a note", async () => {
    const site = await openSite({ "/sitemap.xml": urlset(["http://staging.example/page"]) });
    const proxy = await openProxy({ port: Number(new URL(site.url).port), credentials: "me:pw" });
    const env = { HTTP_PROXY: proxy.url.replace("//", "//me:pw@") };
    // The flag takes what the variable takes.
    const flag = ["--proxy", env.HTTP_PROXY.replace("http://", "")];
    expect((await runCli(["ls", "http://staging.example/", ...flag])).code).toBe(0);
    const args = ["ls", "http://staging.example/"];
    const { code, stdout, stderr } = await runCli(args, { env });
    expect([code, stdout]).toEqual([0, "http://staging.example/page\n"]);
    expect(stderr).toBe(
      `Using the proxy ${proxy.url} (HTTP_PROXY). Connect directly with --no-proxy.\n1 page in 1 sitemap\n`,
    );
    expect(proxy.lines).toContain("GET http://staging.example/robots.txt");
    const seen = proxy.lines.length;
    for (const direct of [
      await runCli([...args, "--no-proxy", "--retries", "0"], { env }),
      await runCli([...args, "--retries", "0"], { env: { ...env, NO_PROXY: ".example" } }),
    ]) {
      expect(direct.stderr).not.toContain("proxy http");
    }
    expect(proxy.lines).toHaveLength(seen);
  });

  it("gets a note if only other hosts than the given one need the proxy, also in check, robots and watch", async () => {
    const site = await openSite(() => ({
      "/robots.txt": "Sitemap: http://other.example/sitemap.xml\n",
      "/sitemap.xml": urlset(["http://other.example/page"]),
    }));
    const proxy = await openProxy({ port: Number(new URL(site.url).port) });
    const env = { HTTP_PROXY: proxy.url };
    const note = `Using the proxy ${proxy.url} (HTTP_PROXY). Connect directly with --no-proxy.\n`;
    const cwd = emptyFolder();
    writeFileSync(join(cwd, "urls.txt"), "http://other.example/page\n");
    for (const args of [
      ["ls", site.url, "--no-known"],
      ["check", "urls.txt"],
      ["robots", "http://other.example"],
    ]) {
      const { stderr } = await runCli(args, { env, cwd });
      expect([args, stderr.split(note).length]).toEqual([args, 2]);
    }
    const watch = startCli(["watch", site.url, "--no-known"], { env, cwd });
    let said = "";
    for await (const chunk of watch.stderr) {
      said += String(chunk);
      if (said.includes(note)) break;
    }
    expect(said).toContain(note);
  });

  it("with a bad variable is a usage error that does not repeat it", async () => {
    const env = { HTTPS_PROXY: "socks5://me:hidden@proxy.example" };
    const { code, stderr } = await runCli(["ls", "https://staging.example/"], { env });
    expect(code).toBe(2);
    expect(stderr).toBe(
      "error: the environment variable HTTPS_PROXY must be an http or https URL\n  Ignore it with --no-proxy.\n",
    );
    expect((await runCli(["ls", "http://127.0.0.1:1", "--no-proxy", "--retries", "0"], { env })).code).toBe(
      3,
    );
  });

  it.runIf(hasOpenssl)("with a password and a private certificate", async () => {
    const authority = createAuthority();
    const seen: (string | undefined)[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(request.headers.authorization);
      PAGES(() => "https://staging.example")(request, response);
    };
    const url = await openTlsSite(listener, authority.issue({ names: ["staging.example"] }));
    const proxy = await openProxy({ port: Number(new URL(url).port) });
    const args = ["ls", "staging.example", "--auth", AUTH, "--cacert", authority.caFile];
    const { code, stdout } = await runCli(args, { env: { HTTPS_PROXY: proxy.url } });
    expect([code, stdout]).toEqual([0, "https://staging.example/page\n"]);
    expect(new Set(seen)).toEqual(new Set([BASIC]));
    expect(new Set(proxy.lines)).toEqual(new Set(["CONNECT staging.example:443"]));
    for (const { headers } of proxy.requests) expect(headers["authorization"]).toBeUndefined();
  });
});
