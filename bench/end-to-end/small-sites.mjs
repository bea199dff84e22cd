/**
 * Many small sites at once: walked with one shared client, and asked for the same paths by bare undici. All
 * names lead to loopback addresses of the server.
 */
import { Agent, request } from "undici";
import { eachOf } from "./floors.mjs";
import { hostOf, lookupSite } from "./small-hosts.mjs";

/** As siteatlas asks by itself. */
const AT_ONCE_PER_HOST = 2;

function homepagesOf({ sites, port }) {
  return Array.from({ length: sites }, (_, site) => `http://${hostOf(site, port)}/`);
}

/** Asks, and drops what comes; `count` gets its bytes. */
async function drain(url, agent, count) {
  const { body } = await request(url, { dispatcher: agent });
  body.on("data", count);
  await new Promise((resolve, reject) => body.on("end", resolve).on("error", reject));
}

const tasks = {
  async walks({ concurrency }, homepages) {
    const { createNodeClient, streamPages } = await import(process.env.BENCH_SITEATLAS);
    const client = createNodeClient({ lookup: lookupSite, allow: ["127.0.0.0/8"] });
    return async () => {
      let found = 0;
      await eachOf(homepages, concurrency, async (homepage) => {
        for await (const _ of streamPages(homepage, { client })) found++;
      });
      return { found };
    };
  },

  /** The same in its order: robots.txt, then the rest, two at a time, for so many hosts at once. */
  async undici({ concurrency, paths }, homepages) {
    const agent = new Agent({ connections: AT_ONCE_PER_HOST, connect: { lookup: lookupSite } });
    const rest = paths.filter((path) => path !== "/robots.txt");
    return async () => {
      let bytes = 0;
      const count = (chunk) => {
        bytes += chunk.length;
      };
      await eachOf(homepages, concurrency, async (homepage) => {
        await drain(new URL("/robots.txt", homepage), agent, count);
        await eachOf(rest, AT_ONCE_PER_HOST, (path) => drain(new URL(path, homepage), agent, count));
      });
      return { bytes };
    };
  },
};

export async function load(task, details) {
  return tasks[task](details, homepagesOf(details));
}
