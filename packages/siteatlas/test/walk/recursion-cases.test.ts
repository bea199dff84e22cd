/** Recursion and dedup: cases C01 to C16, each on a real server. The ids are those of the catalog of edge cases. */
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Client } from "../../src/fetch/client/client.ts";
import type { Sitemap } from "../../src/model/model.ts";
import { allPages, allSitemaps, sitemapTreeForHomepage, type TreeOptions } from "../../src/tree/tree.ts";
import type { WalkedSitemap } from "../../src/walk/events/events.ts";
import { streamPages, walkSitemaps } from "../../src/walk/walk-sitemaps.ts";
import {
  HTML_PAGE,
  openSite,
  outline,
  pageUrls,
  redirectTo,
  robotsTxt,
  type SiteHandler,
  sitemapIndex,
  type TestSite,
  urlset,
} from "../support/test-site.ts";

const DECLARED: TreeOptions = { useKnownPaths: false, useHomepageLinks: false };

const countPages = (tree: Sitemap, unique: boolean): number => [...allPages(tree, { unique })].length;

/** Each URL was requested once. */
function expectOnce(site: TestSite): void {
  expect(site.paths().sort()).toEqual([...new Set(site.paths())].sort());
}

it("C01: an index that lists itself", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([`${base}/i.xml`, `${base}/a.xml`]),
    "/a.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(outline(tree, site.url).slice(3)).toEqual([
    "      invalid index.self-reference /i.xml",
    "      pages xml /a.xml: /1",
  ]);
  expectOnce(site);
});

it("C02: A lists B, B lists A", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": sitemapIndex([`${base}/b.xml`]),
    "/b.xml": sitemapIndex([`${base}/a.xml`, `${base}/leaf.xml`]),
    "/leaf.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(outline(tree, site.url).slice(2)).toEqual([
    "    index xml /a.xml",
    "      index xml /b.xml",
    "        invalid index.cycle /a.xml",
    "        pages xml /leaf.xml: /1",
    "    index xml /b.xml",
    "      index xml /a.xml",
    "        invalid index.cycle /b.xml",
    "      pages xml /leaf.xml: /1",
  ]);
  expectOnce(site);
});

it("C03: two indexes share three children", async () => {
  const site = await openSite((base) => {
    const children = pageUrls(`${base}/c`, 3);
    return {
      "/robots.txt": robotsTxt([`${base}/x.xml`, `${base}/y.xml`]),
      "/x.xml": sitemapIndex(children),
      "/y.xml": sitemapIndex(children),
      ...Object.fromEntries([1, 2, 3].map((n) => [`/c/${n}`, urlset(pageUrls(`${base}/p${n}`, 2))])),
    };
  });
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([12, 6]);
  expect(site.requests).toHaveLength(6);
  let streamed = 0;
  for await (const _ of streamPages(site.url, DECLARED)) streamed++;
  expect(streamed).toBe(6);
});

it("C04: /sitemap.xml redirects to /sitemap_index.xml, as Yoast SEO does: fetched once", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([]),
    "/sitemap.xml": redirectTo("/sitemap_index.xml", 301),
    "/sitemap_index.xml": sitemapIndex([`${base}/post-sitemap.xml`, `${base}/page-sitemap.xml`]),
    "/post-sitemap.xml": urlset(pageUrls(`${base}/post`, 4)),
    "/page-sitemap.xml": urlset(pageUrls(`${base}/page`, 2)),
  }));
  const tree = await sitemapTreeForHomepage(site.url);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([6, 6]);
  expectOnce(site);
  // robots.txt, the 18 known locations, the two children.
  expect(site.requests).toHaveLength(21);
});

it("C05: a child in robots.txt and in an index", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`, `${base}/a.xml`]),
    "/i.xml": sitemapIndex([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset([`${base}/1`, `${base}/2`]),
    "/b.xml": urlset([`${base}/3`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([5, 3]);
  expectOnce(site);
});

it("C06: six indexes that all list each other cost exactly six requests", async () => {
  const names = ["/1.xml", "/2.xml", "/3.xml", "/4.xml", "/5.xml", "/6.xml"];
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/1.xml`]),
    ...Object.fromEntries(names.map((name) => [name, sitemapIndex(names.map((other) => base + other))])),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.paths().filter((path) => path !== "/robots.txt")).toHaveLength(6);
  expectOnce(site);
  // From 1.xml, 326 paths without a repetition; each index on them lists six sitemaps.
  expect([...allSitemaps(tree)]).toHaveLength(2 + 326 * 6);
});

