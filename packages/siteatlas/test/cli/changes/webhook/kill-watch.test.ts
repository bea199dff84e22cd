/**
 * Kills `siteatlas watch` with a webhook at random moments, and a third of the times at moments around the commit: when
 * a file of the outbox or the snapshot appears, changes or disappears, or during a request. No change may be lost, and
 * each one has one delivery id. `WEBHOOK_KILLS=300` for as many.
 */
import { existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite } from "../../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, startCli } from "../../support/cli.ts";
import { filesIn, isSame, pause, Random, type Received, replay } from "./deliveries.ts";

buildCli();

const KILLS = Number(process.env["WEBHOOK_KILLS"] ?? 5);
const SITEMAPS = 3;
const PAGES = 200;
/** Requests of a sync: robots.txt, the index and its sitemaps. */
const REQUESTS = 2 + SITEMAPS;

const random = new Random(18);

interface Hook {
  readonly url: string;
  readonly received: Received[];
  /** Number of requests that have begun. */
  requests: number;
  /** Share of requests that are refused. */
  faults: number;
}

/** Applies a delivery, then answers 204 or 500. */
async function openHook(): Promise<Hook> {
  const server = createServer(async (request, response) => {
    hook.requests++;
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const isRefused = random.next() < hook.faults;
    if (!isRefused || random.next() < 0.5) {
      hook.received.push({ id: String(request.headers["webhook-id"]), timestamp: "", signature: "", body });
    }
    response.writeHead(isRefused ? 500 : 204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const hook: Hook = { url: `http://127.0.0.1:${port}/`, received: [], requests: 0, faults: 0.3 };
  return hook;
}

async function openLivingSite(): Promise<LivingSite> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  for (let number = 0; number < SITEMAPS; number++) {
    site.add(
      `s${number}`,
      Array.from({ length: PAGES }, (_, page) => `/s${number}/page-${page}`),
    );
  }
  return site;
}

const pagesOf = (site: LivingSite): Set<string> =>
  new Set(
    [...site.sitemaps.values()].flatMap(({ pages }) => [...pages.keys()].map((path) => site.pageUrl(path))),
  );

function edit(site: LivingSite, round: number): void {
  const { pages } = site.sitemaps.get(`s${round % SITEMAPS}`)!;
  if (round % 5 === 0) {
    const [first] = pages.keys();
    pages.delete(first!);
  }
  for (let number = 0; number < 3; number++) pages.set(`/new/${round}-${number}`, {});
}

test(
  `${KILLS} kills of a watch with a webhook lose no change`,
  async () => {
    const [site, hook] = [await openLivingSite(), await openHook()];
    const cwd = emptyFolder();
    const snapshot = join(cwd, `${new URL(site.url).host.replace(":", "_")}.snapshot.gz`);
    const outbox = `${snapshot}.outbox`;
    const times = ["--every", "20ms", "--max-every", "20ms", "--backoff", "2ms"];
    const args = ["watch", site.url, "--no-known", ...times, "-q", "--webhook", hook.url];
    const count = (pattern: RegExp): number => filesIn(outbox).filter((name) => pattern.test(name)).length;
    const identity = (): string =>
      existsSync(snapshot) ? String(statSync(snapshot, { bigint: true }).mtimeNs) : "";
    /** Each returns a value that changes at the moment of the kill. */
    const aims: readonly (() => number | string)[] = [
      () => count(/^prepared-/),
      () => identity(),
      () => count(/^\d/),
      () => hook.requests,
      () => hook.received.length,
      () => filesIn(cwd).filter((name) => name.endsWith(".new")).length,
    ];
    /** How long the command takes to send its first request. Other times depend on the machine in the same way. */
    let startMs = 1500;
    const killed = { random: 0, aimed: 0 };
    for (let round = 0; killed.random + killed.aimed < KILLS; round++) {
      edit(site, round);
      const child = startCli(args, { cwd });
      const ended = endOf(child);
      let isAimed = round % 3 === 0;
      const startedAt = performance.now();
      if (isAimed) {
        const aim = aims[(round / 3) % aims.length]!;
        const before = aim();
        // Some aims are never reached, because there is nothing to do. Then the kill counts as a random one.
        isAimed = false;
        while (!isAimed && performance.now() - startedAt < 5 * startMs) {
          await new Promise((resolve) => setImmediate(resolve));
          isAimed = aim() !== before;
        }
      } else {
        const requests = site.requests.length;
        // Not while Node starts: nothing is written then.
        while (site.requests.length === requests) await pause(1);
        startMs = Math.max(500, performance.now() - startedAt);
        await pause(startMs * random.next());
      }
      child.kill("SIGKILL");
      await ended;
      killed[isAimed ? "aimed" : "random"]++;
    }
    hook.faults = 0;
    const child = startCli(args, { cwd });
    const ended = endOf(child);
    // After some syncs it has removed the files of the killed ones, even if there was nothing to deliver.
    const enough = site.requests.length + 5 * REQUESTS;
    while (site.requests.length < enough) await pause(100);
    while (!isSame(replay(hook.received).get(site.url), pagesOf(site)) || count(/ndjson$/) > 0) {
      await pause(100);
    }
    child.kill("SIGTERM");
    expect((await ended).stderr).toBe("");
    expect(filesIn(cwd)).toEqual([snapshot.slice(cwd.length + 1)]);
    if (process.env["WEBHOOK_KILLS"] !== undefined) {
      const ids = new Set(hook.received.map(({ id }) => id));
      console.log(
        `${killed.random} random and ${killed.aimed} aimed kills, ${ids.size} deliveries, ${hook.received.length} applied`,
      );
    }
  },
  60_000 + KILLS * 20_000,
);
