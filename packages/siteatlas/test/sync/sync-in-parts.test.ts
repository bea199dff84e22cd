/** A sync in parts: each part continues where a limit stopped the previous one, and requests nothing twice. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readSnapshot } from "../../src/sync/snapshot/read-snapshot.ts";
import { LivingSite } from "./living-site.ts";
import { NOTHING, syncOnce, type Told } from "./support.ts";

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

const NAMES = Array.from({ length: 12 }, (_, number) => `s${String(number).padStart(2, "0")}`);

/** Runs parts with a limit that grows by three requests each, until no limit is reached. */
async function syncInParts(options: { readonly useTrust?: boolean } = {}): Promise<Told[]> {
  const parts: Told[] = [];
  const continueFrom = new Date();
  for (let sitemaps = 6; parts.length < 20; sitemaps += 3) {
    let isCut = false;
    const told = await syncOnce(site, join(folder, "s.gz"), {
      ...options,
      useKnownPaths: false,
      limits: { backoffMs: 1, sitemaps },
      ...(parts.length > 0 && { continueFrom }),
      onEvent: (event) => {
        if (event.kind === "sitemap" && event.sitemap.outcome === "stopped") isCut = true;
      },
    });
    parts.push(told);
    if (!isCut) break;
  }
  return parts;
}

const countOf = (path: string): number => site.requests.filter((request) => request.path === path).length;

test("every sitemap is requested once, every page is added once", async () => {
  for (const name of NAMES) site.add(name, [`/${name}-1`, `/${name}-2`]);
  const parts = await syncInParts();
  expect(parts.length).toBeGreaterThan(3);
  for (const name of NAMES) expect(countOf(`/${name}.xml`), name).toBe(1);
  expect(parts.flatMap(({ added }) => added).sort()).toEqual(
    NAMES.flatMap((name) => [`/${name}-1`, `/${name}-2`]),
  );
  expect(parts.flatMap(({ removed }) => removed)).toEqual([]);
  // Sitemaps that were not read yet are unknown until their part.
  expect(parts.map(({ unknown }) => unknown.length)).toEqual([8, 5, 2, 0]);
  const snapshot = await readSnapshot(join(folder, "s.gz"));
  expect(snapshot.sitemaps.filter(({ unknown }) => unknown !== undefined)).toEqual([]);
  await snapshot.close();
  expect(await syncOnce(site, join(folder, "s.gz"), { useKnownPaths: false })).toMatchObject(NOTHING);
});

test("a change is reported once, by the part that reads it", async () => {
  const sitemaps = NAMES.map((name) => site.add(name, [`/${name}-1`, `/${name}-2`, `/${name}-3`]));
  await syncInParts();
  site.requests.length = 0;
  for (const [number, sitemap] of sitemaps.entries()) {
    sitemap.pages.set(`/new-${number}`, {});
    if (number === 11) sitemap.pages.delete("/s11-1");
  }
  const parts = await syncInParts({ useTrust: false });
  expect(parts.length).toBeGreaterThan(3);
  for (const name of NAMES) expect(countOf(`/${name}.xml`), name).toBe(1);
  expect(parts.flatMap(({ added }) => added)).toHaveLength(12);
  expect(parts.flatMap(({ removed }) => removed)).toEqual(["/s11-1"]);
});