it("C06: the tree of fifty of them is bounded by limits.places", async () => {
  const names = Array.from({ length: 50 }, (_, at) => `/${at}.xml`);
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/0.xml`]),
    ...Object.fromEntries(
      names.map((name, at) => [
        name,
        sitemapIndex(names.map((other) => base + other)).replace(
          "</sitemapindex>",
          `<url><loc>${base}/page/${at}</loc></url></sitemapindex>`,
        ),
      ]),
    ),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.requests).toHaveLength(51);
  expect(countPages(tree, true)).toBe(50);
  const nodes = [...allSitemaps(tree)];
  expect(nodes.length).toBeLessThanOrEqual(100_002);
  expect(nodes.some((node) => node.kind === "invalid" && node.code === "limit.places")).toBe(true);
  expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.places" }] });
});

it("C07: a chain of 30 indexes stops at level 11 with an issue", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/1.xml`]),
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`/${at + 1}.xml`, sitemapIndex([`${base}/${at + 2}.xml`])]),
    ),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.requests).toHaveLength(12);
  expect([...allSitemaps(tree)].at(-1)).toMatchObject({
    kind: "invalid",
    code: "limit.depth",
    url: `${site.url}/12.xml`,
  });
  expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.depth" }] });
});

it("C08: a ?page=n trap is bounded by depth, its child is fetched once", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/trap?page=1`]),
    "/trap": ({ url }) => {
      const page = Number(new URL(url ?? "", base).searchParams.get("page"));
      return { body: sitemapIndex([`${base}/leaf.xml`, `${base}/trap?page=${page + 1}`]) };
    },
    "/leaf.xml": urlset([`${base}/1`, `${base}/2`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.count("/leaf.xml")).toBe(1);
  expect(site.requests).toHaveLength(1 + 11 + 1);
  // The leaf of the last index is at level 12.
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([20, 2]);
});

it("C08: a trap that grows in width is bounded by the number of indexes", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/trap`]),
    "/trap": ({ url = "" }) => ({
      body: sitemapIndex(
        [0, 1, 2].map((n) => `${base}${url.replace("?", "")}?${n}`.replace("/trap", "/trap?")),
      ),
    }),
  }));
  // Each response has a longer query, so that no two URLs are equal.
  const limited = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits: { indexes: 20 } });
  expect(limited).toMatchObject({ partial: true });
  expect(limited.issues.map(({ code }) => code)).toContain("limit.indexes");
  expect(site.requests.length).toBeLessThanOrEqual(1 + 1 + 20 * 3);
});

