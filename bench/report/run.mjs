/**
 * Measures what a report costs over a walk: `npm run bench:report`, `-- --pages 1000000 --runs 1` for less.
 *
 * A walk without a report and a walk with `siteReport` read the same site, in turns, each in a process of its own. The
 * site is bench/site/large-site.mjs on loopback. Fails if the report takes more than 15 % CPU time over the walk, if its
 * process grows beyond 250 MB, or if the HTML has more than 250 KB. It needs a build.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const { values } = parseArgs({
  options: { pages: { type: "string", default: "10000000" }, runs: { type: "string", default: "3" } },
});
const [MAX_CPU, MAX_MB, MAX_BYTES] = [1.15, 250, 250_000];
const PAGES_PER_SITEMAP = Math.ceil(2_600_000 / 75);

const sitemaps = Math.ceil(Number(values.pages) / PAGES_PER_SITEMAP);
const server = spawn(process.execPath, [here("../site/large-site.mjs")], {
  stdio: ["ignore", "pipe", "inherit"],
  env: { ...process.env, SITEMAPS: String(sitemaps) },
});
try {
  const [homepage] = await once(createInterface(server.stdout), "line");
  const rows = [];
  for (let run = 0; run < Number(values.runs); run++) {
    const [walk, report] = ["walk", "report"].map((mode) => measure(mode, homepage));
    rows.push({
      pages: report.pages,
      walkCpu: walk.cpu,
      reportCpu: report.cpu,
      ratio: report.cpu / walk.cpu,
    });
    rows.at(-1).walkMb = walk.mb;
    rows.at(-1).reportMb = report.mb;
    rows.at(-1).htmlBytes = report.bytes;
  }
  console.table(rows);
  const middle = (/** @type {keyof (typeof rows)[0]} */ name) =>
    rows.map((row) => row[name]).sort((a, b) => a - b)[Math.floor(rows.length / 2)];
  const [ratio, mb, bytes] = [middle("ratio"), middle("reportMb"), middle("htmlBytes")];
  console.log(
    `median: ${((ratio - 1) * 100).toFixed(1)} % CPU over the walk, ${mb} MB, ${bytes} bytes of HTML`,
  );
  if (ratio > MAX_CPU || mb > MAX_MB || bytes > MAX_BYTES) process.exitCode = 1;
} finally {
  server.kill();
}

/** @param {string} mode @param {string} homepage @returns {{ pages: number, cpu: number, mb: number, bytes: number }} */
function measure(mode, homepage) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [here("one-run.mjs"), mode, homepage], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
