/** Which pages `checkPages` requests, and what its state file remembers. */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  CheckFileError,
  type CheckOptions,
  type CheckProgress,
  checkPages,
  type Finding,
} from "../../src/index.ts";
import { runs, seed } from "../support/runs.ts";
import { openSite, robotsTxt, type TestSite, urlset } from "../support/test-site.ts";

const folder = mkdtempSync(join(tmpdir(), "siteatlas-check-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const stateFile = (): string => join(folder, `${files++}.check`);

const page = (text: string) => ({
  headers: { "content-type": "text/html" },
  body: `<!doctype html><html><head><title>${text}</title></head><body>Text of ${text}</body></html>`,
});

/** A site with pages. A date is the `<lastmod>` of the page. */
async function openPages(dates: Readonly<Record<string, string | undefined>>, rules = ""): Promise<TestSite> {
  return openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/sitemap.xml`], rules),
    "/sitemap.xml": sitemap(base, dates),
    ...Object.fromEntries(Object.keys(dates).map((path) => [path, page(path)])),
  }));
}

function sitemap(base: string, dates: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(dates).map(
    ([path, date]) =>
      `<url><loc>${base}${path}</loc>${date === undefined ? "" : `<lastmod>${date}</lastmod>`}</url>`,
  );
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries.join("")}</urlset>`;
}

/** The same site under another address. */
const other = (base: string): string => base.replace("127.0.0.1", "127.0.0.2");

/** The walk requests robots.txt and what it lists. */
const ONLY_ROBOTS = { useKnownPaths: false, useHomepageLinks: false } as const;

async function all(start: Parameters<typeof checkPages>[0], options: CheckOptions = {}): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of checkPages(start, { ...ONLY_ROBOTS, ...options })) found.push(finding);
  return found;
}

/** The paths of pages that were requested since the last call, sorted. */
function requested(site: TestSite): string[] {
  const paths = site.requests.splice(0).map(({ path }) => path);
  return paths.filter((path) => !/^\/(?:robots\.txt|siteatlas-)|\.xml$/.test(path)).sort();
}

const ids = (found: readonly Finding[]): string[] => found.map(({ rule }) => rule).sort();

