/** A sitemap with more pages than a section of the snapshot may have is cut, and the next sync can read the snapshot. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LivingSite } from "./living-site.ts";
import { syncOnce, type Told } from "./support.ts";

/** Instead of 256 MiB. The pages of all sitemaps that are read at once may take 64 KiB less. */
const MAX_SECTION_BYTES = 128 * 1024;
vi.mock("../../src/sync/snapshot/snapshot-format.ts", async (original) => ({
  ...(await original<object>()),
  MAX_SECTION_BYTES: 128 * 1024,
}));

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

const COUNT = 4000;
const pathsOf = (name: string): string[] => Array.from({ length: COUNT }, (_, n) => `/${name}${n}`);

/** Requests one sitemap after the other, so that they do not share the limit. */
async function sync(): Promise<Told & { readonly codes: readonly string[] }> {
  const codes: string[] = [];
  const told = await syncOnce(site, join(folder, "s.gz"), {
    concurrency: 1,
    onEvent: (event) => {
      if (event.kind === "issue") codes.push(event.issue.code);
    },
  });
  return { ...told, codes };
}

test("a sitemap with too many pages is cut, those after it are not, and no page is removed", async () => {
  const long = site.add("a", pathsOf("a"));
  site.add("b", ["/b1", "/b2"]);
  const first = await sync();
  expect(first.codes).toContain("limit.held");
  expect(first.unknown).toEqual(["/a.xml"]);
  expect(first.added.length).toBeGreaterThan(500);
  expect(first.added.length).toBeLessThan(COUNT);
  expect(first.added).toContain("/b2");

  // Other pages of the sitemap are read now. Both together are longer than a section.
  long.pages.clear();
  for (const path of pathsOf("c")) long.pages.set(path, {});
  const second = await sync();
  expect(second.codes).toContain("limit.held");
  expect(second.removed).toEqual([]);
  expect(await sync()).toMatchObject({ removed: [], unknown: ["/a.xml"] });
});

test("sitemaps with fewer pages are read completely, one after the other", async () => {
  const names = ["a", "b", "c"];
  const most = Math.floor((MAX_SECTION_BYTES - 64 * 1024) / 100);
  for (const name of names) site.add(name, pathsOf(name).slice(0, most));
  const { summary, codes } = await sync();
  expect(summary).toMatchObject({ pageCount: 3 * most, unknownSitemaps: 0 });
  expect(codes).not.toContain("limit.held");
});
