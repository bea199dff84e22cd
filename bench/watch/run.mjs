/**
 * Watches 50 sites on loopback for 30 minutes of compressed time, with the command line as it is built. Each site
 * changes once per interval. The receiver of the webhook is down twice: first its port is closed, later it answers 503.
 * Checks that the receiver ends with exactly the pages of each site, that no beat is lost, that memory is flat, that
 * /healthz is well, and that the metrics equal what the servers counted.
 *
 * `npm run bench:watch`: 3 minutes. `-- --minute-ms 60000` takes 30 minutes, `--sites`, `--minutes` and `--every` (in
 * minutes) change the size.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const main = fileURLToPath(new URL("../../packages/siteatlas/dist/cli/main.js", import.meta.url));
const { values } = parseArgs({
  options: {
    sites: { type: "string", default: "50" },
    minutes: { type: "string", default: "30" },
    every: { type: "string", default: "2" },
    "minute-ms": { type: "string", default: "6000" },
  },
});
const [SITES, MINUTES, EVERY, MINUTE_MS] = [
  values.sites,
  values.minutes,
  values.every,
  values["minute-ms"],
].map(Number);
const EVERY_MS = EVERY * MINUTE_MS;
const FIRST_PAGES = 60;
const MB = 1_000_000;
/** A beat that starts so late is lost. Jitter moves each of two beats by up to a tenth. */
const MAX_GAP = 1.8;
const MAX_GROWTH_MB = 30;

// ---------------------------------------------------------------- the sites

/** @typedef {{ number: number, pages: Set<string>, next: number, beats: number[], requests: number }} Site */

/** @type {Map<string, Site>} */
const sites = new Map();
const made = { added: 0, removed: 0 };

const siteServer = createServer((request, response) => {
  const { host = "" } = request.headers;
  const site = sites.get(host);
  if (site === undefined) return void response.writeHead(404).end();
  site.requests++;
  if (request.url === "/robots.txt") {
    site.beats.push(performance.now());
    response.end(`Sitemap: http://${host}/sitemap.xml\n`);
  } else if (request.url === "/sitemap.xml") {
    const entries = [...site.pages].map((path) => `<url><loc>http://${host}${path}</loc></url>`);
    const head = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">';
    response.end(`${head}${entries.join("")}</urlset>`);
  } else response.writeHead(404).end();
});
await listen(siteServer, 0, "0.0.0.0");
const { port } = siteServer.address();
for (let number = 0; number < SITES; number++) {
  const site = { number, pages: new Set(), next: 0, beats: [], requests: 0 };
  for (let count = 0; count < FIRST_PAGES; count++) addPage(site);
  sites.set(`127.0.1.${number + 1}:${port}`, site);
}

/** @param {Site} site */
function addPage(site) {
  site.pages.add(`/page-${site.next++}`);
  made.added++;
}

/** Adds a page, and removes the oldest one if there are enough. @param {Site} site */
function change(site) {
  addPage(site);
  if (site.pages.size <= FIRST_PAGES) return;
  const [oldest] = site.pages;
  site.pages.delete(oldest);
  made.removed++;
}

// ---------------------------------------------------------------- the receiver

const receiver = { isRefusing: false, deliveries: 0, refused: 0, repeated: 0 };
/** @type {Map<string, Set<string>>} pages by host */
const copy = new Map([...sites.keys()].map((host) => [host, new Set()]));
const ids = new Set();

async function receive(request, response) {
  const body = JSON.parse(await text(request));
  if (receiver.isRefusing) {
    receiver.refused++;
    return void response.writeHead(503).end();
  }
  receiver.deliveries++;
  if (body.id !== undefined && ids.has(body.id)) receiver.repeated++;
  ids.add(body.id);
  for (const { kind, url } of body.changes) {
    const { host, pathname } = new URL(url);
    if (kind === "added") copy.get(host).add(pathname);
    if (kind === "removed") copy.get(host).delete(pathname);
  }
  response.writeHead(204).end();
}

let hook = await openReceiver(0);
const hookPort = hook.address().port;

async function openReceiver(at) {
  const server = createServer((request, response) => {
    receive(request, response).catch(() => response.destroy());
  });
  await listen(server, at, "127.0.0.1");
  return server;
}

// ---------------------------------------------------------------- the watch

const folder = await mkdtemp(join(tmpdir(), "siteatlas-bench-"));
await writeFile(join(folder, "hosts.txt"), [...sites.keys()].map((host) => `http://${host}/\n`).join(""));
const child = spawn(
  process.execPath,
  [
    ...[main, "watch", "--hosts", "hosts.txt", "--metrics", "0", "--log", "json", "--no-known"],
    ...["--every", `${EVERY_MS}ms`, "--max-every", `${EVERY_MS}ms`, "--allow", "127.0.0.0/8", "-j", "16"],
    ...["--webhook", `http://127.0.0.1:${hookPort}/`],
  ],
  { cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: { PATH: process.env.PATH } },
);
const levels = { info: 0, warning: 0, error: 0 };
let address = "";
createInterface({ input: child.stderr }).on("line", (line) => {
  const { level, message } = JSON.parse(line);
  levels[level]++;
  if (message.startsWith("Metrics: ")) address = message.slice("Metrics: ".length);
});

