/** siteatlas as a library: the stream, page by page and in batches, the tree, and the stream in a process that has walked before. */
import { measureMemory } from "../site/memory.mjs";

async function countStream(streamPages, origin, options) {
  let found = 0;
  for await (const _ of streamPages(origin, options)) found++;
  return found;
}

const tasks = {
  stream:
    ({ streamPages }, { origin }) =>
    async () => ({ found: await countStream(streamPages, origin) }),

  batches:
    ({ streamPageBatches }, { origin }) =>
    async () => {
      let found = 0;
      for await (const pages of streamPageBatches(origin)) found += pages.length;
      return { found };
    },

  tree:
    ({ sitemapTreeForHomepage, allPages }, { origin }) =>
    async () => {
      let found = 0;
      for (const _ of allPages(await sitemapTreeForHomepage(origin))) found++;
      return { found };
    },

  /** The first walk, of some of the pages, is told apart from the whole one after it. */
  scaling:
    ({ streamPages }, { origin, firstUrls }) =>
    async () => {
      const cpu = process.cpuUsage;
      const seconds = ({ user, system }) => (user + system) / 1e6;
      const start = cpu();
      await countStream(streamPages, origin, { limits: { urls: firstUrls } });
      const coldCpuSeconds = seconds(cpu(start));
      const second = cpu();
      const found = await countStream(streamPages, origin);
      return { found, coldCpuSeconds, warmCpuSeconds: seconds(cpu(second)) };
    },

  memory:
    (siteatlas, { origin, mode }) =>
    async () => {
      const { pages, ...rest } = await measureMemory(siteatlas, mode, origin);
      return { found: pages, ...rest };
    },
};

export async function load(task, details) {
  const siteatlas = await import(process.env.BENCH_SITEATLAS);
  return tasks[task](siteatlas, details);
}
