/**
 * Streams the large site, then holds it as a tree, each in a process of its own, and prints time, pages
 * and memory: `npm run bench:site`. What it must show: the first page comes before the second sitemap
 * is asked for or within 200 ms; the stream grows RSS by less than 120 MB, the tree by less than 200 MB.
 */
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MB = 1024 * 1024;

async function measure(mode, homepage) {
  const { allPages, sitemapTreeForHomepage, streamPages } = await import("siteatlas");
  // Everything loaded and warm before the baseline.
  for await (const _ of streamPages(homepage, { limits: { urls: 20_000 } }));
  globalThis.gc?.();
  const base = process.memoryUsage().rss;
  let peak = base;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 20);
  const start = performance.now();
  let first;
  let pages = 0;
  let again = 0;
  if (mode === "stream") {
    for await (const _ of streamPages(homepage)) {
      first ??= performance.now() - start;
      pages++;
    }
  } else {
    const tree = await sitemapTreeForHomepage(homepage);
    for (const _ of allPages(tree)) pages++;
    globalThis.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    peak = Math.max(peak, process.memoryUsage().rss);
    const walk = performance.now();
    for (const _ of allPages(tree)) again++;
    first = performance.now() - walk;
  }
  clearInterval(timer);
  return {
    mode,
    pages,
    again,
    seconds: (performance.now() - start) / 1000,
    firstMs: first,
    cpuSeconds: process.cpuUsage().user / 1e6,
    growthMb: (peak - base) / MB,
    heldMb: (process.memoryUsage().rss - base) / MB,
  };
}

if (process.send) {
  process.once("message", async ([mode, homepage]) => {
    process.send(await measure(mode, homepage));
    process.disconnect();
  });
} else {
  const path = (name) => fileURLToPath(new URL(name, import.meta.url));
  const server = spawn(process.execPath, [path("large-site.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  const [homepage] = await once(createInterface(server.stdout), "line");
  for (const mode of ["stream", "tree"]) {
    const child = fork(path("run.mjs"), { execArgv: ["--expose-gc"] });
    child.send([mode, homepage]);
    const [result] = await once(child, "message");
    console.log(JSON.stringify(result));
  }
  server.kill();
}
