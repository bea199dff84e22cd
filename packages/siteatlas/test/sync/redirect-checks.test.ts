/** `redirectChecks` requests removed pages only if robots.txt allows it, with the User-Agent of the sync. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { SyncOptions } from "../../src/sync/options.ts";
import { syncSite } from "../../src/sync/sync-site.ts";
import { openSite, redirectTo, type SiteAnswer, type TestSite, urlset } from "../support/test-site.ts";

const AGENT = "checkbot/1.0";

interface Days {
  readonly site: TestSite;
  /** The pages that the second sync requested. */
  readonly requested: readonly string[];
  /** Old path → new path. */
  readonly moved: Readonly<Record<string, string>>;
}

/** Two syncs: on the second day, `/old-…` pages are replaced by others, to which they redirect. */
async function secondDay(
  robots: string | SiteAnswer,
  options: Partial<SyncOptions> & { readonly given?: boolean } = {},
): Promise<Days> {
  const { given = false, ...rest } = options;
  const folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const site = await openSite({});
  const pages = (paths: readonly string[]): string => urlset(paths.map((path) => site.url + path));
  const routes = {
    "/robots.txt": robots,
    "/old-secret-cats": redirectTo("/animals"),
    "/old-open-dogs": redirectTo("/plants"),
  };
  const sync = async (): Promise<Record<string, string>> => {
    const moved: Record<string, string> = {};
    const start = given ? { sitemaps: [`${site.url}/sitemap.xml`] } : site.url;
    const snapshot = join(folder, "s.gz");
    const limits = { retries: 0 };
    for await (const change of syncSite(start, {
      ...{ snapshot, redirectChecks: 5, massRemoval: 1, userAgent: AGENT, limits, ...rest },
    })) {
      if (change.kind === "removed" && change.movedTo !== undefined) {
        moved[change.url.slice(site.url.length)] = change.movedTo.slice(site.url.length);
      }
    }
    return moved;
  };
  const others = ["/a", "/b", "/c"];
  site.routes = { ...routes, "/sitemap.xml": pages([...others, "/old-secret-cats", "/old-open-dogs"]) };
  await sync();
  site.routes = { ...routes, "/sitemap.xml": pages([...others, "/animals", "/plants"]) };
  site.requests.length = 0;
  const moved = await sync();
  const asked = site.requests.filter(({ path }) => path.startsWith("/old-"));
  for (const { headers } of site.requests) expect(headers["user-agent"]).toBe(AGENT);
  return { site, requested: asked.map(({ path }) => path), moved };
}

const RULES = "User-agent: *\nDisallow: /old-secret\n";

test.each([false, true])("disallowed pages are not requested (respectRobots: %s)", async (respectRobots) => {
  const { requested, moved } = await secondDay(RULES, { respectRobots });
  expect(requested).toEqual(["/old-open-dogs"]);
  expect(moved).toEqual({ "/old-open-dogs": "/plants" });
});

test("the rules of the own User-Agent count", async () => {
  const { requested } = await secondDay(`${RULES}\nUser-agent: checkbot\nDisallow: /old-open\n`);
  expect(requested).toEqual(["/old-secret-cats"]);
});

test.each<[string, Parameters<typeof secondDay>[1]]>([
  ["a sync of given sitemaps", { given: true }],
  ["a sync without robots.txt", { useRobots: false }],
])("%s fetches robots.txt for its rules, once", async (_, options) => {
  const { site, requested } = await secondDay(RULES, options);
  expect(requested).toEqual(["/old-open-dogs"]);
  expect(site.requests.filter(({ path }) => path === "/robots.txt")).toHaveLength(1);
});

test("a missing robots.txt allows everything, a broken one nothing", async () => {
  expect((await secondDay({ status: 404 })).requested).toHaveLength(2);
  expect((await secondDay({ status: 403 }, { given: true })).requested).toHaveLength(2);
  expect((await secondDay({ status: 503 })).requested).toEqual([]);
  expect((await secondDay({ status: 503 }, { given: true })).requested).toEqual([]);
});

test("a disallowed page does not count as a check", async () => {
  expect((await secondDay(RULES, { redirectChecks: 1 })).requested).toEqual(["/old-open-dogs"]);
});
