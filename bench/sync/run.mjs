/**
 * Measures syncs: the first, one after a small change, one when nothing changed; bytes, requests, time, memory, and the
 * bytes of a page in the snapshot, with the command line as it is built. Then sixty days of a site with 200,000 pages and
 * many faults, by the clock of the test. `npm run bench:sync`, `-- --sitemaps 200 --pages 50000` for ten million,
 * `-- --only sizes` or `-- --only days` for one part.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const main = here("../../packages/siteatlas/dist/cli/main.js");
const { values } = parseArgs({
  options: {
    sitemaps: { type: "string", default: "50" },
    pages: { type: "string", default: "20000" },
    only: { type: "string" },
  },
});
if (values.only !== "sizes") await sixtyDays();
if (values.only === "days") process.exit();
const server = spawn(
  process.execPath,
  ["--max-old-space-size=4096", here("site.mjs"), values.sitemaps, values.pages],
  {
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
const folder = await mkdtemp(join(tmpdir(), "siteatlas-bench-"));
const snapshot = join(folder, "site.snapshot.gz");
const counts = async () => (await fetch(`${url}counts`)).json();

try {
  const rows = [];
  for (const what of ["first", "0.1 % changed", "nothing changed"]) {
    if (what.includes("changed") && !what.startsWith("nothing")) await fetch(`${url}change`);
    await counts();
    const { ms, cpuMs, maxRssMb, summary } = await sync(url, snapshot);
    const { requests, bytes } = await counts();
    rows.push({ what, ms, cpuMs, maxRssMb, requests, bytes, ...pick(summary) });
  }
  console.table(rows);
  const [first, second] = rows;
  const { size } = await stat(snapshot);
  const pages = Number(values.sitemaps) * Number(values.pages);
  console.log(`snapshot: ${size} bytes, ${(size / pages).toFixed(1)} a page`);
  console.log(
    `second run: ${((100 * second.bytes) / first.bytes).toFixed(1)} % of the bytes, ` +
      `${((100 * second.ms) / first.ms).toFixed(1)} % of the time`,
  );
} finally {
  server.kill();
  await rm(folder, { recursive: true });
}

/** The test of sixty days, with all its pages. It prints a table. */
async function sixtyDays() {
  const args = ["vitest", "run", "packages/siteatlas/test/sync/sixty-days.test.ts"];
  const cwd = here("../..");
  const env = { ...process.env, SIXTY_DAYS: "whole" };
  const [code] = await once(spawn("npx", args, { cwd, env, stdio: "inherit" }), "close");
  if (code !== 0) throw new Error(`The test of sixty days ended with ${code}`);
}

/** The command line as it is installed, in a process of its own. */
async function sync(site, file) {
  const startedAt = performance.now();
  const args = ["sync", site, "--snapshot", file, "-f", "urls", "--progress", "json"];
  const child = spawn(
    process.execPath,
    ["--require", here("../end-to-end/report-usage.cjs"), main, ...args],
    {
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    },
  );
  const [said, usage, [code]] = await Promise.all([
    text(child.stderr),
    text(child.stdio[3]),
    once(child, "close"),
  ]);
  if (code !== 0) throw new Error(`siteatlas sync ended with ${code}: ${said}`);
  const ms = Math.round(performance.now() - startedAt);
  const { cpuSeconds, peakBytes } = JSON.parse(usage);
  return {
    ms,
    cpuMs: Math.round(1000 * cpuSeconds),
    maxRssMb: Math.round(peakBytes / 1e6),
    summary: JSON.parse(said.trim().split("\n").at(-1)),
  };
}

function pick({ added, changed, removed, notModified, onTrust }) {
  return { added, changed, removed, notModified, onTrust };
}
