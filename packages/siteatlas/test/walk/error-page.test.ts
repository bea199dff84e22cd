/** The start of an error page is in the event of the sitemap. */
import { expect, it } from "vitest";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import { openSite, robotsTxt, type SiteAnswer, type SiteHandler } from "../support/test-site.ts";

/** Walks a site with one sitemap, and returns the event of the sitemap. */
async function sitemapEvent(answer: SiteAnswer | SiteHandler): Promise<WalkedSitemap> {
  const site = await openSite({});
  site.routes = { "/robots.txt": robotsTxt([`${site.url}/s.xml`]), "/s.xml": answer };
  const options = { useKnownPaths: false, limits: { retries: 0 } } as const;
  for await (const event of walkSitemaps(site.url, options)) {
    if (event.kind === "sitemap" && event.sitemap.url.endsWith("/s.xml")) return event.sitemap;
  }
  throw new Error("no event");
}

it.each([400, 401, 403, 429, 500, 503])("%d: the first 1,024 characters", async (status) => {
  const body = `<h1>Blocked by Example Shield</h1>${"x".repeat(5000)}`;
  const { outcome, code, errorPage } = await sitemapEvent({ status, body });
  expect({ outcome, code }).toEqual({ outcome: "failed", code: "http.status" });
  expect(errorPage).toMatch(/^<h1>Blocked by Example Shield<\/h1>x+…?$/);
  expect(errorPage).toHaveLength(1024);
});

it.each([404, 410])("%d: no page is kept, because the document is only missing", async (status) => {
  expect(await sitemapEvent({ status, body: "Not found" })).not.toHaveProperty("errorPage");
});

it("an empty page is not kept", async () => {
  expect(await sitemapEvent({ status: 503, body: " \n" })).not.toHaveProperty("errorPage");
});

it("a page that never arrives does not delay the walk", async () => {
  const event = await sitemapEvent((_, response) => {
    response.writeHead(503, { "content-length": "1000" });
    response.write("Sorry, ");
    return undefined;
  });
  expect(event.errorPage).toBe("Sorry,");
});

it("has no control characters, line breaks or credentials", async () => {
  const body =
    "Denied\u001b[2J for https://user:secret@example.com/?token=abc123\nAuthorization: Basic dXNlcjpzZWNyZXQ=\n";
  const { errorPage } = await sitemapEvent({ status: 403, body });
  expect(errorPage).toContain("Denied");
  expect(errorPage).not.toMatch(/[\u0000-\u001f]|secret|abc123|dXNlcjpzZWNyZXQ/);
});
