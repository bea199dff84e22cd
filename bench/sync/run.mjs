/**
 * Measures syncs: the first, one after a small change, one with trust in the index; bytes, requests, time, memory,
 * and what a page costs in the snapshot. `npm run bench:sync`, `-- --sitemaps 200 --pages 50000` for ten million.
 */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values } = parseArgs({
  options: {
    sitemaps: { type: "string", default: "50" },
    pages: { type: "string", default: "20000" },
  },
});
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
  for (const what of ["first", "0.1 % changed", "0.1 % changed, with trust", "nothing changed"]) {
    if (what.includes("changed") && !what.startsWith("nothing")) await fetch(`${url}change`);
    await counts();
    const { stdout } = await promisify(execFile)(process.execPath, [here("child.mjs"), url, snapshot]);
    const { ms, cpuMs, maxRssMb, summary } = JSON.parse(stdout);
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

function pick({ added, changed, removed, notModified, onTrust }) {
  return { added, changed, removed, notModified, onTrust };
}
