/** One URL in several spellings is one page, reported as written (RFC 3986, 6.2.2). */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pageKey } from "../../src/page-list/page-key.ts";
import { LivingSite } from "./living-site.ts";
import { NOTHING, syncOnce, type Told } from "./support.ts";

describe("the key of a page", () => {
  const at = (path: string): string => `https://example.com/${path}`;

  test.each([
    ["caf%c3%a9", "caf%C3%A9"],
    ["%7euser/%41%2d%5F%2e", "~user/A-_."],
    ["a?q=%c3%b6&b=%7E", "a?q=%C3%B6&b=~"],
  ])("is the same for %s and %s", (one, other) => {
    expect(pageKey(at(one))).toBe(pageKey(at(other)));
  });

  test.each([
    ["a%2Fb", "a/b"],
    ["a%3Fb", "a?b"],
    ["%2541", "A"],
    ["a%20b", "a+b"],
    ["A", "a"],
  ])("differs for %s and %s", (one, other) => {
    expect(pageKey(at(one))).not.toBe(pageKey(at(other)));
  });
});

describe("a sync", () => {
  let site: LivingSite;
  let folder: string;

  beforeEach(async () => {
    site = await LivingSite.start();
    folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  });

  afterEach(async () => {
    await site.close();
    await rm(folder, { recursive: true });
  });

  const sync = (): Promise<Told> => syncOnce(site, join(folder, "s.gz"), { useKnownPaths: false });
  const low = Array.from({ length: 30 }, (_, number) => `/%d7%a9%d7%9c-${number}`);
  const high = low.map((path) => path.replace(/%../g, (octet) => octet.toUpperCase()));

  test("reports nothing when a sitemap changes the spelling of its URLs, and later changes under the first one", async () => {
    const a = site.add("a", [...low, "/plain"]);
    expect((await sync()).added).toEqual([...low, "/plain"].sort());
    a.pages = new Map([...high, "/plain"].map((path) => [path, { lastmod: "2026-01-01" }]));
    expect(await sync()).toMatchObject(NOTHING);
    a.pages.set(high[3]!, { lastmod: "2026-02-01" });
    a.pages.delete(high[4]!);
    expect(await sync()).toMatchObject({ ...NOTHING, changed: [low[3]], removed: [low[4]] });
    a.pages = new Map([...a.pages].map(([path, page]) => [path.toLowerCase(), page]));
    expect(await sync()).toMatchObject(NOTHING);
  });

  test("counts a page once that two sitemaps spell differently", async () => {
    const a = site.add("a", ["/caf%c3%a9", "/a", "/aa"]);
    const b = site.add("b", ["/caf%C3%A9", "/b", "/c"]);
    expect((await sync()).added).toEqual(["/a", "/aa", "/b", "/c", "/caf%C3%A9"]);
    a.pages.delete("/caf%c3%a9");
    expect(await sync()).toMatchObject(NOTHING);
    a.pages.set("/caf%c3%a9", { lastmod: "2026-01-01" });
    expect(await sync()).toMatchObject(NOTHING);
    // Only the other spelling is left. The page keeps the URL that it was reported with.
    b.pages.delete("/caf%C3%A9");
    expect(await sync()).toMatchObject(NOTHING);
    a.pages.set("/caf%c3%a9", { lastmod: "2026-01-02" });
    const changed = await sync();
    expect(changed).toMatchObject({ ...NOTHING, changed: ["/caf%C3%A9"] });
    const url = site.pageUrl("/caf%C3%A9");
    expect(changed.changes.find(({ kind }) => kind === "changed")).toMatchObject({
      before: { url, lastModified: "2026-01-01" },
      after: { url, lastModified: "2026-01-02" },
    });
    a.pages.delete("/caf%c3%a9");
    a.pages.set("/new", {});
    expect((await sync()).removed).toEqual(["/caf%C3%A9"]);
  });
});
