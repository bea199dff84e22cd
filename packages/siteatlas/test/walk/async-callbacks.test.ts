/** Functions of the caller that are called during a walk: what they may return, and that no rejection is lost. */
import { describe, expect, it } from "vitest";
import { sitemapTreeForHomepage, type WalkOptions, walkSitemaps } from "../../src/index.ts";
import { serve, type TestServer } from "../support/http-server.ts";

function openSite(): Promise<TestServer> {
  return serve({ "/robots.txt": { body: "Sitemap: /a.txt" }, "/a.txt": { body: "https://example.com/a" } });
}

const quick = { useKnownPaths: false, useHomepageLinks: false, limits: { backoffMs: 1 } } as const;

describe("onRequest may return", () => {
  const results: readonly unknown[] = [undefined, null, 5, new Set(), Promise.resolve(), {}];

  it.each(results.map((result) => [result]))("%j", async (result) => {
    await using site = await openSite();
    const urls: string[] = [];
    const onRequest = (url: string): unknown => {
      urls.push(url);
      return result;
    };
    await sitemapTreeForHomepage(site.url, { ...quick, onRequest: onRequest as () => void });
    expect(urls).toEqual([`${site.url}/robots.txt`, `${site.url}/a.txt`]);
  });

  it("nothing, a function, or a union of both, by type", () => {
    const inFlight: string[] = [];
    const allowed: WalkOptions[] = [
      { onRequest: (url) => void inFlight.push(url) },
      { onRequest: (url) => (inFlight.includes(url) ? undefined : () => inFlight.pop()) },
      { onRequest: () => () => {} },
    ];
    expect(allowed).toHaveLength(3);
  });
});

describe("a rejection fails the walk", () => {
  const fail = async (): Promise<never> => {
    await Promise.resolve();
    throw new Error("the disk is full");
  };

  it.each(["onEvent", "onRequest"])("of %s", async (name) => {
    await using site = await openSite();
    await expect(sitemapTreeForHomepage(site.url, { ...quick, [name]: fail })).rejects.toThrow(
      "the disk is full",
    );
  });

  it("of onPause", async () => {
    await using site = await serve({ "/robots.txt": { status: 503, headers: { "retry-after": "1" } } });
    const limits = { retryAfterMs: 1, retries: 0 };
    await expect(sitemapTreeForHomepage(site.url, { ...quick, limits, onPause: fail })).rejects.toThrow(
      "the disk is full",
    );
  });

  it("of onEvent, after a limit has ended the walk", async () => {
    await using site = await openSite();
    const options: WalkOptions = {
      ...quick,
      limits: { urls: 0 },
      onEvent: async (event) => {
        if (event.kind === "issue" && event.issue.code === "limit.urls") await fail();
      },
    };
    await expect(sitemapTreeForHomepage(site.url, options)).rejects.toThrow("the disk is full");
  });
});

it("the walk waits for the promise of onEvent, even after a limit", async () => {
  await using site = await openSite();
  let running = 0;
  const kinds: string[] = [];
  const options: WalkOptions = {
    ...quick,
    limits: { urls: 0 },
    onEvent: async (event) => {
      expect(++running).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      kinds.push(event.kind);
    },
  };
  const streamed: string[] = [];
  for await (const { kind } of walkSitemaps(site.url, options)) streamed.push(kind);
  expect(kinds).toEqual(streamed);
});

it("a signal ends a walk whose onEvent never settles", async () => {
  await using site = await openSite();
  const controller = new AbortController();
  const onEvent = (): Promise<void> => {
    controller.abort(new Error("enough"));
    return new Promise(() => {});
  };
  const walk = sitemapTreeForHomepage(site.url, { ...quick, signal: controller.signal, onEvent });
  await expect(walk).rejects.toThrow("enough");
});
