/** Ctrl-Z, SIGSTOP, a laptop that sleeps: a pause of the process is not a timeout of the server. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { open } from "../../fetch/client/client-suite.ts";
import { eventually, type TestServer } from "../../support/http-server.ts";
import { pageUrls, robotsTxt, urlset } from "../../support/test-site.ts";
import { buildCli, emptyFolder, endOf, runCli, startCli } from "../support/cli.ts";

buildCli();

/** Longer than the limits below, and than the gap that counts as a pause (2 s). */
const STOP_MS = 5500;
const LIMITS = [
  "--headers-timeout",
  "4s",
  "--idle-timeout",
  "4s",
  "--timeout",
  "5s",
  "--retries",
  "0",
  "--progress",
  "none",
];
const isWindows = process.platform === "win32";

interface HeldSite extends TestServer {
  /** Requests for /a.xml so far. */
  readonly tries: () => number;
  /** The responses that wait. */
  readonly held: readonly ServerResponse[];
}

/** A site with a sitemap of 1,000 pages. The first request for it is left to `hold`, if that is set. */
async function openHeldSite(
  hold: (response: ServerResponse, body: string) => void,
  state: { isHolding: boolean } = { isHolding: true },
): Promise<HeldSite> {
  const held: ServerResponse[] = [];
  let tries = 0;
  const site = await open((request, response) => {
    if (request.url === "/robots.txt") response.end(robotsTxt([`${site.url}/a.xml`]));
    else if (request.url !== "/a.xml") response.writeHead(404).end();
    else {
      const body = urlset(pageUrls(site.url, 1000));
      if (state.isHolding && ++tries === 1) {
        held.push(response);
        hold(response, body);
      } else response.end(body);
    }
  });
  return { ...site, held, tries: () => tries };
}

/** Stops the process for a while, as Ctrl-Z does. */
async function stopFor(
  child: ChildProcessWithoutNullStreams,
  meanwhile: () => void = () => {},
): Promise<void> {
  // The process may have read what was sent to it.
  await sleep(700);
  child.kill("SIGSTOP");
  await sleep(STOP_MS);
  meanwhile();
  child.kill("SIGCONT");
}

const silent = (): void => {};
const half = (response: ServerResponse, body: string): void => {
  response.writeHead(200, { "content-length": Buffer.byteLength(body) });
  response.write(body.slice(0, body.length / 2));
};

/** Ls waits on for a server that answers then. */
async function waitsOn(): Promise<void> {
  const site = await openHeldSite(silent);
  const child = startCli(["ls", site.url, "--no-known", ...LIMITS]);
  const end = endOf(child);
  await eventually(() => site.held.length > 0, "the request", 30_000);
  await stopFor(child);
  site.held[0]!.end(urlset(pageUrls(site.url, 1000)));
  const { code, stdout, stderr } = await end;
  expect([code, stdout.trim().split("\n").length, stderr]).toEqual([0, 1000, "1,000 pages in 1 sitemap\n"]);
  expect(site.tries()).toBe(1);
}

/** ls requests documents again whose connection the server has closed meanwhile, even with --retries 0. */
async function requestsAgain(): Promise<void> {
  const site = await openHeldSite(silent);
  const child = startCli(["ls", site.url, "--no-known", ...LIMITS]);
  const end = endOf(child);
  await eventually(() => site.held.length > 0, "the request", 30_000);
  await stopFor(child, () => site.held[0]!.destroy());
  const { code, stdout, stderr } = await end;
  expect([code, stdout.trim().split("\n").length, stderr]).toEqual([0, 1000, "1,000 pages in 1 sitemap\n"]);
  expect(site.tries()).toBe(2);
}

/** Ls requests a document again that was read in part, and lists each page once. */
async function readsAgain(): Promise<void> {
  const site = await openHeldSite(half);
  const child = startCli(["ls", site.url, "--no-known", ...LIMITS]);
  const end = endOf(child);
  await eventually(() => site.held.length > 0, "the request", 30_000);
  // The connection stays open, but no bytes arrive, as after a long sleep.
  await stopFor(child);
  const { code, stdout, stderr } = await end;
  const urls = stdout.trim().split("\n");
  expect([code, urls.length, new Set(urls).size, stderr]).toEqual([
    0,
    1000,
    1000,
    "1,000 pages in 1 sitemap\n",
  ]);
  expect(site.tries()).toBe(2);
}

/** sync reports no page as removed or unknown. */
async function syncs(): Promise<void> {
  const state = { isHolding: false };
  const site = await openHeldSite(silent, state);
  const folder = emptyFolder();
  const args = ["sync", site.url, "--no-known", "--snapshot", "a.snapshot.gz", ...LIMITS];
  await runCli(args, { cwd: folder });
  copyFileSync(join(folder, "a.snapshot.gz"), join(folder, "before.snapshot.gz"));
  state.isHolding = true;
  const child = startCli(args, { cwd: folder });
  const end = endOf(child);
  await eventually(() => site.held.length > 0, "the request", 30_000);
  await stopFor(child, () => site.held[0]!.destroy());
  const { code, stderr } = await end;
  expect([code, stderr]).toEqual([0, "No changes. 1,000 pages in 1 sitemap.\n"]);
}

/** watch continues its sync. */
async function watches(): Promise<void> {
  const site = await openHeldSite(silent);
  const child = startCli(["watch", site.url, "--no-known", "--every", "1h", ...LIMITS]);
  let stderr = "";
  child.stderr.on("data", (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  child.stdout.resume();
  await eventually(() => site.held.length > 0, "the request", 30_000);
  await stopFor(child, () => site.held[0]!.destroy());
  await eventually(() => /1,000 (?:pages|added)/.test(stderr), "the end of the sync", 30_000);
  expect(stderr).not.toMatch(/error|warning|failed|timeout/i);
  child.kill("SIGTERM");
  await once(child, "close");
}

it.skipIf(isWindows)("is not a timeout of ls, sync and watch", async () => {
  // Together, because most of the time they are stopped.
  await Promise.all([waitsOn(), requestsAgain(), readsAgain(), syncs(), watches()]);
});
