/**
 * What a large site costs in memory, as a stream and as a tree: RSS above that of a process in which everything
 * is loaded and warm. Run it with --expose-gc.
 */
const MB = 1024 * 1024;

const settle = () => new Promise((resolve) => setTimeout(resolve, 200));

/** Bytes that are in use, on the heap and beside it. */
function usedBytes() {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

export async function measureMemory({ allPages, sitemapTreeForHomepage, streamPages }, mode, homepage) {
  for await (const _ of streamPages(homepage, { limits: { urls: 20_000 } }));
  globalThis.gc?.();
  const base = process.memoryUsage().rss;
  const usedBefore = usedBytes();
  let peak = base;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  const timer = setInterval(look, 20);
  const start = performance.now();
  let firstMs;
  let pages = 0;
  let again = 0;
  let treeBytes;
  if (mode === "stream") {
    for await (const _ of streamPages(homepage)) {
      firstMs ??= performance.now() - start;
      pages++;
    }
  } else {
    const tree = await sitemapTreeForHomepage(homepage);
    for (const _ of allPages(tree)) pages++;
    globalThis.gc?.();
    await settle();
    look();
    globalThis.gc?.();
    treeBytes = usedBytes() - usedBefore;
    const walk = performance.now();
    for (const _ of allPages(tree)) again++;
    firstMs = performance.now() - walk;
  }
  clearInterval(timer);
  look();
  return {
    mode,
    pages,
    again,
    seconds: (performance.now() - start) / 1000,
    firstMs,
    cpuSeconds: process.cpuUsage().user / 1e6,
    baseMb: base / MB,
    growthMb: (peak - base) / MB,
    heldMb: (process.memoryUsage().rss - base) / MB,
    treeBytesPerPage: treeBytes === undefined ? undefined : treeBytes / pages,
  };
}