it("C09: spellings of one URL are one URL", async () => {
  const site = await openSite((base, { port }) => ({
    "/robots.txt": robotsTxt([
      `${base}/a.xml`,
      `HTTP://127.0.0.1:${port}/a.xml#part`,
      `http://127.1:${port}/a.xml`,
      `http://0x7f.0.0.1:0${port}/x/../a.xml`,
    ]),
    "/a.xml": urlset([`${base}/1`]),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect(site.requests).toHaveLength(2);
  expect(tree.subSitemaps[0]).toMatchObject({ duplicateCount: 3 });
});

it("C09: … host in any case, the default port, a final dot, escapes in any case", async () => {
  const files: Record<string, string> = {
    "/robots.txt": robotsTxt([
      "https://www.example.com/a.xml?q=%c3%a9",
      "https://WWW.Example.COM/a.xml?q=%C3%A9",
      "HTTPS://www.example.com:443/a.xml?q=é",
      "https://www.example.com./a.xml?q=%C3%a9#part",
      "https://www.example.com:0443/./x/../a.xml?q=%C3%A9",
    ]),
    "/a.xml": urlset(["https://www.example.com/1"]),
  };
  const asked: string[] = [];
  const client: Client = async ({ url }) => {
    asked.push(url);
    const text = files[new URL(url).pathname];
    const body = (async function* () {
      yield Buffer.from(text ?? "");
    })();
    return { status: text === undefined ? 404 : 200, headers: {}, body };
  };
  const tree = await sitemapTreeForHomepage("https://www.example.com/", { ...DECLARED, client });
  expect(asked).toHaveLength(2);
  expect(countPages(tree, true)).toBe(1);
});

it.each([0, 100])(
  "C10: a child that redirects to its sibling (which takes %i ms) shares it",
  async (delayMs) => {
    const site = await openSite((base) => ({
      "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
      "/a.xml": { ...redirectTo("/b.xml"), delayMs: 50 },
      "/b.xml": { body: urlset([`${base}/1`]), delayMs },
    }));
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const [a, b] = tree.subSitemaps[0]!.subSitemaps;
    expect(a!.pages).toBe(b!.pages);
    expect(a).toMatchObject({ url: `${site.url}/b.xml`, requestedUrl: `${site.url}/a.xml` });
    expect(b).not.toHaveProperty("requestedUrl");
    expectOnce(site);
  },
);

describe("C11: the same bytes under two URLs", () => {
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const copies = (tree: Sitemap): Sitemap[] => [...allSitemaps(tree)].filter((node) => node.duplicateOf);
  const robotsOf = (base: string, ...paths: string[]): string => robotsTxt(paths.map((path) => base + path));

  /** Copies that a walk reports, with their originals, by event and by issue. */
  async function toldCopies(
    site: TestSite,
    onSitemap: (path: string) => unknown = () => {},
  ): Promise<{ events: string[]; issues: string[] }> {
    const short = (url = ""): string => url.slice(site.url.length);
    const events: string[] = [];
    const issues: string[] = [];
    for await (const event of walkSitemaps(site.url, DECLARED)) {
      if (event.kind === "sitemap") onSitemap(short(event.sitemap.url));
      if (event.kind === "sitemap" && event.sitemap.duplicateOf !== undefined) {
        const { url, duplicateOf, issueCount } = event.sitemap;
        events.push(`${short(url)} of ${short(duplicateOf)}, ${issueCount} issues`);
      }
      if (event.kind === "issue" && event.issue.code === "index.duplicate-content") {
        expect(event.issue.severity).toBe("warning");
        issues.push(`${short(event.issue.url)} of ${short(event.issue.value)}`);
      }
    }
    return { events, issues };
  }

  it.each([
    ["the second", "/a.xml"],
    ["the first, if it comes later,", "/a.xml.gz"],
  ])("both are read, and %s is reported as a copy. In the tree it is always the second", async (_, first) => {
    let release = (): void => {};
    let released = Promise.resolve();
    // The response of the other one waits until the walk has reported the first one.
    const after =
      (path: string, body: string | Uint8Array): SiteHandler =>
      async () => {
        if (path !== first) await released;
        return { body };
      };
    const site = await openSite((base) => {
      const body = urlset([`${base}/1`, `${base}/2`]);
      return {
        "/robots.txt": robotsOf(base, "/a.xml", "/a.xml.gz", "/other.xml"),
        "/a.xml": after("/a.xml", body),
        "/a.xml.gz": after("/a.xml.gz", gzipSync(body)),
        "/other.xml": urlset([`${base}/1`]),
      };
    });
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect([countPages(tree, false), countPages(tree, true)]).toEqual([5, 2]);
    const [plain, packed, other] = tree.subSitemaps[0]!.subSitemaps;
    const contentHash = sha256(urlset([`${site.url}/1`, `${site.url}/2`]));
    expect(plain).toMatchObject({ contentHash, issues: [], issueCount: 0 });
    expect(packed).toMatchObject({
      contentHash,
      duplicateOf: `${site.url}/a.xml`,
      issues: [{ code: "index.duplicate-content", url: `${site.url}/a.xml.gz`, value: `${site.url}/a.xml` }],
      issueCount: 1,
    });
    expect(copies(tree)).toEqual([packed]);
    expect(other!.contentHash).not.toBe(contentHash);
    released = new Promise((resolve) => {
      release = resolve;
    });
    const told = await toldCopies(site, (path) => path === first && release());
    const who = first === "/a.xml" ? "/a.xml.gz of /a.xml" : "/a.xml of /a.xml.gz";
    expect(told).toEqual({ events: [`${who}, 1 issues`], issues: [who] });
  });

  it("an index and its copy (sec-S02): their children are shared, and requested once", async () => {
    const site = await openSite((base) => {
      const index = sitemapIndex([`${base}/leaf.xml`]);
      return {
        "/robots.txt": robotsOf(base, "/i.xml", "/copy.xml"),
        "/i.xml": index,
        "/copy.xml": { body: index, delayMs: 50 },
        "/leaf.xml": urlset([`${base}/1`]),
      };
    });
    expect(await toldCopies(site)).toMatchObject({ issues: ["/copy.xml of /i.xml"] });
    site.requests.length = 0;
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const [index, copy] = tree.subSitemaps[0]!.subSitemaps;
    expect(copy).toMatchObject({ duplicateOf: index!.url });
    expect(copy!.subSitemaps[0]!.pages).toBe(index!.subSitemaps[0]!.pages);
    expectOnce(site);
  });

  it("is not a copy if its relative URLs resolve differently: no page is lost", async () => {
    const index = sitemapIndex(["pages.xml"]);
    const site = await openSite((base) => ({
      "/robots.txt": robotsOf(base, "/de/index.xml", "/en/index.xml"),
      "/de/index.xml": index,
      "/en/index.xml": index,
      "/de/pages.xml": urlset(["1"]),
      "/en/pages.xml": urlset(["1"]),
    }));
    expect(await toldCopies(site)).toEqual({ events: [], issues: [] });
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(copies(tree)).toEqual([]);
    expect(countPages(tree, true)).toBe(2);
    const [de, en] = tree.subSitemaps[0]!.subSitemaps;
    expect(de!.contentHash).toBe(en!.contentHash);
  });

  it("is not a copy if it lists nothing, is truncated, or is not a sitemap", async () => {
    const site = await openSite((base) => {
      const cut = urlset([`${base}/1`, `${base}/2`]).slice(0, -30);
      const pairs = { empty: urlset([]), cut, html: HTML_PAGE };
      return {
        "/robots.txt": robotsOf(base, ...Object.keys(pairs).flatMap((name) => [`/${name}1`, `/${name}2`])),
        ...Object.fromEntries(
          Object.entries(pairs).flatMap(([name, body]) => [1, 2].map((at) => [`/${name}${at}`, body])),
        ),
      };
    });
    expect(await toldCopies(site)).toEqual({ events: [], issues: [] });
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(copies(tree)).toEqual([]);
    const hashed = [...allSitemaps(tree)].filter(({ contentHash }) => contentHash !== undefined);
    expect(hashed.map(({ url }) => url.slice(site.url.length))).toEqual([
      "/robots.txt",
      "/empty1",
      "/empty2",
    ]);
  });

  it("is a copy even if its connection broke the first time", async () => {
    const site = await openSite((base) => {
      const whole = urlset(pageUrls(base, 5));
      return {
        "/robots.txt": robotsOf(base, "/a.xml", "/b.xml"),
        "/a.xml": whole,
        "/b.xml": (_, response, times) => {
          if (times > 1) return { body: whole };
          response.writeHead(200, { "content-length": String(whole.length) });
          response.write(whole.slice(0, whole.indexOf("/4<")), () =>
            setTimeout(() => response.destroy(), 10),
          );
          return undefined;
        },
      };
    });
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(tree.subSitemaps[0]!.subSitemaps[1]).toMatchObject({
      duplicateOf: `${site.url}/a.xml`,
      contentHash: sha256(urlset(pageUrls(site.url, 5))),
    });
    expect(site.count("/b.xml")).toBe(2);
  });

  it("has no hash if its connection broke and the second response differs", async () => {
    const site = await openSite((base) => {
      const [first, second] = [urlset(pageUrls(base, 5)), urlset(pageUrls(base, 6).slice(2))];
      return {
        "/robots.txt": robotsOf(base, "/a.xml"),
        "/a.xml": (_, response, times) => {
          if (times > 1) return { body: second };
          response.writeHead(200, { "content-length": String(first.length) });
          response.write(first.slice(0, first.indexOf("/4<")), () =>
            setTimeout(() => response.destroy(), 10),
          );
          return undefined;
        },
      };
    });
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    const [read] = tree.subSitemaps[0]!.subSitemaps;
    expect(read).toMatchObject({ kind: "pages" });
    expect(read).not.toHaveProperty("contentHash");
  });

  it("an index that is its own copy at every deeper path ends at the limit of depth", async () => {
    const site = await openSite((base) => ({ "/robots.txt": robotsOf(base, "/x/index.xml") }), {
      fallback: { body: sitemapIndex(["x/index.xml"]) },
    });
    const tree = await sitemapTreeForHomepage(site.url, DECLARED);
    expect(site.requests).toHaveLength(1 + 11);
    expect(tree.issues).toMatchObject([{ code: "limit.depth" }]);
  });
});

it("C12: a page in many sitemaps is emitted each time, or once", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 10)),
    ...Object.fromEntries(
      pageUrls("/s", 10).map((path) => [path, urlset([`${base}/same`, `${base}/other${path}`])]),
    ),
  }));
  const tree = await sitemapTreeForHomepage(site.url, DECLARED);
  expect([countPages(tree, false), countPages(tree, true)]).toEqual([20, 11]);
});