/** @returns {Promise<Map<string, number>>} */
async function metrics() {
  const lines = (await (await fetch(address)).text()).split("\n");
  const samples = lines.filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map((line) => [line.replace(/ \S+$/, ""), Number(line.replace(/^.* /, ""))]));
}

const name = (rest) => `siteatlas_watch_${rest}`;
const syncsIn = (all) =>
  ["changed", "unchanged", "failed"].reduce(
    (sum, outcome) => sum + all.get(name(`syncs_total{outcome="${outcome}"}`)),
    0,
  );

const problems = [];
try {
  while (address === "") await sleep(50);
  const startedAt = performance.now();
  const memory = [];
  let [unhealthy, failedSyncs] = [0, 0];
  const outages = [];
  for (let minute = 1; minute <= MINUTES; minute++) {
    await sleep(Math.max(0, startedAt + minute * MINUTE_MS - performance.now()));
    // The last interval is quiet, so that all changes are found.
    if (minute % EVERY === 0 && minute <= MINUTES - 3 * EVERY)
      for (const site of sites.values()) change(site);
    if (minute === Math.round(MINUTES / 6)) {
      hook.closeAllConnections();
      await new Promise((resolve) => hook.close(resolve));
      outages.push(`closed at ${minute}`);
    }
    if (minute === Math.round(MINUTES / 3)) {
      hook = await openReceiver(hookPort);
      outages.push(`open at ${minute}`);
    }
    if (minute === Math.round(MINUTES / 2) || minute === Math.round((2 * MINUTES) / 3)) {
      receiver.isRefusing = !receiver.isRefusing;
      outages.push(`${receiver.isRefusing ? "503" : "well"} at ${minute}`);
    }
    const all = await metrics();
    memory.push(all.get("process_resident_memory_bytes") / MB);
    failedSyncs = all.get(name('syncs_total{outcome="failed"}'));
    const health = await fetch(new URL("/healthz", address));
    if (!health.ok) {
      unhealthy++;
      console.log(`minute ${minute}: ${await health.text()}`);
    }
  }

  // A moment without a sync: then the metrics must equal what the servers counted.
  const isSame = () => [...sites].every(([host, { pages }]) => isEqual(pages, copy.get(host)));
  let all = await metrics();
  for (let tries = 0; tries < 2000; tries++) {
    const before = requestCount();
    all = await metrics();
    const isQuiet = all.get(name("syncs_running")) === 0 && before === requestCount();
    if (isQuiet && isSame()) break;
    await sleep(20);
  }
  const beats = [...sites.values()].map((site) => site.beats);
  const gaps = beats.flatMap((own) => own.slice(1).map((at, index) => (at - own[index]) / EVERY_MS));
  const beatCount = beats.reduce((sum, own) => sum + own.length, 0);
  const quarter = Math.max(1, memory.length >> 2);
  const early = median(memory.slice(quarter, 2 * quarter));
  const late = median(memory.slice(-quarter));
  const expected = {
    sites: SITES,
    syncs: beatCount,
    requests: requestCount(),
    added: made.added,
    removed: made.removed,
  };
  const measured = {
    sites: all.get(name("sites")),
    syncs: syncsIn(all),
    requests: all.get(name("requests_total")),
    added: all.get(name('changes_total{kind="added"}')),
    removed: all.get(name('changes_total{kind="removed"}')),
  };
  console.table({ expected, metrics: measured });
  console.table({
    minutes: `${MINUTES} of ${MINUTE_MS} ms`,
    outages: outages.join(", "),
    deliveries: `${receiver.deliveries}, ${receiver.repeated} repeated, ${receiver.refused} refused`,
    "failed syncs": failedSyncs,
    "longest gap between beats": `${Math.max(...gaps).toFixed(2)} intervals`,
    "memory (MB)": `${early.toFixed(0)} in the second quarter, ${late.toFixed(0)} in the last, ${Math.max(...memory).toFixed(0)} at most`,
    messages: JSON.stringify(levels),
  });
  for (const [what, value] of Object.entries(expected)) {
    if (measured[what] !== value) problems.push(`metrics: ${what} is ${measured[what]}, not ${value}`);
  }
  if (!isSame()) problems.push("the receiver does not have the pages of the sites");
  if (Math.max(...gaps) > MAX_GAP) problems.push("a beat was lost");
  if (late - early > MAX_GROWTH_MB) problems.push("memory grew");
  if (unhealthy > 0) problems.push(`unhealthy in ${unhealthy} of ${MINUTES} minutes`);
  if (receiver.refused === 0) problems.push("the receiver was never asked while it was down");
} finally {
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
  for (const server of [siteServer, hook]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
}
console.log(problems.length === 0 ? "All is well." : problems.map((text) => `Problem: ${text}`).join("\n"));
process.exitCode = problems.length === 0 ? 0 : 1;

// ---------------------------------------------------------------- helpers

function listen(server, at, host) {
  return new Promise((resolve, reject) => server.once("error", reject).listen(at, host, resolve));
}

function requestCount() {
  return [...sites.values()].reduce((sum, { requests }) => sum + requests, 0);
}

function isEqual(one, other) {
  return one.size === other.size && [...one].every((value) => other.has(value));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}
