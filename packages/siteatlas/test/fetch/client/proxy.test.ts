/** Which proxy a request goes through, and that a failure of the proxy is never reported as one of the site. */
import { describe, expect, it, onTestFinished } from "vitest";
import { classifyError } from "../../../src/fetch/classify-error.ts";
import { createNodeClient, type NodeClientOptions } from "../../../src/fetch/client/node-client.ts";
import { environmentProxy } from "../../../src/fetch/client/proxy.ts";
import { createAuthority } from "../../support/certificates.ts";
import { openProxy } from "../../support/connect-proxy.ts";
import { closedPort, serve } from "../../support/http-server.ts";
import { hasOpenssl, openTlsSite } from "../../support/tls-site.ts";
import { ask, failureOf, textOf } from "./client-suite.ts";

function create(options: NodeClientOptions): ReturnType<typeof createNodeClient> {
  const client = createNodeClient(options);
  onTestFinished(client.close);
  return client;
}

describe("the environment", () => {
  const proxyFor = (environment: Record<string, string>, url: string): string | undefined =>
    environmentProxy(environment)?.(new URL(url))?.url.href;

  it("is read by scheme, in lower and upper case", () => {
    const both = { HTTP_PROXY: "http://plain.example:3128", HTTPS_PROXY: "http://secure.example:3128" };
    expect(proxyFor(both, "http://site.example/")).toBe("http://plain.example:3128/");
    expect(proxyFor(both, "https://site.example/")).toBe("http://secure.example:3128/");
    expect(proxyFor({ https_proxy: "proxy.example:8080" }, "https://site.example/")).toBe(
      "http://proxy.example:8080/",
    );
    expect(proxyFor({ HTTPS_PROXY: "http://p.example" }, "http://site.example/")).toBeUndefined();
    expect(environmentProxy({ HTTP_PROXY: "", NO_PROXY: "*" })).toBeUndefined();
  });

  it("has an HTTP_PROXY that anyone can set under CGI, which is ignored there", () => {
    const cgi = { HTTP_PROXY: "http://evil.example", REQUEST_METHOD: "GET" };
    expect(proxyFor(cgi, "http://site.example/")).toBeUndefined();
  });

  it.each([
    ["*", "https://site.example/", true],
    ["site.example", "https://site.example/", true],
    ["site.example", "https://www.site.example/", true],
    [".site.example", "https://www.site.example/", true],
    ["*.site.example", "https://www.site.example/", true],
    ["site.example", "https://notsite.example/", false],
    ["a.example, SITE.example", "https://site.example/", true],
    ["site.example:8443", "https://site.example:8443/", true],
    ["site.example:8443", "https://site.example/", false],
    ["10.0.0.0/8", "https://10.1.2.3/", true],
    ["10.0.0.0/8", "https://11.1.2.3/", false],
    ["2001:db8::1", "https://[2001:db8::1]/", true],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443/", true],
  ])("NO_PROXY=%s for %s", (list, url, isDirect) => {
    const environment = { HTTPS_PROXY: "http://proxy.example:3128", NO_PROXY: list };
    expect(proxyFor(environment, url) === undefined).toBe(isDirect);
  });

  it.each(["https://localhost/", "https://127.1.2.3/", "https://[::1]/", "https://app.localhost:3000/"])(
    "is not used for this machine: %s",
    (url) => {
      expect(proxyFor({ HTTPS_PROXY: "http://proxy.example:3128" }, url)).toBeUndefined();
    },
  );

  it.each(["socks5://user:secret@proxy.example", "http://user:secret@exa mple"])(
    "with a value that is not an http URL throws without the value: %s",
    (value) => {
      expect(() => environmentProxy({ HTTPS_PROXY: value })).toThrow(
        new TypeError("The environment variable HTTPS_PROXY must be an http or https URL"),
      );
    },
  );

  it.each([
    "http://user:se/cret@proxy.example:3128",
    "http://user:se#cret@proxy.example:3128",
    "http://user:se?cret@proxy.example:3128",
    "user:s@e/cret@proxy.example:3128",
  ])("whose password has characters that end the host throws with advice: %s", (value) => {
    const expected = new TypeError(
      "The environment variable HTTPS_PROXY must be an http or https URL. In its password, write / as %2F, " +
        "? as %3F, # as %23, @ as %40 and % as %25",
    );
    expect(() => environmentProxy({ HTTPS_PROXY: value })).toThrow(expected);
  });

  it("is ignored by the client unless the option is set", async () => {
    const proxy = await openProxy();
    const before = process.env["HTTP_PROXY"];
    process.env["HTTP_PROXY"] = proxy.url;
    onTestFinished(() => {
      if (before === undefined) delete process.env["HTTP_PROXY"];
      else process.env["HTTP_PROXY"] = before;
    });
    const client = create({ lookup: (_, __, callback) => callback(new Error("no lookup"), "") });
    await failureOf(client(ask("http://site.example/")));
    expect(proxy.lines).toEqual([]);
    await using site = await serve({ "/": { body: "hello" } });
    const through = await openProxy({ port: site.port });
    process.env["HTTP_PROXY"] = through.url;
    const asked = create({ proxy: "environment" });
    expect(await textOf(await asked(ask("http://site.example/")))).toBe("hello");
    expect(through.lines).toEqual(["GET http://site.example/"]);
    // The guard holds, and a direct request is checked as without a proxy.
    expect(classifyError(await failureOf(asked(ask("http://10.0.0.1/")))).code).toBe("http.blocked-address");
    expect(classifyError(await failureOf(asked(ask("http://127.0.0.1/")))).code).toBe("http.blocked-address");
    expect(through.lines).toHaveLength(1);
  });
});