describe("which pages are requested", () => {
  it("requests each page once, even if two sitemaps list it", async () => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": urlset([`${base}/1`, `${base}/2`]),
      "/b.xml": urlset([`${base}/2`, `${base}/3`]),
      ...{ "/1": page("1"), "/2": page("2"), "/3": page("3") },
    }));
    expect(await all(site.url)).toEqual([]);
    expect(requested(site)).toEqual(["/1", "/2", "/3"]);
  });

  it("does not request pages that robots.txt disallows, nor redirects to them", async () => {
    const site = await openPages({ "/a": undefined, "/private/b": undefined }, "Disallow: /private");
    site.routes = { ...site.routes, "/a": { status: 302, headers: { location: "/private/c" } } };
    expect(ids(await all(site.url))).toEqual(["page.redirect-temporary", "page.robots-disallowed"]);
    expect(requested(site)).toEqual(["/a"]);
  });

  it("requests a stable sample, and the same number from each section", async () => {
    const paths = Array.from({ length: 60 }, (_, i) => (i < 55 ? `/blog/${i}` : `/shop/${i}`));
    const site = await openPages(Object.fromEntries(paths.map((path) => [path, undefined])));
    await all(site.url, { sample: 6 });
    const first = requested(site);
    expect(first).toHaveLength(6);
    await all(site.url, { sample: 6 });
    expect(requested(site)).toEqual(first);
    await all(site.url, { sample: 6, stratify: "path" });
    const sections = requested(site).map((path) => path.slice(0, 5));
    expect(sections.filter((section) => section === "/shop")).toHaveLength(3);
  });

  it("samples N pages, even if several sitemaps list a page", async () => {
    const paths = Array.from({ length: 50 }, (_, i) => `/${i}`);
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": urlset([...paths, ...paths].map((path) => base + path)),
      "/b.xml": urlset(paths.map((path) => base + path)),
      ...Object.fromEntries(paths.map((path) => [path, page(path)])),
    }));
    for (const stratify of [undefined, "sitemap", "path"] as const) {
      await all(site.url, { sample: 40, stratify });
      expect(requested(site)).toHaveLength(40);
    }
  });

  it("skips pages that crossHost excludes, and checks them as soon as it allows them", async () => {
    const site = await openSite(
      (base) => ({
        "/robots.txt": robotsTxt([`${base}/sitemap.xml`]),
        "/sitemap.xml": sitemap("", { [`${base}/a`]: "2026-01-01", [`${other(base)}/b`]: "2026-01-01" }),
        ...{ "/a": page("a"), "/b": page("b") },
      }),
      { everyAddress: true },
    );
    const progress: CheckProgress[] = [];
    const options = {
      state: stateFile(),
      allowPrivateNetworks: true,
      onProgress: ({ checked, skipped, recorded, total }: CheckProgress) =>
        void progress.push({ checked, skipped, recorded, total }),
    };
    expect(await all(site.url, { ...options, crossHost: "none" })).toEqual([]);
    expect(requested(site)).toEqual(["/a"]);
    expect(progress.at(-1)).toEqual({ checked: 1, skipped: 1, recorded: 0, total: 2 });
    expect(await all(site.url, options)).toEqual([]);
    expect(requested(site)).toEqual(["/b"]);
  });

  it("skips pages without https if httpsOnly is set", async () => {
    const site = await openPages({ "/a": undefined });
    const options = { allowPrivateNetworks: true, httpsOnly: true };
    expect(await all({ pages: [`${site.url}/a`] }, options)).toEqual([]);
    expect(site.requests).toEqual([]);
  });

  it("sends HEAD requests with headersOnly, and GET if HEAD fails", async () => {
    const site = await openPages({ "/a": undefined, "/b": undefined });
    const methods: string[] = [];
    site.routes = {
      ...site.routes,
      "/b": ({ method = "" }) => {
        methods.push(method);
        return method === "HEAD" ? { status: 405 } : page("b");
      },
    };
    expect(await all(site.url, { headersOnly: true })).toEqual([]);
    expect(methods).toEqual(["HEAD", "GET"]);
    expect(site.requests.filter(({ path }) => path === "/a").map(({ method }) => method)).toEqual(["HEAD"]);
  });

  it("checks a list of pages, and refuses private addresses that a list contains", async () => {
    const site = await openPages({ "/a": undefined });
    const pages = [`${site.url}/a`, { url: `${site.url}/gone` }];
    expect(ids(await all({ pages }, { allowPrivateNetworks: true }))).toEqual(["page.not-found"]);
    requested(site);
    const refused = await all({ pages });
    expect(ids(refused)).toEqual(["page.private-host"]);
    expect(refused[0]!.places[0]!.detail).toBe(`no page of 127.0.0.1:${site.port} was requested`);
    expect(site.requests).toEqual([]);
    await expect(all({ pages: ["no url"] })).rejects.toThrow(TypeError);
  });

  it("stays polite: no more requests at the same time than concurrency allows", async () => {
    const paths = Array.from({ length: 40 }, (_, i) => `/${i}`);
    const site = await openPages(Object.fromEntries(paths.map((path) => [path, undefined])));
    await all(site.url, { concurrency: 3 });
    expect(Math.max(...site.maxActive.values())).toBeLessThanOrEqual(3);
  });

  it("aborts its requests when the caller leaves the loop", async () => {
    const site = await openPages({ "/a": undefined, "/b": undefined, "/c": undefined });
    site.routes = { ...site.routes, "/a": { status: 404 }, "/c": { ...page("c"), delayMs: 60_000 } };
    for await (const { rule } of checkPages(site.url, { concurrency: 1 })) {
      expect(rule).toBe("page.not-found");
      break;
    }
  });

  it("throws for wrong options before the first request", () => {
    expect(() => checkPages("https://example.com/", { sample: 0 })).toThrow(/sample/);
    expect(() => checkPages("https://example.com/", { smaple: 3 } as never)).toThrow(/sample/);
  });
});

