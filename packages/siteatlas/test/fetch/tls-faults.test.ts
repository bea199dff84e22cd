/** Each fault of TLS has its own cause and reason, in events and in the tree. Real servers on loopback. */
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeClient, type NodeClientOptions } from "../../src/fetch/client/node-client.ts";
import { tlsFault } from "../../src/fetch/tls-faults.ts";
import type { InvalidSitemap } from "../../src/model/model.ts";
import { sitemapTreeForHomepage } from "../../src/tree/tree.ts";
import type { WalkEvent, WalkedSitemap } from "../../src/walk/events/events.ts";
import { createAuthority } from "../support/certificates.ts";
import { closedPort } from "../support/http-server.ts";
import { robotsTxt } from "../support/test-site.ts";
import { hasOpenssl, openTlsSite } from "../support/tls-site.ts";

const authority = hasOpenssl ? createAuthority() : undefined!;
const ROBOTS: RequestListener = (_, response) => void response.end(robotsTxt([]));

interface Failure {
  readonly node: InvalidSitemap;
  readonly event: WalkedSitemap;
}

/** Walks a site whose robots.txt cannot be fetched. */
async function failureAt(
  homepage: string,
  options: NodeClientOptions = { ca: authority.ca },
): Promise<Failure> {
  const client = createNodeClient({ homepage, ...options });
  onTestFinished(client.close);
  const events: WalkEvent[] = [];
  const tree = await sitemapTreeForHomepage(homepage, {
    client,
    useKnownPaths: false,
    useHomepageLinks: false,
    limits: { retries: 0 },
    onEvent: (event) => void events.push(event),
  });
  const [node] = tree.subSitemaps;
  const [event] = events.flatMap((each) => (each.kind === "sitemap" ? [each.sitemap] : []));
  return { node: node as InvalidSitemap, event: event! };
}

async function expectFault(
  homepage: string,
  cause: string,
  reason: RegExp,
  options?: NodeClientOptions,
): Promise<void> {
  const { node, event } = await failureAt(homepage, options);
  const expected = { kind: "invalid", code: "http.tls", cause, reason: expect.stringMatching(reason) };
  expect(node).toMatchObject(expected);
  expect(event).toMatchObject({ ...expected, outcome: "failed" });
}

describe.runIf(hasOpenssl)("a certificate", () => {
  it("of an authority that the caller trusts is accepted, with and without an intermediate one", async () => {
    for (const certificate of [authority.issue(), authority.issue({ intermediate: "sent" })]) {
      const site = await openTlsSite(ROBOTS, certificate);
      expect((await failureAt(site)).event).toMatchObject({ outcome: "found", format: "robots" });
    }
  });

  it("that has expired is named with its date", async () => {
    const site = await openTlsSite(ROBOTS, authority.issue({ days: -1 }));
    await expectFault(site, "certificate-expired", /^its certificate expired on \d{4}-\d\d-\d\d$/);
  });

  it("that is self-signed is named", async () => {
    await expectFault(
      await openTlsSite(ROBOTS),
      "certificate-self-signed",
      /^its certificate is self-signed$/,
    );
  });

  it("for another name is named with the names that it has", async () => {
    const names = ["www.other.example", "*.other.example", "a.example", "b.example", "c.example"];
    const site = await openTlsSite(ROBOTS, authority.issue({ names }));
    await expectFault(
      site,
      "certificate-name",
      /^its certificate is for another host: www\.other\.example, \*\.other\.example, a\.example and 2 more$/,
    );
  });

  it("without the intermediate one is named with the issuer", async () => {
    const site = await openTlsSite(
      ROBOTS,
      authority.issue({ intermediate: "missing", hasIssuerAddress: true }),
    );
    await expectFault(
      site,
      "certificate-incomplete",
      /^the server does not send the certificate of its issuer \(Test Intermediate\)$/,
    );
  });

  it("of an unknown issuer may be private, or its intermediate certificate is missing", async () => {
    for (const certificate of [authority.issue(), authority.issue({ intermediate: "missing" })]) {
      const site = await openTlsSite(ROBOTS, certificate);
      const reason =
        /^the issuer of its certificate is not known \(Test (?:Root|Intermediate)\): it is a private /;
      await expectFault(site, "certificate-issuer", reason, {});
    }
  });

  it("of an unknown authority is named with the authority", async () => {
    const site = await openTlsSite(ROBOTS, authority.issue({ intermediate: "sent" }));
    await expectFault(
      site,
      "certificate-authority",
      /^its certificate comes from an authority that is not trusted \(Test Root\)$/,
      {},
    );
  });
});

describe.runIf(hasOpenssl)("a server", () => {
  it("that supports only old versions of TLS is named", async () => {
    const site = await openTlsSite(ROBOTS, {
      ...authority.issue(),
      minVersion: "TLSv1",
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    });
    await expectFault(site, "tls-version", /^the server supports only TLS versions that are too old$/);
  });

  it.each([
    ["TLSv1.3", "client-certificate", /^the server wants a client certificate$/],
    ["TLSv1.2", "tls-handshake", /may want a client certificate$/],
  ] as const)("that wants a client certificate is named with %s", async (version, cause, reason) => {
    const site = await openTlsSite(ROBOTS, {
      ...authority.issue(),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: version,
      maxVersion: version,
    });
    await expectFault(site, cause, reason);
  });

  it("that does not use TLS is named", async () => {
    const server = createHttpServer(ROBOTS).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await expectFault(`https://127.0.0.1:${port}`, "not-tls", /^the server does not use TLS on this port$/);
  });
});

describe("a host without a server", () => {
  it("refuses the connection", async () => {
    const { node } = await failureAt(`http://127.0.0.1:${await closedPort()}`, {});
    expect(node).toMatchObject({
      code: "http.connection",
      cause: "connection-refused",
      reason: "the host refused the connection",
    });
  });
});

describe("the text that a reason quotes from a certificate", () => {
  it("consists of plain names (sec-C13)", () => {
    const hostile = "\x1b]0;gotcha\x07\u202e";
    const certificate = {
      subjectaltname: `DNS:${hostile}, DNS:ok.example`,
      issuer: { CN: hostile },
      authority: { CN: hostile },
    };
    expect(tlsFault("ERR_TLS_CERT_ALTNAME_INVALID", certificate).reason).toBe(
      "its certificate is for another host: ok.example",
    );
    for (const code of ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN"]) {
      expect(tlsFault(code, certificate).reason).toMatch(/^[a-z :,]+$/);
    }
  });

  it("is not the date of the leaf if an issuer has expired", () => {
    const { reason } = tlsFault("CERT_HAS_EXPIRED", { valid_to: "Jan  1 00:00:00 2199 GMT" });
    expect(reason).toBe("an intermediate certificate has expired");
    const early = tlsFault("CERT_NOT_YET_VALID", { valid_from: "Jan  1 00:00:00 1999 GMT" });
    expect(early.reason).toBe("an intermediate certificate is not yet valid");
  });

  it("is empty if the error has no certificate", () => {
    expect(tlsFault("CERT_HAS_EXPIRED").reason).toBe("its certificate has expired");
    expect(tlsFault("CERT_NOT_YET_VALID", { valid_from: "Jan  1 00:00:00 2199 GMT" }).reason).toBe(
      "its certificate is not valid before 2199-01-01",
    );
    expect(tlsFault("ERR_SSL_SOMETHING_NEW").cause).toBe("tls");
  });
});