it("the option takes a URL object, with its user and password", async () => {
  await using site = await serve({ "/": { body: "hello" } });
  const through = await openProxy({ port: site.port, credentials: "user:right" });
  const url = new URL(through.url);
  url.username = "user";
  url.password = "right";
  expect(await textOf(await create({ proxy: url })(ask("http://site.example/")))).toBe("hello");
  expect(url.password).toBe("right");
});

describe("a failure of the proxy", () => {
  it.each([
    [{ status: 407 }, "proxy-authentication", "requires a user name and password (407)"],
    [{ status: 403 }, "proxy-refused", "does not allow this host (403)"],
    [{ status: 502 }, "proxy-gateway", "cannot connect to the host (502)"],
  ])("that answers a tunnel with %j", async (options, cause, reason) => {
    const proxy = await openProxy(options);
    const failure = classifyError(
      await failureOf(create({ proxy: proxy.url })(ask("https://site.example/"))),
    );
    expect(failure).toMatchObject({ code: "http.proxy", cause, reason: `the proxy ${proxy.host} ${reason}` });
    expect(proxy.lines).toEqual(["CONNECT site.example:443"]);
  });

  it("with a wrong password, for a tunnel and for plain http", async () => {
    const proxy = await openProxy({ credentials: "user:right" });
    const client = create({ proxy: proxy.url.replace("//", "//user:wrong@") });
    for (const url of ["https://site.example/", "http://site.example/"]) {
      const failure = classifyError(await failureOf(client(ask(url))));
      expect(failure).toMatchObject({
        code: "http.proxy",
        cause: "proxy-authentication",
        reason: `the proxy ${proxy.host} rejected the user name and password (407)`,
      });
    }
  });

  it.each(["http", "https"])("that is not running, for %s", async (scheme) => {
    const port = await closedPort();
    const client = create({ proxy: `http://user:secret@127.0.0.1:${port}` });
    const failure = classifyError(await failureOf(client(ask(`${scheme}://site.example/`))));
    expect(failure).toMatchObject({
      code: "http.proxy",
      cause: "proxy-unreachable",
      reason: `the proxy 127.0.0.1:${port} does not work: the host refused the connection`,
    });
  });
});

describe.runIf(hasOpenssl)("a tunnel", () => {
  const authority = hasOpenssl ? createAuthority() : undefined!;

  async function openSite(): Promise<{ proxy: string; port: number }> {
    const certificate = authority.issue({ names: ["site.example"] });
    const url = await openTlsSite((_, response) => void response.end("hello"), certificate);
    const port = Number(new URL(url).port);
    return { proxy: (await openProxy({ port })).url, port };
  }

  it("verifies the certificate of the site, not of the proxy", async () => {
    const { proxy } = await openSite();
    const trusting = create({ proxy, ca: authority.ca });
    expect(await textOf(await trusting(ask("https://site.example/")))).toBe("hello");
    const other = classifyError(await failureOf(trusting(ask("https://other.example/"))));
    expect(other).toMatchObject({ code: "http.tls", cause: "certificate-name" });
    const strict = classifyError(await failureOf(create({ proxy })(ask("https://site.example/"))));
    expect(strict).toMatchObject({ code: "http.tls", cause: "certificate-issuer" });
  });

  it("skips the certificate check only for hosts in the option insecure", async () => {
    const { proxy } = await openSite();
    const client = create({ proxy, insecure: ["site.example"] });
    expect(await textOf(await client(ask("https://site.example/")))).toBe("hello");
    expect(classifyError(await failureOf(client(ask("https://other.example/")))).code).toBe("http.tls");
  });
});
