/**
 * Measures `checkPages` against a bare loop of undici requests with the same concurrency, on a site on loopback with
 * 10,000 pages. Both take turns, each run in a process of its own. `npm run bench:check`, `-- --pages 2000 --runs 3` for
 * less.
 */
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "10000" },
    runs: { type: "string", default: "5" },
    concurrency: { type: "string", default: "8" },
  },
});
const server = spawn(process.execPath, [here("site.mjs"), values.pages], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const { value: url } = await createInterface({ input: server.stdout })[Symbol.asyncIterator]().next();
  const rows = [];
  for (let run = 0; run < Number(values.runs); run++) {
    const [bare, check] = ["bare", "check"].map((what) => rateOf(what, url));
    rows.push({ bare, check, ratio: Number((check / bare).toFixed(2)) });
  }
  console.table(rows);
  const ratios = rows.map(({ ratio }) => ratio).sort((a, b) => a - b);
  console.log(`median ratio: ${ratios[Math.floor(ratios.length / 2)]} (pages per second, check / bare)`);
} finally {
  server.kill();
}

/** Pages per second. @param {string} what @param {string} url */
function rateOf(what, url) {
  const args = [here("one-run.mjs"), what, url, values.pages, values.concurrency];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}
