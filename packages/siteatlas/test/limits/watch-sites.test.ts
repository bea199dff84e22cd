/**
 * Watches 200 sites for ten simulated minutes, thirty times as fast (`WATCH_MINUTE_MS=1000` for sixty times):
 * the schedule does not drift, syncs do not pile up, memory does not grow, and an abort ends the watch at once.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSnapshot } from "../../src/sync/snapshot/read-snapshot.ts";
import { urlset } from "../support/test-site.ts";
import { bundleChild, type Child } from "./bundle-child.ts";
import type { WatchReport } from "./watch-child.ts";

const MINUTE_MS = Number(process.env["WATCH_MINUTE_MS"] ?? 2000);
const MINUTES = 10;
const EVERY_MS = 5 * MINUTE_MS;
const SITES = 200;
const MB = 1_000_000;

let child: Child;
let server: Server;
let folder: string;

beforeAll(async () => {
  child = await bundleChild(new URL("watch-child.ts", import.meta.url));
  folder = await mkdtemp(join(tmpdir(), "siteatlas-test-"));
  const startedAt = performance.now();
  server = createServer((request, response) => {
    if (!request.socket.remoteAddress?.startsWith("127.")) return void response.destroy();
    const base = `http://${request.headers.host}`;
    if (request.url === "/robots.txt") {
      // A sync takes a fifth of the interval, so that a schedule that counts from its end would drift.
      const text = `Sitemap: ${base}/sitemap.xml\n`;
      setTimeout(() => response.end(text), 0.2 * EVERY_MS);
    } else {
      const minute = Math.floor((performance.now() - startedAt) / MINUTE_MS);
      const paths = Array.from({ length: 50 + minute }, (_, number) => `${base}/page-${number}`);
      response.end(urlset(paths));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
});

afterAll(async () => {
  child.remove();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

/**
 * How far from the grid each sync started, as a share of the interval, sorted. Only syncs that did not have to
 * wait for others.
 */
function latenesses(starts: WatchReport["starts"], beat: (number: number) => boolean): number[] {
  return starts
    .flatMap((own) =>
      own
        .filter(({ isFree }, number) => isFree && number > 0 && beat(number))
        .map(({ at }) => (((at - own[0]!.at) % EVERY_MS) + EVERY_MS) % EVERY_MS)
        .map((ms) => Math.min(ms, EVERY_MS - ms) / EVERY_MS),
    )
    .sort((a, b) => a - b);
}

test(
  `${SITES} sites for ${MINUTES} minutes: no drift, no pile-up, bounded memory, a prompt end`,
  async () => {
    const { port } = server.address() as AddressInfo;
    const report = (await child.run(
      ...[port, SITES, EVERY_MS, MINUTES * MINUTE_MS].map(String),
      folder,
    )) as WatchReport;
    const { starts, syncs, failures, overlaps, mostAtOnce } = report;
    expect(failures).toEqual([]);
    expect(overlaps).toBe(0);
    expect(mostAtOnce).toBeLessThanOrEqual(64);
    expect(starts.every((own) => own.length >= 1)).toBe(true);
    expect(syncs).toBeGreaterThanOrEqual(SITES);

    // A schedule that counts from the end of each sync would be late by another fifth of the interval each time.
    const late = latenesses(starts, () => true);
    expect(late.length).toBeGreaterThan(0);
    expect(late[late.length >> 1]).toBeLessThan(0.12);

    expect(report.memoryBefore).toBeGreaterThan(0);
    expect(report.memoryAfter - report.memoryBefore).toBeLessThan(40 * MB);
    expect(report.stopMs).toBeLessThan(2000);

    // Aborted syncs leave complete snapshots, and no other files.
    const files = await readdir(folder);
    expect(files.filter((name) => !/^\d+\.gz$/.test(name))).toEqual([]);
    expect(files).toHaveLength(SITES);
    for (const name of files) {
      const snapshot = await readSnapshot(join(folder, name));
      let pages = 0;
      for await (const _ of snapshot.pages()) pages++;
      await snapshot.close();
      expect(pages).toBe(snapshot.pageCount);
    }
  },
  60_000 + 2 * MINUTES * MINUTE_MS,
);
