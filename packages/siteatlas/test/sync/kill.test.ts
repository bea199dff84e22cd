/**
 * Kills a syncing process at random moments (SIGKILL). The snapshot must be either the old or the new one, and
 * the next run must report the changes that the killed one did not save. `KILLS=200` for as many.
 */
import { spawn } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSnapshot } from "../../src/sync/snapshot/read-snapshot.ts";
import { bundleChild, type Child } from "../limits/bundle-child.ts";
import { LivingSite } from "./living-site.ts";

const KILLS = Number(process.env["KILLS"] ?? 12);
const SITEMAPS = 12;
const PAGES = 1500;

let child: Child;
let site: LivingSite;
let folder: string;

beforeAll(async () => {
  child = await bundleChild(new URL("kill-child.ts", import.meta.url));
  site = await LivingSite.start();
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  for (let number = 0; number < SITEMAPS; number++) {
    site.add(
      `s${number}`,
      Array.from({ length: PAGES }, (_, page) => `/s${number}/page-${page}`),
    );
  }
});

afterAll(async () => {
  child.remove();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

/** All pages of the snapshot with their fields; undefined if there is no snapshot yet. */
async function readPages(path: string): Promise<Map<string, string | undefined> | undefined> {
  const snapshot = await readSnapshot(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (snapshot === undefined) return undefined;
  const pages = new Map<string, string | undefined>();
  for await (const { url, lastModified } of snapshot.pages()) pages.set(url, lastModified);
  await snapshot.close();
  expect(pages.size).toBe(snapshot.facts.pageCount);
  return pages;
}

function pagesNow(): Map<string, string | undefined> {
  return new Map(
    [...site.sitemaps.values()].flatMap(({ pages }) =>
      [...pages].map(([path, { lastmod }]) => [site.pageUrl(path), lastmod] as const),
    ),
  );
}

/** For comparison: comparing large maps takes too long. */
function textOf(pages: Map<string, string | undefined> | undefined): string | undefined {
  return pages && JSON.stringify([...pages].sort());
}

/** Starts a sync and kills it after `ms`. Returns whether it was still running. */
async function killAfter(ms: number, snapshot: string): Promise<boolean> {
  const running = spawn(process.execPath, [child.file, site.url, snapshot], { stdio: "ignore" });
  const ended = new Promise<void>((resolve) => running.once("exit", () => resolve()));
  const timer = setTimeout(() => running.kill("SIGKILL"), ms);
  await ended;
  clearTimeout(timer);
  return running.signalCode === "SIGKILL";
}

function edit(round: number): void {
  const sitemap = site.sitemaps.get(`s${round % SITEMAPS}`)!;
  sitemap.declared = `2026-02-${String((round % 28) + 1).padStart(2, "0")}`;
  sitemap.pages.set(`/s${round % SITEMAPS}/new-${round}`, {});
  const [first] = sitemap.pages.keys();
  sitemap.pages.delete(first!);
}

test(
  `${KILLS} kills: the snapshot is complete, and the next run reports the right changes`,
  async () => {
    const path = join(folder, "site.snapshot.gz");
    const startedAt = performance.now();
    await child.run(site.url, path);
    let wholeMs = performance.now() - startedAt;
    let seed = 20_261_115;
    const random = (): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return seed / 2 ** 32;
    };
    let killed = 0;
    for (let round = 0; killed < KILLS && round < 3 * KILLS; round++) {
      const before = await readPages(path);
      edit(round);
      // Not while Node starts: nothing is written then.
      if (await killAfter(wholeMs * (0.15 + 0.85 * random()), path)) killed++;
      else wholeMs *= 0.9;
      const after = await readPages(path);
      const isWhole = [before, pagesNow()].some((pages) => textOf(pages) === textOf(after));
      expect(isWhole).toBe(true);
    }
    expect(killed).toBe(KILLS);
    const before = (await readPages(path))!;
    const now = pagesNow();
    const told = await child.run(site.url, path);
    const added = [...now.keys()].filter((url) => !before.has(url)).map((url) => `added ${url}`);
    const removed = [...before.keys()].filter((url) => !now.has(url)).map((url) => `removed ${url}`);
    expect(told).toEqual([...added, ...removed].sort());
    expect(textOf(await readPages(path))).toBe(textOf(now));
    expect(await readdir(folder)).toEqual(["site.snapshot.gz"]);
  },
  600_000 + KILLS * 10_000,
);
