/** `httpsOnly` (sec-R07): nothing is requested over plain http, whatever leads there. */
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNodeClient } from "../../src/fetch/client/node-client.ts";
import type { Issue } from "../../src/model/model.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { serve, type TestServer } from "../support/http-server.ts";
import { robotsTxt, urlset } from "../support/test-site.ts";
import { hasOpenssl, openTlsSite } from "../support/tls-site.ts";

async function openPlain(): Promise<TestServer> {
  const plain = await serve((_, response) => response.end(urlset(["/page"])));
  onTestFinished(() => plain.close());
  return plain;
}

async function walk(
  homepage: string,
  httpsOnly: boolean,
): Promise<{ sitemaps: Map<string, WalkedSitemap>; issues: Issue[] }> {
  const client = createNodeClient({ connect: buildConnector({ rejectUnauthorized: false }) });
  onTestFinished(() => client.close());
  const sitemaps = new Map<string, WalkedSitemap>();
  const issues: Issue[] = [];
  const options = { client, httpsOnly, useKnownPaths: false, useHomepageLinks: false };
  for await (const event of walkSitemaps(homepage, options)) {
    if (event.kind === "issue") issues.push(event.issue);
    if (event.kind !== "sitemap") continue;
    const { url, requestedUrl = url } = event.sitemap;
    sitemaps.set(new URL(requestedUrl).pathname, event.sitemap);
  }
  return { sitemaps, issues };
}

describe.runIf(hasOpenssl)("httpsOnly", () => {
  it.each([false, true])("%s: a sitemap that is http, or redirects there", async (httpsOnly) => {
    const plain = await openPlain();
    let base = "";
    base = await openTlsSite(({ url }, response) => {
      if (url === "/robots.txt") {
        response.end(robotsTxt([`${base}/a.xml`, `${plain.url}/b.xml`, `${base}/c.xml`, `${base}/d.xml`]));
      } else if (url === "/c.xml") response.writeHead(302, { location: `${plain.url}/c2.xml` }).end();
      else if (url === "/d.xml") response.writeHead(302, { location: `${base}/d2.xml` }).end();
      else response.end(urlset(["/page"]));
    });
    const { sitemaps, issues } = await walk(base, httpsOnly);
    const isRefused = { outcome: "skipped", code: "http.downgrade" };
    const isFound = { outcome: "found" };
    expect(sitemaps.get("/a.xml")).toMatchObject(isFound);
    expect(sitemaps.get("/d.xml")).toMatchObject(isFound);
    for (const path of ["/b.xml", "/c.xml"]) {
      expect(sitemaps.get(path)).toMatchObject(httpsOnly ? isRefused : isFound);
      if (httpsOnly) expect(sitemaps.get(path)!.reason).toContain("is not https, and httpsOnly is set");
    }
    expect(plain.connections > 0).toBe(!httpsOnly);
    expect(issues.some(({ code }) => code === "http.downgrade")).toBe(true);
  });

  it("robots.txt that redirects to http", async () => {
    const plain = await openPlain();
    const base = await openTlsSite((_, response) => {
      response.writeHead(301, { location: `${plain.url}/robots.txt` }).end();
    });
    const { sitemaps } = await walk(base, true);
    expect(sitemaps.get("/robots.txt")).toMatchObject({ outcome: "skipped", code: "http.downgrade" });
    expect(plain.connections).toBe(0);
  });

  it("an http homepage throws, and the message does not contain its password", async () => {
    const walking = walk("http://user:secret@127.0.0.1:9/", true);
    await expect(walking).rejects.toThrow(TypeError);
    await expect(walking).rejects.not.toThrow(/secret/);
  });
});