describe("the state file", () => {
  it("repeats the findings, and requests only pages that may have changed", async () => {
    const before = {
      "/dated": "2026-11-01",
      "/undated": undefined,
      "/broken": "2026-11-01",
      "/new-date": "2026-11-01",
    };
    const site = await openPages(before);
    site.routes = { ...site.routes, "/broken": { status: 404 } };
    const state = stateFile();
    const first = await all(site.url, { state });
    expect(ids(first)).toEqual(["page.not-found"]);
    expect(requested(site)).toEqual(["/broken", "/dated", "/new-date", "/undated"]);

    const after = { ...before, "/new-date": "2026-11-02", "/added": "2026-11-02" };
    site.routes = { ...site.routes, "/sitemap.xml": sitemap(site.url, after), "/added": page("added") };
    expect(ids(await all(site.url, { state }))).toEqual(["page.not-found"]);
    expect(requested(site)).toEqual(["/added", "/broken", "/new-date", "/undated"]);

    site.routes = { ...site.routes, "/broken": page("broken") };
    expect(await all(site.url, { state })).toEqual([]);
    expect(requested(site)).toEqual(["/broken", "/undated"]);
  });

  it("continues where maxChecks ended", async () => {
    const paths = Array.from({ length: 10 }, (_, i) => `/${i}`);
    const site = await openPages(Object.fromEntries(paths.map((path) => [path, undefined])));
    const state = stateFile();
    const seen: string[] = [];
    for (let run = 0; run < 3; run++) {
      await all(site.url, { state, maxChecks: 4 });
      seen.push(...requested(site));
    }
    expect(seen.sort()).toEqual(paths);
  });

  it("keeps its records if the site cannot be read", async () => {
    const site = await openPages({ "/a": "2026-11-01" });
    const state = stateFile();
    await all(site.url, { state });
    const text = readFileSync(state, "utf8");
    site.routes = {};
    await all(site.url, { state });
    expect(readFileSync(state, "utf8")).toBe(text);
  });

  it("loses at most the last page if the file was cut at any byte", async () => {
    const paths = ["/a", "/b", "/c"];
    const site = await openPages(Object.fromEntries(paths.map((path) => [path, "2026-11-01"])));
    const whole = stateFile();
    await all(site.url, { state: whole });
    const text = readFileSync(whole, "utf8");
    const header = text.indexOf("\n") + 1;
    const end = text.lastIndexOf('{"endedAt"');
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: header, max: end }), async (length) => {
        const state = stateFile();
        writeFileSync(state, text);
        truncateSync(state, length);
        const kept = text.slice(0, length).split("\n").length - 2;
        requested(site);
        await all(site.url, { state });
        expect(requested(site)).toHaveLength(paths.length - kept);
        requested(site);
        await all(site.url, { state });
        expect(requested(site)).toEqual([]);
      }),
      { numRuns: runs(15), seed },
    );
  });

  it("does not change files that are no state files", async () => {
    const site = await openPages({ "/a": undefined });
    for (const text of [
      "hello",
      "hello\n",
      "{}\n",
      '{"format":"siteatlas-check/9","startedAt":""}\n',
      '{"page":1}\n',
    ]) {
      const state = stateFile();
      writeFileSync(state, text);
      await expect(all(site.url, { state })).rejects.toThrow(CheckFileError);
      expect(readFileSync(state, "utf8")).toBe(text);
    }
    expect(requested(site)).toEqual([]);
  });

  it("names the line of a damaged record", async () => {
    const site = await openPages({ "/a": undefined });
    const state = stateFile();
    await all(site.url, { state });
    appendFileSync(state, '{"page":{"url":"javascript:alert(1)"}}\n');
    await expect(all(site.url, { state })).rejects.toThrow(/line 4\.page\.url must be a URL/);
    expect(existsSync(state)).toBe(true);
  });
});