it("C13: pages are streamed as they are parsed, and requests wait for the consumer", async () => {
  let sent = 0;
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/endless.xml`]),
    "/endless.xml": (_, response) => {
      response.write("<urlset>");
      const write = (): void => {
        while (!response.destroyed && sent < 100_000_000) {
          const rows = Array.from(
            { length: 500 },
            (__, at) => `<url><loc>${base}/${sent + at}</loc></url>`,
          ).join("");
          sent += rows.length;
          if (!response.write(rows)) {
            response.once("drain", write);
            return;
          }
        }
        response.end("</urlset>");
      };
      write();
      return undefined;
    },
  }));
  let taken = 0;
  for await (const _ of streamPages(site.url, DECLARED)) {
    if (++taken === 1) await new Promise((resolve) => setTimeout(resolve, 300));
    if (taken === 1000) break;
  }
  // The buffers of both sockets hold a few megabytes, the walk holds a few batches.
  expect(sent).toBeLessThan(30_000_000);
});

it("C14: an exceeded budget leaves a partial result with its reason", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/a.xml`, `${base}/b.xml`]),
    "/a.xml": urlset(pageUrls(`${base}/a`, 10)),
    "/b.xml": { body: urlset(pageUrls(`${base}/b`, 10)), delayMs: 100 },
  }));
  const tree = await sitemapTreeForHomepage(site.url, { ...DECLARED, limits: { urls: 15 } });
  expect(countPages(tree, false)).toBe(15);
  expect(tree).toMatchObject({ partial: true, issues: [{ code: "limit.urls" }] });
  const [, b] = tree.subSitemaps[0]!.subSitemaps;
  expect(b).toMatchObject({ partial: true, issues: [{ code: "limit.urls" }] });
});

