/**
 * A webhook that fails at random, is killed and restarted, answers late, and applies deliveries that it then refuses:
 * every change arrives at least once, in order for each site, with one id. `npm run bench:webhook` sends 50,000.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { LivingSite } from "../../../sync/living-site.ts";
import { buildCli, emptyFolder, endOf, startCli } from "../../support/cli.ts";
import { isSame, pause, Random, type Received, replay } from "./deliveries.ts";

buildCli();

const CHANGES = Number(process.env["WEBHOOK_CHANGES"] ?? 2000);
const SECRET = `whsec_${Buffer.alloc(32, "secret").toString("base64")}`;
const SITEMAPS = 4;
const ROUNDS = 3;
const EDITS = 25;

/** A few lines of another implementation. Prints the number of requests with the right signature. */
const VERIFIER = `
import base64, hashlib, hmac, json, sys
key = base64.b64decode(sys.argv[1][len("whsec_"):])
good = 0
for line in open(sys.argv[2], encoding="utf-8"):
    r = json.loads(line)
    signed = f"{r['id']}.{r['timestamp']}.{r['body']}".encode()
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    good += hmac.compare_digest(wanted, r["signature"])
print(good)
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the receiver again each time it ends. Returns a function that kills it. */
function keepReceiver(port: number, log: string): { kill: () => void; starts: () => number } {
  const script = fileURLToPath(new URL("receiver.mjs", import.meta.url));
  let child: ChildProcess;
  let starts = 0;
  let isOver = false;
  const start = (): void => {
    if (isOver) return;
    starts++;
    child = spawn(process.execPath, [script, String(port), log, String(starts)], { stdio: "ignore" });
    child.once("exit", start);
  };
  start();
  onTestFinished(() => {
    isOver = true;
    child.kill("SIGKILL");
  });
  return { kill: () => child.kill("SIGKILL"), starts: () => starts };
}

const received = (log: string): Received[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Received)
    : [];

async function openSites(pages: number): Promise<LivingSite[]> {
  const sites = [await LivingSite.start(), await LivingSite.start()];
  onTestFinished(async () => {
    for (const site of sites) await site.close();
  });
  const each = Math.ceil(pages / sites.length / SITEMAPS);
  for (const site of sites) {
    for (let sitemap = 0; sitemap < SITEMAPS; sitemap++) {
      const paths = Array.from({ length: each }, (_, page) => `/${sitemap}/page-${page}`);
      site.add(`s${sitemap}`, paths);
    }
  }
  return sites;
}

function edit(site: LivingSite, round: number): void {
  const { pages } = site.sitemaps.get(`s${round % SITEMAPS}`)!;
  const [first] = pages.keys();
  pages.delete(first!);
  for (let number = 0; number < EDITS; number++) pages.set(`/new/${round}-${number}`, {});
}

const pagesOf = (site: LivingSite): Set<string> =>
  new Set(
    [...site.sitemaps.values()].flatMap(({ pages }) => [...pages.keys()].map((path) => site.pageUrl(path))),
  );

const isWaiting = (cwd: string): boolean =>
  readdirSync(cwd)
    .filter((name) => name.endsWith(".outbox"))
    .some((name) => readdirSync(join(cwd, name)).some((file) => file.endsWith(".ndjson")));

test(
  `${CHANGES} changes reach a webhook that fails in every way`,
  async () => {
    const sites = await openSites(CHANGES - 2 * ROUNDS * (EDITS + 1));
    const cwd = emptyFolder();
    const log = join(cwd, "log");
    const port = await freePort();
    const { kill, starts } = keepReceiver(port, log);
    const times = ["--every", "300ms", "--max-every", "300ms", "--backoff", "5ms"];
    const child = startCli(
      [
        ...["watch", ...sites.map(({ url }) => url), "--no-known", ...times, "-q"],
        ...["--webhook", `http://127.0.0.1:${port}/`],
      ],
      { cwd, env: { SITEATLAS_WEBHOOK_SECRET: SECRET } },
    );
    const ended = endOf(child);
    const random = new Random(20_261_116);
    const isDone = (): boolean => {
      const pages = replay(received(log));
      return sites.every((site) => isSame(pages.get(site.url), pagesOf(site))) && !isWaiting(cwd);
    };
    // Pages that are deleted before the first sync are never reported.
    while (replay(received(log)).size < sites.length) await pause(50);
    for (let round = 0; round < ROUNDS; round++) {
      while (received(log).length < 3 * round) await pause(50);
      for (const site of sites) edit(site, round);
      await pause(400 * random.next());
      kill();
    }
    while (!isDone()) await pause(250);
    child.kill("SIGTERM");
    await ended;
    const all = received(log);
    const ids = new Set(all.map(({ id }) => id));
    const changes = new Set(
      all.flatMap(({ body }) =>
        (JSON.parse(body) as { changes: { kind: string; url: string }[] }).changes.map(
          ({ kind, url }) => `${kind} ${url}`,
        ),
      ),
    );
    expect(changes.size).toBeGreaterThanOrEqual(CHANGES);
    expect(all.length).toBeGreaterThan(ids.size);
    expect(starts()).toBeGreaterThan(ROUNDS);
    const verified = spawnSync("python3", ["-c", VERIFIER, SECRET, log], { encoding: "utf8" });
    if (verified.error === undefined) expect(Number(verified.stdout)).toBe(all.length);
    else for (const one of all.slice(0, 20)) expect(one.signature).toBe(opensslSignature(one));
    if (process.env["WEBHOOK_CHANGES"] !== undefined) {
      console.log(
        `${changes.size} changes in ${ids.size} deliveries, ${all.length} applied, ${starts()} starts of the receiver`,
      );
    }
  },
  60_000 + CHANGES * 20,
);

function opensslSignature({ id, timestamp, body }: Received): string {
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64").toString("hex");
  const args = ["dgst", "-sha256", "-mac", "HMAC", "-macopt", `hexkey:${key}`, "-binary"];
  const { stdout } = spawnSync("openssl", args, { input: `${id}.${timestamp}.${body}` });
  return `v1,${stdout.toString("base64")}`;
}
