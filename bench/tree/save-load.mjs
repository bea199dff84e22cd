/**
 * node bench/tree/save-load.mjs [pages]: saves and loads a tree of that many pages (default: 2,600,000), each in a
 * process of its own, and prints time, processor time, the size of the file and the largest resident memory.
 * Needs a build.
 */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PAGES_PER_SITEMAP = 50_000;
const MIB = 1024 * 1024;
const dist = new URL("../../packages/siteatlas/dist/", import.meta.url);

/** @param {number} count */
async function generate(count) {
  const { PageListBuilder } = await import(new URL("page-list/page-list.js", dist).href);
  const rest = { issues: [], issueCount: 0, duplicateCount: 0 };
  const empty = new PageListBuilder().finish();
  const subSitemaps = [];
  for (let from = 0; from < count; from += PAGES_PER_SITEMAP) {
    const pages = new PageListBuilder();
    for (let i = from; i < Math.min(count, from + PAGES_PER_SITEMAP); i++) {
      const value = new Date(Date.UTC(2020, 0, 1) + ((i * 7919) % 200_000_000) * 1000);
      pages.add({
        url: `https://www.example.com/articles/${(i * 2_654_435_761) % 4_294_967_296}/title-of-number-${i}`,
        lastModified: { text: `${value.toISOString().slice(0, 19)}+00:00`, value, precision: "time" },
        changeFrequency: "weekly",
        priority: 0.5,
      });
    }
    const url = `https://www.example.com/sitemap-${subSitemaps.length}.xml`;
    subSitemaps.push({ kind: "pages", format: "xml", url, subSitemaps: [], pages: pages.finish(), ...rest });
  }
  const url = "https://www.example.com/";
  return { kind: "index", format: "website", url, subSitemaps, pages: empty, ...rest };
}

/** @param {string} job @param {string} file @param {number} count */
async function child(job, file, count) {
  const { allPages, loadTree, saveTree } = await import(new URL("index.js", dist).href);
  const tree = job === "save" ? await generate(count) : undefined;
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const start = performance.now();
  const cpu = process.cpuUsage();
  const result = job === "save" ? await saveTree(tree, file) : await loadTree(file);
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  clearInterval(timer);
  globalThis.gc?.();
  const after = process.memoryUsage().rss;
  let pages = 0;
  if (job === "load") for (const _ of allPages(result)) pages++;
  const cpuSeconds = (user + system) / 1e6;
  process.send?.({ seconds, cpuSeconds, before, peak, after, ...(job === "load" && { pages }) });
}

/** @param {string[]} args */
function run(...args) {
  return new Promise((resolve, reject) => {
    const started = fork(fileURLToPath(import.meta.url), args, { execArgv: ["--expose-gc"] });
    started.once("message", resolve);
    started.once("exit", (code) => code === 0 || reject(new Error(`ended with ${code}`)));
  });
}

const [first = "2600000", file, count] = process.argv.slice(2);
if (file !== undefined) await child(first, file, Number(count));
else {
  const folder = mkdtempSync(join(tmpdir(), "siteatlas-tree-"));
  const path = join(folder, "tree.gz");
  try {
    for (const job of ["save", "load"]) {
      const { seconds, cpuSeconds, before, peak, after, pages } = await run(job, path, first);
      const mib = (/** @type {number} */ bytes) => `${Math.round(bytes / MIB)} MiB`;
      console.log(
        `${job}: ${seconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of processor time, ` +
          `resident before ${mib(before)}, at most ${mib(peak)}, after ${mib(after)}` +
          (pages === undefined ? `, file ${mib(statSync(path).size)}` : `, ${pages} pages`),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