it("C15: a child has the lastmod that its index declares", async () => {
  const site = await openSite((base) => ({
    "/robots.txt": robotsTxt([`${base}/i.xml`]),
    "/i.xml": sitemapIndex([
      [`${base}/a.xml`, "2024-02-03"],
      [`${base}/gone.xml`, "2024-02-04"],
      `${base}/b.xml`,
    ]),
    "/a.xml": urlset([`${base}/1`]),
    "/b.xml": urlset([`${base}/2`]),
  }));
  const [a, gone, b] = (await sitemapTreeForHomepage(site.url, DECLARED)).subSitemaps[0]!.subSitemaps[0]!
    .subSitemaps;
  expect(a?.lastModified).toMatchObject({ text: "2024-02-03", precision: "day" });
  expect(gone).toMatchObject({ kind: "invalid", lastModified: { text: "2024-02-04" } });
  expect(b?.lastModified).toBeUndefined();
});

it("C16: of 10,000 Sitemap lines the first 5,000 count. limits.sitemaps cuts them and is reported", async () => {
  const site = await openSite((base) => ({ "/robots.txt": robotsTxt(pageUrls(`${base}/s`, 10_000)) }), {
    fallback: ({ url }) => ({ body: urlset([`http://127.0.0.1/page${url}`]) }),
  });
  const walked: WalkedSitemap[] = [];
  for await (const event of walkSitemaps(site.url, { ...DECLARED, limits: { sitemaps: 50 } })) {
    if (event.kind === "sitemap") walked.push(event.sitemap);
  }
  expect(site.requests).toHaveLength(50);
  expect(walked.filter(({ outcome }) => outcome === "found")).toHaveLength(50);
  expect(walked.filter(({ code }) => code === "limit.sitemaps")).toHaveLength(5001 - 50);
  expect(walked.find(({ source }) => source === "robots")).toMatchObject({ partial: true, childCount: 5000 });
});
