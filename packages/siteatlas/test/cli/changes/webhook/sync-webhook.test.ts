/**
 * `siteatlas sync --webhook`: the changes of each run reach the webhook, also if it was down or the process was killed.
 * `WEBHOOK_KILLS=300` for as many kills.
 */
import { existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite } from "../../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../../support/cli.ts";
import { filesIn, isSame, pause, Random, type Received, replay } from "./deliveries.ts";

buildCli();

const KILLS = Number(process.env["WEBHOOK_KILLS"] ?? 4);
const random = new Random(19);

interface Hook {
  readonly url: string;
  /** Applied deliveries. */
  readonly received: Received[];
  requests: number;
  /** The status of the next answer. */
  status: () => number;
}

async function openHook(status: () => number = () => 204): Promise<Hook> {
  const server = createServer(async (request, response) => {
    hook.requests++;
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const code = hook.status();
    // Some receivers apply a delivery that they then refuse.
    if (code === 204 || code === 500) {
      hook.received.push({ id: String(request.headers["webhook-id"]), timestamp: "", signature: "", body });
    }
    response.writeHead(code, code === 503 ? { "retry-after": "3600" } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const hook: Hook = { url: `http://127.0.0.1:${port}/`, received: [], requests: 0, status };
  return hook;
}

async function openSite(pages: number): Promise<LivingSite> {
  const site = await LivingSite.start();
  onTestFinished(() => site.close());
  for (const name of ["a", "b"]) {
    site.add(
      name,
      Array.from({ length: pages }, (_, number) => `/${name}/page-${number}`),
    );
  }
  return site;
}

const pagesOf = (site: LivingSite): Set<string> => new Set(site.truth().keys());

function usual(site: LivingSite, hook: Hook): string[] {
  return [
    "sync",
    site.url,
    "--snapshot",
    "s.gz",
    "--no-known",
    "--backoff",
    "1ms",
    "-q",
    "--webhook",
    hook.url,
  ];
}

test("the changes are printed and delivered, and nothing stays behind", async () => {
  const [site, hook] = [await openSite(20), await openHook()];
  const cwd = emptyFolder();
  const first = await runCli(usual(site, hook), { cwd });
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(first.stdout.split("\n").filter((line) => line.includes('"added"'))).not.toEqual([]);
  expect(isSame(replay(hook.received).get(site.url), pagesOf(site))).toBe(true);
  expect(filesIn(cwd)).toEqual(["s.gz"]);
  site.sitemaps.get("a")!.pages.delete("/a/page-1");
  await runCli([...usual(site, hook), "--dry-run"], { cwd });
  expect(hook.requests).toBe(1);
  expect((await runCli([...usual(site, hook), "--exit-code"], { cwd })).code).toBe(6);
  expect(isSame(replay(hook.received).get(site.url), pagesOf(site))).toBe(true);
  // Without changes there is nothing to send.
  expect((await runCli(usual(site, hook), { cwd })).code).toBe(0);
  expect(hook.requests).toBe(2);
});

test("if the webhook fails, sync exits with 9, and the next sync sends the changes first", async () => {
  const [site, hook] = [await openSite(3), await openHook(() => 501)];
  const cwd = emptyFolder();
  const failed = await runCli(usual(site, hook), { cwd });
  expect(failed.code).toBe(9);
  expect(failed.stderr).toContain("the webhook answered 501. The changes of 1 sync wait in s.gz.outbox.");
  expect(hook.requests).toBe(4);
  // The webhook asks for an hour: sync does not wait.
  hook.status = () => 503;
  expect((await runCli(usual(site, hook), { cwd })).code).toBe(9);
  expect(hook.requests).toBe(5);
  const without = await runCli(["sync", site.url, "--snapshot", "s.gz", "--no-known", "-q"], { cwd });
  expect(without).toMatchObject({ code: 0, stderr: expect.stringContaining("wait for a webhook") });
  hook.status = () => 204;
  site.sitemaps.get("a")!.pages.set("/a/new", {});
  expect((await runCli(usual(site, hook), { cwd })).code).toBe(0);
  expect(isSame(replay(hook.received).get(site.url), pagesOf(site))).toBe(true);
  expect(filesIn(cwd)).toEqual(["s.gz"]);
});

test("failures reach the webhook with --hook-on", async () => {
  const [site, hook] = [await openSite(3), await openHook()];
  const cwd = emptyFolder();
  const args = [...usual(site, hook), "--hook-on", "changes,failures", "--retries", "0"];
  await runCli(args, { cwd });
  site.sitemaps.get("a")!.mood = "down";
  await runCli(args, { cwd });
  // The same failure is not sent again.
  await runCli(args, { cwd });
  site.sitemaps.get("a")!.mood = "well";
  await runCli(args, { cwd });
  const bodies = hook.received.map(({ body }) => JSON.parse(body) as { changes: { kind: string }[] });
  expect(bodies.map(({ changes }) => [...new Set(changes.map(({ kind }) => kind))])).toEqual([
    ["added"],
    ["unknown"],
    [],
  ]);
});

test("a failure reaches the webhook once, and so does the first sync in which all is well", async () => {
  const [site, hook] = [await openSite(3), await openHook()];
  const cwd = emptyFolder();
  const args = [...usual(site, hook), "--hook-on", "failures", "--retries", "0"];
  for (const { pages } of site.sitemaps.values()) pages.clear();
  expect((await runCli(args, { cwd })).code).toBe(0);
  expect((await runCli(args, { cwd })).code).toBe(0);
  for (const name of ["a", "b"]) site.sitemaps.get(name)!.pages.set(`/${name}/new`, {});
  await runCli(args, { cwd });
  await runCli(args, { cwd });
  const bodies = hook.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toMatchObject([
    { kind: "failure", message: "no page found in 3 sitemaps", failures: 1 },
    { kind: "changes", isFirst: true },
  ]);
  expect(filesIn(cwd)).toEqual(["s.gz"]);
});

test("an outage of a known site reaches the webhook as a failure, once, and then that all is well", async () => {
  const [site, hook] = [await openSite(3), await openHook()];
  const cwd = emptyFolder();
  const args = [...usual(site, hook), "--hook-on", "changes,failures", "--retries", "0"];
  await runCli(args, { cwd });
  site.robotsMood = "down";
  site.indexMood = "down";
  for (const sitemap of site.sitemaps.values()) sitemap.mood = "down";
  await runCli(args, { cwd });
  await runCli(args, { cwd });
  site.robotsMood = "well";
  site.indexMood = "well";
  for (const sitemap of site.sitemaps.values()) sitemap.mood = "well";
  await runCli(args, { cwd });
  const bodies = hook.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  expect(bodies).toMatchObject([
    { kind: "changes", isFirst: true },
    { kind: "failure", message: expect.stringContaining("(503): their 6 pages are kept"), failures: 1 },
    { kind: "changes", changes: [] },
  ]);
  expect(bodies).toHaveLength(3);
  expect(filesIn(cwd)).toEqual(["s.gz"]);
});

test("watch and sync share what the webhook knows of a failure", async () => {
  const [site, hook] = [await openSite(3), await openHook()];
  const cwd = emptyFolder();
  const hooks = ["--webhook", hook.url, "--hook-on", "changes,failures", "--retries", "0", "--no-known"];
  const name = new URL(site.url).host.replace(":", "_");
  const args = ["sync", site.url, "--snapshot", `${name}.snapshot.gz`, "-q", ...hooks];
  await runCli(args, { cwd });
  site.sitemaps.get("a")!.mood = "down";
  await runCli(args, { cwd });
  expect(hook.received).toHaveLength(2);
  expect(filesIn(cwd)).toContain(`${name}.snapshot.gz.failure`);
  const requests = site.requests.length;
  const watch = startCli(["watch", site.url, "--every", "100ms", "--max-every", "100ms", ...hooks], { cwd });
  while (site.requests.length < requests + 8) await pause(5);
  watch.kill("SIGTERM");
  await endOf(watch);
  expect(hook.received).toHaveLength(2);
  site.sitemaps.get("a")!.mood = "well";
  await runCli(args, { cwd });
  expect(hook.received).toHaveLength(3);
  expect(filesIn(cwd)).toEqual([`${name}.snapshot.gz`]);
});

test(
  `${KILLS} kills of a sync with a webhook lose no change`,
  async () => {
    const [site, hook] = [await openSite(200), await openHook(() => (random.next() < 0.3 ? 500 : 204))];
    const cwd = emptyFolder();
    const [snapshot, outbox] = [join(cwd, "s.gz"), join(cwd, "s.gz.outbox")];
    const args = usual(site, hook);
    const count = (pattern: RegExp): number => filesIn(outbox).filter((name) => pattern.test(name)).length;
    /** Each returns a value that changes at the moment of the kill. */
    const aims: readonly (() => number | string)[] = [
      () => count(/^prepared-/),
      () => (existsSync(snapshot) ? String(statSync(snapshot, { bigint: true }).mtimeNs) : ""),
      () => count(/^\d/),
      () => hook.requests,
      () => hook.received.length,
    ];
    const killed = { random: 0, aimed: 0 };
    for (let round = 0; round < KILLS; round++) {
      const { pages } = site.sitemaps.get(round % 2 === 0 ? "a" : "b")!;
      for (let number = 0; number < 3; number++) pages.set(`/new/${round}-${number}`, {});
      if (round % 5 === 4) pages.delete([...pages.keys()][0]!);
      const child = startCli(args, { cwd });
      let isOver = false;
      const ended = endOf(child).then(() => {
        isOver = true;
      });
      let isAimed = round % 2 === 0;
      if (isAimed) {
        const aim = aims[(round / 2) % aims.length]!;
        const before = aim();
        isAimed = false;
        while (!isAimed && !isOver) {
          await new Promise((resolve) => setImmediate(resolve));
          isAimed = aim() !== before;
        }
      } else {
        const requests = site.requests.length;
        while (site.requests.length === requests && !isOver) await pause(1);
        await pause(300 * random.next());
      }
      child.kill("SIGKILL");
      await ended;
      killed[isAimed ? "aimed" : "random"]++;
    }
    hook.status = () => 204;
    expect((await runCli(args, { cwd })).code).toBe(0);
    expect(isSame(replay(hook.received).get(site.url), pagesOf(site))).toBe(true);
    expect(filesIn(cwd)).toEqual(["s.gz"]);
    if (process.env["WEBHOOK_KILLS"] !== undefined) {
      console.log(
        `${killed.random} random and ${killed.aimed} aimed kills of sync, ${hook.requests} requests`,
      );
    }
  },
  60_000 + KILLS * 20_000,
);
